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

# What else normalises, a blog calls so by chance: "post:12", or a hash that looks like one of Semantic Scholar.
_ELSEWHERE = ("arxiv:", "doi:", "openreview:", "acl:", "pmid:")
_WORLDWIDE = ("http://", "https://", "urn:", "tag:")  # names that are one feed's alone, wherever it stands


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
        if isinstance(text, str) and (found := normalise(text)) and found.startswith(_ELSEWHERE):
            yield found
    if link and (found := normalise(link)):
        yield found


def own_id(entry: Any, link: str, title: str, abstract: str, source: str) -> str:
    """Return an id that an entry keeps, by what its feed calls it; `source` tells apart what two feeds call "12"."""
    text = entry.get("id")
    what = text.strip() if isinstance(text, str) and text.strip() else link or f"{title} {abstract}"
    if not what.startswith(_WORLDWIDE):
        what = f"{source} {what}"
    return f"rss:0{hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()[:20]}"


def instant(told: Any) -> datetime | None:
    """Return when something was, of a time in UTC as feedparser gives it."""
    try:
        found = datetime.fromtimestamp(timegm(told), UTC) if told else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    return found if found and FIRST_YEAR <= found.year <= LAST_YEAR else None
