"""What the fake Slack says of blocks and views: at each limit one that passes, and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.slack.blocks import TOTAL, faults_of_blocks, faults_of_view, weight
from tests.fakes.slack.chat import metadata
from tests.fakes.slack.errors import Fault


def plain(text: str) -> dict[str, Any]:
    """Return a text object."""
    return {"type": "plain_text", "text": text}


def section(length: int, **more: Any) -> dict[str, Any]:
    """Return a section with so many characters."""
    return {"type": "section", "text": plain("x" * length), **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    """Return a row of elements."""
    return {"type": "actions", "elements": list(elements)}


def button(**more: Any) -> dict[str, Any]:
    """Return a button."""
    return {"type": "button", "text": plain("Go"), **more}


def overflow(count: int = 2, **more: Any) -> dict[str, Any]:
    """Return a menu of so many entries."""
    return {"type": "overflow", "options": [{"text": plain("x"), "value": str(n), **more} for n in range(count)]}


def rich(*elements: dict[str, Any]) -> dict[str, Any]:
    """Return rich text."""
    return {"type": "rich_text", "elements": list(elements)}


def said(*parts: dict[str, Any]) -> dict[str, Any]:
    """Return a section of rich text."""
    return {"type": "rich_text_section", "elements": list(parts)}


def text_field(**more: Any) -> dict[str, Any]:
    """Return an input."""
    element = {"type": "plain_text_input", "action_id": "a", **more}
    return {"type": "input", "block_id": "b", "label": plain("L"), "element": element}


def modal(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a window."""
    return {"type": "modal", "title": plain("T"), "blocks": list(blocks), **more}


PASS = [
    section(3000),
    {"type": "header", "text": plain("x" * 150)},
    {"type": "context", "elements": [plain("x")] * 10},
    actions(*[button(action_id=str(n)) for n in range(25)]),
    actions(button(value="x" * 2000, url="https://x.org/" + "a" * 2900, action_id="a" * 255)),
    actions(overflow(5, value="v" * 150)),
    actions(overflow(1, url="https://x.org", description=plain("d" * 75))),
    section(1, accessory=button()),
    rich(
        said({"type": "text", "text": "x", "style": {"bold": True}}, {"type": "link", "url": "https://x.org"}),
        {"type": "rich_text_quote", "elements": [{"type": "text", "text": "x"}]},
        {"type": "rich_text_list", "style": "bullet", "elements": [said({"type": "text", "text": "x"})]},
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x"}]},
    ),
    text_field(),
]
REFUSED = [
    ({"type": "nothing"}, "unsupported type"),
    ({}, "type"),
    (section(3001), "3001"),
    (section(0), "more than 0"),
    ({"type": "section"}, "one of"),
    (section(1, colour="red"), "invalid additional property: colour"),
    (section(1, block_id="b" * 256), "256"),
    ({"type": "header", "text": plain("x" * 151)}, "151"),
    ({"type": "header", "text": {"type": "mrkdwn", "text": "x"}}, "plain_text"),
    ({"type": "context", "elements": [plain("x")] * 11}, "no more than 10"),
    (actions(*[button(action_id=str(n)) for n in range(26)]), "no more than 25"),
    (actions(), "no fewer than 1"),
    (actions({**button(), "text": plain("x" * 76)}), "76"),
    (actions(button(value="x" * 2001)), "2001"),
    (actions(button(url="https://x.org/" + "a" * 3000)), "3001"),
    (actions(button(url="x.org")), "URL"),
    (actions(button(action_id="a" * 256)), "256"),
    (actions(button(action_id="a"), button(action_id="a")), "already exists"),
    (actions(button(style="blue")), "one of"),
    (actions(overflow(6)), "no more than 5"),
    (actions(overflow(0)), "no fewer than 1"),
    (actions(overflow(value="v" * 151)), "151"),
    (actions(overflow(description=plain("d" * 76))), "76"),
    (actions({"type": "plain_text_input", "action_id": "a"}), "unsupported type"),
    (actions({"type": "timepicker", "initial_time": "9:00"}), "pattern"),
    (actions({"type": "timepicker", "initial_time": "24:00"}), "pattern"),
    (rich({"type": "text", "text": "x"}), "unsupported type"),
    (rich(said({"type": "text", "text": ""})), "more than 0"),
    (rich(said({"type": "mrkdwn", "text": "x"})), "unsupported type"),
    (rich({"type": "rich_text_list", "style": "bullet", "elements": [{"type": "text", "text": "x"}]}), "unsupported"),
    (rich(said({"type": "text", "text": "x", "style": {"big": True}})), "additional property"),
    (text_field(max_length=3001), "integer"),
    (text_field(placeholder=plain("x" * 151)), "151"),
]


@pytest.mark.parametrize("block", PASS)
def test_what_is_within_the_limits_passes(block: dict[str, Any]) -> None:
    assert faults_of_blocks([block]) == []


@pytest.mark.parametrize(("block", "words"), REFUSED)
def test_what_is_not_is_refused_with_a_pointer(block: dict[str, Any], words: str) -> None:
    faults = faults_of_blocks([block])
    assert faults
    assert words in " ".join(faults)
    assert "[json-pointer:/blocks/0" in faults[0]


def test_counts_totals_and_ids_of_a_message() -> None:
    assert faults_of_blocks([{"type": "divider"}] * 50) == []
    assert "no more than 50" in faults_of_blocks([{"type": "divider"}] * 51)[0]
    twice = [{"type": "divider", "block_id": "a"}] * 2
    assert "block_id `a` already exists" in faults_of_blocks(twice)[0]
    apart = [actions(button(action_id="a")), actions(button(action_id="a"))]
    assert faults_of_blocks(apart) == []
    # As measured: 13,297 characters of one markdown block pass, and 13,172 beside a divider.
    markdown = {"type": "markdown", "text": "x" * 13_297}
    assert weight([markdown]) == TOTAL
    assert weight([markdown, {"type": "divider"}]) > TOTAL
    assert weight([{"type": "markdown", "text": "x" * 13_172}, {"type": "divider"}]) == TOTAL


def test_views() -> None:
    assert faults_of_view(modal({"type": "divider"})) == []
    assert faults_of_view(modal(text_field(), submit=plain("Go"), private_metadata="x" * 3000)) == []
    assert "submit" in faults_of_view(modal(text_field()))[0]
    assert "25 characters" in faults_of_view({**modal(), "title": plain("x" * 25)})[0]
    assert "25 characters" in faults_of_view(modal(submit=plain("x" * 25)))[0]
    assert "3001" in faults_of_view(modal(private_metadata="x" * 3001))[0]
    assert "no more than 100" in faults_of_view(modal(*[{"type": "divider"}] * 101))[0]
    assert "additional property: title" in faults_of_view({**modal(), "type": "home"}, "home")[0]
    chosen: dict[str, Any] = {"type": "static_select", "options": [{"text": plain("a"), "value": "a"}]}
    chosen["initial_option"] = {"text": plain("b"), "value": "b"}
    assert "does not match any" in faults_of_view(modal(actions(chosen)))[0]


def test_metadata() -> None:
    fine = {"event_type": "digest", "event_payload": {"key": "k", "n": 1, "list": [{"a": True}]}}
    assert metadata(fine) == fine
    for said_, code in [
        ("x", "invalid_metadata_format"),
        ({"event_type": "a"}, "invalid_metadata_schema"),
        ({"event_type": "a b", "event_payload": {}}, "invalid_metadata_schema"),
        ({"event_type": "a", "event_payload": {"k": None}}, "invalid_metadata_schema"),
        ({"event_type": "a", "event_payload": {"k": "x" * 9000}}, "metadata_too_large"),
    ]:
        with pytest.raises(Fault, match=code):
            metadata(said_)
