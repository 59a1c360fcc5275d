"""Whose turn it is at a host: what somebody waits for goes before what is done by and by, and the pace is kept."""

from __future__ import annotations

import asyncio
import random
from contextlib import nullcontext
from itertools import pairwise

import pytest

from bot.core.hurry import hurried, hurry
from bot.sources._pace import Lane, Pace
from tests.fakes.odd_http import Clock

HELD = 0.5  # seconds that a call takes


class Town:
    """One host with a clock of its own, and who was let in when."""

    def __init__(self, pace: Pace) -> None:
        self.clock = Clock(1000.0)
        self.lane = Lane(pace, self.clock.now, self.sleep)
        self.let_in: list[tuple[str, float]] = []
        self.inside = self.most = 0

    @property
    def time(self) -> float:
        return self.clock.time

    async def sleep(self, seconds: float) -> None:
        for _ in range(5):  # so that somebody can come meanwhile
            await asyncio.sleep(0)
        await self.clock.sleep(seconds)

    async def call(self, name: str, hurried: bool = False) -> None:
        with hurry() if hurried else nullcontext():
            async with self.lane.turn():
                self.let_in.append((name, self.time))
                self.inside += 1
                self.most = max(self.most, self.inside)
                try:
                    await self.sleep(HELD)
                finally:
                    self.inside -= 1

    @property
    def names(self) -> str:
        return "".join(name for name, _ in self.let_in)

    async def until(self, calls: int) -> None:
        while len(self.let_in) < calls:  # noqa: ASYNC110 - each turn of the loop may let somebody in
            await asyncio.sleep(0)


async def test_a_lookup_has_the_next_turn_though_thirty_pages_wait() -> None:
    town = Town(Pace(3.0))
    async with asyncio.TaskGroup() as group:
        for _ in range(30):
            group.create_task(town.call("b"))
        await town.until(5)
        asked = town.time
        group.create_task(town.call("L", hurried=True))
    assert town.names == "bbbbbL" + "b" * 25
    assert dict(town.let_in)["L"] - asked <= HELD + 3.0
    assert {b - a for (_, a), (_, b) in pairwise(town.let_in)} == {HELD + 3.0}
    assert town.most == 1


async def test_whoever_waits_for_the_gap_gives_way_and_goes_next() -> None:
    town = Town(Pace(3.0))
    await town.call("a")
    async with asyncio.TaskGroup() as group:
        for name in "bcd":
            group.create_task(town.call(name))
        await asyncio.sleep(0)  # b waits for the gap now
        group.create_task(town.call("L", hurried=True))
    assert town.names == "aLbcd"
    assert {b - a for (_, a), (_, b) in pairwise(town.let_in)} == {HELD + 3.0}


@pytest.mark.parametrize("pace", [Pace(3.0), Pace(1.0, 2), Pace(0.0, 10), Pace(0.0)])
async def test_many_lookups_hold_nobody_up_for_ever(pace: Pace) -> None:
    town = Town(pace)
    async with asyncio.TaskGroup() as group:
        for name in "bcd":
            group.create_task(town.call(name))
        for _ in range(40):
            group.create_task(town.call("L", hurried=True))
    assert len(town.names) == 43
    if pace.at_once == 1:
        assert town.names.startswith(("bLLLcLLLdLLL", "LLLbLLLcLLLd"))
    assert [name for name in town.names if name != "L"] == ["b", "c", "d"]
    assert town.most <= pace.at_once
    assert not town.lane.users


@pytest.mark.parametrize(
    ("gone", "let_in"),
    [
        ("in line", "aLbz"),
        ("hurries", "abcz"),
        ("has it", "aLbcz"),
        ("let in just now", "abcz"),
        ("in the gap", "abcz"),
    ],
)
async def test_whoever_goes_away_takes_no_turn_along(gone: str, let_in: str) -> None:
    town = Town(Pace(3.0))
    first = asyncio.create_task(town.call("a"))
    await town.until(1)
    tasks = [asyncio.create_task(town.call(name)) for name in "bc"]
    eager = asyncio.create_task(town.call("L", hurried=True))
    await asyncio.sleep(0)
    if gone == "has it":
        first.cancel()
    elif gone == "in line":
        tasks[1].cancel()
    else:
        if gone != "hurries":
            await first  # the room is the eager one's now, who does not know it yet
        if gone == "in the gap":
            await asyncio.sleep(0)
        eager.cancel()
    await asyncio.gather(first, *tasks, eager, return_exceptions=True)
    await town.call("z")
    assert town.names == let_in
    assert not town.lane.users
    assert town.lane._line._free == 1


async def test_random_comings_and_goings_leave_the_line_empty() -> None:
    for seed in range(40):
        draw = random.Random(seed)
        town = Town(Pace(3.0, draw.choice([1, 2, 3])))
        tasks = []
        for number in range(60):
            tasks.append(asyncio.create_task(town.call(str(number), hurried=draw.random() < 0.4)))
            for _ in range(draw.randrange(4)):
                await asyncio.sleep(0)
            if draw.random() < 0.4:
                draw.choice(tasks).cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert town.lane._line._free == town.lane._pace.at_once
        assert not town.lane.users
        assert all(task.cancelled() or task.exception() is None for task in tasks)
        assert town.most <= town.lane._pace.at_once


async def test_hurry_is_for_what_is_done_in_it_and_for_its_tasks() -> None:
    async def said() -> bool:
        return hurried()

    with hurry():
        inner = asyncio.create_task(said())
        assert hurried()
    assert not hurried()
    assert await inner
    assert not await asyncio.create_task(said())
