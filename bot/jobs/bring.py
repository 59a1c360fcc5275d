"""Bring in the whole list of a source at once, because somebody asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime
from typing import Any

from bot.core.ports import Source
from bot.jobs.ingest import BATCH, Report, ingest
from bot.store.engine import Store
from recommender.types import Paper

Told = Callable[[Report], None]


async def bring(store: Store, source: Source, http: Any, now: Callable[[], datetime], told: Told) -> None:
    """Store the whole list of a source, batch by batch, no more than one of them held at a time.

    `now` gives the time (aware); `told` hears the report so far after each batch. Raises SourceError, after what came
    before it was stored.
    """
    report, batch = Report(), list[Paper]()

    async def keep() -> None:
        nonlocal report
        full = batch.copy()
        batch.clear()
        one = await asyncio.to_thread(ingest, store, full, source.name, now())
        report = Report(
            report.new + one.new, report.known + one.known, report.merged + one.merged, report.changed + one.changed
        )
        told(report)

    async with aclosing(source.fetch(None, http)) as found:  # type: ignore[type-var]  # an iterator that can be closed
        try:
            async for item in found:
                if isinstance(item, Paper):
                    batch.append(item)
                if len(batch) >= BATCH:
                    await keep()
        finally:
            await keep()
