"""All papers of a category, by arXiv's OAI-PMH: https://info.arxiv.org/help/oa/index.html.

The list is in the order of the days on which records changed, which is the day of submission or a later one. So what
was submitted since a day has changed since then, and who lost the place goes on from the last day that was read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from bot.core.ports import Cursor
from bot.errors import SourceError
from bot.sources._arxiv_entry import marked
from bot.sources._arxiv_mark import Mark, mark_of
from bot.sources._arxiv_oai import BAD_TOKEN, Harvest, RefusalError, parse_oai
from bot.sources._arxiv_withdrawn import WITHDRAWN
from recommender.types import Paper

_TRIES = 3  # of a part that comes empty or broken
_LIMIT, _WITHIN = 50_000_000, 300.0  # bytes of a part, which has some thousand records, and seconds for it


@dataclass(slots=True)
class Bulk:
    """The papers of one category that were submitted from `first` to `last` (UTC; None: without an end)."""

    url: str
    category: str
    first: date | None = None
    last: date | None = None
    every: timedelta = timedelta(days=1)
    resumes: bool = True
    name: str = field(init=False)

    def __post_init__(self) -> None:
        """Be called as it was asked for."""
        self.name = f"arxiv:{self.category}"

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:  # noqa: ARG002 - the cursor knows better
        """Yield the papers, and a cursor after each part; the last one is empty. Raises SourceError.

        A token that has died, and a new start, go on from the last day that was read. A cursor of other days is none.
        """
        mark = mark_of(cursor, self.first, self.last)
        while True:
            found = await self._part(http, mark)
            if found is None:
                mark = self._lost(mark)
                continue
            for paper in found.papers:
                if mark.spans(paper) and WITHDRAWN not in paper.keywords:
                    yield marked(paper, (self.category,))
            if not found.token:
                yield Cursor("")
                return
            if found.token == mark.token:
                raise SourceError("arXiv's OAI-PMH gave the same part of the list twice.")
            mark = mark.after(found)
            yield mark.cursor()

    async def _part(self, http: Any, mark: Mark) -> Harvest | None:
        """Return the next part of the list; None if the place in it is lost. Raises SourceError."""
        trouble = SourceError("arXiv's OAI-PMH gave a part of the list without records.")
        for _ in range(_TRIES):
            answer = await http.get(self.url, params=mark.asked(self.category), limit=_LIMIT, within=_WITHIN)
            try:
                found = await asyncio.to_thread(parse_oai, answer.body)
            except RefusalError as error:
                raise SourceError(f"{str(error).rstrip('.')} ({self.category}).") from error
            except SourceError as error:
                trouble = error
                continue
            if found.error == BAD_TOKEN or (found.error and (mark.token or mark.read)):
                return None
            if found.records or found.error:
                return found
        raise trouble

    def _lost(self, mark: Mark) -> Mark:
        """Go on from the last day that was read, once. Raises SourceError if that did not help."""
        if mark.lost or not mark.token:
            raise SourceError("arXiv's OAI-PMH lost its place in the list twice. Run it again later: it goes on.")
        return replace(mark, token="", lost=True)
