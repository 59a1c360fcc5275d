"""What all interfaces of arXiv say of a paper, as one Paper."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.core.ids import normalise, url_of
from bot.core.latex import unwrap
from bot.sources._arxiv_categories import covers
from bot.sources._arxiv_withdrawn import WITHDRAWN, is_withdrawn
from bot.sources._names import authors
from bot.sources._text import missing, tidy
from recommender.types import Paper

_LONGEST = 100_000  # characters of a field that are read: what is longer is no title and no abstract
_CODE = re.compile(r"[A-Za-z][A-Za-z-]{1,15}(?:\.[A-Za-z-]{2,15})?", re.ASCII)
_TEX = re.compile(r"[\\{}$~`]")
_NO_NAME = re.compile(r"[\W\d_]*")


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


def marked(paper: Paper, chosen: Collection[str]) -> Paper:
    """Mark what is in the chosen categories only by a cross-list, as the daily list does."""
    home = paper.categories[0] if paper.categories else ""
    return replace(paper, cross_listed=bool(home) and not covers(chosen, home))


def _areas(said: Said) -> tuple[str, ...]:
    codes = [code for code in map(str.strip, said.categories) if _CODE.fullmatch(code)]
    return tuple(dict.fromkeys(codes or filter(None, map(line, said.subjects))))


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
