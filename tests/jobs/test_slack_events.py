"""Messages, mentions, the bot's own page, invitations, and what ends things."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.core.message import Message
from tests.fakes.rig_slack import RIGS, Rig, shown
from tests.fakes.slack_town import BOT, BOT_ID


@pytest.fixture(params=RIGS)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    made = RIGS[request.param]()
    made.answers = lambda request: (Message("Answer."),)
    yield await made.open()
    await made.close()


async def test_a_direct_message_is_answered_there(rig: Rig) -> None:
    await rig.town.message("search a &amp; b")
    await rig.town.until(lambda: rig.town.posted["DUADA"])
    assert rig.requests[0].text == "search a & b"
    assert rig.requests[0].address.channel == ""


async def test_a_mention_is_answered_once_in_its_thread(rig: Rig) -> None:
    for kind in ("app_mention", "message", "app_mention"):
        await rig.town.message(f"<@{BOT}> search x", channel="C1", type=kind, ts="55.1", channel_type="channel")
    (posted,) = await rig.town.until(lambda: rig.town.posted["C1"])
    await asyncio.sleep(0.05)
    assert len(rig.town.posted["C1"]) == 1
    assert posted["thread_ts"] == "55.1"
    assert rig.requests[0].text == "search x"


async def test_what_is_personal_comes_directly_and_the_thread_says_so(rig: Rig) -> None:
    await rig.town.message(f"<@{BOT}> subscriptions", channel="C1", type="app_mention", ts="56.1")
    (told,) = await rig.town.until(lambda: rig.town.posted["C1"])
    assert shown(told["blocks"]).text == "Sent to you."
    (direct,) = rig.town.posted["DUADA"]
    assert "Answer." in shown(direct["blocks"]).text


async def test_where_no_direct_message_can_be_written_the_thread_tells_the_person_alone(rig: Rig) -> None:
    rig.town.faults["conversations.open"] = ["cannot_dm_bot"]
    await rig.town.message(f"<@{BOT}> subscriptions", channel="C1", type="app_mention", ts="57.1")
    (whisper,) = await rig.town.until(lambda: rig.town.whispers)
    assert (whisper["user"], whisper["thread_ts"]) == ("UADA", "57.1")
    assert not rig.town.posted["C1"]


async def test_an_error_in_a_thread_is_for_one_person(rig: Rig) -> None:
    rig.answers = lambda _: (Message("That is no paper.", private=True),)
    await rig.town.message(f"<@{BOT}> show zzz", channel="C1", type="app_mention", ts="58.1")
    await rig.town.until(lambda: rig.town.whispers)
    assert not rig.town.posted["C1"]


@pytest.mark.parametrize(
    "more",
    [
        {"bot_id": "BX"},
        {"bot_id": BOT_ID, "user": BOT},
        {"user_profile": {}, "subtype": "channel_join"},
        {"subtype": "message_changed"},
        {"subtype": "bot_message"},
        {"edited": {"user": "UADA", "ts": "1.1"}},
        {"hidden": True},
    ],
)
async def test_what_nobody_wrote_just_now_is_ignored(rig: Rig, more: dict[str, Any]) -> None:
    await rig.town.message("search x", **more)
    await asyncio.sleep(0.05)
    assert not rig.requests


@pytest.mark.parametrize("retry", [{}, {"retry_attempt": 1, "retry_reason": "timeout"}])
async def test_an_event_that_comes_three_times_is_done_once(rig: Rig, retry: dict[str, Any]) -> None:
    event = {"type": "app_home_opened", "user": "UADA", "tab": "home", "channel": "DUADA"}
    for _ in range(3):
        await rig.town.event(event, event_id="Ev99", **retry)
    await rig.town.until(lambda: rig.town.homes)
    await asyncio.sleep(0.05)
    assert len(rig.requests) == 1
    assert rig.requests[0].event == "home"


async def test_the_messages_tab_is_no_home(rig: Rig) -> None:
    await rig.town.event({"type": "app_home_opened", "user": "UADA", "tab": "messages"})
    await asyncio.sleep(0.05)
    assert not rig.requests


async def test_who_invites_the_bot_is_told_alone(rig: Rig) -> None:
    await rig.town.event({"type": "member_joined_channel", "user": BOT, "channel": "C1", "inviter": "UADA"})
    (whisper,) = await rig.town.until(lambda: rig.town.whispers)
    assert (whisper["channel"], whisper["user"]) == ("C1", "UADA")
    assert rig.requests[0].event == "joined"
    assert not rig.town.posted["C1"]


@pytest.mark.parametrize("more", [{"user": "UBOB", "inviter": "UADA"}, {"user": BOT}])
async def test_others_who_join_are_no_matter(rig: Rig, more: dict[str, str]) -> None:
    await rig.town.event({"type": "member_joined_channel", "channel": "C1", **more})
    await asyncio.sleep(0.05)
    assert not rig.requests
    assert not rig.town.whispers


async def test_events_that_nobody_knows_are_acknowledged(rig: Rig) -> None:
    await rig.town.event({"type": "reaction_added", "user": "UADA"})
    await rig.town.event({"type": "channel_archive", "channel": "C1", "user": "UADA"})
    await rig.town.message("search x")
    await rig.town.until(lambda: rig.requests)
