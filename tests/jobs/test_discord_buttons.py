"""Buttons on Discord: acknowledged first, answered in place or newly, after a restart and a month later too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.message import Button, Card, Form, Message
from bot.platforms.discord.listen import OLD
from tests.fakes.rig_discord import Rig

DEFERRED, UPDATES, MODAL = 5, 6, 9
NEXT, LESS = Button("Next", "page:9c1:1"), Button("Less", "less:9c1:1")
LIST = Message("Two papers.", (Card("x:1", "A title", "https://a.example/1", 1, (), (LESS,)),), (NEXT,))


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    made = Rig()
    made.answers = lambda _request: (LIST,)
    yield await made.open()
    await made.close()


async def test_in_a_private_answer_a_page_takes_the_place_of_the_one_before(rig: Rig) -> None:
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert seen.original is not None
    rig.answers = lambda _request: (Message("Page 2.", in_place=True),)
    turned = await rig.answered(await rig.fake.press(rig.ada, seen.original, "Next"))
    assert turned.callbacks == [UPDATES]
    assert turned.original is seen.original
    assert seen.original.text == "Page 2."
    assert seen.original.ephemeral
    assert (rig.requests[-1].action, rig.requests[-1].text, rig.requests[-1].command) == ("page:9c1:1", "", "")


async def test_in_a_private_answer_all_else_is_answered_below(rig: Rig) -> None:
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    assert seen.original is not None
    rig.answers = lambda _request: (Message("Less of it."),)
    pressed = await rig.answered(await rig.fake.press(rig.ada, seen.original, "Less"))
    assert (pressed.callbacks, pressed.ephemeral, pressed.text) == ([DEFERRED], True, "Less of it.")
    assert "Two papers." in seen.original.text


@pytest.mark.parametrize("label", ["Next", "Less"])
async def test_in_a_channel_whoever_presses_is_answered_privately(rig: Rig, label: str) -> None:
    await rig.discord.send(rig.here, LIST, "digest:1:2026-12-02")
    (posted,) = rig.channel.said
    rig.answers = lambda _request: (Message("An answer."),)
    pressed = await rig.answered(await rig.fake.press(rig.bob, posted, label))
    assert (pressed.callbacks, pressed.ephemeral, pressed.text) == ([DEFERRED], True, "An answer.")
    assert "Two papers." in posted.text
    assert rig.requests[-1].address.user == rig.bob.id
    assert [one.id for one in rig.channel.said] == [posted.id]


async def test_in_the_direct_message_a_page_is_turned_and_all_else_stands_below(rig: Rig) -> None:
    await rig.discord.send(rig.address, LIST, "digest:1:2026-12-02")
    (posted,) = rig.dm.said
    rig.answers = lambda _request: (Message("An answer."),)
    below = await rig.answered(await rig.fake.press(rig.ada, posted, "Less"))
    assert (below.callbacks, below.ephemeral, below.text) == ([DEFERRED], False, "An answer.")
    assert len(rig.dm.said) == 2
    rig.answers = lambda _request: (replace(LIST, text="The next two.", in_place=True),)
    turned = await rig.answered(await rig.fake.press(rig.ada, posted, "Next"))
    assert turned.callbacks == [UPDATES]
    assert len(rig.dm.said) == 2
    assert "The next two." in posted.text
    assert await rig.discord.find(rig.address, "digest:1:2026-12-02", datetime.now(UTC) - timedelta(minutes=5))


@pytest.mark.parametrize("alone", [True, False])
async def test_an_error_takes_no_place(rig: Rig, alone: bool) -> None:
    if alone:
        await rig.discord.send(rig.address, LIST, "digest:1:2026-12-02")
        posted = rig.dm.said[0]
    else:
        seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
        assert seen.original is not None
        posted = seen.original
    rig.answers = lambda _request: (Message("This list has expired: run it again.", private=True),)
    pressed = await rig.answered(await rig.fake.press(rig.ada, posted, "Next"))
    assert pressed.callbacks == [UPDATES]
    assert "Two papers." in posted.text
    assert [one.text for one in pressed.messages if one is not posted] == ["This list has expired: run it again."]
    assert all(one.ephemeral is not alone for one in pressed.messages)


async def test_a_button_works_after_a_restart_and_without_its_mark(rig: Rig) -> None:
    await rig.discord.send(rig.here, LIST, "digest:1:2026-12-02")
    (posted,) = rig.channel.said
    assert any("#" in button["custom_id"] for button in posted.buttons)
    await rig.stop()
    await rig.start()
    for label, action in (("Less", LESS.action), ("Next", NEXT.action)):
        await rig.answered(await rig.fake.press(rig.ada, posted, label))
        assert rig.requests[-1].action == action


async def test_a_button_that_is_there_for_a_form_opens_it(rig: Rig) -> None:
    await rig.discord.send(rig.here, Message("Hello.", buttons=(Button("Time zone", "form:4f2:0"),)), "k")
    (posted,) = rig.channel.said
    rig.answers = lambda _request: (Message(form=Form("schedule", {"which": "sub12"}, ("at", "tz"))),)
    seen = await rig.answered(await rig.fake.press(rig.ada, posted, "Time zone"))
    assert seen.callbacks == [MODAL]
    rig.answers = lambda _request: (Message("Changed."),)
    sent = await rig.answered(await rig.fake.submit(rig.ada, seen, {"tz": "Europe/Berlin"}))
    assert (sent.ephemeral, sent.text) == (True, "Changed.")
    assert rig.requests[-1].command == "schedule"
    assert rig.requests[-1].values == {"which": "sub12", "tz": "Europe/Berlin"}


async def test_a_press_that_is_delivered_twice_is_done_once(rig: Rig) -> None:
    await rig.discord.send(rig.here, LIST, "k")
    (posted,) = rig.channel.said
    seen = await rig.fake.press(rig.ada, posted, "Less", twice=True)
    await seen.until(lambda one: one.done and one.refused)
    await rig.settled()
    assert [request.action for request in rig.requests] == [LESS.action]


async def test_a_double_click_is_two_requests_of_which_each_is_answered(rig: Rig) -> None:
    await rig.discord.send(rig.here, LIST, "k")
    (posted,) = rig.channel.said
    first, second = [await rig.fake.press(rig.ada, posted, "Less") for _ in range(2)]
    await rig.answered(first)
    await rig.answered(second)
    assert len({request.key for request in rig.requests}) == 2
    assert first.text == second.text


async def test_what_is_no_action_is_answered_kindly(rig: Rig) -> None:
    await rig.discord.send(rig.here, LIST, "k")
    (posted,) = rig.channel.said
    seen = await rig.answered(await rig.fake.forge(rig.ada, posted, "#2"))
    assert (seen.callbacks, seen.ephemeral, seen.text) == ([DEFERRED], True, OLD)
    assert not rig.requests


async def test_a_press_that_is_too_late_to_be_acknowledged_is_done(rig: Rig) -> None:
    await rig.discord.send(rig.here, LIST, "k")
    (posted,) = rig.channel.said
    rig.fake.answer_within = 0.0
    seen = await rig.answered(await rig.fake.press(rig.ada, posted, "Less"))
    assert seen.refused == [10062]
    assert [request.action for request in rig.requests] == [LESS.action]
    assert not rig.dm.said
