"""What everybody here said, kept for a while: reading it takes half a second where there are 20,000 ratings."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from bot.store import promises
from bot.store.promises import Crowd

HOLDS = timedelta(hours=1)


class Everybody:
    """Reads it when it is asked for, and again after an hour."""

    def __init__(self) -> None:
        self._known: tuple[datetime, Crowd] | None = None

    def forget(self) -> None:
        """Let it be read anew: scores are other ones now."""
        self._known = None

    def crowd(self, conn: Connection, now: datetime) -> Crowd:
        """Return what everybody said, as of the last hour. `now` is aware."""
        known = self._known  # another thread may read meanwhile: both are right
        if known is None or not timedelta(0) <= now - known[0] <= HOLDS:
            known = self._known = now, promises.crowd(conn)
        return known[1]
