"""The questions that arXiv is asked, each with one kind of answer. The client keeps arXiv's pace: one call in 3 s."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bot.errors import SourceError
from bot.sources._arxiv_api import Found, parse_api
from bot.sources._arxiv_categories import asked, parts_of
from bot.sources._arxiv_daily import NEW, Daily, Listed, parse_daily
from recommender.types import Paper

PAGE = 100  # entries of the API at a time
LONGEST_LIST = 2000  # entries of a daily list: more are cut off, https://info.arxiv.org/help/rss.html
_WORDS = re.compile(r"\"([^\"]{1,200})\"|([\w.+-]*\w)")
_MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class Places:
    """Where arXiv's interfaces are."""

    api: str = "https://export.arxiv.org/api/query"
    lists: str = "https://rss.arxiv.org/rss"
    oai: str = "https://oaipmh.arxiv.org/oai"

    async def daily(self, http: Any, categories: Sequence[str], *, fresh: bool = False) -> Daily | None:
        """Return the daily list of categories; None if it is still the one asked for last (`fresh`).

        A list that arXiv cuts off is asked for in parts. Raises SourceError.
        """
        url = f"{self.lists}/{'+'.join(categories)}"
        answer = await http.get(url, fresh=fresh, missing=(400, 404))
        if answer.same:
            return None
        if answer.status != 200:
            await asyncio.to_thread(parse_daily, answer.body)  # it tells why
            raise SourceError(f"arXiv has no daily list of {', '.join(categories)}.")
        daily = await asyncio.to_thread(parse_daily, answer.body)
        parts = parts_of(categories) if daily.entries >= LONGEST_LIST else ()
        found: dict[str, Listed] = {each.paper.id: each for each in daily.listed}
        for part in parts:
            more = await self.daily(http, part)
            for each in more.listed if more else ():
                if each.kind == NEW or each.paper.id not in found:  # new in one part, a cross-list in the other
                    found[each.paper.id] = each
        return replace(daily, listed=tuple(found.values()))

    async def has(self, http: Any, category: str) -> bool:
        """Say whether arXiv has a daily list of a category, empty or not. Raises SourceError."""
        answer = await http.get(f"{self.lists}/{category}", missing=(400, 404))
        if answer.status != 200:
            return False
        await asyncio.to_thread(parse_daily, answer.body)
        return True

    async def page(self, http: Any, categories: Sequence[str], start: datetime, end: datetime, at: int) -> Found:
        """Return the papers first submitted from `start` to `end` (UTC, whole minutes), from entry `at` on.

        Raises SourceError.
        """
        stretch = f"[{start:%Y%m%d%H%M} TO {end:%Y%m%d%H%M}]"
        return await self._api(
            http,
            search_query=f"{asked(categories)} AND submittedDate:{stretch}",
            sortBy="submittedDate",
            sortOrder="ascending",
            start=str(at),
            max_results=str(PAGE),
        )

    async def by_id(self, http: Any, value: str) -> Paper | None:
        """Return the paper with an id such as "2504.08385", or None. Raises SourceError."""
        answer = await http.get(self.api, params={"id_list": value, "max_results": "1"}, missing=(400, 404))
        if answer.status != 200:
            return None
        found = await asyncio.to_thread(parse_api, answer.body)
        return next((paper for paper in found.papers if paper.id == f"arxiv:{value}"), None)

    async def by_words(self, http: Any, words: str, most: int) -> list[Paper]:
        """Return the papers that hold all these words, the best first; "quoted words" as they stand.

        Raises SourceError.
        """
        terms = [f'all:"{phrase or word}"' for phrase, word in _WORDS.findall(words[:1000])][:_MOST_WORDS]
        if not terms or most < 1:
            return []
        found = await self._api(
            http, search_query=" AND ".join(terms), sortBy="relevance", start="0", max_results=str(min(most, PAGE))
        )
        return list(found.papers[:most])

    async def _api(self, http: Any, **params: str) -> Found:
        answer = await http.get(self.api, params=params, missing=(400,))
        found = await asyncio.to_thread(parse_api, answer.body)  # of a refusal it raises what arXiv says
        if answer.status != 200:
            raise SourceError("arXiv's API did not understand the question.")
        return found
