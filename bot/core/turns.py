"""Turns at the processor: a few requests work at once and the others wait in line, so that the first are done soon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


class Turns:
    """At most `most` at once, first come, first served. For one event loop at a time."""

    def __init__(self, most: int) -> None:
        self._free = asyncio.Semaphore(most)

    async def each(self, work: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
        """Give what `work` gives. It has a turn until its first item; what comes after that waits for nobody."""
        async with aclosing(work):
            async with self._free:
                first = await anext(work, None)
            if first is not None:
                yield first
            async for item in work:
                yield item

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """Let others work meanwhile: for one who has a turn and waits for somebody else."""
        self._free.release()
        try:
            yield
        finally:
            await self._free.acquire()
