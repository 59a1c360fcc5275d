"""What sources said, kept as they said it, and the papers that follow from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from bot.errors import NotFound, UserError
from bot.store.derive import UNANNOUNCED, Record, content_of, digest_of
from bot.store.facts import clash
from bot.store.identity import partition
from bot.store.shelf import Placed, messages, place, show
from bot.store.statements import chunks
from bot.store.tables import aliases, counters, disputes, papers, records
from bot.store.text import short
from recommender.types import Paper


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of some papers that came in.

    `known`: this very record is there. `merged`: a new record of a paper that is there. `new`: it made a paper.
    `changed` counts papers, not records: those that were there and read differently now.
    """

    new: int = 0
    known: int = 0
    merged: int = 0
    changed: int = 0


def add(conn: Connection, incoming: Sequence[Paper], source: str, now: datetime, *, asked: bool = False) -> Outcome:
    """Store what `source` says of some papers (about 500 at a time), and let papers follow.

    A record that is there already changes nothing at all. `asked`: somebody looked these papers up, so that they are
    news only by the day on which they came out, until a source brings them. Raises ValueError for a time without a
    time zone.
    """
    source, seen = short(source, 80), UNANNOUNCED if asked else now
    _take_turn(conn)
    unique: dict[tuple[str, str], Record] = {}
    for turn, content in enumerate(map(content_of, incoming)):
        digest = digest_of(content)
        unique.setdefault((content["id"], digest), Record(source, content, digest, seen, turn=turn))
    there = _there(conn, source, {name for name, _ in unique})
    fresh = [record for name, record in unique.items() if name not in there]
    early = [] if asked else _early(conn, source, there, now)
    if not fresh and not early:
        return Outcome(known=len(incoming))
    placed = _settle(conn, [*fresh, *early], {}, now, brought=not asked)
    merged = max(len(fresh) - placed.new, 0)
    return Outcome(placed.new, len(incoming) - placed.new - merged, merged, placed.changed)


def merge(conn: Connection, keep: int, gone: int, now: datetime) -> None:
    """Make two papers one by hand: `keep` takes the records and ids of `gone`, and imports never part them.

    Raises NotFound if one is not there, and UserError if both have an arXiv id, or a publisher's DOI, of their own.
    """
    _take_turn(conn)
    both = _load(conn, {keep, gone})
    if keep == gone or {record.place for record in both} != {keep, gone}:
        raise NotFound("One of these two papers is not there, or they are one already.")
    ids = {place: {i for r in both if r.place == place for i in r.facts.strong} for place in (keep, gone)}
    if clash(ids[keep], ids[gone]):
        raise UserError("These stay two papers: each has an arXiv id, or a publisher's DOI, of its own.")
    _hold(conn, both, keep)
    _settle(conn, _load(conn, {keep}), {gone: keep}, now)


def keep(conn: Connection, numbers: Collection[int]) -> None:
    """Say by hand that these papers, each by itself, are right as they are: imports neither part nor unite them.

    Raises NotFound if one is not there.
    """
    _take_turn(conn)
    found = _load(conn, numbers)
    if not numbers or {record.place for record in found} != set(numbers):
        raise NotFound("One of these papers is not there.")
    for number in numbers:
        _hold(conn, [record for record in found if record.place == number], number)


def unmerge(conn: Connection, numbers: Collection[int], now: datetime) -> int:
    """Take these records (by their numbers) out of their paper by hand, and return the number of the paper they make.

    The paper they were before a merge comes back, if there was one. Whoever was shown the whole, or what was merged
    into it, is shown neither again. Raises NotFound if they are not records of one
    paper, or are all it has.
    """
    _take_turn(conn)
    found = _places(conn, numbers)
    if len(found) != 1:
        raise NotFound("These are not records of one paper.")
    whole = _load(conn, found)
    out = [record for record in whole if record.number in set(numbers)]
    stay = [record for record in whole if record.number not in set(numbers)]
    if not stay:
        raise NotFound("These are all the records the paper has: there is nothing to part.")
    number = found.pop()
    were_shown = messages(conn, [number])
    revived = _before(conn, number, out)
    _hold(conn, stay, number)
    _hold(conn, out, revived or number)
    parted = [replace(record, place=revived or -1, held=True) for record in out]
    kept = [replace(record, held=True) for record in stay]
    _settle(conn, [*kept, *parted], {}, now)
    made = _places(conn, [record.number for record in out if record.number]).pop()
    for part in (number, made):
        show(conn, were_shown, part)
    return made


def of(conn: Connection, numbers: Iterable[int]) -> list[Record]:
    """Return the records of these papers, in the order in which they came."""
    return sorted(_load(conn, numbers), key=lambda record: record.number or 0)


def _take_turn(conn: Connection) -> None:
    """Hold the counter's row, so that writers of papers follow one another and change numbers are in commit order."""
    conn.execute(select(counters.c.value).where(counters.c.name == "papers").with_for_update())


def _there(conn: Connection, source: str, ids: Collection[str]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for some in chunks(ids):
        query = select(records.c.source_id, records.c.hash).where(
            records.c.source == source, records.c.source_id.in_(some)
        )
        found |= {(name, digest) for name, digest in conn.execute(query)}
    return found


def _early(conn: Connection, source: str, there: Collection[tuple[str, str]], now: datetime) -> list[Record]:
    """Return the papers' records of which some were looked up and are brought only now, which is noted."""
    found: set[int] = set()
    for some in chunks({name for name, _ in there}):
        looked_up = (records.c.source == source, records.c.source_id.in_(some), records.c.seen_at == UNANNOUNCED)
        query = select(records.c.id, records.c.source_id, records.c.hash, records.c.paper_id).where(*looked_up)
        for number, name, digest, paper in conn.execute(query).all():
            if (name, digest) in there:
                conn.execute(update(records).where(records.c.id == number).values(seen_at=now))
                found.add(paper)
    return _load(conn, found)


def _settle(
    conn: Connection, given: Sequence[Record], vacated: dict[int, int], now: datetime, *, brought: bool = False
) -> Placed:
    """Work out which records around the given ones are one paper, and write it. `brought`: a source brings them."""
    everything = {record.facts: record for record in [*_around(conn, given), *given]}
    groups = [[everything[each] for each in group] for group in partition(everything)]
    moved = _renew(conn, groups) if brought else {}
    placed = place(conn, groups, vacated | moved, now)
    return replace(placed, new=placed.new + len(moved), changed=placed.changed - len(moved))


def _renew(conn: Connection, groups: list[list[Record]]) -> dict[int, int]:
    """Give papers that were only looked up a new number once a source brings them: digests go by it.

    Those with a date are left, since they were news by it. Returns the new numbers by the old ones.
    """
    homes = [{record.place for record in group if record.place} for group in groups]
    shared = Counter(place for home in homes for place in home)
    alone = {
        place: turn
        for turn, home in enumerate(homes)
        for place in home
        if len(home) == shared[place] == 1 and any(record.seen_at > UNANNOUNCED for record in groups[turn])
    }
    moved: dict[int, int] = {}
    for some in chunks(alone):
        looked_up = (papers.c.id.in_(some), papers.c.first_seen == UNANNOUNCED, papers.c.published.is_(None))
        for row in conn.execute(select(papers).where(*looked_up)).mappings().all():
            old, copied = row["id"], {name: value for name, value in row.items() if name != "id"}
            made = insert(papers).values({**copied, "key": f"brought:{old}"}).returning(papers.c.id)
            new = moved[old] = int(conn.execute(made).scalar_one())
            conn.execute(update(records).where(records.c.paper_id == old).values(paper_id=new))
            groups[alone[old]] = [replace(each, place=new) if each.place else each for each in groups[alone[old]]]
    return moved


def _around(conn: Connection, given: Sequence[Record]) -> list[Record]:
    """Return the stored records of every paper that may be one with the given ones, by ids or title, step by step."""
    known = {record.number for record in given if record.number}
    around: list[Record] = []
    asked: set[str] = set()
    loaded: set[int] = set()
    edge: Sequence[Record] = given
    while edge:
        looks = [record.facts for record in edge]
        ids = {each for look in looks for each in look.ids} - asked
        titles = {f"title {look.title}" for look in looks if look.title} - asked
        asked |= ids | titles
        numbers = _claimants(conn, ids, {title.removeprefix("title ") for title in titles}) - loaded
        loaded |= numbers
        edge = [record for record in _load(conn, numbers) if record.number not in known]
        around += edge
    return around


def _claimants(conn: Connection, ids: Collection[str], titles: Collection[str]) -> set[int]:
    found: set[int] = set()
    for some in chunks(ids):
        for table in (aliases, disputes):
            found |= set(conn.execute(select(table.c.paper_id).where(table.c.alias.in_(some))).scalars())
    for some in chunks(titles):
        found |= set(conn.execute(select(records.c.paper_id).where(records.c.title_key.in_(some))).scalars())
    return found


def _load(conn: Connection, numbers: Iterable[int]) -> list[Record]:
    return [
        Record(row.source, row.content, row.hash, row.seen_at, row.id, row.paper_id, row.held)
        for some in chunks(set(numbers))
        for row in conn.execute(select(records).where(records.c.paper_id.in_(some)))
    ]


def _places(conn: Connection, numbers: Collection[int]) -> set[int]:
    return set(conn.execute(select(records.c.paper_id).where(records.c.id.in_(list(numbers)))).scalars())


def _hold(conn: Connection, held: Iterable[Record], number: int) -> None:
    for some in chunks([record.number for record in held if record.number]):
        conn.execute(update(records).where(records.c.id.in_(some)).values(held=True, paper_id=number))


def _before(conn: Connection, number: int, out: Sequence[Record]) -> int | None:
    """Return the paper that was merged into this one and was known by an id of these records."""
    names = {each for record in out for each in record.facts.ids}
    query = select(papers.c.id, papers.c.key).where(papers.c.merged_into == number).order_by(papers.c.id)
    for before, key in conn.execute(query):
        if key.removeprefix(f"merged:{before}:") in names:
            return int(before)
    return None
