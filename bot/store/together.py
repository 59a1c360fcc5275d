"""Small writes of many tasks at once, committed together: two hundred commands a second are a few transactions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import Connection

Work = Callable[[Connection], Any]
MOST = 100  # writes in one transaction


class Together:
    """Collects writes while a transaction is on its way, for the next one. `write` runs a function in a transaction.

    For one event loop at a time.
    """

    def __init__(self, write: Callable[[Work], Awaitable[Any]]) -> None:
        self._write = write
        self._waiting: list[tuple[Work, asyncio.Future[Any]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def do(self, work: Work) -> Any:
        """Run `work(conn)` in a transaction with others, and return its result once that is committed.

        Raises what `work` raises, never what others do: then each runs once more, by itself. What nobody waits for any
        more when its turn comes is not done.
        """
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._run())
        return await done

    async def _run(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            try:
                await self._commit([pair for pair in batch if not pair[1].done()])
            finally:
                for _, done in batch:
                    done.cancel()  # it has no result only if this task is ended

    async def _commit(self, batch: Sequence[tuple[Work, asyncio.Future[Any]]]) -> None:
        try:
            results = await self._write(lambda conn: [work(conn) for work, _ in batch])
        except Exception as error:
            if len(batch) > 1:
                await asyncio.gather(*(self._commit([pair]) for pair in batch))
            elif batch and not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        for (_, done), result in zip(batch, results, strict=True):
            if not done.done():
                done.set_result(result)
