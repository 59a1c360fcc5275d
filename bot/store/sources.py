"""How each source of papers does: when it was asked, what it said, since when it fails, and who asks it now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, or_, select, update

from bot.store.statements import insert
from bot.store.tables import sources
from bot.store.text import short, storable

ERROR_LIMIT = 500  # characters of an error that are kept


@dataclass(frozen=True, slots=True)
class SourceState:
    """What is known of a source. Times are aware and in UTC, None where it never happened, or is not so now.

    `answered_at` is its last whole answer, `brought_at` its last new paper. It fails, with `error`, since
    `failing_since`; it is behind its own announcements since `behind_since`; `rests` says why nothing is expected now.
    `leased_until` tells the lease of the process that asks it. `cursor` says how far it was read, in its own words.
    """

    name: str
    asked_at: datetime | None = None
    answered_at: datetime | None = None
    brought_at: datetime | None = None
    failing_since: datetime | None = None
    behind_since: datetime | None = None
    error: str = ""
    rests: str = ""
    next_at: datetime | None = None
    leased_until: datetime | None = None
    cursor: str = ""


_COLUMNS = [sources.c[field.name] for field in fields(SourceState)]


def all(conn: Connection) -> list[SourceState]:  # noqa: A001 - read as sources.all
    """Return the state of every source that was ever asked or brought papers, by name."""
    return [SourceState(**row) for row in conn.execute(select(*_COLUMNS).order_by(sources.c.name)).mappings()]


def get(conn: Connection, name: str) -> SourceState:
    """Return the state of one source; that of one nobody asked yet is empty."""
    row = conn.execute(select(*_COLUMNS).where(sources.c.name == _key(name))).mappings().first()
    return SourceState(**row) if row else SourceState(_key(name))


def claim(conn: Connection, name: str, now: datetime, lease: timedelta) -> SourceState | None:
    """Take a source whose time has come, and which nobody asks now, for the length of a lease; None if it is not so.

    `now` is the database's time. The state is that of before, but for `asked_at` and `leased_until`.
    """
    _make(conn, name)
    free = or_(sources.c.leased_until.is_(None), sources.c.leased_until <= now)
    due = or_(sources.c.next_at.is_(None), sources.c.next_at <= now)
    taken = (
        update(sources)
        .where(sources.c.name == _key(name), free, due)
        .values(asked_at=now, leased_until=now + lease)
        .returning(*_COLUMNS)
    )
    row = conn.execute(taken).mappings().first()
    return SourceState(**row) if row else None


def renew(conn: Connection, held: SourceState, until: datetime, cursor: str | None = None) -> SourceState | None:
    """Keep a source that is claimed for longer, read as far as `cursor` says (None: as far as before).

    None if the lease ran out and another process has it: then nothing is recorded.
    """
    said = {} if cursor is None else {"cursor": storable(cursor)}
    row = conn.execute(_held(held).values(leased_until=until, **said).returning(*_COLUMNS)).mappings().first()
    return SourceState(**row) if row else None


def answered(
    conn: Connection, held: SourceState, now: datetime, next_at: datetime, *, rests: str = "", behind: bool = False
) -> None:
    """Record a whole answer and give the source free. `behind_since` stays what it was while it is behind.

    Nothing is recorded by whoever lost the lease.
    """
    since = func.coalesce(sources.c.behind_since, now) if behind else None
    values = {"answered_at": now, "failing_since": None, "error": "", "rests": storable(rests), "behind_since": since}
    conn.execute(_held(held).values(**values, next_at=next_at, leased_until=None))


def failed(
    conn: Connection, held: SourceState, now: datetime, error: str, wait: Callable[[timedelta], timedelta]
) -> None:
    """Record a failure and give the source free. `failing_since` is that of the first failure since an answer.

    `wait` is told for how long it has failed, and returns when to ask next. Nothing is recorded by whoever lost the
    lease.
    """
    since = held.failing_since or now
    values = {"failing_since": since, "error": storable(error)[:ERROR_LIMIT], "next_at": now + wait(now - since)}
    conn.execute(_held(held).values(**values, leased_until=None))


def release(conn: Connection, held: SourceState) -> None:
    """Give a source free without having asked it to the end; it is due at once."""
    conn.execute(_held(held).values(leased_until=None))


def retire(conn: Connection, name: str) -> None:
    """Forget how a source does that is asked no more, but not how far it was read: it may come back."""
    gone = dict.fromkeys(("asked_at", "failing_since", "behind_since", "next_at", "leased_until"))
    conn.execute(update(sources).where(sources.c.name == _key(name)).values(**gone, error="", rests=""))


def hasten(conn: Connection, name: str) -> None:
    """Let a source be asked at once, since more was chosen of it; one that fails keeps its time."""
    conn.execute(
        update(sources).where(sources.c.name == _key(name), sources.c.failing_since.is_(None)).values(next_at=None)
    )


def brought(conn: Connection, name: str, now: datetime) -> None:
    """Record that a source brought a new paper."""
    _make(conn, name)
    conn.execute(update(sources).where(sources.c.name == _key(name)).values(brought_at=now))


def reached(conn: Connection, name: str, cursor: str) -> None:
    """Record how far a whole list was read that somebody asked for, so that it can go on from there."""
    _make(conn, name)
    conn.execute(update(sources).where(sources.c.name == _key(name)).values(cursor=storable(cursor)))


def _make(conn: Connection, name: str) -> None:
    new = insert(conn, sources).values(name=_key(name), error="", rests="")
    conn.execute(new.on_conflict_do_nothing())


def _held(held: SourceState) -> Any:
    """Update a source if it is still under the lease that its holder knows of."""
    return update(sources).where(sources.c.name == held.name, sources.c.leased_until == held.leased_until)


def _key(name: str) -> str:
    return short(name, 80)
