"""Whether the bot is alive, which a health check asks, and what it is there for."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from bot.config import Settings
from bot.core.digest import upcoming
from bot.core.plain import plain
from bot.jobs import dense
from bot.store import heartbeats, papers, subscriptions
from bot.store.engine import Store
from bot.store.library import Library

ALIVE_FACTOR = 3  # signs of life that may be missed


def alive(last: datetime | None, now: datetime, every: int) -> bool:
    """Say whether a process has given a sign of life lately. `every` is in seconds."""
    return last is not None and now - last <= timedelta(seconds=every * ALIVE_FACTOR)


def pulse(store: Store, settings: Settings, now: datetime) -> dict[str, Any]:
    """Return what a health check asks: the kind of database, and whether a running bot has given a sign of life."""
    with store.reading() as conn:
        last = heartbeats.latest(conn)
    return {
        "database": store.dialect,
        "alive": alive(last, now, settings.heartbeat_seconds),
        "last sign of life": last.isoformat(timespec="seconds") if last else "none",
    }


def held(store: Store, library: Library) -> dict[str, Any]:
    """Return how many papers are stored, in the index, and learnt from."""
    library.index.refresh()
    with store.reading() as conn:
        stored = papers.count(conn)
    index = library.index
    facts = {"papers": stored, "papers in the index": len(index), "papers learnt from": index.fitted}
    return facts | (dense.facts(library.vectors) if library.vectors is not None else {})


def subscribed(store: Store) -> list[str]:
    """Return a line for each subscription: its number, for whom, what, and when it comes next."""
    with store.reading() as conn:
        found = subscriptions.everywhere(conn)
    return [
        f"{sub.number:>5}  {plain(sub.place)} ({sub.platform}): {plain(sub.name)} · "
        + (upcoming(sub.next_due_at, sub.time_zone) or "paused")
        for sub in sorted(found, key=lambda sub: sub.number)
    ]
