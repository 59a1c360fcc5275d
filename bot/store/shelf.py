"""Put groups of records where they belong: the one writer of papers, aliases, disputes and categories.

Everything is worked out first and then written in a fixed number of statements, however many papers there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, or_, select, update
from sqlalchemy import insert as plain_insert

from bot.store.derive import Record, category_keys, key_of, row_of
from bot.store.facts import clash
from bot.store.statements import chunks, insert
from bot.store.tables import aliases, categories, counters, disputes, papers, records, shown

Pair = tuple[str, int]


@dataclass(slots=True)
class Paper:
    """One group of records on its way into the table: `number` is None for a new paper."""

    records: Sequence[Record]
    number: int | None
    ids: list[str] = field(default_factory=list)
    disputed: list[str] = field(default_factory=list)
    row: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Placed:
    """How many papers are new, how many that were there read differently now, and each group's number in order."""

    new: int
    changed: int
    numbers: tuple[int, ...]


def place(conn: Connection, groups: Sequence[Sequence[Record]], vacated: Mapping[int, int], now: datetime) -> Placed:
    """Write these groups, each one paper, as what they are. The groups hold all records of the papers they touch.

    `vacated` maps papers that a hand emptied to those that took their records; papers that lose all their records to
    others are found here. Papers that read as before are left alone.
    """
    news = [Paper(group, number) for group, number in zip(groups, _numbers(groups), strict=True)]
    _share_ids(news)
    gone = dict(vacated) | _gone(news)
    left = _left(conn, news, gone)
    old = _stored(conn, [paper.number for paper in news if paper.number])
    kept = [paper for paper in news if paper.number]
    owned, claimed = _ids_of(conn, aliases, [*old, *gone]), _ids_of(conn, disputes, [*old, *gone])
    by_number: defaultdict[int, set[str]] = defaultdict(set)
    for alias, number in owned:
        by_number[number].add(alias)
    differing = [paper for paper in kept if _differs(paper, old[paper.number or 0], by_number)]
    made = sorted((paper for paper in news if not paper.number), key=lambda paper: min(r.turn for r in paper.records))
    last = bump(conn, len(differing) + len(made) + len(gone))
    _empty(conn, gone, differing, old, last)
    last -= len(gone)
    _rewrite(conn, differing, last)
    _make(conn, made, last - len(differing))
    _move(conn, news, now)
    for paper, rows in left:
        show(conn, rows, paper.number or 0)
    _relink(conn, aliases, owned, {(each, paper.number or 0) for paper in news for each in paper.ids})
    _relink(conn, disputes, claimed, {(each, paper.number or 0) for paper in news for each in paper.disputed})
    _categorise(conn, [*differing, *made], [*gone, *(paper.number or 0 for paper in differing)])
    return Placed(len(made), len(differing), tuple(paper.number or 0 for paper in news))


def _left(conn: Connection, news: Sequence[Paper], gone: Mapping[int, int]) -> list[tuple[Paper, set[int]]]:
    """Return the papers that take records from others, and the messages that showed those, before anything moves."""
    found = []
    for paper in news:
        places = {record.place for record in paper.records if record.place and record.place > 0}
        others = {place for place in places if paper.number is None or paper.number not in (place, gone.get(place))}
        if others:
            found.append((paper, messages(conn, others)))
    return found


def messages(conn: Connection, numbers: Iterable[int]) -> set[int]:
    """Return the messages that showed any of these papers, or what was merged into them."""
    found: set[int] = set()
    for some in chunks(set(numbers)):
        mine = select(papers.c.id).where(or_(papers.c.id.in_(some), papers.c.merged_into.in_(some)))
        found |= set(conn.execute(select(shown.c.outbox_id).where(shown.c.paper_id.in_(mine))).scalars())
    return found


def show(conn: Connection, rows: Iterable[int], number: int) -> None:
    """Let a paper count as shown by these messages too, so that it does not come again."""
    values = [{"outbox_id": row, "paper_id": number} for row in sorted(rows)]
    if values:
        conn.execute(insert(conn, shown).on_conflict_do_nothing(), values)


def bump(conn: Connection, by: int) -> int:
    """Take `by` change numbers and return the last of them. The counter's row is held until the transaction ends."""
    if by == 0:
        return 0
    counter = update(counters).where(counters.c.name == "papers").values(value=counters.c.value + by)
    return int(conn.execute(counter.returning(counters.c.value)).scalar_one())


def _numbers(groups: Sequence[Sequence[Record]]) -> list[int | None]:
    """Give each group the lowest number among its records' papers that no older group took."""
    taken: set[int] = set()
    numbers: list[int | None] = [None] * len(groups)
    ages = [min((record.number for record in group if record.number), default=None) for group in groups]
    for index in sorted(
        (index for index, age in enumerate(ages) if age is not None), key=lambda index: ages[index] or 0
    ):
        places = {record.place for record in groups[index] if record.place and record.place > 0}
        numbers[index] = min(places - taken, default=None)
        taken |= {numbers[index] or 0}
    return numbers


def _share_ids(news: Sequence[Paper]) -> None:
    """Give each id to the first group that claims it, to one that is sure of it before one that a collector told.

    A guess that would give a paper a second arXiv id or publisher's DOI is not its id. A paper without any id of its
    own gets one from its records.
    """
    owners: dict[str, Paper] = {}
    for sure in (True, False):
        for paper in news:
            looks = [record.facts for record in paper.records]
            known = {each for look in looks for each in look.strong}
            for each in dict.fromkeys(each for look in looks for each in look.ids if (each in known) == sure):
                free = sure or not clash(paper.ids, [each])
                mine = free and owners.setdefault(each, paper) is paper
                (paper.ids if mine else paper.disputed).append(each)
    for paper in news:
        if not paper.ids:
            paper.ids.append(f"record:{min(record.facts.hash for record in paper.records)}")
        paper.row = {**row_of(paper.records), "key": key_of(paper.ids), "merged_into": None}


def _gone(news: Sequence[Paper]) -> dict[int, int]:
    """Return the papers that lost all their records, and who has them now: an old paper, by the rule of numbers."""
    numbers = {paper.number for paper in news}
    return {
        record.place: paper.number
        for paper in news
        for record in paper.records
        if paper.number and record.place and record.place > 0 and record.place not in numbers
    }


def _stored(conn: Connection, numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
    found = {}
    for some in chunks(set(numbers)):
        for row in conn.execute(select(papers).where(papers.c.id.in_(some))).mappings():
            found[row["id"]] = dict(row)
    return found


def _ids_of(conn: Connection, table: Any, numbers: Iterable[int]) -> set[Pair]:
    found: set[Pair] = set()
    for some in chunks(set(numbers)):
        query = select(table.c.alias, table.c.paper_id).where(table.c.paper_id.in_(some))
        found |= {(alias, number) for alias, number in conn.execute(query)}
    return found


def _differs(paper: Paper, old: Mapping[str, Any], owned: Mapping[int, set[str]]) -> bool:
    if any(old[name] != value for name, value in paper.row.items()):
        return True
    return owned[paper.number or 0] != set(paper.ids)


def _empty(
    conn: Connection, gone: Mapping[int, int], differing: Sequence[Paper], old: Mapping[int, Any], last: int
) -> None:
    """Mark papers as merged into others. Their keys, and those about to change, are freed: a key is unique."""
    keys = {number: row["key"] for number, row in _stored(conn, gone).items()} if gone else {}
    for number, survivor in sorted(gone.items()):
        freed = f"merged:{number}:{keys[number]}"[:300]
        values = {"key": freed, "merged_into": survivor, "changed": last}
        conn.execute(update(papers).where(papers.c.id == number).values(values))
        # Whoever was merged into it before is found in one step.
        conn.execute(update(papers).where(papers.c.merged_into == number).values(merged_into=survivor))
        last -= 1
    moving = [
        {"n": p.number, "key": f"moving:{p.number}"} for p in differing if old[p.number or 0]["key"] != p.row["key"]
    ]
    if moving:
        conn.execute(update(papers).where(papers.c.id == bindparam("n")).values(key=bindparam("key")), moving)


def _rewrite(conn: Connection, differing: Sequence[Paper], last: int) -> None:
    if not differing:
        return
    names = [*differing[0].row, "changed"]
    statement = (
        update(papers).where(papers.c.id == bindparam("n")).values({name: bindparam(f"v_{name}") for name in names})
    )
    rows = [
        {"n": paper.number, **{f"v_{name}": value for name, value in paper.row.items()}, "v_changed": last - back}
        for back, paper in enumerate(differing)
    ]
    conn.execute(statement, rows)


def _make(conn: Connection, made: Sequence[Paper], last: int) -> None:
    if not made:
        return
    rows = [{**paper.row, "changed": last - len(made) + 1 + index} for index, paper in enumerate(made)]
    numbers = {row.key: row.id for row in conn.execute(plain_insert(papers).returning(papers.c.key, papers.c.id), rows)}
    for paper in made:
        paper.number = numbers[paper.row["key"]]


def _move(conn: Connection, news: Sequence[Paper], now: datetime) -> None:
    """Store new records, and lead those that changed their paper to it."""
    fresh, moved = [], []
    for paper in news:
        for record in paper.records:
            if record.number is None:
                fresh.append(_record_row(record, paper.number or 0, now))
            elif record.place != paper.number:
                moved.append({"n": record.number, "paper": paper.number})
    if fresh:
        conn.execute(plain_insert(records), fresh)
    if moved:
        conn.execute(update(records).where(records.c.id == bindparam("n")).values(paper_id=bindparam("paper")), moved)


def _record_row(record: Record, number: int, now: datetime) -> dict[str, Any]:
    return {
        "paper_id": number,
        "source": record.source,
        "source_id": record.content["id"],
        "hash": record.digest,
        "content": record.content,
        "title_key": record.facts.title,
        "held": False,
        "seen_at": min(record.seen_at, now),  # what was looked up was seen long ago: see `records.add`
    }


def _relink(conn: Connection, table: Any, old: set[Pair], new: set[Pair]) -> None:
    """Turn the old pairs of id and paper into the new ones, touching only what differs."""
    if old - new:
        match = (table.c.alias == bindparam("a")) & (table.c.paper_id == bindparam("p"))
        conn.execute(delete(table).where(match), [{"a": alias, "p": number} for alias, number in sorted(old - new)])
    if new - old:
        rows = [{"alias": alias, "paper_id": number} for alias, number in sorted(new - old)]
        conn.execute(insert(conn, table), rows)


def _categorise(conn: Connection, written: Sequence[Paper], numbers: Iterable[int]) -> None:
    for some in chunks(list(numbers)):
        conn.execute(delete(categories).where(categories.c.paper_id.in_(some)))
    rows = [
        {"paper_id": paper.number, "name_key": name_key, "name": name}
        for paper in written
        for name_key, name in category_keys(paper.row["categories"]).items()
    ]
    if rows:
        conn.execute(plain_insert(categories), rows)
