"""Crossref, asked over sockets by the client that the bot has."""

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
from bot.sources.crossref import Crossref, source
from recommender.types import Paper
from tests.fakes.scholar_server import Scholars, serving
from tests.fakes.source_crossref import entry

NOW = datetime(2026, 12, 2, 17, 0, tzinfo=UTC)


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""


@asynccontextmanager
async def opened(known: Scholars, **more: Any) -> AsyncIterator[tuple[Crossref, Client]]:
    client = Client(private=True, pace={}, sleep=_at_once)
    async with serving(known) as base:
        try:
            yield Crossref(base=base, now=lambda: NOW, **more), client
        finally:
            await client.close()


@pytest.mark.parametrize(
    ("since", "cursor", "day"),
    [
        (None, "", "2026-11-02"),
        (None, "2026-12-01", "2026-11-29"),
        (datetime(2026, 11, 20, tzinfo=UTC), "", "2026-11-18"),
    ],
)
async def test_a_standing_search_asks_for_what_was_registered_since(
    since: datetime | None, cursor: str, day: str
) -> None:
    known = Scholars(crossref=[entry(f"Paper {number}", number) for number in range(3)])
    async with opened(known, words="coral reefs", contact="papers@example.org") as (crossref, client):
        items = [item async for item in crossref.fetch(since, client, cursor)]
    assert [item.title for item in items if isinstance(item, Paper)] == ["Paper 0", "Paper 1", "Paper 2"]
    assert items[-1] == Cursor("2026-12-02")
    asked = known.asked[0].params
    assert asked["filter"].startswith(f"from-created-date:{day},type:journal-article")
    assert (asked["query.bibliographic"], asked["mailto"]) == ("coral reefs", "papers@example.org")


async def test_without_words_it_asks_for_nothing() -> None:
    async with opened(Scholars()) as (crossref, client):
        assert [item async for item in crossref.fetch(None, client)] == []


@pytest.mark.parametrize("doi", ["10.1234/work.7", "10.1002/(sici)1097<1::aid-x>3.0.co;2-v", "10.1234/a#b?c%20d/e"])
async def test_a_paper_is_found_by_its_doi(doi: str) -> None:
    async with opened(Scholars(crossref=[entry("Reefs", DOI=doi.upper())])) as (crossref, client):
        found = await crossref.find(f"doi:{doi}", client)
        assert found is not None
        assert found.id == f"doi:{doi}"
        assert await crossref.find("doi:10.1234/none", client) is None  # the answer is plain text, with 404
        assert await crossref.find("arxiv:2611.01234", client) is None


async def test_words_are_looked_for() -> None:
    async with opened(Scholars(crossref=[entry(f"Paper {one}", one) for one in range(5)])) as (crossref, client):
        assert [paper.title for paper in await crossref.look("reefs", 2, client)] == ["Paper 0", "Paper 1"]
        assert await crossref.look(" ", 2, client) == []
        assert await crossref.look("reefs", -1, client) == []


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (
            400,
            {"status": "failed", "message": [{"message": "no such filter"}]},
            "Crossref refused the request: no such filter.",
        ),
        (200, {"status": "ok", "message": {"total-results": 7, "items": []}}, "where there should be 7 papers"),
        (200, "Resource not found.", "127.0.0.1"),
        (200, {"status": "ok", "message": {}}, "without a list of works"),
    ],
)
async def test_a_refusal_is_named(status: int, body: Any, words: str) -> None:
    async with opened(Scholars(first=[(status, body)]), words="coral reefs") as (crossref, client):
        with pytest.raises(SourceError) as caught:
            assert [item async for item in crossref.fetch(None, client)]
    assert words in str(caught.value)


async def test_words_are_tried_when_they_are_added() -> None:
    known = Scholars(crossref=[entry("Reefs")])
    async with opened(known) as (crossref, client):
        assert await crossref.check("coral reefs", client) == "Crossref: coral reefs"
        known.crossref.clear()
        with pytest.raises(UsageError, match="knows no paper for “zzzz”"):
            await crossref.check("zzzz", client)


def test_each_of_the_words_chosen_is_a_source() -> None:
    (reefs,) = source.pick(["coral reefs"], SimpleNamespace(contact="https://example.org"))
    assert (reefs.name, reefs.contact) == ("crossref:coral reefs", "")
    with pytest.raises(SettingsError, match="needs words"):
        source.pick([""], SimpleNamespace())
