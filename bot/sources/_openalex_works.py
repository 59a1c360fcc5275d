"""What the OpenAlex API answers, as papers. Pure. Fields: https://developers.openalex.org/api-reference/works."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from bot.core.ids import url_of
from bot.errors import SourceError
from bot.sources._dates import instant, year
from bot.sources._jats import LONGEST, plain_markup
from bot.sources._names import authors
from bot.sources._said import count, known_id, line, member, reason, several
from bot.sources._standing import Page
from recommender.types import Paper

NAME = "OpenAlex"
FIELDS = (
    "id,doi,ids,display_name,publication_date,publication_year,authorships,primary_location,abstract_inverted_index,"
    "keywords,is_retracted"
)
KEY = "PAPERROUND_OPENALEX_KEY"
_FURTHEST = 1_000_000  # no abstract has a word behind this place
_KEYWORDS = 10


def parse_work(said: object) -> Paper | None:
    """Return the paper of one work; None if it has no title or no id. Raises SourceError for a refusal."""
    _refused(said)
    title = line(member(said, "display_name")) or line(member(said, "title"))
    ids = _ids(said)
    if not title or not ids:
        return None
    published = instant(member(said, "publication_date"))
    keywords = (line(member(each, "display_name")) for each in several(member(said, "keywords"))[:_KEYWORDS])
    place = member(said, "primary_location")
    return Paper(
        id=ids[0],
        title=title,
        abstract=abstract_of(member(said, "abstract_inverted_index")),
        authors=authors([_name(each) for each in several(member(said, "authorships"))]),
        published=published,
        year=year(member(said, "publication_year")) or (published.year if published else None),
        url=url_of(ids[0]) or f"https://openalex.org/{ids[0].partition(':')[2]}",
        source="openalex",
        venue=line(member(place, "source", "display_name")),
        keywords=tuple(dict.fromkeys(word for word in keywords if word)),
        ids=ids[1:],
    )


def parse_works(said: object) -> Page:
    """Return the papers of a list of works, without those that were retracted and those without a title.

    Raises SourceError for an answer that refuses, or that is no such list.
    """
    _refused(said)
    listed = member(said, "results")
    if not isinstance(listed, list):
        raise SourceError(f"{NAME} gave an answer without a list of works.")
    works = [entry for entry in listed if isinstance(entry, Mapping) and entry.get("is_retracted") is not True]
    papers = tuple(paper for entry in works if (paper := parse_work(entry)))
    following = member(said, "meta", "next_cursor")
    return Page(
        papers=papers,
        entries=len(listed),
        total=count(member(said, "meta", "count")),
        following=following if isinstance(following, str) and len(following) <= 2000 else "",
        day=max(filter(None, map(_day, papers)), default=None),
    )


def abstract_of(index: object) -> str:
    """Return the abstract of an inverted index, which tells for each word the places where it stands.

    Places may have holes, and two words one place: they are put in order, not into a row of that length. At most
    100,000 characters.
    """
    if not isinstance(index, Mapping):
        return ""
    found: list[tuple[int, int, str]] = []
    size = 0
    for turn, (word, places) in enumerate(index.items()):
        for place in several(places):
            if size > LONGEST:
                break
            if isinstance(place, int) and not isinstance(place, bool) and 0 <= place <= _FURTHEST:
                found.append((place, turn, word))
                size += len(word) + 1
    return plain_markup(" ".join(word for _, _, word in sorted(found)))


def _ids(said: object) -> tuple[str, ...]:
    own = member(said, "id")
    found = [
        known_id("doi", _last(member(said, "doi") or member(said, "ids", "doi"), "doi.org/")),
        known_id("openalex", _last(own, "openalex.org/")) if isinstance(own, str) and "W" in own else None,
        known_id("pmid", _last(member(said, "ids", "pmid"), "ncbi.nlm.nih.gov/")),
    ]
    return tuple(dict.fromkeys(identifier for identifier in found if identifier))


def _last(link: object, host: str) -> str:
    return link.rpartition(host)[2].strip().rstrip("/") if isinstance(link, str) else ""


def _name(authorship: object) -> object:
    return member(authorship, "author", "display_name") or member(authorship, "raw_author_name")


def _day(paper: Paper) -> date | None:
    return paper.published.date() if paper.published else None


def _refused(said: object) -> None:
    """Raise SourceError if the answer is a refusal, which has an `error` and a `message`."""
    if not isinstance(said, Mapping) or "id" in said or "results" in said:
        return
    told = said.get("message") or said.get("error")
    if not told:
        return
    text = reason(told) or "no reason was given"
    if "rate limit" in text.casefold() or "too many requests" in text.casefold():
        raise SourceError(f"{NAME} takes no more requests for now. A free key raises its limit: set {KEY}.")
    raise SourceError(f"{NAME} refused the request: {text}.")
