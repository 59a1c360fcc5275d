"""OpenReview's notes to papers: both interfaces, what was decided, and what no note should look like."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import SourceError
from bot.sources._openreview_notes import Note, parse_notes, state_of
from recommender.types import Paper

DATA = Path(__file__).parents[1] / "data" / "openreview"


def read(name: str) -> list[Note]:
    return list(parse_notes((DATA / name).read_bytes()).notes)


def one(**content: Any) -> Note:
    note = {"id": "abcdef1234", "forum": "abcdef1234", "content": content}
    return parse_notes(json.dumps({"notes": [note]}).encode()).notes[0]


def paper(note: Note) -> Paper:
    assert note.paper is not None
    return note.paper


def test_a_note_of_the_second_interface() -> None:
    page = parse_notes((DATA / "v2_venue.json").read_bytes())
    assert page.count == 5
    first = page.notes[0]
    assert (first.id, first.venue, first.state) == ("aB3dE5fG7h", "ICLR.cc/2026/Conference", "accepted")
    assert first.changed == 1770000000000
    assert first.paper == Paper(
        id="openreview:aB3dE5fG7h",
        title="Sorting in $O(n \\log n)$ without Regret",
        abstract="We sort \\textbf{lists}. 5\\% of them were sorted before.",
        authors=("Ada Lovelace", "José Núñez"),
        published=datetime(2026, 1, 26, 4, 0, tzinfo=UTC),
        year=2026,
        url="https://openreview.net/forum?id=aB3dE5fG7h",
        source="openreview",
        venue="ICLR 2026 Oral",
        categories=("foundation or frontier models, including LLMs",),
        keywords=("sorting", "lower bounds"),
    )


def test_what_was_decided_is_told_apart_and_stands_in_the_venue() -> None:
    told = [(note.state, paper(note).venue) for note in read("v2_venue.json")]
    assert told == [
        ("accepted", "ICLR 2026 Oral"),
        ("rejected", "Submitted to ICLR 2026 (rejected)"),
        ("withdrawn", "Submitted to ICLR 2026 (withdrawn)"),
        ("desk rejected", "Submitted to ICLR 2026 (desk rejected)"),
        ("under review", "Submitted to ICLR 2026 (under review)"),
    ]
    assert {paper(note).year for note in read("v2_venue.json")} == {2026}


def test_notes_of_the_first_interface() -> None:
    found = read("v1_venue.json")
    told = [(note.state, note.paper.venue if note.paper else None) for note in found]
    assert told == [
        ("accepted", "ICLR 2022 Poster"),
        ("", "Submitted to ICLR 2022"),
        ("accepted", "ICLR 2019"),
        ("rejected", "Submitted to ICLR 2019 (rejected)"),
        ("withdrawn", "Submitted to ICLR 2019 (withdrawn)"),
        ("rejected", "Submitted to ICLR 2017 (rejected)"),
    ]
    linked = paper(found[0])
    assert linked.ids == ("arxiv:2110.01234",)
    assert linked.authors == ("Grace Hopper",)
    assert linked.categories == ("Deep Learning and representational learning",)
    unnamed = paper(found[2])
    assert unnamed.authors == ()
    assert unnamed.abstract == "A short version, for there is no abstract."


@pytest.mark.parametrize(
    ("venue", "state"),
    [
        ("ICLR.cc/2026/Conference", "accepted"),
        ("NeurIPS.cc/2025/Datasets_and_Benchmarks_Track", "accepted"),
        ("TMLR", "accepted"),
        ("TMLR/Under_Review", "under review"),
        ("TMLR/Decision_Pending", "under review"),
        ("ICLR.cc/2026/Conference/Rejected_Submission", "rejected"),
        ("ICLR.cc/2026/Conference/Desk_Rejected_Submission", "desk rejected"),
        ("ICLR.cc/2026/Conference/Withdrawn_Submission", "withdrawn"),
        ("ICLR.cc/2026/Conference/Submission", "under review"),
        ("dblp.org/conf/ICML/2020", "accepted"),
    ],
)
def test_the_id_of_a_venue_says_what_became_of_a_paper(venue: str, state: str) -> None:
    assert state_of(venue) == state
    assert one(title={"value": "A title"}, venueid={"value": venue}, venue={"value": "V"}).state == state


def test_replies_and_deleted_notes_are_no_papers() -> None:
    content = {"title": {"value": "Great work"}, "venueid": {"value": "ICLR.cc/2026/Conference"}}
    notes = [
        {"id": "reply12345", "forum": "abcdef1234", "replyto": "abcdef1234", "content": content},
        {"id": "gone123456", "forum": "gone123456", "ddate": 1770000000000, "content": content},
        {"id": "nothing123", "forum": "nothing123", "content": {}},
        {"id": "<script>", "content": content},
        {"id": "x" * 5000, "content": content},
        {"content": content},
        None,
        7,
    ]
    found = parse_notes(json.dumps({"notes": notes}).encode()).notes
    assert [(note.id, note.paper) for note in found] == [
        ("reply12345", None),
        ("gone123456", None),
        ("nothing123", None),
        ("<script>", None),
    ]


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>Just a moment</html>", b"[]", b"{}", b'{"notes": 3}', b"\xff\xfe", b"[" * 100_000, b'{"notes": ['],
)
def test_what_is_no_answer_is_named(body: bytes) -> None:
    with pytest.raises(SourceError, match="OpenReview"):
        parse_notes(body)


def test_authors_may_be_people_with_profiles() -> None:
    people = [{"fullname": "Ada Lovelace", "username": "~Ada_Lovelace1"}, {"fullname": None}, 3, None]
    assert paper(one(title={"value": "T"}, authors={"value": people})).authors == ("Ada Lovelace",)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just("x" * 100_000)
    | st.just("\x00\u202e\ud800"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["value", "name", "a"]), inner, max_size=2)
    ),
    max_leaves=5,
)
NAMES = ["title", "abstract", "authors", "keywords", "primary_area", "venue", "venueid", "TLDR", "pdf", "decision"]


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["forum", "replyto", "cdate", "pdate", "tmdate", "ddate", "invitation", "details"]), VALUES
    ),
    st.dictionaries(st.sampled_from(NAMES), VALUES),
)
def test_whatever_stands_in_a_note_the_papers_are_clean(note: dict[str, Any], content: dict[str, Any]) -> None:
    body = json.dumps({"notes": [note | {"id": "abcdef1234", "content": content}]}).encode()
    for found in parse_notes(body).notes:
        if found.paper is not None:
            texts = (
                found.paper.title,
                found.paper.abstract,
                found.paper.venue,
                *found.paper.authors,
                *found.paper.keywords,
            )
            for text in (*texts, *found.paper.categories):
                assert not {unicodedata.category(character) for character in text} & {"Cc", "Cs"}
                assert "None" not in text or "None" in json.dumps(content)
            assert found.paper.title
            assert found.paper.id == "openreview:abcdef1234"
            assert found.paper.published is None or found.paper.published.tzinfo is UTC
