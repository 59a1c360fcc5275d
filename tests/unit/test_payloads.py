"""Payloads of every source in the documented formats: what they say whole, and that broken ones do no harm."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bot.errors import SourceError
from bot.sources._acl_xml import parse_collection, parse_mods
from bot.sources._arxiv_api import parse_api
from bot.sources._arxiv_daily import parse_daily
from bot.sources._arxiv_oai import parse_oai
from bot.sources._crossref_works import parse_work, parse_works
from bot.sources._feed import parse_feed
from bot.sources._huggingface_day import parse_day
from bot.sources._openalex_works import parse_works as parse_openalex
from bot.sources._openreview_notes import parse_notes
from bot.sources._rxiv import parse_page
from bot.sources._s2_papers import parse_papers
from recommender.types import Paper

DATA = Path(__file__).parents[1] / "data"
ROUNDS = 60
ODD: tuple[Any, ...] = (
    None,
    "",
    "None",
    0,
    -1,
    1e400,
    True,
    [],
    {},
    [None],
    {"a": None},
    "\x00\u202e\ud800",
    "x" * 20_000,
)


def feed(body: bytes) -> object:
    return parse_feed(body, "https://feeds.example/feed.xml", "feeds.example", "rss:feeds.example/feed.xml")


def rxiv(said: Any) -> object:
    return parse_page(said, "biorxiv", "bioRxiv")


def notes(said: Any) -> object:
    return parse_notes(json.dumps(said).encode())


XML: dict[str, Callable[[bytes], object]] = {
    "acl/2025.test.xml": parse_collection,
    "acl/2025.acl-long.1.mods.xml": parse_mods,
    "arxiv/api.xml": parse_api,
    "arxiv/daily_atom.xml": parse_daily,
    "arxiv/oai.xml": parse_oai,
    "rss/journal.xml": feed,
    "rss/blog.xml": feed,
}
JSON: dict[str, Callable[[Any], object]] = {
    "biorxiv/details.json": rxiv,
    "crossref/work.json": parse_work,
    "crossref/works.json": parse_works,
    "huggingface/daily_papers.json": parse_day,
    "openalex/works.json": parse_openalex,
    "openreview/v1_venue.json": notes,
    "openreview/v2_venue.json": notes,
    "semanticscholar/search.json": parse_papers,
}


def papers(found: object) -> Iterator[Paper]:
    """Yield the papers of whatever a parser gives."""
    if isinstance(found, Paper):
        yield found
    elif isinstance(found, (list, tuple)):
        for one in found:
            yield from papers(one)
    elif hasattr(found, "__slots__"):
        for name in found.__slots__:
            yield from papers(getattr(found, name))


def sound(found: object) -> None:
    """Check that what became of a payload can be stored and shown."""
    for paper in papers(found):
        assert paper.id
        assert paper.title.strip()
        for text in (
            paper.id,
            paper.title,
            paper.abstract,
            *paper.authors,
            *paper.categories,
            *paper.keywords,
            *paper.ids,
        ):
            assert isinstance(text, str)
            text.encode()
            assert "\x00" not in text


def broken(body: bytes, draw: random.Random) -> bytes:
    """Return a payload with a piece cut out, doubled, spoilt, or the end missing."""
    start, size = draw.randrange(len(body)), draw.randrange(1, 200)
    piece = body[start : start + size]
    return draw.choice(
        [
            body[:start],
            body[:start] + body[start + size :],
            body[:start] + piece * 3 + body[start + size :],
            body[:start] + bytes(draw.randrange(256) for _ in range(8)) + body[start + 8 :],
            body[:start] + draw.choice([b"<", b"&", b"]]>", b"<a>", b"</", b"\xff\xfe", b"&#0;"]) + body[start:],
        ]
    )


def odd(said: Any, draw: random.Random) -> Any:
    """Return JSON with one value somewhere in it replaced by an odd one."""
    if isinstance(said, dict) and said and draw.random() < 0.9:
        name = draw.choice(list(said))
        return {**said, name: odd(said[name], draw)}
    if isinstance(said, list) and said and draw.random() < 0.9:
        at = draw.randrange(len(said))
        return [*said[:at], odd(said[at], draw), *said[at + 1 :]]
    return draw.choice(ODD)


@pytest.mark.parametrize("name", XML)
def test_broken_xml_is_papers_or_a_named_error(name: str) -> None:
    body, draw = (DATA / name).read_bytes(), random.Random(name)
    assert list(papers(XML[name](body)))
    for _ in range(ROUNDS):
        with suppress(SourceError):
            sound(XML[name](broken(body, draw)))


@pytest.mark.parametrize("name", JSON)
def test_odd_json_is_papers_or_a_named_error(name: str) -> None:
    said, draw = json.loads((DATA / name).read_bytes()), random.Random(name)
    if name == "crossref/work.json":
        said = said["message"]
    assert list(papers(JSON[name](said)))
    for _ in range(4 * ROUNDS):
        with suppress(SourceError):
            sound(JSON[name](odd(said, draw)))


def test_what_biorxiv_tells() -> None:
    first, second, third = papers(rxiv(json.loads((DATA / "biorxiv/details.json").read_bytes())))
    assert first.title == "Grid cells keep time in the dark"
    assert first.categories == ("neuroscience",)
    assert first.abstract == "Mice that run in the dark keep a beat of 8 Hz & more."
    assert len(first.authors) == 3
    assert (second.abstract, third.authors) == ("", ())


def test_what_hugging_face_tells() -> None:
    first, second = papers(parse_day(json.loads((DATA / "huggingface/daily_papers.json").read_bytes())))
    assert (first.id, first.authors) == ("arxiv:2611.10001", ("Ada Lovelace",))
    assert first.keywords == ("planning", "small language models")
    assert second.abstract == ""


def test_what_a_journal_and_a_group_tell() -> None:
    first, second = papers(feed((DATA / "rss/journal.xml").read_bytes()))
    assert (first.id, first.abstract) == ("doi:10.1234/joe.2026.1", "Examples have a shape.")
    assert "Ada Lovelace" in first.authors
    assert second.title == "Examples without end"
    (one,) = papers(feed((DATA / "rss/blog.xml").read_bytes()))
    assert (one.id, one.title) == ("arxiv:2611.10001", "Fast & small")
    assert one.abstract == "We make it small, and then smaller still."
