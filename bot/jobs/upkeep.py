"""What a running bot does by itself: signs of life, the index kept up with the database, old buttons dropped."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot.config import Settings
from bot.store import heartbeats, interests, notes
from bot.store.engine import Store
from bot.store.library import Library

log = structlog.get_logger()

INDEX_EVERY = 60.0  # seconds
PRUNE_EVERY = 3600.0  # seconds
ALIVE_FACTOR = 3  # signs of life that may be missed


def alive(last: datetime | None, now: datetime, every: int) -> bool:
    """Say whether a process has given a sign of life lately. `every` is in seconds."""
    return last is not None and now - last <= timedelta(seconds=every * ALIVE_FACTOR)


def pulse(store: Store, settings: Settings, now: datetime) -> dict[str, Any]:
    """Return what a health check asks: the kind of database, and whether a running bot has given a sign of life."""
    with store.reading() as conn:
        last = heartbeats.latest(conn)
    return {
        "database": store.dialect,
        "alive": alive(last, now, settings.heartbeat_seconds),
        "last sign of life": last.isoformat(timespec="seconds") if last else "none",
    }


async def keep_running(store: Store, library: Library, settings: Settings, now: Callable[[], datetime]) -> None:
    """Do the upkeep until the process is told to stop by SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    process, started = f"{socket.gethostname()[:60]}:{os.getpid()}", now()

    async def beat() -> None:
        await store.write(heartbeats.beat, process, started, now())

    async def index() -> None:
        await library.refresh(learn=True)

    async def prune() -> None:
        before = now() - timedelta(days=settings.keep_days)
        await store.write(notes.prune, before)
        await store.write(interests.prune, before)

    await beat()
    log.info("running", process=process)
    jobs = [
        asyncio.create_task(_again(job, seconds, stop))
        for job, seconds in ((beat, settings.heartbeat_seconds), (index, INDEX_EVERY), (prune, PRUNE_EVERY))
    ]
    await stop.wait()
    await asyncio.gather(*jobs)
    await store.write(heartbeats.stop, process)
    log.info("stopped", process=process)


async def _again(job: Callable[[], Awaitable[None]], seconds: float, stop: asyncio.Event) -> None:
    """Do one job again and again; a failure is logged, and does not end the others."""
    while not stop.is_set():
        try:
            await job()
        except Exception:
            log.exception("upkeep failed", job=job.__name__)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), seconds)
