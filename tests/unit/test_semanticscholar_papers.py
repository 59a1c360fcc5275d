"""What Semantic Scholar answers, as papers."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import SourceError
from bot.sources._s2_papers import asked_as, parse_authors, parse_paper, parse_papers
from tests.fakes.hostile_json import clean, spoilt

DATA = Path(__file__).parents[1] / "data" / "semanticscholar"
FEEDS = Path(__file__).parents[2].parent / "shared" / "feeds"


def said(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def test_a_search_gives_papers_with_what_it_says_of_them() -> None:
    page = parse_papers(said("search.json"))
    assert (page.entries, page.total, page.following) == (3, 3, "")
    first, second = page.papers
    assert first.id == "s2:" + "a" * 40
    assert first.ids == ("arxiv:2611.01234", "corpusid:900000001")  # a DOI of arXiv is an arXiv id
    assert first.abstract == "We follow rivers & their attention."
    assert first.authors == ("Ada Quill", "B. Roe")
    assert first.published == datetime(2026, 11, 24, tzinfo=UTC)
    assert (first.source, first.venue) == ("semanticscholar", "arXiv.org")
    assert first.url == f"https://www.semanticscholar.org/paper/{'a' * 40}"
    assert second.ids == ("doi:10.5555/rivers.7", "acl:2026.acl-long.7", "pmid:31234567", "corpusid:900000002")
    assert (second.published, second.year, second.venue) == (None, 2025, "Journal of Rivers")


def test_null_in_a_batch_is_a_paper_that_is_not_known() -> None:
    page = parse_papers(said("batch.json"))
    assert [paper.title for paper in page.papers] == [
        "Sparse Attention over Very Long Rivers",
        "A Survey of River Attention",
    ]
    assert page.entries == 3


def test_a_bulk_page_tells_how_to_go_on_and_how_far_it_went() -> None:
    page = parse_papers(said("bulk.json"))
    assert (page.following, page.day, page.total) == ("PCOKGI2QCJ2W", date(2026, 11, 26), 2500)


@pytest.mark.parametrize("empty", [{"total": 0, "offset": 0}, {"data": []}, {"recommendedPapers": []}, []])
def test_nothing_found_is_an_answer(empty: Any) -> None:
    assert parse_papers(empty).papers == ()


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ({"message": "Too Many Requests. Please wait", "code": "429"}, "takes no more requests for now"),
        ({"message": "Forbidden"}, "check the key in PAPERROUND_S2_KEY"),
        ({"error": "Unrecognized fields: [x]"}, "refused the request: Unrecognized fields: [x]."),
        ({"error": "two\nlines" + "x" * 500}, "two lines"),
        ({"error": {"odd": 1}}, "no reason was given"),
        ({"hello": 1}, "without a list of papers"),
        (None, "without a list of papers"),
        ("text", "without a list of papers"),
    ],
)
def test_a_refusal_is_named(refusal: Any, words: str) -> None:
    with pytest.raises(SourceError, match=r"^Semantic Scholar ") as caught:
        parse_papers(refusal)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_papers_in_references_stand_within_their_edge() -> None:
    inner = {"paperId": "d" * 40, "title": "Cited"}
    assert (
        parse_papers({"offset": 0, "data": [{"citedPaper": inner}, {"citingPaper": inner}]}).papers[1].title == "Cited"
    )


def test_an_id_that_only_others_give_is_enough_and_none_is_not() -> None:
    paper = parse_paper({"paperId": None, "title": "Known elsewhere", "externalIds": {"ArXiv": "2611.01234"}})
    assert paper is not None
    assert (paper.id, paper.url) == ("arxiv:2611.01234", "https://arxiv.org/abs/2611.01234")
    assert parse_paper({"paperId": None, "title": "Known nowhere"}) is None


def test_authors_have_numbers() -> None:
    found = parse_authors({"data": [{"authorId": "7", "name": "Ada Quill"}, {"authorId": None, "name": "B"}, None, 3]})
    assert found == [("7", "Ada Quill")]


@pytest.mark.parametrize(
    ("identifier", "asked"),
    [
        ("s2:" + "a" * 40, "a" * 40),
        ("arxiv:2611.01234", "ARXIV:2611.01234"),
        ("doi:10.5555/rivers.7", "DOI:10.5555/rivers.7"),
        ("acl:2026.acl-long.7", "ACL:2026.acl-long.7"),
        ("pmid:31234567", "PMID:31234567"),
        ("corpusid:9", "CorpusId:9"),
        ("openreview:abcdef", None),
        ("s2:", None),
    ],
)
def test_ids_are_asked_for_as_it_calls_them(identifier: str, asked: str | None) -> None:
    assert asked_as(identifier) == asked


def test_five_thousand_authors_are_kept() -> None:
    many = [{"authorId": str(number), "name": f"Person Number{number}"} for number in range(5000)]
    paper = parse_paper({"paperId": "e" * 40, "title": "All of CERN", "authors": many})
    assert paper is not None
    assert len(paper.authors) == 5000


@given(st.sampled_from(["search.json", "batch.json", "bulk.json"]).flatmap(lambda name: spoilt(said(name))))
def test_hostile_answers_give_clean_papers_or_a_named_error(answer: Any) -> None:
    try:
        papers = parse_papers(answer).papers
    except SourceError as error:
        assert str(error).startswith("Semantic Scholar ")  # noqa: PT017 - either is right
        return
    assert all(clean(paper) for paper in papers)


KNOWN = {
    "empty_paginated_results.json": 0,
    "get_paper.json": 1,
    "get_paper_references.json": 40,  # of 50; 10 have no id
    "get_recommended_papers.json": 100,
    "graph_search_transformer.json": 5,
    "pqa_title_search_empty.json": 0,
    "search_paper_match_title.json": 1,
    "search_paper_year.json": 0,  # no titles were asked for
    "bad_query_parameters.json": "Unrecognized or unsupported fields",
    "debug.json": "check the key",
    "not_found.json": "Paper with id 0 not found",
    "semantic_scholar_429.json": "takes no more requests",
}


def test_recorded_answers() -> None:
    files = [*sorted((FEEDS / "semantic-scholar").glob("*.json")), FEEDS / "errors" / "semantic_scholar_429.json"]
    if not files[0].exists():
        pytest.skip("no ../shared/feeds here")
    for path in files:
        answer = json.loads(path.read_text(encoding="utf-8"))
        wanted = KNOWN.get(path.name, 0)
        if isinstance(wanted, str):
            with pytest.raises(SourceError, match=wanted):
                parse_papers(answer)
        else:
            page = parse_papers(answer)
            assert len(page.papers) == wanted or path.name not in KNOWN, path.name
            assert all(clean(paper) for paper in page.papers)
