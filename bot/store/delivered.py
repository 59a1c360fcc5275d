"""Reading the outbox: how full it is, what went wrong, what waits to be told, and which papers were shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, select, update

from bot.core.message import Message, from_json
from bot.store.papers import resolve_all
from bot.store.statements import chunks
from bot.store.tables import outbox, owners, shown

SET_ASIDE = ("refused", "dead", "unknown")


@dataclass(frozen=True, slots=True)
class Depth:
    """How many messages are in each state but sent, and since when the oldest pending one is due (None: none is)."""

    pending: int = 0
    oldest_due: datetime | None = None
    dead: int = 0
    unknown: int = 0
    refused: int = 0
    held: int = 0


@dataclass(frozen=True, slots=True)
class Trouble:
    """A message that was set aside. `place` is the name of the person or channel it was for."""

    number: int
    key: str
    state: str
    platform: str
    place: str
    due_at: datetime
    done_at: datetime | None
    tries: int
    error: str


def depth(conn: Connection, now: datetime) -> Depth:
    """Return how full the outbox is at `now` (aware)."""
    states = ("pending", "held", *SET_ASIDE)
    query = select(outbox.c.state, func.count()).where(outbox.c.state.in_(states)).group_by(outbox.c.state)
    counts: dict[str, int] = {row[0]: row[1] for row in conn.execute(query)}
    due = select(func.min(outbox.c.due_at)).where(outbox.c.state == "pending", outbox.c.due_at <= now)
    return Depth(**counts, oldest_due=conn.execute(due).scalar())


@dataclass(frozen=True, slots=True)
class Planned:
    """A message as it was put in, and its state."""

    message: Message
    state: str
    created_at: datetime


def of_key(conn: Connection, key: str) -> Planned | None:
    """Return the message that was put in under a key, or None."""
    query = select(outbox.c.message, outbox.c.state, outbox.c.created_at).where(outbox.c.key == key)
    row = conn.execute(query).one_or_none()
    return None if row is None else Planned(from_json(row.message), row.state, row.created_at)


def troubles(conn: Connection, most: int) -> list[Trouble]:
    """Return at most `most` messages that are dead or unknown, the latest first."""
    columns = (outbox.c.id, outbox.c.key, outbox.c.state, outbox.c.platform, owners.c.name)
    more = (outbox.c.due_at, outbox.c.done_at, outbox.c.tries, outbox.c.error)
    query = select(*columns, *more).join(owners, owners.c.id == outbox.c.owner_id)
    query = query.where(outbox.c.state.in_(("dead", "unknown"))).order_by(outbox.c.id.desc()).limit(most)
    return [Trouble(*row) for row in conn.execute(query)]


_HELD = (
    select(outbox.c.id, outbox.c.message)
    .where(outbox.c.owner_id == bindparam("owner"), outbox.c.state == "held")
    .order_by(outbox.c.id)
)


def held(conn: Connection, owner: int) -> list[tuple[int, str]]:
    """Return the notices that wait for this person to ask for something: number and text, the oldest first."""
    return [(row.id, str(row.message["text"])) for row in conn.execute(_HELD, {"owner": owner})]


def tell(conn: Connection, numbers: Collection[int], now: datetime) -> None:
    """Note that these held notices were shown."""
    waiting = (outbox.c.id.in_(list(numbers)), outbox.c.state == "held")
    conn.execute(update(outbox).where(*waiting).values(state="sent", done_at=now))


def shown_to(conn: Connection, owner: int) -> dict[int, datetime]:
    """Return the papers in this owner's digests that are pending or sent, and when each came last (aware, UTC).

    A paper that was merged counts as the one it is now.
    """
    return shown_to_many(conn, [owner])[owner]


def shown_to_many(conn: Connection, numbers: Collection[int]) -> dict[int, dict[int, datetime]]:
    """Return `shown_to` of each of these owners."""
    rows: list[tuple[int, int, datetime]] = []
    for some in chunks(numbers):
        came = func.coalesce(outbox.c.done_at, outbox.c.created_at)
        query = select(outbox.c.owner_id, shown.c.paper_id, came).join(shown, shown.c.outbox_id == outbox.c.id)
        counts = (outbox.c.owner_id.in_(some), outbox.c.state.in_(("pending", "sent")))
        rows += [(owner, paper, at) for owner, paper, at in conn.execute(query.where(*counts))]
    moved = resolve_all(conn, {paper for _, paper, _ in rows})
    found: defaultdict[int, dict[int, datetime]] = defaultdict(dict)
    for owner, paper, at in rows:
        papers = found[owner]
        now_is = moved.get(paper, paper)
        papers[now_is] = max(at, papers.get(now_is, at))
    return {owner: found[owner] for owner in numbers}


def prune(conn: Connection, before: datetime) -> int:
    """Delete what was done with before a time, and notices held since before it; return how many they were.

    What is pending stays, however old.
    """
    old = func.coalesce(outbox.c.done_at, outbox.c.created_at) < before
    return conn.execute(delete(outbox).where(outbox.c.state != "pending", old)).rowcount
