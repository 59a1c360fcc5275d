"""Whether the bot is alive: what a health check asks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from bot.config import Settings
from bot.store import heartbeats
from bot.store.engine import Store

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
