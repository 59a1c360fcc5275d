"""What an administrator asks the database about itself and about what waits in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, and_, func, or_, select, text
from sqlalchemy.exc import ArgumentError

from bot.store import migrate, sqlite
from bot.store.address import make_engine, name_of, parse
from bot.store.engine import Store
from bot.store.tables import heartbeats, interests, owners, subscriptions


@dataclass(frozen=True, slots=True)
class Process:
    """A running bot, or one that ended without saying so. Times are aware, UTC; `serves` are names of platforms."""

    name: str
    started_at: datetime
    beat_at: datetime
    role: str
    serves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paused:
    """A subscription that is paused, until a local date or without end. `why` is empty if a person asked for it."""

    number: int
    platform: str
    place: str
    interests: tuple[str, ...]
    since: datetime
    until: str
    why: str


def is_there(url: str) -> bool:
    """Say whether there may be a database: an SQLite file that is missing is none. Raises StoreError for a bad URL."""
    address = parse(url)
    file = address.get_backend_name() == "sqlite" and not sqlite.in_memory(address)
    return not file or Path(str(address.database)).exists()


def name(url: str) -> str:
    """Return what people may read of a database's address. Raises StoreError if it cannot be read."""
    return name_of(parse(url))


def revision(url: str) -> str | None:
    """Return a database's revision without changing it; None if it has none yet. Raises StoreError if it is no use."""
    if not is_there(url):
        return None
    try:
        store = Store(make_engine(parse(url)), name(url))
    except (ArgumentError, ImportError):
        Store.open(url).close()  # says what is missing
        raise
    try:
        with store.reading() as conn:
            return migrate.revision(conn)
    finally:
        store.close()


def size(conn: Connection) -> int:
    """Return how many bytes the database takes."""
    if conn.dialect.name == "sqlite":
        query = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    else:
        query = "SELECT pg_database_size(current_database())"
    return int(conn.execute(text(query)).scalar_one())


def processes(conn: Connection) -> list[Process]:
    """Return the running bots, the one that started first first."""
    rows = conn.execute(select(heartbeats).order_by(heartbeats.c.started_at, heartbeats.c.process))
    return [Process(row.process, row.started_at, row.beat_at, row.role, tuple(row.serves.split())) for row in rows]


def paused(conn: Connection, now: datetime) -> list[Paused]:
    """Return what is paused at `now` (aware): first what the bot paused, and of this the latest first."""
    still = and_(
        subscriptions.c.paused_at.is_not(None),
        or_(subscriptions.c.paused_until == "", subscriptions.c.next_due_at > now),
    )
    query = (
        select(subscriptions, owners.c.platform, owners.c.name)
        .join(owners, owners.c.id == subscriptions.c.owner_id)
        .where(still)
        .order_by(subscriptions.c.paused_why == "", subscriptions.c.paused_at.desc(), subscriptions.c.id)
    )
    rows = conn.execute(query).all()
    names: dict[int, list[str]] = {}
    wanted = select(interests.c.subscription_id, interests.c.name).where(
        interests.c.subscription_id.in_(select(subscriptions.c.id).where(still)),
        interests.c.removed_at.is_(None),
    )
    for number, interest in conn.execute(wanted.order_by(interests.c.id)):
        names.setdefault(number, []).append(interest)
    return [
        Paused(
            row.id, row.platform, row.name, tuple(names.get(row.id, ())), row.paused_at, row.paused_until,
            row.paused_why,
        )
        for row in rows
    ]  # fmt: skip


def zones(conn: Connection) -> Counter[str]:
    """Return how many subscriptions go by each time zone."""
    query = select(subscriptions.c.time_zone, func.count().label("number")).group_by(subscriptions.c.time_zone)
    return Counter({row.time_zone: row.number for row in conn.execute(query)})


def next_due(conn: Connection) -> datetime | None:
    """Return when the next digest is due (aware, UTC), or None if none is. One that was unsubscribed never is."""
    kept = interests.c.removed_at.is_(None)
    query = select(func.min(subscriptions.c.next_due_at)).join(
        interests, interests.c.subscription_id == subscriptions.c.id
    )
    found: datetime | None = conn.execute(query.where(kept)).scalar()
    return found
