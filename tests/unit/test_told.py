"""What somebody hears when another person changes what they asked for: once, directly, with what to type next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.store import outbox
from tests.fakes.bot import Bot, button, make_bot
from tests.fakes.guilds import DIRECT, Town, make_town
from tests.unit.test_schedules import rows


@pytest.fixture
def bot() -> Iterator[Bot]:
    made = make_bot()
    yield made
    made.app.close()


@pytest.fixture
def town() -> Iterator[Town]:
    made = make_town()
    yield made
    made.bot.app.close()


def told(bot: Bot, platform: str = "test") -> list[tuple[str, str, str]]:
    """Return the workspace, the person and the text of what is on its way by now."""
    with bot.app.store.writing() as conn:
        found = outbox.claim(conn, bot.at, "mine", 120, 99, [platform])
    assert {row.kind for row in found} <= {"notice"}
    assert not any(row.address.channel for row in found)
    return [(row.address.workspace, row.address.user, row.message.text) for row in found]


async def test_who_asked_for_a_channels_digest_hears_what_another_member_does(bot: Bot) -> None:
    await bot.ask("workspace channels=everyone")
    await bot.ask("subscribe graphs in=here", user="eve", channel="reading")
    number = rows(bot)["graphs"].number
    what = "The digest “graphs” of #reading, which you asked for, was"
    see = f"To see it: /papers schedule sub{number}"
    for line, done in (
        ("pause graphs", f"paused by lin. {see}"),
        ("resume graphs", f"resumed by lin. {see}"),
        ("pause graphs until=24 dec", f"paused until Thu 24 Dec by lin. {see}"),
        ("schedule graphs at=07:00", f"changed by lin. {see}"),
        ("subscribe graphs in=here at=08:00", f"changed by lin. {see}"),
        ("unsubscribe graphs", "removed by lin. To have it again, type there: /papers subscribe graphs in=here"),
    ):
        answer = await bot.ask(line, user="lin", channel="reading")
        assert told(bot) == [("lab", "eve", f"{what} {done}")], line
        bot.pass_(seconds=1)
    await bot.press(button(answer, "Undo"), user="lin", channel="reading")
    assert told(bot) == [("lab", "eve", f"{what} brought back by lin. {see}")]
    assert set(rows(bot)) == {"graphs"}


async def test_nobody_hears_of_what_is_their_own_doing_or_changes_nothing(bot: Bot) -> None:
    await bot.ask("workspace channels=everyone")
    await bot.ask("subscribe graphs in=here", user="eve", channel="reading")
    await bot.ask("subscribe chips", user="lin")
    for line in ("pause graphs", "resume graphs", "schedule graphs at=07:00", "schedule graphs"):
        await bot.ask(line, user="eve", channel="reading")
    for line in ("resume graphs", "schedule graphs at=07:00", "subscribe graphs in=here", "unsubscribe chips"):
        await bot.ask(line, user="lin", channel="reading")
    assert told(bot) == []


async def test_all_of_a_channel_is_told_once_to_each(bot: Bot) -> None:
    await bot.ask("workspace channels=everyone")
    for user, topic in (("eve", "graphs"), ("eve", "video"), ("kim", "chips")):
        await bot.ask(f"subscribe {topic} in=here", user=user, channel="reading")
    paused = await bot.ask("pause", user="lin", channel="reading")
    assert paused.text.count("is paused") == 3
    heard = {user: text for _, user, text in told(bot)}
    assert heard.keys() == {"eve", "kim"}
    assert "“graphs, video” of #reading, which you asked for, was paused by lin." in heard["eve"]
    assert heard["eve"].endswith("See all: /papers subscriptions")
    await bot.press(button(paused, "Undo"), user="lin", channel="reading")
    heard = {user: text for _, user, text in told(bot)}
    assert "“graphs, video” of #reading, which you asked for, was changed back by lin." in heard["eve"]
    assert "“chips” of #reading, which you asked for, was changed back by lin." in heard["kim"]


async def test_a_person_hears_what_a_manager_does_to_their_own(bot: Bot) -> None:
    await bot.ask("subscribe soup; noodles name=food", user="eve")
    number = rows(bot)["food"].number
    await bot.ask(f"pause sub{number}")
    await bot.ask(f"unsubscribe sub{number}")
    assert [text for *_, text in told(bot)] == [
        f"Your digest “food” was paused by ada. To see it: /papers schedule sub{number}",
        "Your digest “food” was removed by ada. To have it again: /papers subscribe soup; noodles",
    ]


async def test_where_people_are_the_same_in_all_servers_they_hear_it_in_their_one_direct_message(town: Town) -> None:
    await town.ask("workspace channels=everyone")
    await town.ask("subscribe soup in=here", user="eve")
    await town.ask("unsubscribe soup", user="ada")
    ((workspace, user, text),) = told(town.bot, "guilds")
    assert (workspace, user) == (DIRECT, "eve")
    assert "“soup” of #c, which you asked for, was removed by ada." in text


async def test_a_long_topic_is_not_cut_where_it_is_to_be_typed(bot: Bot) -> None:
    await bot.ask("workspace channels=everyone")
    await bot.ask(f"subscribe {'graph ' * 20}in=here name=long", user="eve", channel="reading")
    await bot.ask("unsubscribe long", user="lin", channel="reading")
    ((*_, text),) = told(bot)
    assert text.endswith("type there: /papers subscribe TOPIC in=here")
