"""Small writes of many tasks, committed together: fifty messages a second are a few transactions, not a hundred."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

import structlog
from sqlalchemy import Connection

from bot.errors import StoreError
from bot.store.engine import Store

T = TypeVar("T")
BATCH = 100  # writes in one transaction
SHORTEST, LONGEST = 0.05, 2.0  # seconds from one try to the next while the database is away

log = structlog.get_logger()


class Outage:
    """Tells once that the database is away, and once that it is back."""

    def __init__(self) -> None:
        self._away = False

    def begins(self, error: StoreError) -> None:
        """The database did not answer."""
        if not self._away:
            log.error("the database is away: what is on its way waits", reason=str(error))
        self._away = True

    def ends(self) -> None:
        """The database answered."""
        if self._away:
            log.warning("the database is back")
        self._away = False


class Ledger:
    """Takes writes from tasks and runs them in transactions, one after another; each holds what waits by then.

    While the database is away, it tries again and again. `close` it at the end.
    """

    def __init__(self, store: Store, outage: Outage) -> None:
        self._store = store
        self._outage = outage
        self._waiting: deque[tuple[Callable[[Connection, datetime], Any], asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def write(self, fn: Callable[[Connection, datetime], T]) -> T:
        """Run `fn(conn, now)` in a transaction, `now` being the database's time, and return its result once committed.

        It may run more than once, if the database goes away in the middle. Raises whatever `fn` raises.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((fn, done))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await done

    async def close(self) -> None:
        """Stop, whatever waits still: it is cancelled."""
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker
        for _, done in self._waiting:
            done.cancel()
        self._waiting.clear()

    async def _work(self) -> None:
        pause = SHORTEST
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            batch = [pair for pair in batch if not pair[1].done()]
            try:
                await self._commit(batch)
            except StoreError as error:
                self._outage.begins(error)
                self._waiting.extendleft(reversed(batch))
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST)
            except BaseException:
                self._waiting.extendleft(reversed(batch))
                raise
            else:
                self._outage.ends()
                pause = SHORTEST

    async def _commit(self, batch: Sequence[tuple[Callable[[Connection, datetime], Any], asyncio.Future[Any]]]) -> None:
        """Run the writes in one transaction; if one of them is at fault, each by itself. Raises StoreError."""
        try:
            results = await self._store.write(self._run, [fn for fn, _ in batch])
        except StoreError:
            raise
        except Exception as error:
            if len(batch) == 1:
                if not batch[0][1].done():
                    batch[0][1].set_exception(error)
                return
            for pair in batch:
                await self._commit([pair])
            return
        for (_, done), result in zip(batch, results, strict=True):
            if not done.done():
                done.set_result(result)

    def _run(self, conn: Connection, writes: Sequence[Callable[[Connection, datetime], Any]]) -> list[Any]:
        now = self._store.clock(conn)
        return [write(conn, now) for write in writes]
