"""What a feed says, RSS or Atom, by feedparser. Pure: it is given bytes, never an address."""

from __future__ import annotations

import hashlib
from calendar import timegm
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from urllib.parse import urljoin

import feedparser

from bot.core.ids import normalise
from bot.errors import SourceError
from bot.sources._dates import FIRST_YEAR, LAST_YEAR
from bot.sources._entry import columns, paper_of
from bot.sources._said import line
from recommender.types import Paper

ENTRIES = 10_000  # that are read of a feed
LONGEST = 100_000  # characters of a title or an abstract
_OWN_WORDS = 4  # from which an entry is a paper


def parse_feed(body: bytes, url: str, host: str, source: str) -> tuple[str, list[Paper]]:
    """Return a feed's title and its papers. `url` is where it stands, for links without a host. Raises SourceError."""
    if not body.strip():
        raise SourceError(f"{host} sent an empty page where a feed should be.")
    if b"<!ENTITY" in body.upper():
        raise SourceError(f"{host} sent a feed that defines entities, which is refused.")
    try:
        found = feedparser.parse(BytesIO(body), response_headers={"content-location": url})
    except Exception as error:  # it reads whatever there is, and was not made for all of that
        raise SourceError(f"{host} sent a feed that cannot be read.") from error
    if not found.get("version") and not found.entries:
        kind = "a page for people" if b"<html" in body[:2000].lower() else "no feed"
        raise SourceError(f"{host} sent {kind} where a feed should be.")
    papers = [paper for one in found.entries[:ENTRIES] if (paper := _paper(one, url, source)) is not None]
    return line(found.feed.get("title"))[:200], papers


def _paper(entry: Any, url: str, source: str) -> Paper | None:
    """Return the paper of an entry; what it does not have is left out."""
    link = _link(entry, url)
    texts = [one.get("value") for one in entry.get("content") or () if isinstance(one, Mapping)]
    abstract = max((line(text)[:LONGEST] for text in [entry.get("summary"), *texts] if text), key=len, default="")
    title = line(entry.get("title"))[:LONGEST]
    names = [line(one.get("name")) for one in entry.get("authors") or () if isinstance(one, Mapping)]
    terms = [line(one.get("term")) for one in entry.get("tags") or () if isinstance(one, Mapping)]
    ids = list(dict.fromkeys(_ids(entry, link)))
    paper = paper_of(
        columns(
            {
                "id": ids[0] if ids else _own_id(entry, link, title, abstract),
                "title": title,
                "abstract": "" if abstract == title else abstract,
                "authors": [name for name in names if name],
                "categories": [term for term in terms if term],
                "url": link,
            }
        )
    )
    if isinstance(paper, str):
        return None
    published = _instant(entry.get("published_parsed") or dict.get(entry, "updated_parsed"))
    year = published.year if published else None
    return replace(paper, source=source, published=published, year=year, ids=tuple(ids[1:2]))


def _link(entry: Any, url: str) -> str:
    text = entry.get("link")
    try:
        link = urljoin(url, text.strip()) if isinstance(text, str) and text.strip() else ""
    except ValueError:
        return ""
    return link if link.startswith(("https://", "http://")) else ""


def _ids(entry: Any, link: str) -> Iterator[str]:
    """Yield the ids that an entry is known by elsewhere: of its DOI, of its own name, and of its link."""
    for name in ("prism_doi", "dc_identifier", "id", "guid"):
        text = entry.get(name)
        if isinstance(text, str) and (found := normalise(text)) and not found.startswith(("rss:", "local:", "tag:")):
            yield found
    if link and (found := normalise(link)):
        yield found


def _own_id(entry: Any, link: str, title: str, abstract: str) -> str:
    """Return an id that an entry keeps, by what its feed calls it."""
    text = entry.get("id")
    what = text if isinstance(text, str) and text.strip() else link or f"{title} {abstract}"
    return f"rss:0{hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()[:20]}"


def _instant(told: Any) -> datetime | None:
    try:
        found = datetime.fromtimestamp(timegm(told), UTC) if told else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    return found if found and FIRST_YEAR <= found.year <= LAST_YEAR else None
