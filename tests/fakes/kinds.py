"""Kinds of sources that are asked for papers and have what a test gave them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from recommender.types import Paper


class Kind:
    """Finds papers by ids of the namespaces `finds`, and with `looks` by words; `slow` is in seconds."""

    every = timedelta(hours=1)

    def __init__(
        self,
        name: str,
        finds: Collection[str] = (),
        has: Mapping[str, Paper] | None = None,
        *,
        looks: Sequence[Paper] | None = None,
        slow: float = 0.0,
        fails: Exception | None = None,
    ) -> None:
        self.name = name
        self.finds = frozenset(finds)
        self.has = dict(has or {})
        self.slow, self.fails = slow, fails
        self.asked: list[str] = []
        self.https: list[Any] = []
        self.now = self.most = 0
        if looks is not None:
            self.found = looks
            self.look = self._look

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper]:
        """Yield nothing."""
        nothing: list[Paper] = []
        for paper in nothing:
            yield paper

    async def find(self, id_: str, http: Any) -> Paper | None:
        """Return the paper of an id."""
        await self._work(id_, http)
        return self.has.get(id_)

    async def _look(self, words: str, most: int, http: Any) -> list[Paper]:
        await self._work(words, http)
        return list(self.found)

    async def _work(self, what: str, http: Any) -> None:
        self.asked.append(what)
        self.https.append(http)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.slow)
        finally:
            self.now -= 1
        if self.fails is not None:
            raise self.fails
