"""Semantic Scholar: papers by id and words, recommendations by examples, an author's papers, and standing searches.

https://api.semanticscholar.org/api-docs. Without a key all anonymous users share one limit, so that 429 is common.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote

from bot.core.ports import Cursor
from bot.errors import SourceError, UsageError
from bot.sources import _standing
from bot.sources._s2_papers import FIELDS, KEY, NAME, asked_as, parse_authors, parse_paper, parse_papers
from bot.sources._standing import Page
from recommender.types import Paper

_REFUSALS = (400, 401, 403, 404)  # their answers say why
_A_BATCH, _A_LOOK, _MOST = 500, 100, 1000  # entries that one request may ask for
_PAGES = 20  # of 1,000 papers, for one reading of a standing search


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class SemanticScholar:
    """Semantic Scholar, for lookups; with `words`, a standing search for them."""

    words: str = ""
    key: str = ""
    name: str = "semanticscholar"
    every: timedelta = timedelta(hours=12)
    base: str = "https://api.semanticscholar.org"
    now: Callable[[], datetime] = _utc
    finds: frozenset[str] = frozenset({"s2", "corpusid", "arxiv", "doi", "acl", "pmid"})
    about: str = "Semantic Scholar: what is new for some words (semanticscholar:graph neural networks), and lookups"
    needs: str = f"nothing; a free key raises its limit: {KEY}"

    def pick(self, chosen: Sequence[str], settings: Any) -> list[SemanticScholar]:
        """Return a standing search for each of the words chosen. Raises SettingsError for what cannot be searched."""
        keyed = self.keyed(settings)
        return [
            replace(keyed, words=words, name=f"semanticscholar:{words}")
            for words in _standing.words_of("semanticscholar", chosen)
        ]

    def keyed(self, settings: Any) -> SemanticScholar:
        """Return the same with the key of the settings."""
        return replace(self, key=_standing.setting(settings, "s2_key"))

    async def check(self, chosen: str, http: Any) -> str:
        """Return what a standing search is called. Raises UsageError if nothing was ever found by its words."""
        (words,) = _standing.words_of("semanticscholar", [chosen])
        said = await self._get(http, "graph/v1/paper/search/bulk", query=_bulk(words), fields="title")
        page = await asyncio.to_thread(parse_papers, said)
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
        day = _standing.first_day(since, cursor, now)

        async def ask(token: str) -> Page:
            return await self._bulk_page(http, day, token)

        async for item in _standing.read(ask, NAME, now, _PAGES):
            yield item

    async def find(self, id: str, http: Any) -> Paper | None:  # noqa: A002 - as the port calls it
        """Return one paper by a normalised id, or None. Raises SourceError."""
        wanted = asked_as(id)
        if wanted is None:
            return None
        path = f"graph/v1/paper/{quote(wanted, safe='/:;().,-_')}"
        answer = await self._asked(http.get, path, {"fields": FIELDS})
        return None if answer.status == 404 else await asyncio.to_thread(lambda: parse_paper(answer.json()))

    async def look(self, words: str, most: int, http: Any) -> list[Paper]:
        """Return up to `most` papers (100 at most) for words, the most relevant first. Raises SourceError."""
        words = " ".join(words.replace("-", " ").split())  # with a hyphen the search finds nothing
        if not words or most <= 0:
            return []
        limit = min(most, _A_LOOK)
        said = await self._get(http, "graph/v1/paper/search", query=words, fields=FIELDS, limit=str(limit))
        return list((await asyncio.to_thread(parse_papers, said)).papers)[:most]

    async def batch(self, ids: Sequence[str], http: Any) -> list[Paper]:
        """Return the papers of normalised ids that are known there, in their order. Raises SourceError."""
        wanted = [each for each in map(asked_as, dict.fromkeys(ids)) if each]
        found: list[Paper] = []
        for at in range(0, len(wanted), _A_BATCH):
            said = await self._post(http, "graph/v1/paper/batch", {"ids": wanted[at : at + _A_BATCH]})
            if isinstance(said, Mapping) and str(said.get("error")).startswith("No valid paper ids"):
                continue
            found += (await asyncio.to_thread(parse_papers, said)).papers
        return found

    async def similar(self, liked: Sequence[str], disliked: Sequence[str], most: int, http: Any) -> list[Paper]:
        """Return up to `most` recent papers (500 at most) like some papers and unlike others, by their ids.

        Raises SourceError, also if none of them is known there.
        """
        examples = {
            "positivePaperIds": [each for each in map(asked_as, liked) if each],
            "negativePaperIds": [each for each in map(asked_as, disliked) if each],
        }
        if not examples["positivePaperIds"] or most <= 0:
            return []
        said = await self._post(http, "recommendations/v1/papers", examples, limit=str(min(most, 500)))
        return list((await asyncio.to_thread(parse_papers, said)).papers)[:most]

    async def authors(self, name: str, http: Any) -> list[tuple[str, str]]:
        """Return numbers and names of authors who are called so. Raises SourceError."""
        said = await self._get(http, "graph/v1/author/search", query=name, fields="name")
        return await asyncio.to_thread(parse_authors, said)

    async def by_author(self, number: str, most: int, http: Any) -> list[Paper]:
        """Return up to `most` papers (1,000 at most) of an author by number; none if unknown. Raises SourceError."""
        if not re.fullmatch(r"\d{1,15}", number, re.ASCII) or most <= 0:
            return []
        params = {"fields": FIELDS, "limit": str(min(most, _MOST))}
        answer = await self._asked(http.get, f"graph/v1/author/{number}/papers", params)
        page = None if answer.status == 404 else await asyncio.to_thread(lambda: parse_papers(answer.json()))
        return list(page.papers)[:most] if page else []

    async def _bulk_page(self, http: Any, day: date, token: str) -> Page:
        more = {"token": token} if token else {}
        said = await self._get(
            http,
            "graph/v1/paper/search/bulk",
            query=_bulk(self.words),
            fields=FIELDS,
            sort="publicationDate:asc",
            publicationDateOrYear=f"{day.isoformat()}:",
            **more,
        )
        return await asyncio.to_thread(parse_papers, said)

    async def _get(self, http: Any, path: str, **params: str) -> Any:
        return await asyncio.to_thread((await self._asked(http.get, path, params)).json)

    async def _post(self, http: Any, path: str, body: object, **params: str) -> Any:
        answer = await self._asked(http.post, path, {"fields": FIELDS, **params}, json=body)
        return await asyncio.to_thread(answer.json)

    async def _asked(self, method: Callable[..., Any], path: str, params: Mapping[str, str], **more: Any) -> Any:
        """Return an answer, a refusal too. Raises SourceError, which tells of the key if there are too many calls."""
        headers = {"x-api-key": self.key} if self.key else {}
        try:
            return await method(f"{self.base}/{path}", params=params, headers=headers, missing=_REFUSALS, **more)
        except SourceError as error:
            if self.key or " 429" not in str(error):
                raise
            raise SourceError(f"{error} A free key raises the limit: set {KEY}.", error.after) from error


def _bulk(words: str) -> str:
    """Write words for the bulk search, where a hyphen inside a word would exclude what follows it."""
    return re.sub(r"(?<=\w)-(?=\w)", " ", words)


source = SemanticScholar()
