"""What can be offered while somebody types: titles, areas, keywords and sources, in memory, read anew when papers came.

Whoever types waits for no database that is at work: what was read last is offered meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

import structlog
from sqlalchemy import Connection, select

from bot.errors import StoreError
from bot.store import areas, catalogue
from bot.store.engine import Store
from bot.store.tables import papers
from bot.store.titles import Titles

P = ParamSpec("P")
T = TypeVar("T")

KEYWORDS = 200  # of the commonest
FIRST = 0.4  # seconds for which those who type before anything was read wait for it
AGAIN = 30.0  # seconds from one reading to the next, at least
_LIVE = papers.c.merged_into.is_(None)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Offer:
    """What was read of the papers up to change `last`: the names of areas and sources, keywords, and titles."""

    last: int = -1
    areas: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    titles: Titles = field(default_factory=Titles)


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


def read(conn: Connection, since: datetime) -> Offer:
    """Read all that can be offered; the newest papers first, and areas and keywords by how many papers have them."""
    last = catalogue.last_change(conn)
    newest = select(papers.c.key, papers.c.title).where(_LIVE).order_by(papers.c.first_seen.desc(), papers.c.id)
    sources = select(papers.c.source).where(_LIVE, papers.c.source != "").distinct().order_by(papers.c.source)
    return Offer(
        last,
        tuple(area.name for area in areas.areas(conn, since)),
        tuple(keyword.name for keyword in catalogue.keywords(conn, since, KEYWORDS)),
        tuple(conn.execute(sources).scalars()),
        Titles((row.key, row.title) for row in conn.execute(newest)),
    )
