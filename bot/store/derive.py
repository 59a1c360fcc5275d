"""A paper is derived from all its records by a fixed precedence, so that the order of imports does not matter. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from bot.store.facts import Facts, facts, kind
from bot.store.text import key, paper_id, short, storable, title_key
from recommender.dense import key_of as key_of_text
from recommender.dense import text_of
from recommender.types import Paper

# The one place that says whose word counts: the lower number first. Publishers before archives before collectors.
# Sources are named by their kind (see `facts.kind`).
PRECEDENCE = {
    "openreview": 10,
    "acl": 20,
    "aclanthology": 20,
    "pubmed": 30,
    "crossref": 40,
    "arxiv": 50,
    "biorxiv": 60,
    "medrxiv": 60,
    "huggingface": 65,
    "semanticscholar": 70,
    "s2": 70,
    "openalex": 80,
    "local": 100,
}
_OTHERS = 90
UNANNOUNCED = datetime(1970, 1, 1, tzinfo=UTC)  # when a record was seen that came because somebody looked it up
# Which of its ids a paper is known by: those that lead furthest first.
_KEYS = {
    "arxiv": 0,
    "doi": 1,
    "openreview": 2,
    "acl": 3,
    "pmid": 4,
    "s2": 80,
    "corpusid": 81,
    "openalex": 82,
    "local": 90,
    "record": 99,
}
_OTHER_KEY = 50

Content = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """What one source said of one paper, once.

    `number` is None until it is stored, and then `turn` says when it came in; `place` is its paper's number.
    """

    source: str
    content: Content
    digest: str
    seen_at: datetime
    number: int | None = None
    place: int | None = None
    held: bool = False
    turn: int = 0
    facts: Facts = field(init=False)  # what identity looks at; many places ask for it

    def __post_init__(self) -> None:
        """Work out the facts."""
        name, told_by = f"{self.digest}:{self.source}", (self.source, self.content["source"])
        object.__setattr__(self, "facts", facts(paper_of(self.content), name, self.place, self.held, told_by))


def content_of(paper: Paper) -> Content:
    """Return a paper as JSON holds it: storable text, times as ISO 8601 in UTC, sorted ids.

    A year beyond 1 to 9999 is left out. Raises ValueError for a time without a time zone.
    """
    content = {name: _plain(value) for name, value in asdict(paper).items()}
    content["id"] = paper_id(paper.id)
    content["ids"] = sorted({paper_id(other) for other in paper.ids} - {"", content["id"]})
    content["published"] = _instant(paper.published)
    content["year"] = paper.year if paper.year is not None and 1 <= paper.year <= 9999 else None
    if not paper.cross_listed:  # records from before there were cross-lists, or votes, keep their hashes
        del content["cross_listed"]
    if not paper.votes:
        del content["votes"]
    return content


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    return [storable(part) for part in value] if isinstance(value, tuple) else value


def _instant(time: datetime | None) -> str | None:
    if time is None:
        return None
    if time.tzinfo is None:
        raise ValueError("a time without a time zone cannot be stored")
    try:
        return time.astimezone(UTC).isoformat()
    except OverflowError:  # the first or last day of the calendar, in another zone
        return None


def digest_of(content: Content) -> str:
    """Return the SHA-256 of the canonical content, in hex: the same whatever machine or import made it."""
    return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def paper_of(content: Content) -> Paper:
    """Return the paper as one record tells it."""
    values: Content = {name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}
    values["published"] = datetime.fromisoformat(content["published"]) if content["published"] else None
    return Paper(**values)


def _order(record: Record) -> tuple[Any, ...]:
    """What a wrong charset spoilt last; then by source, what the file said it was, the fuller one, and the hash."""
    said = record.content
    filled = sum(bool(value) for value in said.values())
    return (
        "\ufffd" in f"{said['title']} {said['abstract']} {said['authors']}",
        PRECEDENCE.get(kind(record.source), _OTHERS),
        PRECEDENCE.get(kind(said["source"]), _OTHERS),
        -filled,
        -len(said["abstract"]),
        record.digest,
        record.source,
    )


def row_of(records: Iterable[Record]) -> dict[str, Any]:
    """Return what the table of papers holds of these records, but for key, changed and merged_into.

    Each field comes from the first record that has it; a title that a source gave goes before a guessed one; venue and
    year come from one record if one has both; categories are those of all. `first_seen` is the earliest,
    those that were looked up aside if there are others.
    A paper is cross-listed only if each of its records says so.
    """
    ordered = sorted(records, key=_order)
    said = [record.content for record in ordered]
    titled = next((each for each in said if each["title"] and not each["title_guessed"]), None)
    titled = titled or next((each for each in said if each["title"]), said[0])
    published = _first(said, "published")
    venue, year = _venue_and_year(said)
    seen = [record.seen_at for record in ordered]
    abstract = _first(said, "abstract") or ""
    return {
        "title": titled["title"],
        "title_guessed": bool(titled["title_guessed"]),
        "cross_listed": all(each.get("cross_listed", False) for each in said),
        "votes": max(each.get("votes", 0) for each in said),
        "title_key": title_key(titled["title"]),
        "abstract": abstract,
        "text_hash": key_of_text(text_of(titled["title"], abstract)),
        "authors": _first(said, "authors") or [],
        "published": datetime.fromisoformat(published) if published else None,
        "year": year,
        "url": _first(said, "url") or "",
        "source": short(_first(said, "source") or ordered[0].source, 80),
        "venue": venue,
        "categories": list(category_keys(name for each in said for name in each["categories"]).values()),
        "keywords": _first(said, "keywords") or [],
        "first_seen": min((at for at in seen if at > UNANNOUNCED), default=UNANNOUNCED),
    }


def _first(said: Sequence[Content], field: str) -> Any:
    return next((each[field] for each in said if each[field]), None)


def _year(content: Content) -> int | None:
    return content["year"] or (int(content["published"][:4]) if content["published"] else None)


def _venue_and_year(said: Sequence[Content]) -> tuple[str, int | None]:
    both = next((each for each in said if each["venue"] and each["year"]), None)
    if both:
        return both["venue"], both["year"]
    return _first(said, "venue") or "", next((_year(each) for each in said if _year(each)), None)


def category_keys(names: Iterable[str]) -> dict[str, str]:
    """Return the names of categories by their folded keys, each once, in order."""
    found: dict[str, str] = {}
    for name in names:
        if name.strip():
            found.setdefault(key(name, 200), name)
    return found


def key_of(ids: Iterable[str]) -> str:
    """Return the id that a paper is known by: an arXiv id before a DOI before others."""
    return min(ids, key=lambda each: (_KEYS.get(each.partition(":")[0], _OTHER_KEY), each))
