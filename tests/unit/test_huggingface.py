"""Hugging Face's daily papers: day by day."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError
from bot.sources._huggingface_day import parse_day
from bot.sources.huggingface import source
from recommender.types import Paper
from tests.fakes.feeds_server import Feeds, daily

FEEDS = Path(__file__).parents[2].parent / "shared" / "feeds"
HERE = replace(source, picked=True, today=lambda: date(2026, 12, 2))


async def days(cursor: str) -> tuple[list[str], list[str]]:
    """Return the days that are asked for, and the cursors that come."""
    http = Feeds(lambda *_: (200, []))
    cursors = [one.text async for one in HERE.fetch(None, http, cursor) if isinstance(one, Cursor)]
    return [asked["date"] for _, asked in http.asked], cursors


async def test_each_day_that_is_over_is_read_once_and_today_again() -> None:
    assert await days("") == (
        ["2026-11-29", "2026-11-30", "2026-12-01", "2026-12-02"],
        ["2026-11-29", "2026-11-30", "2026-12-01"],
    )
    assert await days("2026-12-01") == (["2026-12-02"], [])
    asked, _ = await days("2020-01-01")  # after an outage of years
    assert (asked[0], len(asked)) == ("2026-11-02", 31)
    assert len((await days("nonsense"))[0]) == 4


async def test_a_day_that_has_not_begun_there_is_no_failure_and_a_day_that_is_over_is() -> None:
    said: list[str] = []
    http = Feeds(lambda _path, asked, _headers: (400, "") if asked["date"] in said else (200, [daily("A title")]))
    said.append("2026-12-02")
    assert len([one async for one in HERE.fetch(None, http, "2026-11-30")]) == 2  # a paper, and the cursor behind it
    said.append("2026-12-01")
    with pytest.raises(SourceError, match="400"):
        [one async for one in HERE.fetch(None, http, "2026-11-30")]


def test_votes_are_numbers_and_no_venue() -> None:
    for upvotes, votes in ((7, 7), (0, 0), (-3, 0), (True, 0), ("many", 0), (None, 0), (1e400, 0), (10**30, 0)):
        (paper,) = parse_day([daily("A title", upvotes=upvotes)])
        assert (paper.id, paper.venue, paper.keywords, paper.votes) == ("arxiv:2611.10001", "", (), votes)


async def test_votes_are_taken_when_a_day_is_over() -> None:
    http = Feeds(lambda _path, asked, _headers: (200, [daily("A title", int(asked["date"][-1]), upvotes=7)]))
    votes = [one.votes async for one in HERE.fetch(None, http, "2026-11-30") if isinstance(one, Paper)]
    assert votes == [7, 0]  # yesterday's, and today's, which still change


@pytest.mark.parametrize("said", [None, {}, {"error": "down"}, "x", 7])
def test_what_is_no_list_is_named(said: Any) -> None:
    with pytest.raises(SourceError, match="Hugging Face answered"):
        parse_day(said)


def test_entries_that_are_none_are_left_out() -> None:
    bad: list[Any] = [
        None,
        7,
        {},
        {"paper": None},
        daily("x", id="../../etc"),
        {"paper": {"id": "2611.10001", "title": None, "summary": []}},
    ]
    hidden = daily("Good", authors=[{"name": "Ada"}, {"name": "Bob", "hidden": True}, None, {"name": 3}])
    (paper,) = parse_day([*bad, hidden])
    assert (paper.title, paper.authors) == ("Good", ("Ada",))


def test_it_has_no_parts() -> None:
    assert [one.picked for one in source.pick([""], None)] == [True]
    assert source.pick([], None) == []
    with pytest.raises(SettingsError, match="no parts"):
        source.pick(["cs.CL"], None)


@pytest.mark.skipif(not FEEDS.is_dir(), reason="../shared is not there")
def test_what_was_recorded_is_read() -> None:
    for path in sorted((FEEDS / "huggingface-daily").glob("*.json")):
        said = json.loads(path.read_text())
        papers = parse_day(said)
        assert len(papers) == len(said) == 30
        assert all(paper.abstract and paper.authors and paper.published for paper in papers)
