"""What can be offered while somebody types, kept in memory, and read anew when papers came.

Whoever types waits for no database that is at work: what was read last is offered meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

import structlog
from sqlalchemy import Connection

from bot.errors import StoreError
from bot.store.engine import Store
from bot.store.offer import Offer, read

P = ParamSpec("P")
T = TypeVar("T")

FIRST = 0.4  # seconds for which those who type before anything was read wait for it
AGAIN = 30.0  # seconds from one reading to the next, at least

log = structlog.get_logger()


class Offered:
    """Keeps one offer for a process. It has a thread of its own: those of requests may all be at work."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._offer = Offer()
        self._reading: asyncio.Future[None] | None = None
        self._read_at = float("-inf")
        self._lookups = ThreadPoolExecutor(1, "offered")
        self._readings = ThreadPoolExecutor(1, "offered-anew")

    async def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` in a reading transaction, in that thread. Raises StoreError, and whatever `fn` raises."""

        def work() -> T:
            with self._store.reading() as conn:
                return fn(conn, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._lookups, work)

    async def now(self, newest: int, since: datetime) -> Offer:
        """Return what can be offered. If it is older than change `newest`, it is read anew behind it.

        `since` (aware) tells new papers from old ones.
        """
        due = self._offer.last != newest and time.monotonic() - self._read_at >= AGAIN
        if due and (self._reading is None or self._reading.done()):
            loop = asyncio.get_running_loop()
            self._reading = loop.run_in_executor(self._readings, self._renew, since)
        if self._offer.last < 0 and self._reading is not None:
            await asyncio.wait([self._reading], timeout=FIRST)
        return self._offer

    def close(self) -> None:
        """Let go of the threads, once they have ended what they do."""
        self._lookups.shutdown()
        self._readings.shutdown()

    def _renew(self, since: datetime) -> None:
        try:
            with self._store.reading() as conn:
                self._offer = read(conn, since)
        except StoreError as error:
            log.warning("what can be offered could not be read", reason=str(error))
        self._read_at = time.monotonic()
