"""HTTP mode: what Slack did not sign, or nobody can read, goes no further. Settings: what is missing is named."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from bot.config import Settings
from bot.core.message import Message
from bot.core.ports import Limits
from bot.errors import SettingsError
from bot.platforms._setup import Setup
from bot.platforms.slack import Slack
from bot.store.engine import Store
from tests.fakes.rig_slack import Rig

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    made = Rig("http")
    made.answers = lambda request: (Message("Answer."),)
    yield await made.open()
    await made.close()


def typed(rig: Rig) -> bytes:
    names = {"team_id": "T1", "channel_id": "C1", "user_id": "UADA", "command": "/papers", "text": "search x"}
    return urlencode({**names, **rig.town._hooks("C1", "UADA")}).encode()


async def test_the_address_is_verified(rig: Rig) -> None:
    status, body = await rig.town.post(json.dumps({"type": "url_verification", "challenge": "abc"}).encode(), JSON)
    assert status == 200
    assert "abc" in body


@pytest.mark.parametrize("at", [-301, 301, -86400])
async def test_a_stale_or_future_signature_is_refused(rig: Rig, at: float) -> None:
    status, _ = await rig.town.post(typed(rig), FORM, at=at)
    assert status == 401
    assert not rig.requests


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Slack-Signature": "v0=00"},
        {"X-Slack-Signature": "ü"},
        {"X-Slack-Signature": ""},
        {"X-Slack-Request-Timestamp": "soon"},
        {"X-Slack-Request-Timestamp": ""},
        {"X-Slack-Request-Timestamp": "9" * 400},
    ],
)
async def test_a_forged_signature_is_refused(rig: Rig, headers: dict[str, str]) -> None:
    status, _ = await rig.town.post(typed(rig), {**FORM, **headers})
    assert status == 401
    assert not rig.requests


async def test_the_secret_of_another_app_is_refused(rig: Rig) -> None:
    status, _ = await rig.town.post(typed(rig), FORM, secret="another")
    assert status == 401


async def test_a_replay_is_done_once(rig: Rig) -> None:
    body = typed(rig)
    for _ in range(3):
        status, _ = await rig.town.post(body, FORM)
        assert status == 200
    await rig.town.until(lambda: rig.town.replies)
    await asyncio.sleep(0.05)
    assert len(rig.requests) == 1


async def test_a_body_of_ten_megabytes_is_refused(rig: Rig) -> None:
    status, _ = await rig.town.post(b"x" * 10_000_000, FORM)
    assert status == 413
    status, _ = await rig.town.post(typed(rig), FORM)
    assert status == 200


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{", JSON),
        (b"[]", JSON),
        (b"3", JSON),
        (b'"text"', JSON),
        (b"[" * 100_000, JSON),
        (b"payload=%7B", FORM),
        (b"payload=[1]", FORM),
        (b"payload=null", FORM),
    ],
)
async def test_what_cannot_be_read_is_refused(rig: Rig, body: bytes, headers: dict[str, str]) -> None:
    status, _ = await rig.town.post(body, headers)
    assert status == 400


async def test_a_body_that_is_no_text_is_refused(rig: Rig) -> None:
    status, _ = await rig.town.post(b"\xff\xfe", FORM)
    assert status in (400, 401)


@pytest.mark.parametrize("payload", [{}, {"type": "view_submission"}, {"type": "block_actions", "actions": []}])
async def test_what_lacks_parts_harms_nothing(rig: Rig, payload: dict[str, Any]) -> None:
    status, body = await rig.town.post(urlencode({"payload": json.dumps(payload)}).encode(), FORM)
    assert status in (200, 404, 500)
    assert "Traceback" not in body
    status, _ = await rig.town.post(typed(rig), FORM)
    assert status == 200


async def test_before_it_listens_slack_is_told_to_come_again(rig: Rig) -> None:
    rig._running.cancel()
    await asyncio.sleep(0.01)
    status, _ = await rig.town.post(typed(rig), FORM)
    assert status == 503


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"slack_bot_token": "xoxb-1"}, "PAPERROUND_SLACK_APP_TOKEN"),
        ({"slack_bot_token": "xoxb-1", "slack_mode": "http"}, "PAPERROUND_SLACK_SIGNING_SECRET"),
        ({"slack_client_id": "1.2", "slack_app_token": "xapp-1"}, "PAPERROUND_SECRET_KEYS"),
        ({"slack_app_token": "xapp-1"}, "PAPERROUND_SLACK_BOT_TOKEN"),
        ({"slack_signing_secret": "0123456789", "slack_mode": "http"}, "PAPERROUND_SLACK_BOT_TOKEN"),
        ({"slack_bot_token": "xoxb-1", "slack_client_id": "1.2", "slack_app_token": "xapp-1"}, "take one of them out"),
    ],
)
def test_what_is_missing_is_named(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        Slack.open(setup(**settings))


def test_without_settings_there_is_no_slack() -> None:
    assert Slack.open(setup()) is None


def test_its_limits_are_slacks() -> None:
    assert Slack.limits == Limits(4.0, 1.0, per_workspace=True)


def setup(**settings: Any) -> Setup:
    made = Settings(data_dir=Path("/nonexistent"), database_url="sqlite://", **settings)
    return Setup(made, Store.open("sqlite://"), {}, lambda: datetime.now(UTC))
