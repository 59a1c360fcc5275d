"""Who waits in line is served in order, and whoever waits for somebody else lets the next one in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from bot.core.turns import Turns


class Counter:
    """Counts who works at once."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.begun: list[int] = []

    async def work(self, number: int, items: int = 1) -> AsyncGenerator[int, None]:
        for _ in range(items):
            self.begun.append(number)
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            self.now -= 1
            yield number


async def read(turns: Turns, work: AsyncGenerator[int, None]) -> list[int]:
    return [item async for item in turns.each(work)]


async def test_few_at_once_first_come_first_served() -> None:
    turns, counter = Turns(2), Counter()
    done = await asyncio.gather(*(read(turns, counter.work(number)) for number in range(9)))
    assert done == [[number] for number in range(9)]
    assert (counter.most, counter.begun) == (2, list(range(9)))


async def test_a_slow_reader_keeps_nobody_waiting() -> None:
    turns, counter = Turns(1), Counter()
    first = turns.each(counter.work(1, 2))
    assert await anext(first) == 1
    assert await read(turns, counter.work(2, 3)) == [2, 2, 2]
    assert [item async for item in first] == [1]


async def test_who_waits_for_somebody_else_lets_others_work() -> None:
    turns, counter, answered = Turns(1), Counter(), asyncio.Event()

    async def asks() -> AsyncGenerator[int, None]:
        async with turns.aside():
            await answered.wait()
        async for item in counter.work(1):
            yield item

    waiting = asyncio.create_task(read(turns, asks()))
    await asyncio.sleep(0)
    assert await read(turns, counter.work(2)) == [2]
    answered.set()
    assert await waiting == [1]
    assert counter.most == 1


async def test_who_had_a_turn_goes_before_those_who_had_none() -> None:
    turns, counter, answered = Turns(1), Counter(), asyncio.Event()

    async def asks(number: int) -> AsyncGenerator[int, None]:
        async with turns.aside():
            await answered.wait()
        async for item in counter.work(number):
            yield item

    asking = [asyncio.create_task(read(turns, asks(number))) for number in (1, 2)]
    await asyncio.sleep(0)
    turn = turns.each(endless())
    busy = asyncio.create_task(anext(turn))
    new = [asyncio.create_task(read(turns, counter.work(number))) for number in (3, 4)]
    for _ in range(3):
        await asyncio.sleep(0)
    answered.set()
    for _ in range(3):
        await asyncio.sleep(0)
    busy.cancel()
    await asyncio.gather(busy, *asking, *new, return_exceptions=True)
    assert counter.begun == [1, 2, 3, 4]


async def test_one_that_gives_up_while_it_waits_to_go_on_has_no_turn_to_give_back() -> None:
    turns, counter, answered = Turns(1), Counter(), asyncio.Event()

    async def asks() -> AsyncGenerator[int, None]:
        async with turns.aside():
            await answered.wait()
        yield 1

    waiting = asyncio.create_task(read(turns, asks()))
    await asyncio.sleep(0)
    busy = asyncio.create_task(read(turns, endless()))
    await asyncio.sleep(0)
    answered.set()
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    others = asyncio.gather(*(read(turns, counter.work(number)) for number in range(3)))
    await asyncio.sleep(0)
    assert counter.begun == []
    busy.cancel()
    await asyncio.gather(busy, others, return_exceptions=True)
    assert (counter.most, counter.begun) == (1, [0, 1, 2])


async def test_whatever_happens_the_turn_comes_back() -> None:
    turns, counter = Turns(1), Counter()

    async def fails() -> AsyncGenerator[int, None]:
        async with turns.aside():
            raise ValueError("no")
        yield 1

    for _ in range(3):
        with pytest.raises(ValueError, match="no"):
            await read(turns, fails())
    stuck = asyncio.create_task(read(turns, endless()))
    behind = asyncio.create_task(read(turns, counter.work(1)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    behind.cancel()
    stuck.cancel()
    await asyncio.gather(stuck, behind, return_exceptions=True)
    assert await read(turns, counter.work(2)) == [2]


async def endless() -> AsyncGenerator[int, None]:
    await asyncio.Event().wait()
    yield 1
