"""bioRxiv and medRxiv: pages, cursors, revisions that are no news, categories by name."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError
from bot.sources import biorxiv, medrxiv
from bot.sources._rxiv import Rxiv, parse_page
from recommender.types import Paper
from tests.fakes.feeds_server import Feeds, rxiv_entry, rxiv_page

FEEDS = Path(__file__).parents[2].parent / "shared" / "feeds"
TODAY = date(2026, 12, 2)
ALL = replace(biorxiv.source, picked=True, today=lambda: TODAY)
NONE = {"messages": [{"status": "no posts found"}], "collection": []}
ENTRIES = [rxiv_entry(f"Paper {number}", number, category="neuroscience") for number in range(1, 6)]


async def read(source: Rxiv, http: Feeds, cursor: str = "") -> tuple[list[Paper], list[str]]:
    papers, cursors = [], []
    async for one in source.fetch(None, http, cursor):
        if isinstance(one, Cursor):
            cursors.append(one.text)
        else:
            papers.append(one)
    return papers, cursors


def paged(path: str, *_: Any) -> tuple[int, Any]:
    at = int(path.split("/")[-2])
    return 200, rxiv_page(ENTRIES[at : at + 2], 5)


async def test_pages_are_read_to_the_end_with_a_cursor_behind_each() -> None:
    http = Feeds(paged)
    papers, cursors = await read(ALL, http)
    assert [paper.title for paper in papers] == [f"Paper {number}" for number in range(1, 6)]
    assert cursors == ["2026-11-25 2026-12-02 2", "2026-11-25 2026-12-02 4", "2026-12-02 2026-12-02 0"]
    assert http.asked[0][0] == "/details/biorxiv/2026-11-25/2026-12-02/0/json"


async def test_it_goes_on_where_it_was_broken_off_and_looks_back_two_days_else() -> None:
    http = Feeds(paged)
    papers, _ = await read(ALL, http, "2026-11-25 2026-12-02 4")
    assert [paper.title for paper in papers] == ["Paper 5"]
    await read(ALL, http, "2026-12-01 2026-12-01 0")
    assert "/details/biorxiv/2026-11-29/2026-12-02/0/json" in [path for path, _ in http.asked]


async def test_an_empty_page_before_the_end_is_a_failure_and_what_came_stays() -> None:
    http = Feeds(lambda path, *_: (200, rxiv_page(ENTRIES[:2] if path.endswith("/0/json") else [], 5)))
    fetched = ALL.fetch(None, http)
    assert [type(await anext(fetched)) for _ in range(3)] == [Paper, Paper, Cursor]
    with pytest.raises(SourceError, match="3 more"):
        await anext(fetched)


async def test_no_posts_behind_the_first_page_are_a_failure_and_not_the_end() -> None:
    http = Feeds(lambda path, *_: (200, rxiv_page(ENTRIES[:2], 5) if path.endswith("/0/json") else NONE))
    fetched = ALL.fetch(None, http)
    assert [type(await anext(fetched)) for _ in range(3)] == [Paper, Paper, Cursor]
    with pytest.raises(SourceError, match="3 more"):
        await anext(fetched)


async def test_two_versions_on_a_page_are_one_paper() -> None:
    versions = [rxiv_entry("First"), rxiv_entry("Second", version="2")]
    papers, _ = await read(ALL, Feeds(lambda *_: (200, rxiv_page(versions, 2))))
    assert [paper.title for paper in papers] == ["Second"]


@pytest.mark.parametrize("said", [NONE, rxiv_page([])])
async def test_no_posts_are_an_answer_on_a_weekend_and_a_failure_once_a_working_day_is_over(said: Any) -> None:
    http = Feeds(lambda *_: (200, said))
    monday = replace(ALL, today=lambda: date(2026, 11, 30))
    assert await read(monday, http, "2026-11-30 2026-11-30 0") == ([], ["2026-11-30 2026-11-30 0"])
    for source, cursor in ((ALL, ""), (ALL, "2026-12-02 2026-12-02 0"), (monday, "2026-11-29 2026-11-29 0")):
        with pytest.raises(SourceError, match="there should be some"):
            await read(source, http, cursor)


def test_a_revision_has_the_day_of_its_first_version_and_the_published_doi_is_an_id() -> None:
    entry = rxiv_entry("A title", doi="10.64898/2025.12.19.695336", version="3", published="10.1038/S41586-1")
    (paper,) = parse_page(rxiv_page([entry]), "biorxiv", "bioRxiv").papers
    assert (paper.id, paper.ids) == ("doi:10.64898/2025.12.19.695336", ("doi:10.1038/s41586-1",))
    assert paper.published == datetime(2025, 12, 19, tzinfo=UTC)
    old = rxiv_entry("A title", doi="10.1101/123456", version="2")
    (paper,) = parse_page(rxiv_page([old]), "biorxiv", "bioRxiv").papers
    assert (paper.published, paper.ids) == (None, ())


@pytest.mark.parametrize(
    "said",
    [None, [], {}, {"messages": None}, {"messages": [7]}, {"messages": [{"status": "error"}], "collection": None}, "x"],
)
def test_what_is_no_answer_is_named(said: Any) -> None:
    with pytest.raises(SourceError, match="bioRxiv answered"):
        parse_page(said, "biorxiv", "bioRxiv")


def test_entries_that_are_none_are_left_out() -> None:
    bad = [None, 7, {}, {"doi": "10.1101/1"}, rxiv_entry("x", doi="none"), {"doi": None, "title": [1]}]
    page = parse_page(rxiv_page([*bad, rxiv_entry("Good")], total=99), "biorxiv", "bioRxiv")
    assert ([paper.title for paper in page.papers], page.entries, page.total) == (["Good"], 7, 99)


async def test_categories_are_chosen_by_name() -> None:
    (some,) = biorxiv.source.pick(["Cell_Biology", "neuroscience"], None)
    assert some.categories == ("cell biology", "neuroscience")
    mixed = [*ENTRIES[:1], rxiv_entry("Other", 9, category="zoology")]
    papers, _ = await read(replace(some, today=lambda: TODAY), Feeds(lambda *_: (200, rxiv_page(mixed))))
    assert [paper.title for paper in papers] == ["Paper 1"]
    assert biorxiv.source.pick([""], None)[0].categories == ()
    assert biorxiv.source.pick([], None) == []
    with pytest.raises(SettingsError, match="Did you mean neuroscience"):
        biorxiv.source.pick(["neurosience"], None)
    with pytest.raises(SettingsError, match="none of its categories"):
        medrxiv.source.pick(["<@everyone>"], None)
    assert await medrxiv.source.check("neurology", Feeds(lambda *_: (200, rxiv_page([])))) == "medRxiv neurology"


async def test_one_is_found_by_its_doi_in_its_last_version() -> None:
    versions = [rxiv_entry("First"), rxiv_entry("Second", version="2")]
    http = Feeds(lambda path, *_: (200, rxiv_page(versions)) if "700001" in path else (404, ""))
    found = await biorxiv.source.find("doi:10.64898/2026.11.30.700001", http)
    assert found is not None
    assert found.title == "Second"
    assert await biorxiv.source.find("doi:10.64898/2026.11.30.799999", http) is None
    assert await biorxiv.source.find("doi:10.1038/x1", http) is None
    assert len(http.asked) == 2


@pytest.mark.skipif(not FEEDS.is_dir(), reason="../shared is not there")
def test_what_was_recorded_is_read() -> None:
    for path in sorted((FEEDS / "biorxiv").glob("*.json")):
        page = parse_page(json.loads(path.read_text()), "biorxiv", "bioRxiv")
        assert len(page.papers) == page.entries == 3
        assert all(paper.authors and paper.abstract and paper.published for paper in page.papers)
