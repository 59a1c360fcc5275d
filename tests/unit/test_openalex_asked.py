"""OpenAlex, asked over sockets by the client that the bot has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.sources._http import Client
from bot.sources.openalex import OpenAlex, source
from recommender.types import Paper
from tests.fakes.scholar_server import Scholars, serving
from tests.fakes.source_openalex import entry

NOW = datetime(2026, 12, 2, 17, 0, tzinfo=UTC)


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""


@asynccontextmanager
async def opened(known: Scholars, **more: Any) -> AsyncIterator[tuple[OpenAlex, Client]]:
    client = Client(private=True, pace={}, sleep=_at_once)
    async with serving(known) as base:
        try:
            yield OpenAlex(base=base, now=lambda: NOW, **more), client
        finally:
            await client.close()


async def test_a_standing_search_reads_all_pages_and_says_so() -> None:
    known = Scholars(openalex=[entry(f"Paper {day}", day, f"2026-11-{day}") for day in range(10, 15)], a_page=2)
    async with opened(known, words="coral reefs", key="abc", contact="papers@example.org") as (alex, client):
        items = [item async for item in alex.fetch(None, client)]
    assert [item.title for item in items if isinstance(item, Paper)] == [f"Paper {day}" for day in range(10, 15)]
    cursors = [item.text for item in items if isinstance(item, Cursor)]
    assert cursors == ["on 2026-11-11", "on 2026-11-13", "on 2026-11-14", "2026-12-02"]
    asked = known.asked[0].params
    assert (asked["search"], asked["api_key"], asked["mailto"]) == ("coral reefs", "abc", "papers@example.org")
    assert asked["filter"] == "from_publication_date:2026-11-02,is_paratext:false"


async def test_a_reading_goes_on_where_it_was() -> None:
    known = Scholars(openalex=[entry(f"Paper {day}", day, f"2026-11-{day}") for day in range(10, 15)])
    async with opened(known, words="coral reefs") as (alex, client):
        items = [item async for item in alex.fetch(None, client, "on 2026-11-14")]
        assert [item.title for item in items if isinstance(item, Paper)] == ["Paper 14"]
        assert "api_key" not in known.asked[-1].params
        alex.words = ""
        assert [item async for item in alex.fetch(None, client)] == []


@pytest.mark.parametrize("identifier", ["doi:10.1234/work.7", "openalex:W7"])
async def test_a_paper_is_found_by_its_ids(identifier: str) -> None:
    async with opened(Scholars(openalex=[entry("Reefs", 7)])) as (alex, client):
        found = await alex.find(identifier, client)
        assert found is not None
        assert identifier in (found.id, *found.ids)
        assert await alex.find("doi:10.1234/none", client) is None  # the answer is a page of HTML, with 404
        assert await alex.find("arxiv:2611.01234", client) is None


async def test_words_are_looked_for() -> None:
    async with opened(Scholars(openalex=[entry(f"Paper {one}", one) for one in range(5)])) as (alex, client):
        assert [paper.title for paper in await alex.look("  coral\n reefs ", 2, client)] == ["Paper 0", "Paper 1"]
        assert await alex.look(" ", 2, client) == []
        assert await alex.look("reefs", 0, client) == []


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (
            400,
            {"error": "Invalid query", "message": "Unbalanced quote"},
            "OpenAlex refused the request: Unbalanced quote.",
        ),
        (403, {"error": "Rate limit exceeded", "message": "Rate limit exceeded"}, "PAPERROUND_OPENALEX_KEY"),
        (200, "<!doctype html><title>Sorry</title>", "127.0.0.1"),
        (200, {"meta": {"count": 500}, "results": []}, "empty page"),
    ],
)
async def test_a_refusal_is_named(status: int, body: Any, words: str) -> None:
    async with opened(Scholars(first=[(status, body)] * 2), words="coral reefs") as (alex, client):
        with pytest.raises(SourceError) as caught:
            assert [item async for item in alex.fetch(None, client)]
    assert words in str(caught.value)


async def test_words_are_tried_when_they_are_added() -> None:
    known = Scholars(openalex=[entry("Reefs")])
    async with opened(known) as (alex, client):
        assert await alex.check("coral  reefs", client) == "OpenAlex: coral reefs"
        known.openalex.clear()
        with pytest.raises(UsageError, match="knows no paper for “zzzz”"):
            await alex.check("zzzz", client)


def test_each_of_the_words_chosen_is_a_source_with_the_key() -> None:
    settings = SimpleNamespace(openalex_key="abc", contact="papers@example.org")
    (reefs,) = source.pick(["coral reefs"], settings)
    assert (reefs.name, reefs.key, reefs.contact) == ("openalex:coral reefs", "abc", "papers@example.org")
    with pytest.raises(SettingsError, match="needs words"):
        source.pick([""], settings)


async def test_a_wrong_key_is_named() -> None:
    known = Scholars(openalex=[entry("Paper 10", 10, "2026-11-10")], first=[(401, {"error": "Unauthorized"})] * 3)
    async with opened(known, key="wrong") as (alex, client):
        with pytest.raises(SourceError, match="PAPERROUND_OPENALEX_KEY"):
            await alex.look("coral reefs", 5, client)
        with pytest.raises(SourceError, match="PAPERROUND_OPENALEX_KEY"):
            await alex.find("openalex:W10", client)
