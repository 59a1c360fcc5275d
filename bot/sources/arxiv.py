"""arXiv: the daily lists of categories, older papers by its API, one paper by id, search by words, and bulk by OAI-PMH.

https://info.arxiv.org/help/api/index.html. Withdrawn papers have the keyword "withdrawn" and are no news.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.sources import _arxiv_calendar as calendar
from bot.sources import _arxiv_course as course
from bot.sources._arxiv_api import Found
from bot.sources._arxiv_ask import Places
from bot.sources._arxiv_bulk import Bulk
from bot.sources._arxiv_categories import category
from bot.sources._arxiv_daily import NEW, Daily
from bot.sources._arxiv_entry import marked
from bot.sources._arxiv_place import Fill, Place, place_of
from bot.sources._arxiv_withdrawn import WITHDRAWN
from recommender.types import Paper

_MANY = 10  # new papers in a daily list, from which the next one is not empty
_TRIES = 3  # of a page that comes empty


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Arxiv:
    """Papers of some of arXiv's categories. Without any it is the kind, of which categories are picked.

    `now` gives the time (aware).
    """

    categories: tuple[str, ...] = ()
    at: Places = field(default_factory=Places)
    now: Callable[[], datetime] = _now
    name: str = "arxiv"
    every: timedelta = timedelta(hours=1)
    about: str = "arXiv, any of its archives and categories: arxiv:cs.CL"
    needs: str = "nothing"
    finds: frozenset[str] = frozenset({"arxiv"})
    _behind: bool = field(default=False, init=False)

    def pick(self, chosen: Sequence[str], settings: Any) -> Sequence[Arxiv]:  # noqa: ARG002 - it needs none
        """Make one source of all these categories. Raises SettingsError, which names what is none."""
        try:
            names = tuple(dict.fromkeys(map(category, chosen)))
        except UsageError as error:
            raise SettingsError(str(error)) from error
        kept = tuple(name for name in names if "." not in name or name.partition(".")[0] not in names)
        return [replace(self, categories=kept)] if kept else []

    async def check(self, chosen: str, http: Any) -> str:
        """Ask arXiv for the list of a category, and say how it is called. Raises UsageError and SourceError."""
        name = category(chosen)
        if not await self.at.has(http, name):
            raise UsageError(f"arXiv has no category {name} any more. The list is at arxiv.org/category_taxonomy.")
        return f"arXiv {name}"

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        """Yield the daily list if it is new, and what is missing before it: of the last week at a first start.

        Cross-lists are marked; so are revisions, by an older date. Raises SourceError: what was yielded stays good.
        """
        if not self.categories:
            return
        place = course.begun(place_of(cursor), self.categories, since, self.now())
        trouble: SourceError | None = None
        try:
            daily, place = await self._list(http, place)
            for each in daily.listed if daily else ():
                yield each.paper
            yield place.cursor()
        except SourceError as error:
            trouble = error
        while place.fill is not None:
            found, place = await self._page(http, place, place.fill)
            for paper in found.papers:
                if WITHDRAWN not in paper.keywords:
                    yield marked(paper, self.categories)
            yield place.cursor()
        if trouble is not None:
            raise trouble

    async def find(self, identifier: str, http: Any) -> Paper | None:
        """Return the paper of an id such as "arxiv:2504.08385"; None if arXiv has none. Raises SourceError."""
        namespace, _, value = identifier.partition(":")
        return await self.at.by_id(http, value) if namespace == "arxiv" and value else None

    async def look(self, words: str, most: int, http: Any) -> list[Paper]:
        """Return at most `most` papers that hold all these words, the best first. Raises SourceError."""
        return await self.at.by_words(http, words, most)

    def whole(self, chosen: str, first: date | None, last: date | None) -> Bulk:
        """Return all papers of a category that were submitted from `first` to `last` (UTC) as a source.

        Raises SettingsError for what is no category.
        """
        try:
            return Bulk(self.at.oai, category(chosen), first, last)
        except UsageError as error:
            raise SettingsError(str(error)) from error

    def rests(self, on: datetime) -> str:
        """Say why arXiv has no new list at an instant (aware), "" if it has."""
        return calendar.rests(on)

    def behind(self, on: datetime) -> bool:  # noqa: ARG002 - it was found out when the list was read
        """Say whether the newest list was late, or was the one before it once more, when it was asked for last."""
        return self._behind

    async def _list(self, http: Any, place: Place) -> tuple[Daily | None, Place]:
        """Return the daily list, if it was not read yet, and the place after it. Raises SourceError."""
        now = self.now()
        day = calendar.today(now)
        if place.day == day:
            self._behind = False
            return None, place
        awaited = place.day is None or place.day < calendar.last(day)
        daily = await self.at.daily(http, self.categories, fresh=not awaited)
        if daily is None:
            return None, place
        listed_on = min(daily.day or day, day)
        newest = daily.newest()
        self._behind = listed_on < calendar.due(now)
        if not daily.listed:
            await self._judge_empty(http, place, daily, listed_on)
            return None, place
        if place.day is not None and listed_on <= place.day:
            return None, place
        if newest and newest <= place.newest:  # the list before, under a new date
            self._behind = True
            return None, place
        count = sum(each.kind == NEW for each in daily.listed)
        return daily, course.read(place, listed_on, newest, count, now)

    async def _judge_empty(self, http: Any, place: Place, daily: Daily, day: date) -> None:
        """Take an empty list for an answer, or raise SourceError. The day stays open: the API is asked for it later."""
        if daily.entries:
            raise SourceError(f"arXiv's list of {day:%A, %d %B} has {daily.entries} entries that cannot be read.")
        if self._behind or not calendar.feed_day(day) or calendar.unsure(day):
            return
        known = place.usual >= _MANY
        if not known:
            deadline = calendar.announced(day) - timedelta(hours=6)
            found = await self.at.page(http, self.categories, deadline - timedelta(days=1), deadline, 0)
            known = bool(found.entries or found.total)
        if known:
            raise SourceError(f"arXiv's list of {day:%A, %d %B} came empty, though there should be papers.")

    async def _page(self, http: Any, place: Place, fill: Fill) -> tuple[Found, Place]:
        """Return the next page of a stretch, and the place after it. Raises SourceError if it stays empty."""
        for _ in range(_TRIES):
            found = await self.at.page(http, self.categories, fill.start, fill.end, fill.at)
            if found.entries or (found.total and fill.at >= found.total):
                break
        else:
            if fill.at or found.total or place.usual >= _MANY:
                of = f" of {found.total:,}" if found.total else ""
                raise SourceError(f"arXiv's API gave {fill.at:,}{of} papers, and then none. The rest comes next time.")
        fill = replace(fill, at=fill.at + found.entries)
        if found.entries and fill.at < found.total:
            return found, replace(place, fill=fill)
        return found, course.filled(place, fill, place.day or calendar.today(self.now()))


source = Arxiv()
