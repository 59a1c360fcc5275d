"""What Crossref answers, as papers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import SourceError
from bot.sources._crossref_works import parse_work, parse_works
from tests.fakes.hostile_json import clean, spoilt

DATA = Path(__file__).parents[1] / "data" / "crossref"
FEEDS = Path(__file__).parents[2].parent / "shared" / "feeds" / "crossref"


def said(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def test_a_work_gives_a_paper() -> None:
    paper = parse_work(said("work.json"))
    assert paper is not None
    assert paper.title == "Rivers of Salmo salar & H₂O: A field study"
    assert paper.abstract == "Background: Salmon < 5 kg swim at $v^2$. Results: They arrive (see here)."
    assert paper.authors == ("Ada Quill", "Roe", "The River Consortium")
    assert (paper.id, paper.ids) == ("doi:10.5555/rivers.7", ("doi:10.1101/2026.05.01.123456",))
    assert (paper.published, paper.year) == (datetime(2026, 11, 24, tzinfo=UTC), 2026)
    assert (paper.venue, paper.url) == ("Journal of Rivers", "https://doi.org/10.5555/rivers.7")


def test_a_list_gives_papers_and_no_journals() -> None:
    page = parse_works(said("works.json"))
    preprint, year_only = page.papers
    assert (page.entries, page.total) == (4, 4)
    assert (preprint.venue, preprint.categories) == ("bioRxiv", ("Neuroscience",))
    assert preprint.id == "doi:10.1101/2026.11.01.700001"
    assert (year_only.published, year_only.year, year_only.venue) == (None, 2026, "Workshop on Rivers")


@pytest.mark.parametrize(
    ("dates", "published", "year"),
    [
        ({"issued": [[2026, 11, 24]]}, "2026-11-24", 2026),
        ({"issued": [[2026, 11]]}, None, 2026),
        ({"published-print": [[2027, 1]], "published-online": [[2026, 12, 30]]}, "2026-12-30", 2026),
        ({"published-print": [[2026, 1, 5]], "published-online": [[2025]]}, "2026-01-05", 2026),
        ({"issued": [[None]]}, None, None),
        ({"issued": [[]]}, None, None),
        ({"issued": []}, None, None),
        ({"issued": [[2026, 2, 30]]}, None, 2026),
        ({"issued": [[0, 1, 1]]}, None, None),
        ({"issued": [[9999, 1, 1]]}, None, None),
        ({"issued": [[True, True, True]]}, None, None),
        ({"issued": [["2026", "11", "24"]]}, None, None),
        ({"issued": [[2026, 10**30, 1]]}, None, 2026),
    ],
)
def test_dates_come_in_parts(dates: dict[str, Any], published: str | None, year: int | None) -> None:
    work = {"DOI": "10.5555/x", "title": ["T"], **{name: {"date-parts": parts} for name, parts in dates.items()}}
    paper = parse_work(work)
    assert paper is not None
    assert (paper.published.date().isoformat() if paper.published else None) == published
    assert paper.year == year


@pytest.mark.parametrize(
    ("title", "subtitle", "shown"),
    [
        (["A"], [], "A"),
        ("An old record", None, "An old record"),
        (["A"], ["B"], "A: B"),
        (["Why?"], ["Because"], "Why? Because"),
        (["Rivers: a study"], ["A study"], "Rivers: a study"),
        ([None, "A"], [None], "A"),
        (["The <i>lacZ</i> gene in <scp>E.</scp> coli"], [], "The lacZ gene in E. coli"),
    ],
)
def test_titles_are_made_whole(title: Any, subtitle: Any, shown: str) -> None:
    paper = parse_work({"DOI": "10.5555/x", "title": title, "subtitle": subtitle})
    assert paper is not None
    assert paper.title == shown


def test_a_refusal_is_named() -> None:
    with pytest.raises(SourceError, match=r"^Crossref refused the request: This route does not support rows\.$"):
        parse_works(said("failed.json"))
    with pytest.raises(SourceError, match="no record"):
        parse_work("Resource not found.")


@given(st.sampled_from(["work.json", "works.json", "failed.json"]).flatmap(lambda name: spoilt(said(name))))
def test_hostile_answers_give_clean_papers_or_a_named_error(answer: Any) -> None:
    for parse in (parse_works, parse_work):
        try:
            found = parse(answer)
        except SourceError as error:
            assert str(error).startswith("Crossref ")  # noqa: PT017 - either is right
            continue
        papers = getattr(found, "papers", [found] if found else [])
        assert all(clean(paper) for paper in papers)


def test_recorded_answers() -> None:
    if not FEEDS.exists():
        pytest.skip("no ../shared/feeds here")
    lists = {"bad_doi.json": 0, "work.json": 1}
    for path in sorted(FEEDS.glob("*.json")):
        if path.name == "work_2.json":  # 404, and no JSON: the client says so
            continue
        answer = json.loads(path.read_text(encoding="utf-8"))
        if answer.get("message-type") == "work-list":
            papers = list(parse_works(answer).papers)
            assert len(papers) == lists.get(path.name, len(papers))
        else:
            paper = parse_work(answer)
            assert paper is not None, path.name
            papers = [paper]
        assert all(clean(paper) for paper in papers)
