"""Presses: in a channel, in a direct message, in a private answer, in a window and on the bot's own page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.core.message import Message
from bot.core.request import Request
from tests.fakes.rig_slack import RIGS, Rig, shown


def answer(request: Request) -> Message:
    """Answer as the core does: a page, and what undoes, takes the place of what was pressed."""
    return Message("Answer.", in_place=request.action.startswith(("page:", "undo:")))


@pytest.fixture(params=RIGS)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    made = RIGS[request.param]()
    made.answers = lambda request: (Message("Home.") if request.event else answer(request),)
    yield await made.open()
    await made.close()


@pytest.mark.parametrize("action", ["page:1:2", "more:1:0"])
async def test_in_a_channel_it_is_answered_newly_and_privately(rig: Rig, action: str) -> None:
    await rig.town.press(action)
    await rig.town.until(lambda: rig.town.replies)
    body = rig.town.replies[0].body
    assert (body["response_type"], body["replace_original"]) == ("ephemeral", False)
    assert rig.requests[0].address.channel == "C1"
    assert not rig.town.called("chat.update")
    assert not rig.town.posted["C1"]


@pytest.mark.parametrize(("action", "replaces"), [("page:1:2", True), ("undo:1", True), ("more:1:0", False)])
async def test_a_private_answer_is_turned_in_place(rig: Rig, action: str, replaces: bool) -> None:
    container = {"type": "message", "message_ts": "1.1", "channel_id": "C1", "is_ephemeral": True}
    await rig.town.press(action, container=container)
    await rig.town.until(lambda: rig.town.replies)
    assert rig.town.replies[0].body["replace_original"] is replaces


@pytest.mark.parametrize(("action", "replaces"), [("page:1:2", True), ("more:1:0", False)])
async def test_a_direct_message_is_turned_in_place(rig: Rig, action: str, replaces: bool) -> None:
    await rig.slack.send(rig.address, Message("Digest."), "key")
    ts = rig.town.posted["DUADA"][0]["ts"]
    await rig.town.press(action, channel="DUADA", ts=ts)
    await rig.town.until(lambda: "Answer." in shown([one["blocks"] for one in rig.town.posted["DUADA"]]).text)
    assert len(rig.town.posted["DUADA"]) == (1 if replaces else 2)
    assert rig.requests[0].address.channel == ""


async def test_an_error_takes_no_place(rig: Rig) -> None:
    rig.answers = lambda _request: (Message("This list has expired: run it again.", private=True),)
    container = {"type": "message", "message_ts": "1.1", "channel_id": "C1", "is_ephemeral": True}
    await rig.town.press("page:1:2", container=container)
    await rig.town.until(lambda: rig.town.replies)
    assert rig.town.replies[0].body["replace_original"] is False
    await rig.slack.send(rig.address, Message("Digest."), "key")
    await rig.town.press("page:1:2", channel="DUADA", ts=rig.town.posted["DUADA"][0]["ts"])
    await rig.town.until(lambda: len(rig.town.posted["DUADA"]) == 2)


async def test_a_double_click_has_one_effect(rig: Rig) -> None:
    actions = [{"type": "button", "action_id": "press:1", "value": "more:1:0", "action_ts": "5.5"}]
    hooks = rig.town._hooks("C1", "UADA")
    await asyncio.gather(*(rig.town.press("more:1:0", actions=actions, **hooks) for _ in range(3)))
    await rig.town.until(lambda: rig.town.replies)
    await asyncio.sleep(0.05)
    assert len(rig.requests) == 1


async def test_a_menu_is_pressed(rig: Rig) -> None:
    option = {"text": {"type": "plain_text", "text": "Similar"}, "value": "similar:1:0"}
    await rig.town.press("", actions=[{"type": "overflow", "action_id": "menu:1", "selected_option": option}])
    await rig.town.until(lambda: rig.requests)
    assert rig.requests[0].action == "similar:1:0"


async def test_a_link_that_was_opened_needs_no_answer(rig: Rig) -> None:
    await rig.town.press("", actions=[{"type": "button", "action_id": "open:1", "url": "https://x.example"}])
    await asyncio.sleep(0.05)
    assert not rig.requests
    assert not rig.town.replies


async def test_on_the_home_a_window_opens_at_once_and_the_page_is_renewed(rig: Rig) -> None:
    view = {"id": "VHOME", "type": "home", "callback_id": "home", "app_installed_team_id": "T1"}
    await rig.town.press("more:1:0", view=view, container={"type": "view", "view_id": "VHOME"}, channel=None)
    await rig.town.until(lambda: rig.town.homes)
    assert rig.town.called("views.open")[0]["view"]["callback_id"] == "loading"
    (window,) = rig.town.views.values()
    assert "Answer." in shown(window["blocks"]).text
    assert [request.event for request in rig.requests] == ["", "home"]
    assert rig.requests[0].address.channel == "home"


async def test_in_a_window_it_is_answered_there(rig: Rig) -> None:
    view = {"id": "V7", "type": "modal", "callback_id": "answer", "private_metadata": '{"channel":"C1"}'}
    rig.town.views["V7"] = view
    await rig.town.press("page:1:2", view=view, container={"type": "view", "view_id": "V7"}, channel=None)
    await rig.town.until(lambda: rig.town.called("views.update"))
    assert "Answer." in shown(rig.town.views["V7"]["blocks"]).text


async def test_a_window_that_was_closed_is_answered_directly(rig: Rig) -> None:
    view = {"id": "V8", "type": "modal", "callback_id": "answer"}
    await rig.town.press("page:1:2", view=view, container={"type": "view", "view_id": "V8"}, channel=None)
    await rig.town.until(lambda: rig.town.posted["DUADA"])
