"""Any feed, RSS or Atom: a journal's, a group's, a blog's. Each one is a source of its own."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from bot.core.fold import named
from bot.core.ports import Cursor
from bot.errors import SettingsError
from bot.sources._changed import conditions, state
from bot.sources._feed import parse_feed
from recommender.types import Paper

LIMIT = 3_000_000  # bytes of a feed
NAME_LIMIT = 80


@dataclass(slots=True)
class Feed:
    """One feed by its `url`; without one it is the kind of source."""

    url: str = ""
    name: str = "rss"
    every: timedelta = timedelta(hours=1)
    about: str = "any RSS or Atom feed: rss:https://example.org/feed.xml"
    needs: str = "nothing"

    def pick(self, chosen: Sequence[str], settings: Any) -> list[Feed]:  # noqa: ARG002 - it needs none
        """Return a source for each feed. Raises SettingsError for what is no address of one."""
        return [replace(self, url=url, name=_name(url)) for url in dict.fromkeys(map(_url, chosen))]

    async def check(self, chosen: str, http: Any) -> str:
        """Read the feed, and say its title. Raises SettingsError, and SourceError that tells what is there instead."""
        url = _url(chosen)
        answer = await http.get(url, limit=LIMIT)
        title, _ = await asyncio.to_thread(parse_feed, answer.body, answer.url, _host(url), _name(url))
        return title or _name(url)

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:  # noqa: ARG002 - a feed holds what it holds
        """Yield all that the feed holds, if it changed since it was last stored. Raises SourceError."""
        if not self.url:
            return
        answer = await http.get(self.url, headers=conditions(cursor), limit=LIMIT)
        if answer.same:
            return
        _, papers = await asyncio.to_thread(parse_feed, answer.body, answer.url, _host(self.url), self.name)
        for paper in papers:
            yield paper
        yield state(answer.headers)


def _url(text: str) -> str:
    """Return the address of a feed. Raises SettingsError; whether it may be asked at all, the client decides."""
    try:
        parts = urlsplit(text.strip())
        host, scheme = parts.hostname or "", parts.scheme.lower()
    except ValueError:
        host = scheme = ""
    if not text.strip():
        raise SettingsError("rss: say which feed, as in rss:https://example.org/feed.xml")
    if scheme not in ("http", "https") or not host:
        raise SettingsError(f"rss: {named(text)} is no web address; it begins with https:// or http://")
    return text.strip()


def _name(url: str) -> str:
    """Return what a feed's state is kept by: where it is, and of a query, which may be secret, only a hash."""
    parts = urlsplit(url)
    name = f"rss:{_host(url)}{parts.path.rstrip('/')}"
    if not parts.query and len(name) <= NAME_LIMIT:
        return name
    mark = f"#{hashlib.sha256(url.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return name[: NAME_LIMIT - len(mark)] + mark


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


source = Feed()
