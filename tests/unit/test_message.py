"""Clipping text by its escaped length, and paging cards."""

import html
import json
import re
from collections.abc import Callable
from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.grammar import spoken
from bot.core.message import ELLIPSIS, Button, Card, Message, fit, from_json, to_json, whole

FAMILY = "👩\u200d👩\u200d👧"
FLAGS = "🇩🇪🇫🇷🇨🇦"


def markdown(text: str) -> str:
    """Escape as Discord wants it."""
    return re.sub(r"([\\*_~`|>#\[\]()-])", r"\\\1", text)


escapes = st.sampled_from([str, html.escape, markdown])
hard = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            ["&", "<b>", "__", "e\u0301", "क्षि", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", FAMILY, FLAGS, " ", "\n", "漢字"]
        ),
    ),
    max_size=30,
).map("".join)


@settings(deadline=None)
@given(hard, st.integers(-1, 60), escapes)
@example("&" * 3000, 50, html.escape)
@example("_" * 2000, 50, markdown)
@example("a" + "\u0301" * 100, 10, str)
@example(FLAGS, 4, str)
def test_fit_is_a_clipped_prefix_of_the_escaped_text(text: str, limit: int, escape: Callable[[str], str]) -> None:
    shown = fit(text, limit, escape)
    assert len(shown) <= max(limit, 0)
    if shown == escape(text):
        return
    if not shown:
        assert limit < len(escape(ELLIPSIS))
        return
    assert shown.endswith(ELLIPSIS)
    kept = shown.removesuffix(ELLIPSIS)
    ends = [end for end in range(min(len(text), len(kept)) + 1) if escape(text[:end]) == kept]
    assert ends, "an entity or an escape was split"
    assert any(clean(text, end) for end in ends)


def clean(text: str, end: int) -> bool:
    """Whether a cut at `end`, moved on over spaces, leaves graphemes whole."""
    if end == 0:
        return True
    after = text[end:].lstrip()
    return not after or not (after == text[end:] and (category(after[0]).startswith("M") or text[end - 1] == "\u200d"))


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "क्",
        "👍🏽",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        FAMILY,
        "🇩🇪",
        "🏴\U000e0067\U000e0062\U000e007f",
        "\ud83d\ude00",
        "ก็",
        "שָׁ",
    ],
)
def test_a_grapheme_stays_whole_or_goes(cluster: str) -> None:
    for limit in range(2, len(cluster) * 3 + 2):
        kept = fit(f"x{cluster * 3}y", limit).removesuffix("y").removesuffix(ELLIPSIS)
        assert kept.removeprefix("x").replace(cluster, "") == ""


def test_what_fits_is_left_alone() -> None:
    assert fit("a & b", 9, html.escape) == "a &amp; b"
    assert fit("a & b", 8, html.escape) == "a &amp;…"
    assert fit("a & b", 7, html.escape) == "a…"
    assert fit("", 0) == ""
    assert fit("abc", 0) == ""
    assert fit("abc", 1) == "…"
    assert fit("e\u0301e\u0301", 2) == "…"


@pytest.mark.parametrize(
    ("text", "limit", "escape", "longest"),
    [
        ("x" * 3001, 3000, html.escape, "x" * 2999 + "…"),
        ("x" * 2999 + "&&", 3000, html.escape, "x" * 2999 + "…"),
        ("&" * 3000, 3000, html.escape, "&amp;" * 599 + "…"),
        ("_" * 2000, 2000, markdown, "\\_" * 999 + "…"),
        ("two words here", 10, str, "two words…"),
    ],
)
def test_as_much_as_fits_is_kept(text: str, limit: int, escape: Callable[[str], str], longest: str) -> None:
    assert fit(text, limit, escape) == longest


@pytest.mark.parametrize("letter", ["a", "&", "\u0301", "🇩", " ", "\u200d"])
def test_a_megabyte_is_escaped_once_and_else_little_work(letter: str) -> None:
    text = "a" + letter * 999_999
    seen: list[int] = []

    def escape(part: str) -> str:
        seen.append(len(part))
        return html.escape(part)

    assert len(fit(text, 3000, escape)) <= 3000
    assert seen[0] == 1_000_000
    assert sum(seen[1:]) <= 3002 * 20


@settings(deadline=None)
@given(hard, st.integers(0, 60))
def test_whole_goes_back_only(text: str, end: int) -> None:
    cut = whole(text, end)
    assert 0 <= cut <= end
    assert whole(text, cut) == cut


def test_a_stored_message_keeps_its_topics_and_old_ones_have_none() -> None:
    card = Card("x:1", "A", lines=("b",), buttons=(Button("More", "more:1:0"),))
    message = Message("5 of 7", (card,), footer="next", topics=("robots", "soup; bread"))
    stored = json.loads(json.dumps(to_json(message)))
    assert from_json(stored) == message
    for name in ("topics", "if_closed", "choices"):
        del stored[name]
    assert from_json(stored) == Message("5 of 7", (card,), footer="next")


def test_what_is_said_of_closed_messages_calls_the_command_as_it_is_called_here() -> None:
    assert spoken(Message(if_closed="type /papers digest"), "lab").if_closed == "type /lab digest"
