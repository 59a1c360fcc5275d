"""arXiv's archives and categories, and their names in each of its interfaces: https://arxiv.org/category_taxonomy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from bot.errors import UsageError

_SUBJECTS: dict[str, str] = {
    "cs": "AI AR CC CE CG CL CR CV CY DB DC DL DM DS ET FL GL GR GT HC IR IT LG LO MA MM MS NA NE NI OH OS PF PL RO SC "
    "SD SE SI SY",
    "econ": "EM GN TH",
    "eess": "AS IV SP SY",
    "math": "AC AG AP AT CA CO CT CV DG DS FA GM GN GR GT HO IT KT LO MG MP NA NT OA OC PR QA RA RT SG SP ST",
    "astro-ph": "CO EP GA HE IM SR",
    "cond-mat": "dis-nn mes-hall mtrl-sci other quant-gas soft stat-mech str-el supr-con",
    "gr-qc": "",
    "hep-ex": "",
    "hep-lat": "",
    "hep-ph": "",
    "hep-th": "",
    "math-ph": "",
    "nlin": "AO CD CG PS SI",
    "nucl-ex": "",
    "nucl-th": "",
    "physics": "acc-ph ao-ph app-ph atm-clus atom-ph bio-ph chem-ph class-ph comp-ph data-an ed-ph flu-dyn gen-ph "
    "geo-ph hist-ph ins-det med-ph optics plasm-ph pop-ph soc-ph space-ph",
    "q-bio": "BM CB GN MN NC OT PE QM SC TO",
    "q-fin": "CP EC GN MF PM PR RM ST TR",
    "quant-ph": "",
    "stat": "AP CO ME ML OT TH",
}
_GROUPS = {"cs", "econ", "eess", "math", "q-bio", "q-fin", "stat"}  # the other archives are physics
KNOWN = {
    name.lower(): name
    for archive, subjects in _SUBJECTS.items()
    for name in (archive, *(f"{archive}.{subject}" for subject in subjects.split()))
}
_SHOWN = 60  # characters of what somebody typed that are said back


def category(text: str) -> str:
    """Return an archive or category as arXiv writes it ("cs.cl" -> "cs.CL"). Raises UsageError, which names it."""
    typed = text.strip()
    found = KNOWN.get(re.sub(r"^arxiv:", "", typed.lower()))
    if found:
        return found
    if not typed:
        raise UsageError("arXiv needs a category, as in arxiv:cs.CL.")
    shown = "".join(mark for mark in typed[:_SHOWN] if mark.isprintable())
    near = get_close_matches(typed.lower()[:_SHOWN], KNOWN, 3, 0.7)
    hint = f" Near it: {', '.join(KNOWN[name] for name in near)}." if near else ""
    raise UsageError(f"arXiv has no category “{shown}”.{hint} The list is at arxiv.org/category_taxonomy.")


def covers(chosen: Iterable[str], one: str) -> bool:
    """Say whether a category is one of the chosen, or is in an archive that is."""
    return not {one, one.partition(".")[0]}.isdisjoint(chosen)


def asked(chosen: Iterable[str]) -> str:
    """Return the query for the papers of these categories, in the words of the API."""
    terms = []
    for name in chosen:
        terms.append(f"cat:{name}")
        if _SUBJECTS.get(name):
            terms.append(f"cat:{name}.*")
    return terms[0] if len(terms) == 1 else f"({' OR '.join(terms)})"


def set_of(name: str) -> str:
    """Return the set of OAI-PMH of a category: cs.CL -> cs:cs:CL, hep-th -> physics:hep-th, cs -> cs."""
    archive, _, subject = name.partition(".")
    group = archive if archive in _GROUPS else "physics"
    if subject:
        return f"{group}:{archive}:{subject}"
    return group if archive == group and archive != "physics" else f"{group}:{archive}"


def parts_of(chosen: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return two halves of these categories; those of one archive are its own. One category has no parts."""
    names = tuple(chosen)
    if len(names) == 1:
        names = tuple(f"{names[0]}.{subject}" for subject in _SUBJECTS.get(names[0], "").split())
    half = len(names) // 2
    return (names[:half], names[half:]) if half else ()
