"""Feeds, bioRxiv and Hugging Face in memory: a client without a network, which tells what it is given to tell."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from bot.errors import SourceError
from tests.fakes.scholar_server import Told

Said = tuple[int, Any] | tuple[int, Any, Mapping[str, str]]


@dataclass
class Feeds:
    """`tells` says what is at a path, with its parameters and headers: a status, a body, and headers if there are."""

    tells: Callable[[str, Mapping[str, str], Mapping[str, str]], Said]
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    async def get(
        self, url: str, *, params: Any = None, headers: Any = None, limit: int = 0, missing: Any = ()
    ) -> Told:
        """Ask for what is at a URL."""
        parts = urlsplit(url)
        self.asked.append((parts.path, dict(params or {})))
        status, said, *more = self.tells(parts.path, params or {}, headers or {})
        if status >= 400 and status not in missing:
            raise SourceError(f"{parts.hostname} answered {status}.")
        body = (
            said if isinstance(said, bytes) else said.encode() if isinstance(said, str) else json.dumps(said).encode()
        )
        assert not limit or len(body) <= limit
        return Told(status, b"" if status == 304 else body, url, more[0] if more else {}, same=status == 304)


def rxiv_entry(title: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """Return one preprint as the API tells it."""
    return {
        "title": title,
        "authors": f"{title}; Roe, J.",
        "doi": f"10.64898/2026.11.30.{700000 + number}",
        "date": "2026-11-30",
        "version": "1",
        "category": title,
        "abstract": title,
        "published": "NA",
        "server": "bioRxiv",
    } | more


def rxiv_page(entries: list[Any], total: int | None = None) -> dict[str, Any]:
    """Return one page as the API tells it."""
    told = {"status": "ok", "count": len(entries), "total": str(len(entries) if total is None else total)}
    return {"messages": [told], "collection": entries}


def daily(title: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """Return one daily paper as the API tells it."""
    paper = {
        "id": f"2611.{10000 + number}",
        "title": title,
        "summary": title,
        "authors": [{"name": title, "hidden": False}],
        "publishedAt": "2026-11-30T00:00:00.000Z",
        "upvotes": 7,
    } | more
    return {"paper": paper, "title": title, "numComments": 0}


def rss_of(items: str) -> str:
    """Return a feed of RSS 2.0 with these items."""
    head = '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    return f"{head}<channel><title>A feed</title><link>https://feeds.example/</link>{items}</channel></rss>"
