"""Ask the sources whose time has come, each by one process at a time, and record how each of them does.

A source may have two methods beyond the port. `rests(on) -> str` tells why no papers are expected at an instant
(aware, UTC), as "arXiv announces nothing on Saturdays"; empty where they are. `behind(on) -> bool` tells that it knows
of papers which it cannot give yet.

A source that is read in parts yields a Cursor behind each: it is stored in the transaction that stores the papers
before it, so that whatever happens the source goes on from there, and nothing is lost.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import structlog

from bot.core.ports import Cursor, Source
from bot.errors import SourceError, StoreError
from bot.jobs.ingest import BATCH, keep
from bot.store import sources as states
from bot.store.engine import Store
from bot.store.sources import SourceState
from recommender.types import Paper

LEASE = timedelta(minutes=15)  # for one batch: it is renewed with each
SILENCE = 900.0  # seconds for which a source may give nothing before it is given up, until it is asked again
OVERLAP = timedelta(days=1)  # archives' indexes lag: what is known already is dropped
SHORTEST, LONGEST = timedelta(minutes=5), timedelta(hours=1)  # waits after a failure
FARTHEST = timedelta(days=1)  # what a source may ask for at most, before it is asked again
JITTER = 0.1  # of a wait, so that many installations do not come back together

T = TypeVar("T")
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Pulled:
    """What came of asking a source: how many new papers, and why it failed, empty if it answered."""

    name: str
    new: int
    error: str = ""


async def pull(
    store: Store, sources: Mapping[str, Source], http: Any = None, chance: Callable[[], float] = random.random
) -> list[Pulled]:
    """Ask every source that is due and that no other process asks now, all at once, and tell what came of it.

    One that fails is asked again after 5, 10, 20, 40 and then every 60 minutes, or after the time that it asked for, up
    to a day; what it gave before stays, and the others go on. `chance` gives 0 to 1. If it is cancelled, the sources
    are free again. Raises StoreError.
    """
    asked = await asyncio.gather(
        *(_ask(store, name, source, http, chance) for name, source in sources.items()), return_exceptions=True
    )
    for one in asked:
        if isinstance(one, BaseException):
            raise one
    return [one for one in asked if isinstance(one, Pulled)]


async def _ask(store: Store, name: str, source: Source, http: Any, chance: Callable[[], float]) -> Pulled | None:
    claiming = asyncio.ensure_future(store.write(lambda conn: states.claim(conn, name, store.clock(conn), LEASE)))
    try:
        held = await _whole(claiming)
    except asyncio.CancelledError:
        given = None if claiming.exception() else claiming.result()
        if given is not None:
            await store.write(states.release, given)
        raise
    if held is None:
        return None
    run = _Run(store, name, held)
    try:
        with _forgetting(http):
            await run.take(source, http)
            await _answered(store, run.held, source)
    except asyncio.CancelledError:
        await store.write(states.release, run.held)
        raise
    except StoreError:
        raise
    except SourceError as error:
        return await run.failed(str(error), chance, getattr(error, "after", 0.0))
    except Exception:
        log.exception("a source has a fault", source=name)
        return await run.failed("a fault in reading this source; it is in the log", chance)
    return Pulled(name, run.new)


async def _answered(store: Store, held: SourceState, source: Source) -> None:
    now = await store.read(store.clock)
    rests, behind = getattr(source, "rests", None), getattr(source, "behind", None)
    await store.write(
        states.answered,
        held,
        now,
        now + source.every,
        rests=rests(now) if rests else "",
        behind=bool(behind and behind(now)),
    )


def backoff(failing: timedelta, chance: float, after: float = 0.0) -> timedelta:
    """Return how long to wait before asking a source that has failed for so long; `chance` (0 to 1) adds up to 10 %.

    As long as it has failed so far and five minutes more, up to an hour: 5, 10, 20, 40, 60, 60 …; or as long as it
    asked for (`after`, in seconds), if that is longer, up to a day.
    """
    asked = timedelta(seconds=min(after, FARTHEST.total_seconds())) if after > 0 else timedelta()  # it may be no number
    return max(min(failing + SHORTEST, LONGEST), asked) * (1 + JITTER * chance)


class _Run:
    """One source being asked: what it brought, and the lease as it stands."""

    def __init__(self, store: Store, name: str, held: SourceState) -> None:
        self._store = store
        self._name = name
        self.held = held
        self.new = 0

    async def take(self, source: Source, http: Any) -> None:
        """Store what a source gives, in batches; what came before it fails is stored too.

        Raises what it raises, and SourceError if it falls silent.
        """
        since = self.held.answered_at - OVERLAP if self.held.answered_at else None
        batch: list[Paper] = []
        loop = asyncio.get_running_loop()
        try:
            async with (
                asyncio.timeout(SILENCE) as patience,
                _closed(source.fetch(since, http, self.held.cursor)) as found,
            ):
                async for item in found:
                    if isinstance(item, Paper):
                        batch.append(item)
                    if isinstance(item, Cursor) or len(batch) >= BATCH:
                        full, batch = batch, []
                        await self._keep(full, item.text if isinstance(item, Cursor) else None)
                    patience.reschedule(loop.time() + SILENCE)
        except StoreError:
            raise
        except Exception as error:
            await self._keep(batch)
            if patience.expired():
                raise SourceError(f"it gave nothing for {SILENCE / 60:.0f} minutes") from error
            raise
        await self._keep(batch)

    async def failed(self, error: str, chance: Callable[[], float], after: float = 0.0) -> Pulled:
        """Record why it failed, and when to ask it again: not before `after` seconds."""
        now = await self._store.read(self._store.clock)
        await self._store.write(states.failed, self.held, now, error, lambda since: backoff(since, chance(), after))
        return Pulled(self._name, self.new, error)

    async def _keep(self, batch: Sequence[Paper], cursor: str | None = None) -> None:
        """Store papers, and with them how far the source was read, and keep the source for longer."""
        if not batch and cursor is None:
            return

        def work(conn: Any) -> None:
            now = self._store.clock(conn)
            self.new += keep(conn, batch, self._name, now).new if batch else 0
            self.held = states.renew(conn, self.held, now + LEASE, cursor) or self.held

        await _whole(asyncio.ensure_future(self._store.write(work)))


async def _whole(writing: asyncio.Future[T]) -> T:
    """Wait for a write, also if this is cancelled meanwhile: a thread is not, and what it wrote has to be known."""
    try:
        return await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait({writing})
        raise


@contextmanager
def _forgetting(http: Any) -> Iterator[None]:
    """Let the client forget what came last, if it was not stored: the next answer could be that nothing has changed."""
    try:
        yield
    except BaseException:
        forget = getattr(http, "forget", None)
        if forget is not None:
            forget()
        raise


@asynccontextmanager
async def _closed(found: AsyncIterator[Paper | Cursor]) -> AsyncIterator[AsyncIterator[Paper | Cursor]]:
    """Give what a source yields, and let go of its connections at the end, also if that comes early."""
    try:
        yield found
    finally:
        close = getattr(found, "aclose", None)
        if close is not None:
            await close()
