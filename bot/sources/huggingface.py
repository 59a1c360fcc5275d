"""Hugging Face's daily papers: what people there put forward, day by day.

https://huggingface.co/papers. All of them are arXiv's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bot.core.ports import Cursor
from bot.errors import SettingsError
from bot.sources._huggingface_day import parse_day
from recommender.types import Paper

FIRST = 3  # days before today that are read at the first time
MOST = 30  # days that are gone back to after an outage
A_DAY = "100"  # papers, more than there ever were


def _today() -> date:
    return datetime.now(UTC).date()


@dataclass(slots=True)
class HuggingFace:
    """The daily papers; `picked` if they were chosen, else it is the kind of source."""

    picked: bool = False
    name: str = "huggingface"
    every: timedelta = timedelta(hours=3)
    base: str = "https://huggingface.co"
    today: Callable[[], date] = _today
    about: str = "Hugging Face's daily papers: huggingface"
    needs: str = "nothing"

    def pick(self, chosen: Sequence[str], settings: Any) -> list[HuggingFace]:  # noqa: ARG002 - it needs none
        """Return the one source that there is. Raises SettingsError for a part of it."""
        if any(chosen):
            raise SettingsError(f"huggingface: it has no parts, such as “{next(filter(None, chosen))[:80]}”.")
        return [replace(self, picked=True)] if chosen else []

    async def check(self, chosen: str, http: Any) -> str:
        """Ask for the list of yesterday. Raises SettingsError and SourceError."""
        self.pick([chosen], None)
        await self._day(http, self.today() - timedelta(days=1))
        return "Hugging Face daily papers"

    async def fetch(
        self,
        since: datetime | None,  # noqa: ARG002 - it goes by its cursor
        http: Any,
        cursor: str = "",
    ) -> AsyncIterator[Paper | Cursor]:
        """Yield the lists of the days since the last one that was over when it was read. Raises SourceError.

        Today's list is read too, and once more when the day is over: only then its votes are taken, since each count
        is a record of its own.
        """
        if not self.picked:
            return
        today = self.today()
        day = max(_next(cursor) or today - timedelta(days=FIRST), today - timedelta(days=MOST))
        while day <= today:
            for paper in await self._day(http, day):
                yield paper
            if day < today:
                yield Cursor(day.isoformat())
            day += timedelta(days=1)

    async def _day(self, http: Any, day: date) -> Sequence[Paper]:
        not_yet = (400,) if day >= self.today() else ()  # so a day is answered that has not begun there
        answer = await http.get(
            f"{self.base}/api/daily_papers", params={"date": day.isoformat(), "limit": A_DAY}, missing=not_yet
        )
        if answer.status in not_yet:
            return ()
        return await asyncio.to_thread(lambda: parse_day(answer.json(), voted=day < self.today()))


def _next(cursor: str) -> date | None:
    """Return the day after the last one that was read whole."""
    try:
        return date.fromisoformat(cursor) + timedelta(days=1)
    except (ValueError, OverflowError):
        return None


source = HuggingFace()
