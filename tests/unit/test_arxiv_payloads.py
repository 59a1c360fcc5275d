"""What arXiv sends, and what nobody should: parsed into the right papers, or refused by name."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.ids import normalise
from bot.errors import SourceError
from bot.sources._arxiv_api import parse_api
from bot.sources._arxiv_daily import CROSS_REPLACED, NEW, order, parse_daily
from bot.sources._arxiv_entry import Said, month_of, paper
from bot.sources._arxiv_fields import undoubled
from bot.sources._arxiv_oai import BAD_TOKEN, NO_RECORDS, parse_oai
from bot.sources._arxiv_withdrawn import is_withdrawn
from recommender.types import Paper

DATA = Path(__file__).parents[1] / "data" / "arxiv"
FEEDS = Path(__file__).parents[2].parent / "shared" / "feeds"
REFUSED_QUERY = b"<feed><entry><id>http://arxiv.org/api/errors#x</id><summary>bad\nid</summary></entry></feed>"
REFUSED_LIST = (
    b"<rss><channel><title>Feed error for query: x</title><description>Bad archive</description></channel></rss>"
)


def test_an_answer_of_the_api() -> None:
    found = parse_api((DATA / "api.xml").read_bytes())
    assert (found.entries, found.total) == (5, 412)
    lamps, strings, knots = found.papers
    assert lamps.id == "arxiv:2604.01234"
    assert lamps.title == "How Lamps Learn in $O(n)$ & Less"
    assert lamps.abstract == "We ask lamps. They answer."
    assert lamps.authors == ("Zoë Kühn", "P. Hořava")
    assert lamps.published == datetime(2026, 4, 2, 8, 30, tzinfo=UTC)
    assert lamps.categories == ("cs.LG", "cs.AI")
    assert lamps.ids == ("doi:10.1000/lamps.2026.3",)
    assert lamps.venue == "J. Lamps 3 (2026) 1-12"
    assert lamps.url == "https://arxiv.org/abs/2604.01234"
    assert (strings.id, strings.keywords, strings.ids) == ("arxiv:hep-th/9901001", ("withdrawn",), ())
    assert (knots.id, knots.keywords, knots.ids) == ("arxiv:math/0309136", (), ())
    assert (knots.published, knots.year, knots.abstract) == (None, None, "")


def test_a_daily_list_in_atom() -> None:
    daily = parse_daily((DATA / "daily_atom.xml").read_bytes())
    assert daily.day == date(2026, 2, 23)
    old, new = daily.listed
    assert (old.kind, new.kind) == (CROSS_REPLACED, NEW)
    assert old.paper.authors == ("René Lampe", "Antonia Müller Jr.")
    assert (old.paper.published, old.paper.year) == (datetime(2022, 3, 1, tzinfo=UTC), None)
    assert old.paper.cross_listed
    assert old.paper.ids == ("doi:10.1000/jep.257",)
    assert old.paper.abstract == "We minimise lamps."
    assert new.paper.authors == ("Deepti", "Kumar")
    assert new.paper.published == datetime(2026, 2, 23, 5, tzinfo=UTC)
    assert daily.newest() == order("arxiv:2602.10001")


def test_records_of_oai() -> None:
    found = parse_oai((DATA / "oai.xml").read_bytes())
    assert (found.records, found.token) == (3, "2604|101")
    lamps, knots = found.papers
    assert lamps.authors == ("Zoë Kühn Jr",)
    assert lamps.keywords == ("withdrawn",)
    assert lamps.categories == ("cs.LG", "cs.AI")
    assert lamps.ids == ("doi:10.1000/lamps.2026.3",)
    assert knots.id == "arxiv:math/0309136"
    assert knots.authors == ("Anna Knot", "Bo Rope", "Cy Tie")
    assert knots.published == datetime(2003, 9, 8, 14, tzinfo=UTC)


@pytest.mark.parametrize("code", [BAD_TOKEN, NO_RECORDS])
def test_errors_of_oai_that_are_answers(code: str) -> None:
    assert parse_oai(f'<OAI-PMH><error code="{code}">x</error></OAI-PMH>'.encode()).error == code


@pytest.mark.parametrize(
    ("parse", "body", "why"),
    [
        (parse_api, b"", "is empty"),
        (parse_api, b"Rate exceeded.", "is no XML"),
        (parse_api, b"<!DOCTYPE html><html><body>busy</body></html>", "is a web page"),
        (parse_api, b"<rss/>", "is no Atom feed"),
        (parse_api, REFUSED_QUERY, "bad id"),
        (parse_api, (DATA / "api.xml").read_bytes()[:900], "cut off"),
        (parse_api, b'<!DOCTYPE x [<!ENTITY a "b">]><feed>&a;</feed>', "refused"),
        (parse_daily, b"<OAI-PMH/>", "is no feed"),
        (parse_daily, REFUSED_LIST, "Bad archive"),
        (parse_oai, b"<feed/>", "none of OAI-PMH"),
        (parse_oai, b'<OAI-PMH><error code="badArgument">no such set</error></OAI-PMH>', "no such set"),
    ],
)
def test_what_is_no_answer_is_refused_by_name(parse: object, body: bytes, why: str) -> None:
    with pytest.raises(SourceError, match=why) as caught:
        parse(body)  # type: ignore[operator]
    assert "arXiv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("comment", "abstract", "gone"),
    [
        ("Withdrawn", "", True),
        ("This submission has been withdrawn by arXiv administrators", "", True),
        ("The paper is being withdrawn due to an error in Lemma 2", "", True),
        ("withdrawn by the authors", "", True),
        ("The authors have withdrawn", "This article was withdrawn.", True),
        ("12 pages", "This paper has been temporarily withdrawn.", True),
        ("12 pages; replaces the version withdrawn last year", "", False),
        ("", "We study papers that were withdrawn from arXiv. This paper has been withdrawn is what they say.", False),
        ("Withdrawn-paper detection, 8 pages", "We detect.", False),
        ("", "Customers who withdraw money", False),
    ],
)
def test_withdrawn_papers_are_told(comment: str, abstract: str, gone: bool) -> None:
    assert is_withdrawn(comment, abstract) is gone


@pytest.mark.parametrize(
    ("identifier", "month"),
    [("arxiv:2604.01234", (2026, 4)), ("arxiv:hep-th/9901001", (1999, 1)), ("arxiv:math/0309136", (2003, 9))],
)
def test_the_month_of_an_id(identifier: str, month: tuple[int, int]) -> None:
    assert month_of(identifier) == datetime(*month, 1, tzinfo=UTC)


def test_later_ids_sort_higher() -> None:
    ids = ["arxiv:2604.01234", "arxiv:2604.09999", "arxiv:2604.10000", "arxiv:2605.00001"]
    assert sorted(ids, key=order) == ids
    assert order("arxiv:1412.9999") < order("arxiv:1501.00001")


def test_a_doubled_encoding_is_undone_and_nothing_else() -> None:
    right = "<a>José Weißl</a>".encode()
    assert undoubled(right.decode("latin-1").encode()) == right
    assert undoubled(right) == right
    assert undoubled("<a>José — Ã©</a>".encode()) == "<a>José — Ã©</a>".encode()
    assert undoubled(b"<a>caf\xe9</a>") == b"<a>caf\xe9</a>"


@given(
    st.builds(
        Said,
        *([st.text(max_size=30)] * 3),
        names=st.lists(st.text(max_size=30), max_size=3),
        comment=st.text(max_size=30),
        doi=st.text(max_size=30),
        categories=st.lists(st.text(max_size=9), max_size=3),
    )
)
def test_whatever_stands_in_a_field_gives_a_clean_paper_or_none(said: Said) -> None:
    said.id = "arXiv:2604.01234v1"
    made = paper(said)
    assert made is None or (made.title and made.id == "arxiv:2604.01234")


WANTED = {
    "arxiv-api/empty_unknown_id.xml": 0,
    "arxiv-api/error_entry_bad_id_http400.xml": -1,
    "arxiv-api/search_100.xml": 100,
    "arxiv-api/transformer_search.xml": 5,
    "arxiv-api/wide_arxiv-empty-feed.xml": 0,
    "arxiv-oai/listrecords_arXiv_12_records.xml": 12,
    "arxiv-rss/rss_cs_AI_2026-04-27.xml": 3,
    "arxiv-rss/rss_cs_CL_2026-04-27.xml": 3,
    "arxiv-rss/rss_weekend_empty_cs_CL_2026-08-01.xml": 0,
    "errors/arxiv_api_429.txt": -1,
}  # -1: an error by name; all others have one


def _read(folder: str, body: bytes) -> list[Paper]:
    if folder == "arxiv-rss":
        return [each.paper for each in parse_daily(body).listed]
    return list((parse_oai if folder == "arxiv-oai" else parse_api)(body).papers)


@pytest.mark.skipif(not FEEDS.is_dir(), reason="the folder ../shared is not here")
def test_every_genuine_payload_gives_the_right_number_of_papers_or_an_error_by_name() -> None:
    entries = [entry["file"] for entry in json.loads((FEEDS / "MANIFEST.json").read_text(encoding="utf-8"))]
    files = [file for file in entries if "arxiv" in file.partition("/")[0] or file == "errors/arxiv_api_429.txt"]
    assert len(files) >= 20
    for file in files:
        body = (FEEDS / file).read_bytes()
        if WANTED.get(file, 1) < 0:
            with pytest.raises(SourceError, match="arXiv"):
                _read(file.partition("/")[0], body)
            continue
        papers = _read(file.partition("/")[0], body)
        assert len(papers) == WANTED.get(file, 1), file
        for each in papers:
            assert normalise(each.id) == each.id
            assert each.authors
            assert each.abstract
            assert each.categories
            assert each.published is not None
            assert not any("Ã" in name or "\\" in name for name in each.authors), file
