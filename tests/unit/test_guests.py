"""Those of another organisation look papers up; they store and manage nothing. Channels that were picked by a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bot.core.message import Message
from bot.core.ports import Facts
from bot.core.request import Address, Request
from bot.errors import Refused
from recommender.types import Paper
from tests.fakes.bot import Bot, button, make_bot

PAPERS = [Paper(f"x:{n}", f"Robots and soup {n}", f"A robot cooks soup number {n}.", ("Ada",)) for n in range(8)]


@pytest.fixture
def bot() -> Bot:
    return make_bot(PAPERS)


async def asked(bot: Bot, **parts: Any) -> Message:
    request = Request(Address("test", "lab", "guest", "shared"), person="guest", place="shared", guest=True, **parts)
    (first,) = [message async for message in bot.app.invoke(request)]
    return first


@pytest.mark.parametrize("text", ["search soup", "soup", "show x:1", "similar x:1", "topics", "help", ""])
async def test_a_guest_may_look_things_up(bot: Bot, text: str) -> None:
    assert not (await asked(bot, text=text)).private


@pytest.mark.parametrize(
    "text",
    [
        "subscribe soup",
        "subscriptions",
        "more x:1",
        "less x:1",
        "save x:1",
        "saved",
        "follow Ada",
        "mute soup",
        "profile",
        "export",
        "forget",
        "workspace",
        "digest",
        "pause",
        "schedule",
        "unsubscribe soup",
    ],
)
async def test_a_guest_stores_and_manages_nothing(bot: Bot, text: str) -> None:
    answer = await asked(bot, text=text)
    assert "for members of this workspace" in answer.text
    assert answer.private
    name, _, rest = text.partition(" ")
    first = next(iter(bot.app.commands[name].words), None)
    form = await asked(bot, command=name, values={first.name: rest} if first and rest else {})
    assert "for members of this workspace" in form.text


async def test_a_guest_pages_and_may_not_mark(bot: Bot) -> None:
    shown = await asked(bot, text="search soup")
    assert (await asked(bot, action=button(shown, "Next ▸").action)).cards
    for label in ("More like this", "Save", "Mute an author"):
        assert "for members" in (await asked(bot, action=button(shown, label, card=0).action)).text


@pytest.mark.parametrize("channel", ["<#C1|reading>", "<#C1>", "#C1", "C1"])
async def test_a_channel_is_named_as_platforms_write_it(bot: Bot, channel: str) -> None:
    answer = await bot.ask(f"subscribe soup in={channel}")
    assert "#C1 follows “soup” now" in answer.text
    assert answer.lasts


async def test_a_channel_that_the_bot_cannot_enter_is_not_subscribed(bot: Bot) -> None:
    async def join(address: Address, topics: Sequence[str]) -> None:
        raise Refused(f"Type /invite in {address.channel} first.")

    bot.app.platforms["test"].join = join  # type: ignore[attr-defined]
    answer = await bot.ask("subscribe soup in=<#C1|reading>")
    assert answer.text == "Type /invite in C1 first."
    assert answer.private
    assert "nothing yet" in (await bot.ask("subscriptions", channel="C1")).text


async def test_an_error_is_for_the_one_who_asked(bot: Bot) -> None:
    assert (await bot.ask("show x:99", channel="C1")).private


async def test_help_tells_a_guest_only_of_what_a_guest_can_do(bot: Bot) -> None:
    for text in ("help", ""):
        said = (await asked(bot, text=text)).text
        assert "search WORDS" in said
        assert "subscribe" not in said
        assert "export" not in said


async def test_a_paper_in_full_has_no_button_for_itself(bot: Bot) -> None:
    (card,) = (await bot.ask("show x:1")).cards
    assert "show" not in [one.action.partition(":")[0] for one in card.buttons]


async def test_a_time_zone_is_asked_for_once_a_date_may_stand_in_the_answer(bot: Bot) -> None:
    asked: list[Address] = []

    async def about(address: Address) -> Facts:
        asked.append(address)
        return Facts(name=address.channel or address.user, time_zone="Asia/Tokyo")

    bot.app.platforms["test"].about = about  # type: ignore[method-assign]
    await bot.ask("search soup", user="eve")
    before = len(asked)
    await bot.ask("search soup", user="eve")
    assert len(asked) == before
    answer = await bot.ask("subscribe soup", user="eve")
    assert "Tokyo" in answer.footer
    known = len(asked)
    await bot.ask("digest", user="eve")
    assert len(asked) == known
