"""Crossref: papers by DOI and by words, and standing searches.

https://www.crossref.org/documentation/retrieve-metadata/rest-api. It knows nearly all DOIs, but few abstracts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from bot.core.ports import Cursor
from bot.errors import SourceError, UsageError
from bot.sources import _standing
from bot.sources._crossref_works import FIELDS, NAME, parse_work, parse_works
from bot.sources._standing import Page
from recommender.types import Paper

_A_LOOK = 100
_A_READING = 200  # any one of the words is a hit there: what is less relevant than so many is no longer about them
_LAG = timedelta(days=2)  # it is asked by the date of registration, which is that of its index
_FIRST = timedelta(days=30)
_KINDS = "type:journal-article,type:proceedings-article,type:posted-content"


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Crossref:
    """Crossref, for lookups; with `words`, a standing search for them. `contact` is a mail address or empty."""

    words: str = ""
    contact: str = ""
    name: str = "crossref"
    every: timedelta = timedelta(days=1)
    base: str = "https://api.crossref.org"
    now: Callable[[], datetime] = _utc
    finds: frozenset[str] = frozenset({"doi"})
    about: str = "Crossref: what publishers register for some words (crossref:coral reefs), and lookups by DOI"
    needs: str = "nothing; with a mail address in PAPERROUND_CONTACT it answers faster"

    def pick(self, chosen: Sequence[str], settings: Any) -> list[Crossref]:
        """Return a standing search for each of the words chosen. Raises SettingsError for what cannot be searched."""
        keyed = self.keyed(settings)
        return [
            replace(keyed, words=words, name=f"crossref:{words}") for words in _standing.words_of("crossref", chosen)
        ]

    def keyed(self, settings: Any) -> Crossref:
        """Return the same with the contact of the settings."""
        return replace(self, contact=_standing.mail(_standing.setting(settings, "contact")))

    async def check(self, chosen: str, http: Any) -> str:
        """Return what a standing search is called. Raises UsageError if nothing was ever found by its words."""
        (words,) = _standing.words_of("crossref", [chosen])
        page = await self._page(http, words, rows="1")
        if not page.entries:
            raise UsageError(f"{NAME} knows no paper for “{words}”. Try other words.")
        return f"{NAME}: {words}"

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        """Yield the 200 most relevant papers for the words that were registered since it was last read.

        At first those of the last 30 days. Without words there are none. Raises SourceError.
        """
        if not self.words:
            return
        now = self.now()
        day = _standing.first_day(since, cursor, now, _LAG if since or cursor else _FIRST)
        rows, kinds = str(_A_READING), f"from-created-date:{day.isoformat()},{_KINDS}"
        page = await self._page(http, self.words, rows=rows, filter=kinds)
        if page.total and not page.entries:
            raise SourceError(f"{NAME} gave an empty page where there should be {page.total} papers.")
        for paper in page.papers:
            yield paper
        yield _standing.whole(now)

    async def find(self, id: str, http: Any) -> Paper | None:  # noqa: A002 - as the port calls it
        """Return one paper by a normalised DOI, or None. Raises SourceError."""
        namespace, _, doi = id.partition(":")
        if namespace not in self.finds or not doi:
            return None
        # The whole DOI is one step of the path: its slash is escaped.
        answer = await http.get(f"{self.base}/works/{quote(doi, safe='')}", params=self._params(), missing=(400, 404))
        return None if answer.status == 404 else await asyncio.to_thread(lambda: parse_work(answer.json()))

    async def look(self, words: str, most: int, http: Any) -> list[Paper]:
        """Return up to `most` papers (100 at most) for words, the most relevant first. Raises SourceError."""
        words = " ".join(words.split())
        if not words or most <= 0:
            return []
        return list((await self._page(http, words, rows=str(min(most, _A_LOOK)))).papers)[:most]

    async def _page(self, http: Any, words: str, **params: str) -> Page:
        asked = self._params(**{"query.bibliographic": words, "select": FIELDS, **params})
        answer = await http.get(f"{self.base}/works", params=asked, missing=(400,))
        return await asyncio.to_thread(lambda: parse_works(answer.json()))

    def _params(self, **params: str) -> dict[str, str]:
        return params | ({"mailto": self.contact} if self.contact else {})


source = Crossref()
