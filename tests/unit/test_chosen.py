"""Sources as they are chosen: what specs mean, what is refused by name, and how sources do in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.specs import SPEC_LIMIT, read_spec, read_specs
from bot.core.standing import called, standing, waiting
from bot.errors import SettingsError
from bot.jobs.chosen import chosen, members, usable
from bot.store.sources import SourceState
from tests.fakes.choosing import KINDS

NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("typed", "spec"),
    [
        ("arxiv:cs.CL", "arxiv:cs.CL"),
        (" arXiv : cs.CL ", "arxiv:cs.CL"),
        ("HuggingFace", "huggingface"),
        ("rss:https://example.org/feed?a=1", "rss:https://example.org/feed?a=1"),
    ],
)
def test_specs_are_read(typed: str, spec: str) -> None:
    assert read_spec(typed) == spec


@pytest.mark.parametrize("typed", ["", ":", ":cs.CL", "arxiv:", "ar\x00xiv", "a:\u202eb", "rss:" + "x" * SPEC_LIMIT])
def test_what_is_no_spec_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=r"names no source|longer than"):
        read_spec(typed)


def test_several_are_read_once_each() -> None:
    assert read_specs(" arxiv:cs.CL, ,arxiv:cs.CL,huggingface,") == "arxiv:cs.CL,huggingface"
    assert read_specs("") == ""


def test_a_kind_makes_one_source_of_all_or_one_of_each() -> None:
    made = chosen(KINDS, ["lists:a", "feed:x", "lists:b", "feed:y"], None)
    assert sorted(made) == ["always", "feed:x", "feed:y", "lists"]
    assert members(KINDS, ["lists:a", "feed:x", "lists:b"], None) == {
        "always": [],
        "lists": ["lists:a", "lists:b"],
        "feed:x": ["feed:x"],
    }


def test_two_that_are_called_the_same_are_two() -> None:
    assert {"feed:x", "feed:x (2)"} < set(chosen(KINDS, ["feed:x", "feed:x?page=2"], None))


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("list:a", "Did you mean lists"),
        ("gopher:a", "There are: feed, lists"),
        ("local", "paperround import FILE"),
        ("always", "asked in any case"),
        ("index", "papers are looked up there"),
        ("lists:bad", "lists:bad has a bad name"),
    ],
)
def test_what_cannot_be_is_refused_by_name(spec: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as caught:
        chosen(KINDS, [spec], None)
    assert spec.partition(":")[0] in str(caught.value)
    found, refused = usable(KINDS, ["lists:a", spec], None)
    assert ("lists" in found, list(refused)) == (True, [spec])


@dataclass
class Case:
    """What is known of a source, and what is said of it."""

    said: str
    known: dict[str, Any]


AT = NOW - HOUR


@pytest.mark.parametrize(
    "case",
    [
        Case("not asked yet", {}),
        Case("asked at 08:00, and not read to the end yet", {"asked_at": AT}),
        Case("fresh, 08:00; next 10:00", {"asked_at": AT, "answered_at": AT, "next_at": NOW + HOUR}),
        Case("fresh, 08:00; no lists on Sundays", {"asked_at": AT, "answered_at": AT, "rests": "no lists on Sundays."}),
        Case("behind since Tue 1 Dec 09:00; next try 10:00", {
            "asked_at": AT, "answered_at": AT, "behind_since": NOW - 24 * HOUR, "next_at": NOW + HOUR,
        }),
        Case("failing since 08:00 (HTTP 503); next try 10:00", {
            "asked_at": AT, "failing_since": AT, "error": "HTTP\x00 503.", "next_at": NOW + HOUR,
        }),
        Case("not asked since Tue 1 Dec 09:00, and due since 06:00", {
            "asked_at": NOW - 24 * HOUR, "answered_at": NOW - 24 * HOUR, "next_at": NOW - 3 * HOUR,
        }),
    ],
    ids=lambda case: case.said[:12],
)  # fmt: skip
def test_how_a_source_does_is_one_line(case: Case) -> None:
    assert standing(SourceState("arxiv", **case.known), "UTC", NOW) == case.said


def test_sources_are_named_with_what_is_chosen() -> None:
    assert called("arxiv", ["arxiv:cs.CL", "rss:x", "arxiv:cs.LG"]) == "arXiv cs.CL, cs.LG"
    assert called("openreview:ICLR.cc/2026/Conference", []) == "OpenReview ICLR.cc/2026/Conference"
    asked = [SourceState("rss:x.org/feed", asked_at=NOW), SourceState("arxiv")]
    assert waiting(["rss:https://x.org/feed", "arxiv:cs.CL"], asked) == ["arxiv:cs.CL"]
