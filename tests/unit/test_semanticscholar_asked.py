"""Semantic Scholar, asked over sockets by the client that the bot has."""

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
from bot.sources.semanticscholar import SemanticScholar, source
from recommender.types import Paper
from tests.fakes.scholar_server import Scholars, serving
from tests.fakes.source_semanticscholar import entry

NOW = datetime(2026, 12, 2, 17, 0, tzinfo=UTC)


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""


@asynccontextmanager
async def opened(known: Scholars, **more: Any) -> AsyncIterator[tuple[SemanticScholar, Client]]:
    client = Client(private=True, pace={}, sleep=_at_once)
    async with serving(known) as base:
        try:
            yield SemanticScholar(base=base, now=lambda: NOW, **more), client
        finally:
            await client.close()


async def taken(scholar: SemanticScholar, client: Client, cursor: str = "") -> tuple[list[str], list[str]]:
    """Return the titles and cursors that a reading gave."""
    items = [item async for item in scholar.fetch(None, client, cursor)]
    titles = [item.title for item in items if isinstance(item, Paper)]
    return titles, [item.text for item in items if isinstance(item, Cursor)]


async def until_it_fails(items: AsyncIterator[Any]) -> tuple[list[Any], str]:
    """Return what came before the failure, and what that said."""
    kept: list[Any] = []
    try:
        async for item in items:
            kept.append(item)  # noqa: PERF401 - it fails on the way
    except SourceError as error:
        return kept, str(error)
    raise AssertionError("it did not fail")


async def test_a_standing_search_reads_all_pages_and_then_from_where_it_was() -> None:
    known = Scholars(s2=[entry(f"Paper {day}", f"2026-11-{day}") for day in range(10, 15)], a_page=2)
    async with opened(known, words="sparse-attention -survey") as (scholar, client):
        titles, cursors = await taken(scholar, client)
        assert titles == [f"Paper {day}" for day in range(10, 15)]
        assert cursors == ["on 2026-11-11", "on 2026-11-13", "2026-12-02"]
        first = known.asked[0]
        assert first.params["query"] == "sparse attention -survey"
        assert (first.params["publicationDateOrYear"], first.params["sort"]) == ("2026-11-02:", "publicationDate:asc")
        assert "x-api-key" not in {name.lower() for name in first.headers}
        assert (await taken(scholar, client, "on 2026-11-13"))[0] == ["Paper 13", "Paper 14"]
        known.s2.append(entry("Late", "2026-11-05"))  # it came into the index a month after its date
        assert "Late" in (await taken(scholar, client, cursors[-1]))[0]


async def test_a_search_that_fails_on_its_way_keeps_what_came_and_says_why() -> None:
    known = Scholars(s2=[entry(f"Paper {day}", f"2026-11-{day}") for day in range(10, 15)], a_page=2)
    whole = known.answer("/graph/v1/paper/search/bulk", {}, {})
    known.first = [whole, *[(429, {"message": "Too Many Requests.", "code": "429"})] * 3]
    async with opened(known, words="rivers") as (scholar, client):
        kept, why = await until_it_fails(scholar.fetch(None, client))
    assert "answered 429, three times in a row. A free key raises the limit: set PAPERROUND_S2_KEY." in why
    assert [getattr(item, "title", "") or item.text for item in kept] == ["Paper 10", "Paper 11", "on 2026-11-11"]


async def test_without_words_it_asks_for_nothing() -> None:
    async with opened(Scholars()) as (scholar, client):
        assert await taken(scholar, client) == ([], [])


@pytest.mark.parametrize(
    "identifier",
    [
        "s2:" + "a" * 40,
        "arxiv:2611.01234",
        "doi:10.5555/a(b)c<d>;e",
        "acl:2026.acl-long.7",
        "pmid:31234567",
        "corpusid:9",
    ],
)
async def test_a_paper_is_found_by_any_of_its_ids(identifier: str) -> None:
    others = {"ArXiv": "2611.01234", "DOI": "10.5555/a(b)c<d>;e", "ACL": "2026.acl-long.7", "PubMed": "31234567"}
    known = Scholars(s2=[entry("Rivers", paperId="a" * 40, externalIds={**others, "CorpusId": 9})])
    async with opened(known) as (scholar, client):
        found = await scholar.find(identifier, client)
        assert found is not None
        assert identifier in (found.id, *found.ids)
        assert await scholar.find("arxiv:2611.09999", client) is None
        assert await scholar.find("openreview:abcdef", client) is None


async def test_a_wrong_key_is_named_and_a_right_one_is_sent() -> None:
    known = Scholars(s2=[entry("Rivers", paperId="a" * 40)], key="right")
    async with opened(known, key="wrong") as (scholar, client):
        with pytest.raises(SourceError, match="check the key in PAPERROUND_S2_KEY"):
            await scholar.find("s2:" + "a" * 40, client)
        scholar.key = "right"
        assert await scholar.find("s2:" + "a" * 40, client) is not None
        assert known.asked[-1].headers["x-api-key"] == "right"


async def test_words_are_looked_for() -> None:
    known = Scholars(s2=[entry(f"Paper {number}") for number in range(5)])
    async with opened(known) as (scholar, client):
        assert [paper.title for paper in await scholar.look(" state-of-the-art ", 2, client)] == ["Paper 0", "Paper 1"]
        assert known.asked[-1].params["query"] == "state of the art"
        assert len(await scholar.look("rivers", 10_000, client)) == 5
        assert known.asked[-1].params["limit"] == "100"
        known.asked.clear()
        assert await scholar.look(" - ", 5, client) == []
        assert await scholar.look("rivers", 0, client) == []
        assert not known.asked


async def test_a_batch_is_asked_for_in_parts() -> None:
    known = Scholars(s2=[entry("Rivers", paperId="a" * 40), entry("Lakes", paperId="b" * 40)])
    async with opened(known) as (scholar, client):
        wanted = ["s2:" + "b" * 40, *(f"arxiv:2611.{number:05}" for number in range(600)), "s2:" + "a" * 40, "local:x1"]
        assert [paper.title for paper in await scholar.batch(wanted, client)] == ["Lakes", "Rivers"]
        assert [len(asked.body["ids"]) for asked in known.asked] == [500, 102]
        known.first = [(400, {"error": "No valid paper ids given"})]
        assert await scholar.batch(["arxiv:2611.00001"], client) == []
        assert await scholar.batch([], client) == []


async def test_papers_are_recommended_by_examples() -> None:
    known = Scholars(s2=[entry("Rivers"), entry("Lakes")])
    async with opened(known) as (scholar, client):
        found = await scholar.similar(["arxiv:2611.01234"], ["doi:10.5555/x"], 1, client)
        assert [paper.title for paper in found] == ["Rivers"]
        assert known.asked[-1].body == {
            "positivePaperIds": ["ARXIV:2611.01234"],
            "negativePaperIds": ["DOI:10.5555/x"],
        }
        assert await scholar.similar(["local:x1"], [], 5, client) == []
        known.first = [(404, {"error": "Input papers not found: ['X']"})]
        with pytest.raises(SourceError, match="Input papers not found"):
            await scholar.similar(["arxiv:2611.01234"], [], 5, client)


async def test_papers_of_an_author() -> None:
    known = Scholars(s2=[entry("Rivers"), entry("Lakes")])
    async with opened(known) as (scholar, client):
        ((number, name),) = await scholar.authors("Ada Quill", client)
        assert name == "Ada Quill"
        assert [paper.title for paper in await scholar.by_author(number, 1, client)] == ["Rivers"]
        assert await scholar.by_author("8", 5, client) == []
        assert await scholar.by_author("../paper", 5, client) == []


@pytest.mark.parametrize("body", ["<!doctype html><title>Sorry</title>", "", '{"data": [', "[" * 100_000])
async def test_what_is_no_json_is_a_named_error(body: str) -> None:
    async with opened(Scholars(first=[(200, body)]), words="rivers") as (scholar, client):
        with pytest.raises(SourceError, match=r"127\.0\.0\.1"):
            await taken(scholar, client)


async def test_words_are_tried_when_they_are_added() -> None:
    known = Scholars(s2=[entry("Rivers")])
    async with opened(known) as (scholar, client):
        assert await scholar.check(" river  networks", client) == "Semantic Scholar: river networks"
        known.s2.clear()
        with pytest.raises(UsageError, match="knows no paper for “zzzz”"):
            await scholar.check("zzzz", client)


def test_each_of_the_words_chosen_is_a_source_with_the_key() -> None:
    settings = SimpleNamespace(s2_key="abc")
    rivers, lakes = source.pick(["rivers of ice", "lakes"], settings)
    assert (rivers.name, lakes.name) == ("semanticscholar:rivers of ice", "semanticscholar:lakes")
    assert (rivers.key, rivers.words) == ("abc", "rivers of ice")
    assert (source.key, source.words) == ("", "")
    with pytest.raises(SettingsError, match="needs words"):
        source.pick([""], settings)
