"""What every source keeps to. A source comes with a rig: tests/fakes/source_<name>.py with `make` and `broken`."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bot.core.ids import normalise
from bot.errors import SourceError
from bot.plugins import load
from recommender.types import Paper

SOURCES = load("bot.sources", "source")
GOOD = ["Attention in Long Documents", "Sorting in $O(n\\log n)$ and 5\\% more", "漢字かな交じり文 👩\u200d💻"]
HOSTILE = [
    "nul\x00 bell\x07 c1\x9f lone\ud800 title",
    "A<B & C>D <!channel> <@U012ABC>",
    "right\u202eleft\u202c and \u200bzero\ufeff width",
    "\x1b[31mred\x1b[0m",
    "x" * 100_000,
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]


@pytest.fixture(params=sorted(SOURCES))
def rig(request: pytest.FixtureRequest) -> Any:
    return import_module(f"tests.fakes.source_{request.param}")


@pytest.fixture(params=sorted(SOURCES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_it_says_its_name_and_how_often(name: str) -> None:
    source = SOURCES[name]
    assert source.name == name
    assert timedelta(minutes=1) <= source.every <= timedelta(days=7)
    assert source.fetch.__doc__


async def _all(source: Any, http: Any) -> list[Paper]:
    fetched = source.fetch(None, http)
    assert isinstance(fetched, AsyncIterator)
    return [item async for item in fetched if isinstance(item, Paper)]


async def test_it_yields_papers_with_normalised_ids(rig: Any, tmp_path: Path) -> None:
    papers = await _all(*rig.make(tmp_path, GOOD))
    assert len(papers) == len(GOOD)
    for paper, title in zip(papers, GOOD, strict=True):
        assert paper.title == title
        assert paper.source
        assert all(normalise(identifier) == identifier for identifier in (paper.id, *paper.ids))
        assert paper.id not in paper.ids
        assert paper.published is None or paper.published.tzinfo is UTC
        assert paper.url == "" or paper.url.startswith(("https://", "http://"))


async def test_asked_twice_it_says_the_same(rig: Any, tmp_path: Path) -> None:
    made = rig.make(tmp_path, GOOD)
    assert await _all(*made) == await _all(*made)


async def test_hostile_text_is_made_safe(rig: Any, tmp_path: Path) -> None:
    papers = await _all(*rig.make(tmp_path, HOSTILE))
    assert len(papers) == len(HOSTILE)
    for paper in papers:
        assert paper.title
        for text in (
            paper.title,
            paper.abstract,
            paper.venue,
            paper.url,
            *paper.authors,
            *paper.keywords,
            *paper.categories,
        ):
            assert not {unicodedata.category(character) for character in text} & {"Cc", "Cs"}
            assert not set(text) & set("\u200b\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
    assert papers[1].title == HOSTILE[1]


async def test_one_that_cannot_answer_says_so(rig: Any, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        await _all(*rig.broken(tmp_path))
    assert str(caught.value)
    assert "\n" not in str(caught.value)
