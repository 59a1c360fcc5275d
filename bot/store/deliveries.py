"""What was delivered to the bot already: events, commands and presses that come twice are done once."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete

from bot.store.statements import insert
from bot.store.tables import deliveries
from bot.store.text import short

KEPT = timedelta(hours=24)  # platforms repeat for a few hours at most


def fresh(conn: Connection, key: str, now: datetime) -> bool:
    """Note that `key` came (at `now`, aware) and say whether it came for the first time within a day.

    Of several processes that ask at once, one is told so.
    """
    new = insert(conn, deliveries).values(key=short(key, 64), at=now).on_conflict_do_nothing()
    return conn.execute(new.returning(deliveries.c.key)).first() is not None


def prune(conn: Connection, now: datetime) -> int:
    """Forget what came more than `KEPT` before `now`; return how many that were."""
    return conn.execute(delete(deliveries).where(deliveries.c.at < now - KEPT)).rowcount
