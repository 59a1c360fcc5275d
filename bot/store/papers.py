"""Reading papers: by number, by id, by what changed, by source and by area."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, extract, func, or_, select, union

from bot.store.areas import Area as Area
from bot.store.areas import area_of as area_of
from bot.store.areas import areas as areas
from bot.store.areas import in_area as in_area
from bot.store.statements import chunks
from bot.store.tables import aliases, papers, records
from bot.store.text import paper_id
from recommender.types import Paper

_LIVE = papers.c.merged_into.is_(None)
# What every lookup asks, put together once: that takes as long as the database does to answer.
_BY_ID = select(aliases.c.paper_id).where(aliases.c.alias == bindparam("id"))
_BY_NUMBER = select(papers).where(papers.c.id.in_(bindparam("numbers", expanding=True)))
_IDS = select(aliases.c.alias, aliases.c.paper_id).where(aliases.c.paper_id.in_(bindparam("numbers", expanding=True)))


@dataclass(frozen=True, slots=True)
class Stored:
    """A paper as it stands in the store. `paper.id` is the id it is known by, `ids` are all of them, sorted."""

    number: int
    paper: Paper
    first_seen: datetime
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A paper that was made, changed or merged away: `gone` with nothing `stored`."""

    number: int
    changed: int
    gone: bool
    stored: Stored | None


def resolve(conn: Connection, number: int) -> int:
    """Return the number of the paper that this one is now: itself, or the one it was merged into."""
    return resolve_all(conn, [number]).get(number, number)


def resolve_all(conn: Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Return, for each of these numbers that was merged away, the number of the paper that took its records."""
    found: dict[int, int] = {}
    for some in chunks(set(numbers)):
        query = select(papers.c.id, papers.c.merged_into).where(
            papers.c.id.in_(some), papers.c.merged_into.is_not(None)
        )
        found |= {row.id: row.merged_into for row in conn.execute(query)}
    return found


def get(conn: Connection, numbers: Sequence[int]) -> dict[int, Stored]:
    """Return papers by the numbers asked for; unknown ones are left out, merged ones lead to the survivor."""
    rows = _rows(conn, set(numbers))
    moved = {number: row.merged_into for number, row in rows.items() if row.merged_into is not None}
    if moved:
        rows |= _rows(conn, set(moved.values()) - rows.keys())
    wanted = {moved.get(number, number) for number in numbers}
    stored = _stored(conn, {number: row for number, row in rows.items() if number in wanted})
    return {number: stored[to] for number in numbers if (to := moved.get(number, number)) in stored}


def by_id(conn: Connection, alias: str) -> int | None:
    """Return the number of the paper that this normalised id leads to, or None."""
    found: int | None = conn.execute(_BY_ID, {"id": paper_id(alias)}).scalar_one_or_none()
    return found


def changed_since(conn: Connection, last: int, limit: int) -> list[Change]:
    """Return at most `limit` papers whose change number is above `last`, in the order of change."""
    query = (
        select(papers.c.id, papers.c.changed, papers.c.merged_into)
        .where(papers.c.changed > last)
        .order_by(papers.c.changed)
        .limit(limit)
    )
    rows = list(conn.execute(query))
    stored = _stored(conn, _rows(conn, {number for number, _, survivor in rows if survivor is None}))
    return [Change(number, changed, survivor is not None, stored.get(number)) for number, changed, survivor in rows]


def seen_since(conn: Connection, since: datetime) -> list[int]:
    """Return the papers first seen at or after a time, or published since then, in the order they came."""
    recent = or_(papers.c.first_seen >= since, papers.c.published >= since)
    query = select(papers.c.id).where(_LIVE, recent).order_by(papers.c.first_seen, papers.c.id)
    return list(conn.execute(query).scalars())


def newest(conn: Connection, limit: int) -> list[int]:
    """Return the newest papers: by year, then day of publication, then when they came here, then number.

    A paper of which only the year is known stands behind those of the same year with a day; one without either, last.
    """
    year = func.coalesce(extract("year", papers.c.published), papers.c.year)
    order = (year.desc().nulls_last(), papers.c.published.desc().nulls_last(), papers.c.first_seen.desc())
    query = select(papers.c.id).where(_LIVE).order_by(*order, papers.c.id.desc()).limit(limit)
    return list(conn.execute(query).scalars())


def count(conn: Connection) -> int:
    """Return how many papers there are, merged ones counted once."""
    return conn.execute(select(func.count()).select_from(papers).where(_LIVE)).scalar_one()


def from_source(conn: Connection, source: str) -> set[int]:
    """Return the papers that a source told of, or that a file said are from it. `source` is folded."""
    name = source.strip().lower()
    told = (
        select(records.c.paper_id)
        .join(papers, papers.c.id == records.c.paper_id)
        .where(_LIVE, func.lower(records.c.source) == name)
    )
    said = select(papers.c.id).where(_LIVE, func.lower(papers.c.source) == name)
    return set(conn.execute(union(told, said)).scalars())


def _rows(conn: Connection, numbers: Set[int]) -> dict[int, Any]:
    """Return the rows of papers, merged ones as they are."""
    return {row.id: row for some in chunks(numbers) for row in conn.execute(_BY_NUMBER, {"numbers": some})}


def _stored(conn: Connection, rows: Mapping[int, Any]) -> dict[int, Stored]:
    """Return the papers of these rows, with all their ids."""
    ids: defaultdict[int, list[str]] = defaultdict(list)
    for some in chunks(rows.keys()):
        for alias, number in conn.execute(_IDS, {"numbers": some}):
            ids[number].append(alias)
    return {
        number: Stored(number, _paper(row, ids[number]), row.first_seen, tuple(sorted(ids[number])))
        for number, row in rows.items()
    }


def _paper(row: Any, ids: Sequence[str]) -> Paper:
    return Paper(
        id=row.key,
        title=row.title,
        abstract=row.abstract,
        authors=tuple(row.authors),
        published=row.published,
        year=row.year,
        url=row.url,
        source=row.source,
        venue=row.venue,
        categories=tuple(row.categories),
        keywords=tuple(row.keywords),
        ids=tuple(sorted(set(ids) - {row.key})),
        title_guessed=row.title_guessed,
        cross_listed=row.cross_listed,
        votes=row.votes,
    )
