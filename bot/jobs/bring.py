"""Bring in the whole list of a source at once, because somebody asked for it.

One that `resumes` goes on where it broke off: its cursors are stored with the papers. The last one is empty.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.core.ports import Cursor, Source
from bot.errors import SourceError
from bot.jobs.ingest import BATCH, Report, keep
from bot.store import sources
from bot.store.engine import Store
from recommender.types import Paper

LONGEST = 900.0  # seconds that a source may ask to wait, and then it goes on
IN_A_ROW = 3  # times that it may ask for it before it gives anything
Told = Callable[[Report], None]


async def bring(
    store: Store,
    source: Source,
    http: Any,
    now: Callable[[], datetime],
    told: Told,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Store the whole list of a source, batch by batch, no more than one of them held at a time.

    What is old is no news. `now` gives the time (aware); `told` hears the report so far after each batch; `sleep` waits
    for seconds, as one that resumes may ask for. Raises SourceError, after what came before it was stored.
    """
    run, resumes = _Run(store, source, now, told), bool(getattr(source, "resumes", False))
    cursor = (await store.read(sources.get, source.name)).cursor if resumes else ""
    waited = 0
    while True:
        run.cursor = None
        try:
            await run.take(http, cursor, resumes)
            return
        except SourceError as error:
            waited = waited + 1 if run.cursor is None else 1
            after = float(getattr(error, "after", 0.0))
            if not resumes or not 0 < after <= LONGEST or waited > IN_A_ROW:
                raise
            cursor = cursor if run.cursor is None else run.cursor
            await sleep(after)


@dataclass(slots=True)
class _Run:
    """One list being read: what was stored of it, and the last `cursor` that was."""

    store: Store
    source: Source
    now: Callable[[], datetime]
    told: Told
    report: Report = field(default_factory=Report)
    cursor: str | None = None

    async def take(self, http: Any, cursor: str, resumes: bool) -> None:
        """Store what comes, what came before a failure too. Raises SourceError."""
        batch: list[Paper] = []
        async with aclosing(self.source.fetch(None, http, cursor)) as found:  # type: ignore[type-var]  # it can be closed
            try:
                async for item in found:
                    if isinstance(item, Paper):
                        batch.append(item)
                    mark = item.text if resumes and isinstance(item, Cursor) else None
                    if len(batch) >= BATCH or mark is not None:
                        await asyncio.to_thread(self._keep, batch, mark)
                        batch = []
            finally:
                await asyncio.to_thread(self._keep, batch, None)

    def _keep(self, papers: list[Paper], cursor: str | None) -> None:
        """Store papers, and with them how far the list was read."""
        with self.store.writing() as conn:
            one = keep(conn, papers, self.source.name, self.now(), asked=True)
            if cursor is not None:
                sources.reached(conn, self.source.name, cursor)
        self.cursor = self.cursor if cursor is None else cursor
        old = self.report
        self.report = Report(old.new + one.new, old.known + one.known, old.merged + one.merged)
        self.told(self.report)
