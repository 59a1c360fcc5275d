"""What identity looks at in one record: ids, which of them are guesses, the title's key, surnames, the year. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.latex import unwrap
from bot.store.text import fold, title_key
from bot.store.text import words as words_of
from recommender.types import Paper

WORDS_NEEDED = 4

# Those who gather what others published, and the ids that are their own to give. They match papers by machine.
COLLECTORS = {
    "semanticscholar": ("s2", "corpusid"),
    "s2": ("s2", "corpusid"),
    "openalex": ("openalex",),
}

# A preprint server's DOI says nothing about the publisher's: a paper may have one of each.
_DEPOSITS = re.compile(
    r"doi:10\.(1101/\d|64898/|21203/|31234/|31219/|2139/|26434/|20944/|36227/|5281/|6084/|48550/|22541/)"
)
_SERIES = re.compile(
    r"\b(part|chapter|volume|vol|episode|lecture) ([ivxlc]+|\d+|one|two|three|four|five)\b"
    r"|\b(i|ii|iii|iv|vi|vii|viii|ix)$"
)
# Titles about another paper, or about no subject at all: two of them may well be alike. Of the title as it is, folded.
_ABOUT_ANOTHER = re.compile(
    r"^\W*(erratum|errata|corrigend\w+|addendum|addenda|rejoinder|retracted|withdrawn|expression of concern)\b"
    r"|^\W*(reply|replies|responses?|comments?|corrections?|retraction|discussion|supplement\w*( materials?)?|notes?)"
    r"(\s*[:.\u2010-\u2015]|\s+(to|on|of|by|from|for|note|notice)\b|\s*$)"
    r"|^\W*(publisher|author)( s)?('s|’s)? (correction|note|reply|response)\b"
    r"|^\W*((guest )?editorial|preface|foreword|front matter|table of contents|book review|in memoriam)\b"
    r"|^\W*(introduction|editorial|preface|foreword) to the (special|theme)\b"
    r"|\b(erratum|errata|corrigend\w+|rejoinder)\W*$|\b(reply|response|correction|erratum|corrigendum|addendum) to\b"
    r"|\b(comment|comments) on\b"
)
_GREEK = re.compile(r"(?<![\u03b1-\u03c9])[\u03b1-\u03c9](?![\u03b1-\u03c9])")  # one by itself, as in α-divergence
_NOBODY = {"", "al", "others", "et al", "and others", "anonymous", "anonymous authors", "unknown"}
_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "phd", "md"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What identity looks at in one record. `hash` orders records; `title` is empty where the title proves nothing.

    `ids` holds the record's own id first. `place` is the number of the paper it is in, None for a new record; a
    record that is `held` was placed there by hand and stays with what else is held there. `weak` are those of the ids
    that a collector guessed. `name` is the title's key, also where it proves nothing; `apart`: the title is that of a
    part, an erratum, a reply or the like. `surnames` holds whole names as well, their words sorted.
    """

    hash: str
    ids: tuple[str, ...]
    title: str
    surnames: frozenset[str]
    year: int | None
    place: int | None = None
    held: bool = False
    weak: frozenset[str] = frozenset()
    name: str = ""
    apart: bool = False

    @property
    def strong(self) -> frozenset[str]:
        """The ids that are no guess."""
        return frozenset(self.ids) - self.weak


def facts(
    paper: Paper, digest: str, place: int | None = None, held: bool = False, told_by: Iterable[str] = ()
) -> Facts:
    """Return what identity looks at in a paper as one record tells it. Of two arXiv ids or DOIs the first counts.

    `told_by` names the source of the record, and what that said the source was.
    """
    ids: dict[str, None] = {paper.id: None}
    for other in sorted(paper.ids):
        if not conflict((*ids, other)):
            ids[other] = None
    year = paper.year or (paper.published.year if paper.published else None)
    title = "" if paper.title_guessed else paper.title
    return Facts(
        hash=digest,
        ids=tuple(ids),
        title=proof(paper),
        surnames=frozenset(key for name in paper.authors for key in (surname(name), _whole(name))) - {""},
        year=year,
        place=place,
        held=held,
        weak=frozenset(each for each in ids if _guessed(each, told_by)),
        name=_key(title),
        apart=_is_apart(title),
    )


def kind(source: str) -> str:
    """Return what kind of source it is: `openreview:ICLR.cc/2026/Conference` is openreview; case and `_` aside."""
    return source.partition(":")[0].strip().replace("_", "").casefold()


def _guessed(identifier: str, told_by: Iterable[str]) -> bool:
    """Say whether a collector says so, of an id that is not its own to give."""
    own = next((COLLECTORS[name] for name in map(kind, told_by) if name in COLLECTORS), None)
    return own is not None and identifier.partition(":")[0] not in own


def proof(paper: Paper) -> str:
    """Return the title's key if the title can prove that two records are one paper, else ""."""
    if paper.title_guessed or len(words_of(unwrap(paper.title))) < WORDS_NEEDED or _is_apart(paper.title):
        return ""
    return _key(paper.title)


def _key(title: str) -> str:
    r"""Return the title's key, however it is written: `$\beta$-VAE`, β-VAE and beta-VAE are one."""
    return title_key(_GREEK.sub(_spelled, fold(unwrap(title))))


def _spelled(letter: re.Match[str]) -> str:
    return unicodedata.name(letter[0]).rpartition(" ")[2].replace("LAMDA", "lambda")


def _is_apart(title: str) -> bool:
    """Say whether a title is that of a part of something, or about another paper."""
    return bool(_SERIES.search(title_key(title)) or _ABOUT_ANOTHER.search(fold(title)))


def surname(name: str) -> str:
    """Return the folded surname: the last word before a comma or of the whole, without initials and "Jr."."""
    if fold(name).strip(" .") in _NOBODY:
        return ""
    words = [word for word in re.split(r"[\s\-\u2010-\u2015]+", name.partition(",")[0]) if word.strip(".")]
    while len(words) > 1 and _is_no_surname(words[-1]):
        words.pop()
    return "".join(words_of(words[-1])) if words else ""


def _whole(name: str) -> str:
    """Return the words of a name, sorted, if there are two or more and all are written out: Wei Zhang, Zhang Wei."""
    words = words_of(name) if surname(name) else []
    return " ".join(sorted(words)) if len(words) > 1 and all(len(word) > 1 for word in words) else ""


def _is_no_surname(word: str) -> bool:
    bare = word.strip(".")
    initials = len(bare) == 1 or word.endswith(".") or (len(bare) == 2 and bare.isascii() and bare.isupper())
    return initials or fold(bare) in _SUFFIXES


def clash(one: Iterable[str], other: Iterable[str]) -> bool:
    """Say whether papers with these ids must not be one: each has an arXiv id, or publisher's DOI, the other lacks."""
    ours, theirs = set(filter(_exclusive, one)), set(filter(_exclusive, other))
    for namespace in ("arxiv:", "doi:"):
        here = {each for each in ours if each.startswith(namespace)}
        there = {each for each in theirs if each.startswith(namespace)}
        if here - there and there - here:
            return True
    return False


def _exclusive(identifier: str) -> bool:
    """Say whether a paper has one such id at most."""
    return identifier.startswith("arxiv:") or (identifier.startswith("doi:") and not _DEPOSITS.match(identifier))


def conflict(ids: Iterable[str]) -> bool:
    """Say whether these ids cannot all be one paper's: two arXiv ids, or two publisher DOIs."""
    seen: dict[str, str] = {}
    for each in ids:
        namespace = each.partition(":")[0]
        if _exclusive(each) and seen.setdefault(namespace, each) != each:
            return True
    return False
