"""What the Crossref REST API answers, as papers. Pure. Fields: https://api.crossref.org/swagger-ui/index.html."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime

from bot.core.ids import url_of
from bot.errors import SourceError
from bot.sources._dates import FIRST_YEAR, LAST_YEAR, year
from bot.sources._names import authors
from bot.sources._said import count, known_id, line, member, reason, several
from bot.sources._standing import Page
from recommender.types import Paper

NAME = "Crossref"
FIELDS = (
    "DOI,title,subtitle,author,abstract,type,container-title,group-title,event,published,published-online,"
    "published-print,posted,issued,relation"
)
_NO_PAPERS = frozenset(
    ["component", "peer-review", "grant", "journal", "journal-issue", "journal-volume", "database", "book-series"]
)
_DATES = ("posted", "published-online", "published-print", "published", "issued")
_SAME_PAPER = ("has-preprint", "is-preprint-of")
_RELATED = 5  # ids of other versions that are taken


def parse_work(said: object) -> Paper | None:
    """Return the paper of one work, in its envelope or out of it; None if it has no title or DOI, or is no paper.

    Raises SourceError for an answer that refuses.
    """
    _refused(said)
    work = said["message"] if isinstance(said, Mapping) and isinstance(said.get("message"), Mapping) else said
    title, doi = _title(work), known_id("doi", member(work, "DOI"))
    kind = line(member(work, "type"))
    if not title or not doi or kind in _NO_PAPERS:
        return None
    published, its_year = _published(work)
    section = line(member(work, "group-title")) if kind == "posted-content" else ""
    return Paper(
        id=doi,
        title=title,
        abstract=line(member(work, "abstract")),
        authors=authors(list(several(member(work, "author")))),
        published=published,
        year=its_year,
        url=url_of(doi),
        source="crossref",
        venue=_venue(work),
        categories=(section,) if section else (),
        ids=tuple(dict.fromkeys(other for other in _others(work) if other != doi)),
    )


def parse_works(said: object) -> Page:
    """Return the papers of a list of works, without journals, reviews and the like, and those without a title.

    Raises SourceError for an answer that refuses, or that is no such list.
    """
    _refused(said)
    listed = member(said, "message", "items")
    if not isinstance(listed, list):
        raise SourceError(f"{NAME} gave an answer without a list of works.")
    papers = tuple(paper for entry in listed if isinstance(entry, Mapping) and (paper := parse_work(entry)))
    return Page(papers=papers, entries=len(listed), total=count(member(said, "message", "total-results")))


def _lines(value: object) -> list[str]:
    """Return the texts of what Crossref writes as a list, and older records as one text."""
    return [text for each in ([value] if isinstance(value, str) else several(value)) if (text := line(each))]


def _title(work: object) -> str:
    title = next(iter(_lines(member(work, "title"))), "")
    subtitle = next(iter(_lines(member(work, "subtitle"))), "")
    if not title or not subtitle or subtitle.casefold() in title.casefold():
        return title
    return f"{title} {subtitle}" if title[-1] in ":.?!–—" else f"{title}: {subtitle}"


def _venue(work: object) -> str:
    names = [*_lines(member(work, "container-title")), line(member(work, "event", "name"))]
    names += [line(member(each, "name")) for each in several(member(work, "institution"))]
    return next(filter(None, names), "")


def _published(work: object) -> tuple[datetime | None, int | None]:
    """Return the earliest date of publication that has a day, and its year; else None and the earliest year."""
    days: list[date] = []
    years: list[int] = []
    for name in _DATES:
        parts = next(iter(several(member(work, name, "date-parts"))), None)
        numbers = [part for part in several(parts) if isinstance(part, int) and not isinstance(part, bool)]
        if numbers and (found := year(numbers[0])):
            years.append(found)
        if len(numbers) == 3 and (day := _date(numbers)):
            days.append(day)
    if days:
        first = min(days)
        return datetime(first.year, first.month, first.day, tzinfo=UTC), first.year
    return None, min(years, default=None)


def _date(numbers: list[int]) -> date | None:
    try:
        return date(*numbers) if FIRST_YEAR <= numbers[0] <= LAST_YEAR else None
    except (ValueError, OverflowError):
        return None


def _others(work: object) -> Iterator[str]:
    """Yield the DOIs of its preprint or of what it became, as the publisher says."""
    for name in _SAME_PAPER:
        for each in several(member(work, "relation", name))[:_RELATED]:
            if member(each, "id-type") == "doi" and (found := known_id("doi", member(each, "id"))):
                yield found


def _refused(said: object) -> None:
    """Raise SourceError if the answer is a refusal: a `status` of "failed", with the reasons in its message."""
    if not isinstance(said, Mapping):
        raise SourceError(f"{NAME} gave an answer that is no record.")
    if said.get("status") not in ("failed", "error"):
        return
    told = said.get("message")
    first = next(iter(several(told)), None)
    text = reason(member(first, "message")) or reason(member(told, "description")) or reason(told)
    raise SourceError(f"{NAME} refused the request: {text or 'no reason was given'}.")
