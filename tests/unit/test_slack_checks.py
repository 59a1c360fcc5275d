"""The bot's own table of permissions against that of the fake, which is from Slack's reference; what a town refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.config import Settings
from bot.platforms.slack.manifest import EVENTS, scopes
from bot.platforms.slack.methods import METHODS
from tests.fakes.slack.methods import METHODS as SLACKS
from tests.fakes.slack.state import EVENTS as SLACKS_EVENTS
from tests.fakes.slack.state import SCOPES
from tests.fakes.slack_checks import Checks, needed_scope

PUBLIC, PRIVATE, DIRECT = ("C1", False), ("C2", True), ("D1", False)
NEVER = {"im:read"}  # the bot asks nothing about a direct message


@pytest.mark.parametrize("method", sorted(METHODS.keys() & SLACKS.keys()))
def test_each_method_has_the_permissions_that_slack_asks_for(method: str) -> None:
    needed = {needed_scope(method, *place) for place in (PUBLIC, PRIVATE, DIRECT)} - NEVER - {""}
    assert set(METHODS[method].scopes) == needed


def test_the_manifest_asks_for_what_is_needed_and_no_more() -> None:
    assert set(scopes(Settings(data_dir=Path("/nonexistent")))) == SCOPES
    assert set(EVENTS) == SLACKS_EVENTS


BLOCKS = [{"type": "section", "text": {"type": "plain_text", "text": "x" * 3001}}]
VIEW = {"type": "modal", "title": {"type": "plain_text", "text": "x" * 25}, "blocks": []}


@pytest.mark.parametrize(
    ("method", "form", "code"),
    [
        ("chat.postMessage", {"channel": "C1", "text": "x", "blocks": BLOCKS}, "invalid_blocks"),
        ("chat.postMessage", {"channel": "C1"}, "no_text"),
        ("chat.postMessage", {"channel": "C1", "text": "x", "metadata": {"key": 1}}, "invalid_metadata_schema"),
        ("response_url", {"blocks": BLOCKS}, "invalid_blocks"),
        ("views.open", {"view": VIEW}, "invalid_arguments"),
        ("views.publish", {"view": {**VIEW, "title": {"type": "plain_text", "text": "x"}}}, "invalid_arguments"),
        ("chat.meMessage", {}, "unknown_method"),
    ],
)
def test_what_slack_refuses_is_refused(method: str, form: dict[str, Any], code: str) -> None:
    checks = Checks()
    refusal = checks.refusal(method, "T1", form)
    assert refusal is not None
    assert refusal.body["error"] == code
    assert [name for name, _ in checks.refused] == [method]
    assert Checks(strict=False).refusal(method, "T1", form) is None


def test_a_permission_that_lacks_is_named() -> None:
    checks = Checks(granted={"T1": SCOPES - {"groups:history"}}, private={"C2"})
    assert checks.refusal("conversations.history", "T1", {"channel": "C1"}) is None
    assert checks.refusal("conversations.history", "T2", {"channel": "C2"}) is None
    refusal = checks.refusal("conversations.history", "T1", {"channel": "C2"})
    assert refusal is not None
    assert (refusal.body["error"], refusal.body["needed"]) == ("missing_scope", "groups:history")
    assert "chat:write" in refusal.body["provided"]


def test_limits_are_switched_on() -> None:
    checks = Checks()
    checks.limits.messages = True
    form = {"channel": "C1", "text": "x"}
    assert checks.refusal("chat.postMessage", "T1", form) is None
    refusal = checks.refusal("chat.postMessage", "T1", form)
    assert refusal is not None
    assert (refusal.status, refusal.headers["Retry-After"]) == (429, "1")
