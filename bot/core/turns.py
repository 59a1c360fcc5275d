"""Turns at the processor: a few requests work at once and the others wait in line, so that the first are done soon."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TypeVar

T = TypeVar("T")
Line = deque["asyncio.Future[None]"]


class Turns:
    """At most `most` at once, first come, first served. For one event loop at a time."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._back: Line = deque()  # those who had a turn: they go first, or nobody would be done before the last
        self._new: Line = deque()

    async def each(self, work: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
        """Give what `work` gives. It has a turn until its first item; what comes after that waits for nobody."""
        async with aclosing(work):
            await self._take(self._new)
            try:
                first = await anext(work, None)
            finally:
                self._give()
            if first is not None:
                yield first
            async for item in work:
                yield item

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """Let others work meanwhile: for one who has a turn and waits for somebody else."""
        self._give()
        try:
            yield
        finally:
            try:
                await self._take(self._back)
            except asyncio.CancelledError:
                self._free -= 1  # for what `each` gives back though it was not taken
                raise

    async def _take(self, line: Line) -> None:
        """Wait for a turn. Whoever is cancelled meanwhile has none, and hands on the one just given."""
        if self._free > 0:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._give()
            raise

    def _give(self) -> None:
        """Give the turn to the next in line."""
        for line in (self._back, self._new):
            while line and self._free >= 0:
                if not (turn := line.popleft()).done():
                    turn.set_result(None)
                    return
        self._free += 1
