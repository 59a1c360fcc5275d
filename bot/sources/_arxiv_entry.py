"""What all interfaces of arXiv say of a paper, as one Paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from xml.etree.ElementTree import Element

from bot.core.ids import normalise, url_of
from bot.core.latex import unwrap
from bot.sources._dates import instant
from bot.sources._names import authors
from bot.sources._text import missing, tidy
from bot.sources._xml import local
from recommender.types import Paper

WITHDRAWN = "withdrawn"  # the keyword of a paper that its authors, or arXiv, took back
_LONGEST = 100_000  # characters of a field that are read: what is longer is no title and no abstract
_CODE = re.compile(r"[A-Za-z][A-Za-z-]{1,15}(?:\.[A-Za-z-]{2,15})?", re.ASCII)
_THING = r"(?:paper|article|submission|manuscript|preprint|work|e-?print|document|version)"
_GONE = r"(?:has been|have been|had been|is|was|were|is being|hereby)\s+(?:\w+\s+)?withdrawn"
_IN_COMMENT = re.compile(
    rf"^\W*withdrawn\b(?!-)|\b{_THING}\s+{_GONE}\b|\bwithdrawn\s+(?:by|due|because|from arxiv|as|since)\b"
    rf"|\bauthors?\s+(?:\w+\s+)?(?:withdrew|withdraws?)\b|^\W*withdraw(?:al)?\W*$",
    re.IGNORECASE,
)
_IN_ABSTRACT = re.compile(rf"\W*(?:(?:this|the|our)\s+{_THING}\s+{_GONE}\b|withdrawn\b)", re.IGNORECASE)
_TEX = re.compile(r"[\\{}$~`]")
_NO_NAME = re.compile(r"[\W\d_]*")

when = lru_cache(maxsize=256)(instant)  # all entries of a daily feed tell the same time


@dataclass(slots=True)
class Said:
    """The fields of an entry, as they were found. `names` are of authors, "Last, First" or "First Last"."""

    id: str = ""
    title: str = ""
    abstract: str = ""
    names: Sequence[str] = ()
    categories: Sequence[str] = ()
    published: datetime | None = None
    comment: str = ""
    journal: str = ""
    doi: str = ""
    cross_listed: bool = False
    dated: bool = True  # its time is that of its first version
    subjects: Sequence[str] = ()  # names of areas, where there are no codes


def paper(said: Said) -> Paper | None:
    """Make a paper; None without an arXiv id, or a title. The abstract may be missing.

    A time that is not of the first version is left out; the month in an id (YYMM) is then what is known. That record
    tells no year: so it gives way to a record that knows the day.
    """
    identifier = normalise(said.id) if said.id and len(said.id) < 300 else None
    title = line(said.title)
    if identifier is None or not identifier.startswith("arxiv:") or not title:
        return None
    abstract = line(said.abstract)
    published = said.published if said.dated else month_of(identifier)
    return Paper(
        id=identifier,
        title=title,
        abstract=abstract,
        authors=people(said.names),
        published=published,
        year=published.year if published and said.dated else None,
        url=url_of(identifier),
        source="arxiv",
        venue=line(said.journal),
        categories=_areas(said),
        keywords=(WITHDRAWN,) if is_withdrawn(said.comment, abstract) else (),
        ids=_published_as(said.doi, identifier),
        cross_listed=said.cross_listed,
    )


def _areas(said: Said) -> tuple[str, ...]:
    codes = [code for code in map(str.strip, said.categories) if _CODE.fullmatch(code)]
    return tuple(dict.fromkeys(codes or filter(None, map(line, said.subjects))))


def is_withdrawn(comment: str, abstract: str) -> bool:
    """Say whether a comment, or the first words of an abstract, tell that the paper was taken back."""
    return bool(_IN_COMMENT.search(comment[:1000]) or _IN_ABSTRACT.match(abstract[:300]))


def line(text: str | None) -> str:
    """Return a text on one line, at most 100,000 characters, without what is hidden; "" for what stands for nothing."""
    text = text or ""
    return "" if missing(text) else tidy(text[:_LONGEST])


def people(names: Iterable[str]) -> tuple[str, ...]:
    """Return authors' names, with TeX accents as letters; what has no letter is left out."""
    found = (_plain_name(name) for name in names)
    return authors([name for name in found if not _NO_NAME.fullmatch(name)])


def _plain_name(name: str) -> str:
    name = line(name)
    return tidy(unwrap(name)) if _TEX.search(name) else name


def month_of(identifier: str) -> datetime | None:
    """Return the first instant of the month in an arXiv id, in UTC: ids are given in the month of the announcement."""
    found = re.search(r"[:/](\d\d)(\d\d)", identifier)
    if found is None:
        return None
    year = int(found[1])
    return datetime(1900 + year if year >= 91 else 2000 + year, int(found[2]), 1, tzinfo=UTC)


def _published_as(doi: str, identifier: str) -> tuple[str, ...]:
    """Return the DOI of the published paper. Of several, as with an erratum, none is surely the paper's own."""
    found = {normalise(f"doi:{part}") for part in re.split(r"[\s;]+", doi[:2000]) if part} - {None, identifier}
    return tuple(each for each in found if each and each.startswith("doi:")) if len(found) == 1 else ()


def undoubled(body: bytes) -> bytes:
    """Return a document whose UTF-8 was taken for Latin-1 and encoded once more as it was; any other as it is.

    One letter with an accent that stands as it should makes the test fail, so nothing is mended by chance.
    """
    if body.isascii():
        return body
    try:
        inner = body.decode("utf-8").encode("latin-1")
        inner.decode("utf-8")
    except UnicodeError:
        return body
    return inner


def texts(entry: Element) -> dict[str, list[Element]]:
    """Return the elements right below an entry by their local names, without namespaces, in lower case."""
    found: dict[str, list[Element]] = {}
    for child in entry:
        found.setdefault(local(child.tag).lower(), []).append(child)
    return found


def text(found: dict[str, list[Element]], *names: str) -> str:
    """Return the text of the first of these elements that has any."""
    for name in names:
        for element in found.get(name, ()):
            if value := "".join(element.itertext()).strip():
                return value
    return ""
