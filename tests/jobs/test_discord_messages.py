"""Direct messages and mentions on Discord: who is answered, where, and who is not."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.core.message import Message
from bot.core.request import Address
from bot.platforms.discord.answer import NOT_SENT, SENT_TO_YOU
from tests.fakes.discord_wire.state import Channel, User
from tests.fakes.rig_discord import Rig


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    made = Rig()
    made.answers = lambda _request: (Message("still looking …"), Message("Found."))
    yield await made.open()
    await made.close()


def texts(channel: Channel, by: User) -> list[str]:
    """Return what somebody said in a channel."""
    return [one.text for one in channel.said if one["author"]["id"] == by.id]


async def heard(rig: Rig) -> None:
    """Wait until what was said is heard and answered: what is asked after it is answered by then."""
    before = len(rig.requests)
    seen = await rig.fake.slash(rig.bob, rig.channel, "topics")
    await rig.answered(seen)
    assert len(rig.requests) > before
    rig.requests[:] = [request for request in rig.requests if request.command != "topics"]


async def test_a_direct_message_is_answered_there_and_later_answers_replace_the_first(rig: Rig) -> None:
    await rig.fake.write(rig.ada, None, "search don't stop")
    await heard(rig)
    assert texts(rig.dm, rig.fake.bot) == ["Found."]
    (request,) = rig.requests
    assert request.address == Address("discord", "@me", rig.ada.id)
    assert (request.text, request.person, request.forms) == ("search don't stop", "Ada", False)


async def test_a_mention_is_answered_below_it_for_all(rig: Rig) -> None:
    said = await rig.fake.write(rig.ada, rig.channel, f"{rig.fake.bot.mention} long context")
    await heard(rig)
    (answer,) = [one for one in rig.channel.said if one["author"]["id"] == rig.fake.bot.id]
    assert answer.text == "Found."
    assert answer["message_reference"]["message_id"] == said.id
    assert not rig.fake.pings
    (request,) = rig.requests
    assert request.address == Address("discord", rig.guild.id, rig.ada.id, rig.channel.id, said.id)
    assert (request.text, request.place) == ("long context", "reading")


async def test_in_a_thread_the_answer_stands_there(rig: Rig) -> None:
    thread = rig.channel.thread("on attention")
    await rig.fake.write(rig.ada, thread, f"{rig.fake.bot.mention} long context")
    await heard(rig)
    assert texts(thread, rig.fake.bot) == ["Found."]
    assert rig.requests[0].address.channel == thread.id


async def test_what_is_personal_is_answered_directly_and_the_channel_hears_where(rig: Rig) -> None:
    await rig.fake.write(rig.ada, rig.channel, f"{rig.fake.bot.mention} profile")
    await heard(rig)
    assert texts(rig.channel, rig.fake.bot) == [SENT_TO_YOU]
    assert texts(rig.dm, rig.fake.bot) == ["Found."]


async def test_an_error_is_for_nobody_else(rig: Rig) -> None:
    rig.answers = lambda _request: (Message("No such paper.", private=True),)
    await rig.fake.write(rig.ada, rig.channel, f"{rig.fake.bot.mention} show 99")
    await heard(rig)
    assert texts(rig.channel, rig.fake.bot) == [SENT_TO_YOU]
    assert "No such paper." in texts(rig.dm, rig.fake.bot)


async def test_whoever_takes_no_direct_messages_hears_what_to_do(rig: Rig) -> None:
    rig.ada.dms = False
    await rig.fake.write(rig.ada, rig.channel, f"{rig.fake.bot.mention} profile")
    await heard(rig)
    assert texts(rig.channel, rig.fake.bot) == [NOT_SENT]


async def test_where_the_bot_may_not_write_the_answer_comes_directly(rig: Rig) -> None:
    quiet = rig.guild.channel("quiet", deny=["send_messages"])
    await rig.fake.write(rig.ada, quiet, f"{rig.fake.bot.mention} long context")
    await heard(rig)
    assert texts(rig.dm, rig.fake.bot) == ["Found."]
    assert texts(quiet, rig.fake.bot) == []


async def test_bots_and_edits_and_what_is_not_for_us_are_ignored(rig: Rig) -> None:
    machine = rig.fake.world.add_user("other bot", bot=True)
    rig.guild.join(machine)
    await rig.fake.write(machine, rig.channel, f"{rig.fake.bot.mention} long context")
    await rig.fake.write(rig.ada, rig.channel, "long context")
    await rig.fake.write(rig.ada, rig.channel, f"{rig.bob.mention} long context")
    rig.fake.world.say(await rig.fake.write(rig.ada, rig.channel, "@everyone"), rig.channel)
    said = await rig.fake.write(rig.ada, rig.channel, "hello")
    rig.fake.world.message_event("UPDATE", {**said, "content": f"{rig.fake.bot.mention} hello"}, rig.channel)
    await rig.discord.send(rig.here, Message(f"{rig.fake.bot.mention} hello"), "k")
    await heard(rig)
    assert rig.requests == []


async def test_an_answer_to_a_message_of_the_bot_is_no_mention_unless_it_says_so(rig: Rig) -> None:
    await rig.discord.send(rig.here, Message("A digest."), "k")
    (posted,) = rig.channel.said
    await rig.fake.write(rig.ada, rig.channel, "thanks", reply_to=posted)
    await heard(rig)
    assert rig.requests == []


async def test_a_message_that_is_delivered_twice_is_answered_once(rig: Rig) -> None:
    said = await rig.fake.write(rig.ada, rig.channel, f"{rig.fake.bot.mention} long context")
    rig.fake.world.say(said, rig.channel)
    await heard(rig)
    assert len(rig.requests) == 1


async def test_without_mentions_discord_sends_no_messages_of_servers() -> None:
    quiet = Rig(discord_mentions=False)
    quiet.answers = lambda _request: (Message("Found."),)
    await quiet.open()
    await quiet.fake.write(quiet.ada, quiet.channel, f"{quiet.fake.bot.mention} long context")
    await quiet.fake.write(quiet.ada, None, "long context")
    await heard(quiet)
    assert [request.address.workspace for request in quiet.requests] == ["@me"]
    await quiet.close()
