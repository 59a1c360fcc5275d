"""Heartbeats: which processes run, since when, and which platforms each can send to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, delete, func, select

from bot.store.statements import insert
from bot.store.tables import heartbeats
from bot.store.text import short


def beat(
    conn: Connection, process: str, started_at: datetime, now: datetime, role: str = "", serves: Collection[str] = ()
) -> None:
    """Say that a process, which started then, is alive now. Times are aware.

    `role` is "all", "worker" or "web"; `serves` are the names of the platforms it sends to.
    """
    values = {"started_at": started_at, "beat_at": now, "role": role, "serves": " ".join(sorted(serves))}
    new = insert(conn, heartbeats).values(process=short(process, 80), **values)
    conn.execute(new.on_conflict_do_update(index_elements=["process"], set_=values))


def latest(conn: Connection) -> datetime | None:
    """Return when any process beat last (aware, UTC), or None if none runs."""
    query = select(heartbeats.c.beat_at).order_by(heartbeats.c.beat_at.desc()).limit(1)
    found: datetime | None = conn.execute(query).scalar()
    return found


def senders(conn: Connection, since: datetime) -> dict[str, set[str]]:
    """Return the processes that send to each platform and beat at `since` (aware) or later."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    query = select(heartbeats.c.process, heartbeats.c.serves).where(heartbeats.c.beat_at >= since)
    for process, serves in conn.execute(query):
        for platform in serves.split():
            found[platform].add(process)
    return dict(found)


def listeners(conn: Connection, since: datetime) -> int:
    """Return how many processes listen to people, of those that beat at `since` (aware) or later."""
    query = select(func.count()).where(heartbeats.c.beat_at >= since, heartbeats.c.role.in_(("all", "web")))
    return int(conn.execute(query).scalar_one())


def prune(conn: Connection, before: datetime) -> None:
    """Delete the signs of life of processes that ended without saying so, if the last is from before a time."""
    conn.execute(delete(heartbeats).where(heartbeats.c.beat_at < before))


def stop(conn: Connection, process: str) -> None:
    """Take a process off the list: it has ended."""
    conn.execute(delete(heartbeats).where(heartbeats.c.process == short(process, 80)))
