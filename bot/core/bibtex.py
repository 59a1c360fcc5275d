"""A paper as a BibTeX entry. Pure."""

from __future__ import annotations

import re
import unicodedata

from bot.core.ids import url_of
from bot.core.plain import plain
from recommender.types import Paper

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_IN_LINKS = {"{": "%7B", "}": "%7D", "\\": "%5C"}


def entry(paper: Paper, ids: tuple[str, ...] = ()) -> str:
    """Return the entry: an article of its venue where one is known, else `misc`; arXiv's id as its eprint.

    `ids` are all normalised ids of the paper. What is not known is left out.
    """
    known = dict(id_.split(":", 1) for id_ in reversed((paper.id, *paper.ids, *ids)) if ":" in id_)
    year = paper.year or (paper.published.year if paper.published else None)
    fields = {
        "title": f"{{{_text(paper.title)}}}" if paper.title else "",  # the second braces keep its capitals
        "author": " and ".join(_text(name) for name in paper.authors if plain(name).strip()),
        "journal" if paper.venue else "": _text(paper.venue),
        "year": str(year or ""),
        "url": "".join(_IN_LINKS.get(mark, mark) for mark in paper.url or url_of(paper.id)),
        "doi": _link(known.get("doi", "")),
        "eprint": _link(known.get("arxiv", "")),
        "archiveprefix": "arXiv" if "arxiv" in known else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if name and value]
    kind = "article" if paper.venue else "misc"
    return "\n".join([f"@{kind}{{{_key(paper, year)},", *lines, "}"])


def _text(raw: str) -> str:
    return "".join(_SPECIAL.get(mark, mark) for mark in " ".join(plain(raw).split()))


def _link(raw: str) -> str:
    return "".join(_IN_LINKS.get(mark, mark) for mark in raw)


def _key(paper: Paper, year: int | None) -> str:
    """Return the surname of the first author, the year and the first long word of the title, in ASCII."""
    name = plain(paper.authors[0]) if paper.authors else ""
    surname = name.partition(",")[0] if "," in name else name.rpartition(" ")[2]
    long = next((word for word in re.findall(r"\w+", plain(paper.title)) if len(word) > 3), "")
    flat = unicodedata.normalize("NFKD", f"{surname}{year or ''}{long}").encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", flat.lower()) or "paper"
