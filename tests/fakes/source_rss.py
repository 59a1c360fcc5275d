"""A rig for the source `rss`: a feed with a few entries, good and hostile."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.rss import source
from tests.fakes.feeds_server import Feeds, rss_of

URL = "https://feeds.example/papers.xml"


def item(title: str, number: int = 1) -> str:
    """Return one entry. What XML cannot hold is left out, as a server would."""
    text = escape(escape("".join(one for one in title if one >= " " and not "\ud800" <= one <= "\udfff")))
    return (
        f"<item><title>{text}</title><description>{text}</description><link>https://feeds.example/{number}</link>"
        f"<guid>paper-{number}</guid><dc:creator>{text}</dc:creator><category>{text}</category>"
        "<pubDate>Mon, 30 Nov 2026 09:00:00 GMT</pubDate></item>"
    )


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the client that it needs."""
    body = rss_of("".join(item(title, at + 1) for at, title in enumerate(titles)))
    return source.pick([URL], None)[0], Feeds(lambda *_: (200, body))


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return source.pick([URL], None)[0], Feeds(lambda *_: (200, "<!doctype html><html><body>Sign in</body></html>"))
