"""What OpenAlex answers, as papers."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from bot.errors import SourceError
from bot.sources._openalex_works import abstract_of, parse_work, parse_works
from tests.fakes.hostile_json import clean, spoilt

DATA = Path(__file__).parents[1] / "data" / "openalex"
FEEDS = Path(__file__).parents[2].parent / "shared" / "feeds" / "openalex"


def said(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def test_a_list_of_works_gives_papers() -> None:
    page = parse_works(said("works.json"))
    assert (page.entries, page.total, page.following, page.day) == (4, 2, "IlsxNjA5Il0=", date(2026, 11, 21))
    reefs, thesis = page.papers  # what was retracted and what has no title are left out
    assert reefs.title == "Reefs of Acropora in CO₂-rich water"
    assert (reefs.id, reefs.ids) == ("doi:10.5555/rivers.7", ("openalex:W4400000001", "pmid:31234567"))
    assert reefs.abstract == "Reefs grow slowly, and grow again."
    assert reefs.authors == ("Ada Quill", "B. Roe")
    assert reefs.published == datetime(2026, 11, 20, tzinfo=UTC)
    assert (reefs.venue, reefs.keywords, reefs.source) == ("Journal of Reefs", ("Reef",), "openalex")
    assert (thesis.id, thesis.url) == ("openalex:W4400000002", "https://openalex.org/W4400000002")


@pytest.mark.parametrize(
    ("index", "abstract"),
    [
        ({"a": [0], "c": [2], "b": [1]}, "a b c"),
        ({"a": [0], "b": [7], "c": [900_000]}, "a b c"),  # holes
        ({"a": [0], "b": [0], "c": [1]}, "a b c"),  # two at one place
        ({"a": [0, 0], "b": [1]}, "a a b"),
        ({"a": [True, -1, 1.5, "1", None, 10**30, 0]}, "a"),
        ({"a": 0, "b": None, "c": {}, "d": [0]}, "d"),
        ({"<jats:p>In": [0], "a&amp;b</jats:p>": [1]}, "In a&b"),
        ({"nul\x00": [0], "\u202eleft": [1]}, "nul left"),
        ({}, ""),
        (None, ""),
        ([1], ""),
        ("text", ""),
    ],
)
def test_an_abstract_is_put_together(index: Any, abstract: str) -> None:
    assert abstract_of(index) == abstract


def test_an_abstract_of_hostile_size_is_cut() -> None:
    assert len(abstract_of({"x" * 100_000: list(range(1000))})) <= 100_000
    assert len(abstract_of({"word": list(range(900_000))})) <= 100_000


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (
            {"error": "Invalid filter", "message": "Unknown filter field: x"},
            "refused the request: Unknown filter field: x.",
        ),
        ({"error": "Rate limit exceeded", "message": "Rate limit exceeded: 100000 per day"}, "PAPERROUND_OPENALEX_KEY"),
        ({"hello": 1}, "without a list of works"),
        (None, "without a list of works"),
    ],
)
def test_a_refusal_is_named(refusal: Any, words: str) -> None:
    with pytest.raises(SourceError, match=r"^OpenAlex ") as caught:
        parse_works(refusal)
    assert words in str(caught.value)


@given(spoilt(said("works.json")))
def test_hostile_answers_give_clean_papers_or_a_named_error(answer: Any) -> None:
    try:
        papers = parse_works(answer).papers
    except SourceError as error:
        assert str(error).startswith("OpenAlex ")  # noqa: PT017 - either is right
        return
    assert all(clean(paper) for paper in papers)


def test_recorded_answers() -> None:
    if not FEEDS.exists():
        pytest.skip("no ../shared/feeds here")
    page = parse_works(json.loads((FEEDS / "works_list_biomed.json").read_text(encoding="utf-8")))
    assert [paper.id for paper in page.papers] == ["doi:10.1038/s41586-021-03534-y", "doi:10.1038/s41587-020-0561-9"]
    assert [len(paper.authors) for paper in page.papers] == [42, 3]
    for path in FEEDS.glob("*oa_in_openalex*.json"):  # asked for without a title: there is no paper in it
        assert parse_work(json.loads(path.read_text(encoding="utf-8"))) is None
