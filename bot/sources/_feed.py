"""What a feed says, RSS or Atom, by feedparser. Pure: it is given bytes, never an address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from typing import Any

import feedparser

from bot.errors import SourceError
from bot.sources._entry import columns, paper_of
from bot.sources._feed_entry import ids, instant, link, own_id
from bot.sources._feed_lean import lean
from bot.sources._http_text import decode
from bot.sources._said import line
from bot.sources._xml_bounds import swollen
from recommender.types import Paper

LONGEST = 100_000  # characters of a title or an abstract
_UTF8 = "application/xml; charset=utf-8"


def parse_feed(body: bytes, url: str, host: str, source: str) -> tuple[str, list[Paper]]:
    """Return a feed's title and its papers. `url` is where it stands, for links without a host. Raises SourceError."""
    if not body.strip():
        raise SourceError(f"{host} sent an empty page where a feed should be.")
    text = decode(body)  # here, so that what is looked at is what is parsed, in whatever encoding it came
    if "<!ENTITY" in text.upper():
        raise SourceError(f"{host} sent a feed that defines entities, which is refused.")
    if reason := swollen(text):
        raise SourceError(f"{host} sent a feed that {reason}.")
    written = lean(text).encode("utf-8", "replace")
    told = {"content-location": url, "content-type": _UTF8}
    try:  # what is markup in a text, `line` takes out
        found = feedparser.parse(
            BytesIO(written), response_headers=told, sanitize_html=False, resolve_relative_uris=False
        )
    except Exception as error:  # it reads whatever there is, and was not made for all of that
        raise SourceError(f"{host} sent a feed that cannot be read.") from error
    if not found.get("version") and not found.entries:
        kind = "a page for people" if "<html" in text[:2000].lower() else "no feed"
        raise SourceError(f"{host} sent {kind} where a feed should be.")
    papers = [paper for one in found.entries if (paper := _paper(one, url, source)) is not None]
    return line(found.feed.get("title"))[:200], papers


def _paper(entry: Any, url: str, source: str) -> Paper | None:
    """Return the paper of an entry; what it does not have is left out."""
    where = link(entry, url)
    texts = [one.get("value") for one in entry.get("content") or () if isinstance(one, Mapping)]
    abstract = max((line(text)[:LONGEST] for text in [entry.get("summary"), *texts] if text), key=len, default="")
    title = line(entry.get("title"))[:LONGEST]
    names = [line(one.get("name")) for one in entry.get("authors") or () if isinstance(one, Mapping)]
    terms = [line(one.get("term")) for one in entry.get("tags") or () if isinstance(one, Mapping)]
    known = list(dict.fromkeys(ids(entry, where)))
    paper = paper_of(
        columns(
            {
                "id": known[0] if known else own_id(entry, where, title, abstract, source),
                "title": title,
                "abstract": "" if abstract == title else abstract,
                "authors": [name for name in names if name],
                "categories": [term for term in terms if term],
                "url": where,
            }
        )
    )
    if isinstance(paper, str):
        return None
    published = instant(entry.get("published_parsed") or dict.get(entry, "updated_parsed"))
    year = published.year if published else None
    return replace(paper, source=source, published=published, year=year, ids=tuple(known[1:2]))
