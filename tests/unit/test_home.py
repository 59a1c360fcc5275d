"""The bot's own page, first contact, and what all in a channel may read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.message import Message
from bot.core.request import HOME, Address, Request
from recommender.types import Paper
from tests.fakes import bot as fakes
from tests.fakes.bot import Bot, button, labels, make_bot

PAPERS = [Paper(f"x:{n}", f"Robots and soup {n}", f"A robot cooks soup number {n}.", ("Ada",)) for n in range(15)]


@pytest.fixture
def bot() -> Bot:
    return make_bot(PAPERS)


async def home(bot: Bot, user: str = "ada", **parts: Any) -> Message:
    request = Request(Address("test", "lab", user, HOME), person=user, forms=True, event="home", **parts)
    (page,) = [message async for message in bot.app.invoke(request)]
    return page


async def event(bot: Bot, name: str, user: str, channel: str = "") -> Message:
    request = Request(Address("test", "lab", user, channel), person=user, place=channel, event=name)
    (said,) = [message async for message in bot.app.invoke(request)]
    return said


async def mention(bot: Bot, text: str, user: str = "ada") -> list[Message]:
    request = Request(Address("test", "lab", user, "lunch", "17.5"), text=text, person=user, place="lunch")
    return [message async for message in bot.app.invoke(request)]


async def test_at_first_it_says_what_it_is_and_how_to_begin(bot: Bot) -> None:
    page = await home(bot)
    assert page.text.count("\n") == 2
    assert "/papers subscribe" in page.text
    assert not page.cards
    assert labels(page) == ["Subscribe", "Topics", "My profile", "Export my data", "Help"]


async def test_it_shows_what_is_followed_and_saved_and_every_button_works(bot: Bot) -> None:
    await bot.ask("subscribe soup")
    await bot.ask("subscribe robots in=here", channel="lunch")
    await bot.ask("save x:1")
    page = await home(bot)
    assert [card.head for card in page.cards] == ["What you follow", "", "What you saved"]
    assert [card.title for card in page.cards] == ["soup", "robots", "Robots and soup 1"]
    assert "for #lunch" in page.cards[1].lines[0]
    assert [one.label for one in page.cards[0].buttons] == ["Digest now", "Pause", "Schedule", "Unsubscribe"]
    for one in [*page.buttons, *(one for card in page.cards for one in card.buttons)]:
        if one.action:
            assert "expired" not in (await bot.ask(action=one.action, channel=HOME)).text, one.label


async def test_it_follows_what_is_done_on_it(bot: Bot) -> None:
    await bot.ask("subscribe soup")
    first = await home(bot)
    assert await home(bot) == first
    await bot.press(button(first, "Pause", card=0), channel=HOME)
    second = await home(bot)
    assert "paused" in second.cards[0].lines[-1]
    assert button(second, "Resume", card=0)
    await bot.press(button(first, "Unsubscribe", card=0), channel=HOME)
    assert not (await home(bot)).cards


async def test_of_a_hundred_it_shows_ten_and_says_where_the_rest_is(bot: Bot) -> None:
    for number in range(100):
        await bot.ask(f"subscribe soup {number}a")
    page = await home(bot)
    assert len(page.cards) == 10
    assert page.cards[0].head == "What you follow: 10 of 100 entries"
    everything = await bot.press(button(page, "All that I follow"), channel=HOME)
    assert everything.text.startswith("100 subscriptions")


async def test_it_is_no_list_that_numbers_mean(bot: Bot) -> None:
    await bot.ask("save x:1")
    listed = await bot.ask("search soup")
    await home(bot)
    assert (await bot.ask("show 2")).cards[0].title == listed.cards[1].title


async def test_buttons_of_a_page_do_only_what_they_are_for(bot: Bot) -> None:
    await bot.ask("save x:1")
    page = await home(bot)
    note = page.cards[0].buttons[0].action.split(":")[1]
    for head in ("undo", "forget", "page", "more", "home", "joined", "export", "form", "run", "mute_author", "nope"):
        for index in range(8):
            await bot.ask(action=f"{head}:{note}:{index:x}", channel=HOME)


async def test_a_guest_has_no_page(bot: Bot) -> None:
    assert "members of this workspace" in (await home(bot, "eve", guest=True)).text


async def test_whoever_brings_the_bot_hears_what_it_does(bot: Bot) -> None:
    bot.app.platforms["test"] = fakes.TestPlatform(bot, purpose="soup")  # type: ignore[assignment]
    said = await event(bot, "joined", "ada", "lunch")
    assert said.private
    assert len(said.text.splitlines()) == 2
    assert "/papers subscribe soup in=here" in said.text
    assert "I store" in said.text
    assert "in=" in (await bot.press(button(said, "Subscribe this channel"), channel="lunch")).text
    other = await event(bot, "joined", "bob", "lunch")
    assert "Those who manage #lunch" in other.text
    assert not other.buttons


@pytest.mark.parametrize("name", ["joined", "undo", "nope"])
async def test_events_that_lead_nowhere_are_answered_kindly(bot: Bot, name: str) -> None:
    assert (await event(bot, name, "ada")).private


async def test_the_first_answer_says_once_who_this_is(bot: Bot) -> None:
    assert "I pick the few new papers" in (await bot.ask("search soup")).footer
    assert "I pick" not in (await bot.ask("search soup")).footer
    assert "I pick" in (await bot.ask("show x:99", user="bob")).footer
    assert "I pick" not in (await bot.ask("show x:1", user="bob")).footer
    assert "I pick" not in (await mention(bot, "search soup", "eve"))[0].footer


async def test_all_in_a_thread_read_nothing_personal(bot: Bot) -> None:
    await bot.ask("subscribe soup")
    await bot.ask("subscribe robots in=here", channel="lunch")
    (shown,) = await mention(bot, "show x:1")
    assert not any("for you" in line for line in shown.cards[0].lines)
    for text in ("search soup", "soup", "similar x:1", "topics", "show x:1"):
        (answer,) = await mention(bot, text)
        for one in answer.cards[0].buttons:
            if one.action:
                said = await bot.ask(action=one.action, user="bob", channel="lunch")
                assert "expired" not in said.text, (text, one.label)
    assert (await mention(bot, "show x:99"))[0].private


async def test_nothing_on_it_has_a_number_that_nobody_can_type(bot: Bot) -> None:
    await bot.ask("subscribe soup")
    await bot.ask("save x:1")
    assert [card.number for card in (await home(bot)).cards] == [0, 0]
