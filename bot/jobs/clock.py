"""The metronome: jobs that run again and again. What is due is decided by rows in the database, never by a timer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.errors import PaperroundError

log = structlog.get_logger()
# It would write a line for each beat that finds the job still at work, which is as it should be.
logging.getLogger("apscheduler").setLevel(logging.CRITICAL)


class Clock:
    """Runs each job now and then at its interval; a job that is still at work is not started a second time."""

    def __init__(self) -> None:
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._working: set[asyncio.Task[None]] = set()
        self._failing: set[str] = set()

    def every(self, seconds: float, name: str, job: Callable[[], Awaitable[object]]) -> None:
        """Run a job at once and then every so many seconds, from `start` on."""
        self._scheduler.add_job(
            self._begin,
            "interval",
            seconds=seconds,
            args=(name, job),
            id=name,
            next_run_time=datetime.now(UTC),
            coalesce=True,  # a machine that slept has one beat to make good, not hundreds
            misfire_grace_time=None,
            max_instances=1,
        )

    def drop(self, name: str) -> None:
        """Run a job no more; if it is at work, it is cancelled."""
        self._scheduler.remove_job(name)
        for task in self._working:
            if task.get_name() == name:
                task.cancel()

    def start(self) -> None:
        """Begin to beat, in the running event loop."""
        self._scheduler.start()

    async def stop(self, seconds: float) -> None:
        """Beat no more, and give what is at work so long to end; what does not is cancelled."""
        self._scheduler.pause()
        left = set(self._working)
        if left:
            _, late = await asyncio.wait(left, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._scheduler.shutdown(wait=False)

    async def _begin(self, name: str, job: Callable[[], Awaitable[object]]) -> None:
        """Run a job in a task of our own: the scheduler's are cancelled when it is shut down."""
        task = asyncio.create_task(self._work(name, job), name=name)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        await asyncio.wait({task})

    async def _work(self, name: str, job: Callable[[], Awaitable[object]]) -> None:
        """Do a job once. A failure is logged when it begins and when it has passed, and ends nothing else."""
        try:
            await job()
        except PaperroundError as error:
            if name not in self._failing:
                log.error("a job fails; it is tried again", job=name, reason=str(error))
            self._failing.add(name)
        except Exception:
            log.exception("a job has a fault; it is tried again", job=name)
        else:
            if name in self._failing:
                log.info("a job works again", job=name)
            self._failing.discard(name)
