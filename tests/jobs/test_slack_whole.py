"""The whole bot at the complete fake Slack, in both modes: Slack refuses nothing of what it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.fakes.rig_slack import shown
from tests.fakes.slack.payloads import labels
from tests.fakes.slack.state import Json
from tests.fakes.slack_whole import MODES, Whole, at_work

COMMANDS = (
    "",
    "help",
    "help subscribe",
    "topics",
    "subscriptions",
    "profile",
    "saved",
    "zzz",
    "show 99",
    "more",
    "forget",
)


@pytest.fixture(params=MODES)
async def whole(request: pytest.FixtureRequest) -> AsyncIterator[Whole]:
    async with at_work(request.param) as made:
        yield made


def words(shown_: Json) -> str:
    """Return what a person reads."""
    return shown(shown_["blocks"]).text


async def test_every_command_is_answered_privately(whole: Whole) -> None:
    for place in (whole.channel, whole.team.dm(whole.ada)):
        for command in COMMANDS:
            answer = await whole.ask(command, channel=place)
            assert words(answer)
            assert answer["is_ephemeral"]
    assert whole.slack.history(whole.channel) == []
    assert whole.refusals() == []


async def test_every_button_of_an_answer_does_something_that_slack_takes(whole: Whole) -> None:
    found = await whole.ask("search long context", whole.bob)
    for label in dict.fromkeys(labels(found["blocks"])):
        seen = await whole.slack.press(found, label, whole.bob)
        assert not seen.error, label
        if label != "Open":
            await seen.reply()
    assert whole.refusals() == []


async def test_a_channel_subscription_is_previewed_and_undone(whole: Whole) -> None:
    answer = await whole.ask("subscribe long context in=#reading")
    assert "#reading follows “long context” now" in words(answer)
    direct = whole.team.dm(whole.ada)
    await whole.slack.until(lambda: whole.slack.history(direct))
    assert whole.slack.history(whole.channel) == []
    await whole.slack.press(answer, "Undo", whole.ada)
    await whole.slack.until(lambda: "Undo" not in labels(answer["blocks"]))
    assert "follow nothing yet" in words(await whole.ask("subscriptions"))
    assert whole.refusals() == []


async def test_the_bot_joins_a_public_channel_and_asks_into_a_private_one(whole: Whole) -> None:
    room = whole.team.channel("robots", creator=whole.ada)
    closed = whole.team.channel("closed", creator=whole.ada, private=True)
    await whole.ask("subscribe robots in=#robots")
    assert whole.team.bot_user in room.members
    assert "invite" in words(await whole.ask("subscribe robots in=#closed"))
    assert whole.team.bot_user not in closed.members
    assert set(whole.refusals()) == {("conversations.info", "channel_not_found")}


async def test_a_form_is_filled_in_corrected_and_done(whole: Whole) -> None:
    await whole.slack.command(whole.channel, whole.ada, "subscribe")
    form = await whole.slack.until(lambda: _with_inputs(whole))
    missing = await whole.slack.submit(form)
    assert missing.errors
    wrong = await whole.slack.submit(form, {"Topic": "long context", "Time zone": "Marz"})
    assert wrong.errors, wrong.payload["view"]["state"]
    done = await whole.slack.submit(form, {"Topic": "long context", "Time zone": "Europe/Paris", "Time": "10:30"})
    assert not done.errors
    await whole.slack.until(lambda: "long context" in words(whole.slack.modal(whole.ada) or {"blocks": []}))
    assert "10:30" in words(await whole.ask("subscriptions"))
    assert whole.refusals() == []


async def test_the_home_page_and_its_buttons(whole: Whole) -> None:
    await whole.ask("subscribe long context")
    await whole.slack.open_home(whole.ada)
    home = await whole.slack.until(lambda: whole.slack.home(whole.ada))
    for label in dict.fromkeys(labels(home["blocks"])):
        published = len(whole.slack.called("views.publish")) + 1
        await whole.slack.press(whole.slack.home(whole.ada) or {}, label, whole.ada)
        await _published(whole, published)
        if label == "Unsubscribe":
            break
    assert whole.refusals() == []


async def test_mentions_messages_and_deliveries_that_come_twice(whole: Whole) -> None:
    await whole.slack.mention(whole.channel, whole.bob, "search sliding window", twice=True)
    await whole.slack.until(lambda: len(whole.slack.history(whole.channel)) == 2)
    mention, answer = whole.slack.history(whole.channel)
    assert answer["thread_ts"] == mention["ts"]
    direct = whole.team.dm(whole.bob)
    await whole.slack.message(direct, whole.bob, "search sliding window", twice=True)
    await whole.slack.until(lambda: len(whole.slack.history(direct)) == 2)
    await whole.slack.command(whole.channel, whole.bob, "topics", twice=True)
    await whole.slack.until(lambda: whole.slack.private(whole.channel, whole.bob))
    await asyncio.sleep(0.1)
    assert len(whole.slack.history(whole.channel)) == len(whole.slack.history(direct)) == 2
    assert len(whole.slack.private(whole.channel, whole.bob)) == 1
    assert whole.refusals() == []


async def test_an_export_comes_as_a_file_in_the_direct_message(whole: Whole) -> None:
    await whole.ask("export")
    direct = whole.team.dm(whole.ada)
    message = await whole.slack.until(lambda: next((m for m in whole.slack.history(direct) if m.get("files")), None))
    (file,) = (whole.slack.files[one["id"]] for one in message["files"])
    assert file["content"]
    assert whole.refusals() == []


@pytest.mark.parametrize("mode", MODES)
async def test_workspaces_install_it_by_a_browser_and_remove_it(mode: str) -> None:
    async with at_work(mode, by_browser=True) as whole:
        other = whole.slack.team("Other", installed=False)
        eve = other.user("eve", admin=True)
        room = other.channel("room", creator=eve)
        assert await whole.install(whole.team, whole.ada) == 200
        assert await whole.install(other, eve) == 200
        other_room = await whole.ask("subscribe long context in=#room", eve, room)
        assert "#room follows “long context” now" in words(other_room)
        assert "follow nothing yet" in words(await whole.ask("subscriptions"))
        await whole.slack.uninstall(whole.team)
        await whole.ask("subscriptions", eve, room)
        await asyncio.sleep(0.05)
        assert await whole.install(whole.team, whole.ada) == 200
        await whole.slack.open_home(whole.ada)
        await whole.slack.until(lambda: whole.slack.home(whole.ada))
        assert whole.refusals() == []


async def test_a_guest_of_another_organisation_reads_and_changes_nothing(whole: Whole) -> None:
    elsewhere = whole.slack.team("Elsewhere", installed=False)
    eve = whole.team.user("eve", home_team=elsewhere)
    whole.channel.members.add(eve.id)
    await whole.slack.mention(whole.channel, eve, "search sliding window")
    await whole.slack.until(lambda: len(whole.slack.history(whole.channel)) == 2)
    found = whole.slack.history(whole.channel)[1]
    for label in ("More like this", "Save", "Mute an author"):
        seen = await whole.slack.press(found, label, eve)
        assert "members of this workspace" in words(await seen.reply())
    assert "Papers like" in words(await (await whole.slack.press(found, "Similar papers", eve)).reply())
    assert whole.refusals() == []


async def _published(whole: Whole, times: int) -> None:
    await whole.slack.until(lambda: len(whole.slack.called("views.publish")) >= times)


def _with_inputs(whole: Whole) -> Json | None:
    view = whole.slack.modal(whole.ada)
    return view if view and any(block["type"] == "input" for block in view["blocks"]) else None
