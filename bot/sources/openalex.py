"""OpenAlex: papers by DOI and by words, and standing searches.

https://developers.openalex.org. A lookup by DOI is free; each search counts against a daily allowance, which is about a
hundred without a key and a thousand with a free one.
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
from bot.sources._openalex_works import FIELDS, KEY, NAME, parse_work, parse_works
from bot.sources._standing import Page
from recommender.types import Paper

_REFUSALS = (400, 401, 403, 404)  # their answers say why
_A_PAGE = 100  # works
_PAGES = 20  # for one reading of a standing search


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class OpenAlex:
    """OpenAlex, for lookups; with `words`, a standing search for them. `contact` is a mail address or empty."""

    words: str = ""
    key: str = ""
    contact: str = ""
    name: str = "openalex"
    every: timedelta = timedelta(days=1)
    base: str = "https://api.openalex.org"
    now: Callable[[], datetime] = _utc
    finds: frozenset[str] = frozenset({"doi", "openalex", "pmid"})
    about: str = "OpenAlex: what is new for some words (openalex:coral reefs), and lookups by DOI"
    needs: str = f"nothing for lookups; for searches a free key is advised: {KEY}"

    def pick(self, chosen: Sequence[str], settings: Any) -> list[OpenAlex]:
        """Return a standing search for each of the words chosen. Raises SettingsError for what cannot be searched."""
        keyed = self.keyed(settings)
        return [
            replace(keyed, words=words, name=f"openalex:{words}") for words in _standing.words_of("openalex", chosen)
        ]

    def keyed(self, settings: Any) -> OpenAlex:
        """Return the same with the key and the contact of the settings."""
        contact = _standing.mail(_standing.setting(settings, "contact"))
        return replace(self, key=_standing.setting(settings, "openalex_key"), contact=contact)

    async def check(self, chosen: str, http: Any) -> str:
        """Return what a standing search is called. Raises UsageError if nothing was ever found by its words."""
        (words,) = _standing.words_of("openalex", [chosen])
        page = await self._page(http, search=words, select="id", per_page="1")
        if not page.entries:
            raise UsageError(f"{NAME} knows no paper for “{words}”. Try other words.")
        return f"{NAME}: {words}"

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        """Yield papers for the words, by their dates of publication, from 30 days before they were last read.

        At first those of the last 30 days. Without words there are none. Raises SourceError.
        """
        if not self.words:
            return
        now = self.now()
        day = _standing.first_day(since, cursor, now).isoformat()

        async def ask(following: str) -> Page:
            return await self._page(
                http,
                search=self.words,
                filter=f"from_publication_date:{day},is_paratext:false",
                sort="publication_date:asc",
                select=FIELDS,
                per_page=str(_A_PAGE),
                cursor=following or "*",
            )

        async for item in _standing.read(ask, NAME, now, _PAGES):
            yield item

    async def find(self, id: str, http: Any) -> Paper | None:  # noqa: A002 - as the port calls it
        """Return one paper by a normalised id, or None. Raises SourceError."""
        namespace, _, value = id.partition(":")
        if namespace not in self.finds or not value:
            return None
        wanted = value if namespace == "openalex" else id
        answer = await http.get(
            f"{self.base}/works/{quote(wanted, safe='/:;().,-_')}",
            params=self._params(select=FIELDS),
            missing=_REFUSALS,
        )
        self._let_in(answer)
        return None if answer.status == 404 else await asyncio.to_thread(lambda: parse_work(answer.json()))

    async def look(self, words: str, most: int, http: Any) -> list[Paper]:
        """Return up to `most` papers (100 at most) for words, the most relevant first. Raises SourceError."""
        words = " ".join(words.split())
        if not words or most <= 0:
            return []
        page = await self._page(http, search=words, select=FIELDS, per_page=str(min(most, _A_PAGE)))
        return list(page.papers)[:most]

    async def _page(self, http: Any, **params: str) -> Page:
        answer = await http.get(f"{self.base}/works", params=self._params(**params), missing=_REFUSALS)
        self._let_in(answer)
        return await asyncio.to_thread(lambda: parse_works(answer.json()))

    def _let_in(self, answer: Any) -> None:
        """Name the key where it is the reason for a refusal. Raises SourceError."""
        if self.key and answer.status == 401:
            raise SourceError(f"{NAME} does not take the key in {KEY}: put the right one there, or leave it out.")

    def _params(self, **params: str) -> dict[str, str]:
        own = {"api_key": self.key, "mailto": self.contact}
        return params | {name: value for name, value in own.items() if value}


source = OpenAlex()
