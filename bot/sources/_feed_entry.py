"""What an entry of a feed is called, where it leads, and when it is from. Pure."""

from __future__ import annotations

import hashlib
from calendar import timegm
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from bot.core.ids import normalise
from bot.sources._dates import FIRST_YEAR, LAST_YEAR


def link(entry: Any, url: str) -> str:
    """Return the web address of an entry of the feed at `url`, or nothing."""
    text = entry.get("link")
    try:
        link = urljoin(url, text.strip()) if isinstance(text, str) and text.strip() else ""
    except ValueError:
        return ""
    return link if link.startswith(("https://", "http://")) else ""


def ids(entry: Any, link: str) -> Iterator[str]:
    """Yield the ids that an entry is known by elsewhere: of its DOI, of its own name, and of its link."""
    for name in ("prism_doi", "dc_identifier", "id", "guid"):
        text = entry.get(name)
        if isinstance(text, str) and (found := normalise(text)) and not found.startswith(("rss:", "local:", "tag:")):
            yield found
    if link and (found := normalise(link)):
        yield found


def own_id(entry: Any, link: str, title: str, abstract: str) -> str:
    """Return an id that an entry keeps, by what its feed calls it."""
    text = entry.get("id")
    what = text if isinstance(text, str) and text.strip() else link or f"{title} {abstract}"
    return f"rss:0{hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()[:20]}"


def instant(told: Any) -> datetime | None:
    """Return when something was, of a time in UTC as feedparser gives it."""
    try:
        found = datetime.fromtimestamp(timegm(told), UTC) if told else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    return found if found and FIRST_YEAR <= found.year <= LAST_YEAR else None
