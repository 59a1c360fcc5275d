"""The metronome: jobs go on whatever happens to them, one at a time, and end when it stops."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from bot.errors import StoreError
from bot.jobs.clock import Clock


async def until(condition: object, seconds: float = 5.0) -> None:
    """Wait until something is so."""
    assert callable(condition)
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what it waits for is not this loop's own
            await asyncio.sleep(0.01)


async def test_a_job_runs_at_once_and_again_and_never_beside_itself() -> None:
    running, most, runs = 0, 0, 0

    async def job() -> None:
        nonlocal running, most, runs
        running, runs = running + 1, runs + 1
        most = max(most, running)
        await asyncio.sleep(0.05)
        running -= 1

    clock = Clock()
    clock.every(0.02, "job", job)
    clock.start()
    await until(lambda: runs >= 4)
    await clock.stop(1)
    seen = runs
    await asyncio.sleep(0.1)
    assert (runs, most, running) == (seen, 1, 0)


async def test_a_failure_is_logged_once_and_its_end_too_and_the_others_go_on() -> None:
    runs = {"bad": 0, "good": 0}

    async def bad() -> None:
        runs["bad"] += 1
        if runs["bad"] < 4:
            raise StoreError("The database is away.")

    async def good() -> None:
        runs["good"] += 1

    clock = Clock()
    clock.every(0.02, "bad", bad)
    clock.every(0.02, "good", good)
    with capture_logs() as logs:
        clock.start()
        await until(lambda: runs["bad"] > 4 and runs["good"] > 4)
        await clock.stop(1)
    assert [(line["event"], line["job"]) for line in logs] == [
        ("a job fails; it is tried again", "bad"),
        ("a job works again", "bad"),
    ]


async def test_a_fault_of_ours_ends_nothing() -> None:
    runs = 0

    async def job() -> None:
        nonlocal runs
        runs += 1
        raise ZeroDivisionError

    clock = Clock()
    clock.every(0.02, "job", job)
    with capture_logs() as logs:
        clock.start()
        await until(lambda: runs >= 2)
        await clock.stop(1)
    assert {line["event"] for line in logs} == {"a job has a fault; it is tried again"}


@pytest.mark.parametrize(("takes", "ends"), [(0.1, True), (60, False)])
async def test_what_is_at_work_may_end_within_the_time_that_is_given(takes: float, ends: bool) -> None:
    begun, ended, cut = asyncio.Event(), False, False

    async def job() -> None:
        nonlocal ended, cut
        begun.set()
        try:
            await asyncio.sleep(takes)
            ended = True
        except asyncio.CancelledError:
            cut = True
            raise

    clock = Clock()
    clock.every(60, "job", job)
    clock.start()
    await begun.wait()
    await clock.stop(0.5)
    assert (ended, cut) == (ends, not ends)
