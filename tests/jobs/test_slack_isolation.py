"""Workspaces do not read one another, whatever somebody forges; a guest of another organisation is known as one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.fernet import Fernet

from bot.core.message import Message
from bot.platforms._serve import NOT_HERE
from bot.store.installs import Install
from tests.fakes.bot import make_bot
from tests.fakes.rig_slack import Rig, buttons, shown
from tests.fakes.slack_town import BOT, BOT_ID


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    many = {"slack_client_id": "1.2", "slack_client_secret": "sEcret", "public_url": "https://papers.example.org"}
    made = Rig("socket", slack_bot_token="", secret_keys=Fernet.generate_key().decode(), **many)
    made.town.teams.add("T2")
    made.answers = lambda request: (Message(f"Answer for {request.address.workspace}."),)
    await made.open()
    for team in ("T1", "T2"):
        await made.slack._tokens.keep(Install(team, f"xoxb-{team}", BOT, BOT_ID, "A1", "", (), "", datetime.now(UTC)))
    yield made
    await made.close()


async def test_where_the_app_is_not_installed_nothing_is_done(rig: Rig) -> None:
    private: dict[str, Any] = {"container": {"type": "message", "channel_id": "C1", "is_ephemeral": True}}
    await rig.town.press("page:1:1", team="T9", **private)
    await rig.town.until(lambda: rig.town.replies)
    assert shown(rig.town.replies[0].body["blocks"]).text == NOT_HERE
    assert not rig.requests


async def test_somebody_else_s_workspace_in_a_connected_channel_is_not_ours(rig: Rig) -> None:
    await rig.town.press("more:1:0", home_team="T2")
    await rig.town.until(lambda: rig.requests)
    assert rig.requests[0].address.workspace == "T1"
    assert rig.requests[0].guest


async def test_a_guest_who_writes_is_known_as_one(rig: Rig) -> None:
    await rig.town.message("<@UBOT> search x", channel="C1", type="app_mention", user_team="T2")
    await rig.town.until(lambda: rig.requests)
    assert rig.requests[0].guest
    assert rig.requests[0].address.workspace == "T1"


async def test_who_is_at_home_is_no_guest(rig: Rig) -> None:
    await rig.town.press("more:1:0")
    await rig.town.until(lambda: rig.requests)
    assert not rig.requests[0].guest


async def test_no_id_of_another_workspace_can_be_read(rig: Rig) -> None:
    bot = make_bot()
    bot.app.platforms["slack"] = rig.slack
    rig.slack._server.invoke = bot.app.invoke
    await rig.town.command("search language models", channel="DUADA")
    await rig.town.until(lambda: rig.town.replies)
    mine = rig.town.replies[0].body["blocks"]
    known = [action for _, action in buttons(mine) if not action.startswith("open:")]
    assert known
    await rig.town.press(known[0], channel="C1")
    await rig.town.until(lambda: len(rig.town.replies) == 2)
    allowed = shown(rig.town.replies[1].body["blocks"]).text
    heads = ("page", "more", "less", "save", "similar", "show", "undo", "run", "forget")
    forged = known + [f"{head}:{number:x}:0" for head in heads for number in range(6)]
    for action in forged:
        before = len(rig.town.replies)
        await rig.town.press(action, team="T2", channel="C1")
        await rig.town.until(lambda before=before: len(rig.town.replies) > before or rig.town.posted)  # type: ignore[misc]
        told = shown(rig.town.replies[-1].body["blocks"]).text
        assert not buttons(rig.town.replies[-1].body["blocks"]), action
        assert told != allowed
        assert "expired" in told or "version" in told, (action, told)


async def test_a_press_is_answered_for_the_installation_that_slack_names(rig: Rig) -> None:
    forged: dict[str, Any] = {"view": {"id": "V1", "type": "modal", "callback_id": "answer", "private_metadata": "{}"}}
    rig.town.views["V1"] = forged["view"]
    await rig.town.press("page:1:1", team="T1", **forged, container={"type": "view"}, channel=None)
    await rig.town.until(lambda: rig.requests)
    assert rig.requests[0].address.workspace == "T1"
