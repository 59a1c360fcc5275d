"""What is known of servers, channels and people on Discord, with the gateway and without; and what joining asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import discord
import pytest

from bot.core.ports import Facts
from bot.core.request import Address
from bot.errors import Refused
from bot.platforms.discord import places
from bot.platforms.discord.join import join
from bot.platforms.discord.places import number_of
from tests.fakes.discord_wire.state import Channel, User
from tests.fakes.lab_discord import Lab, opened


@pytest.fixture(params=["listening", "only sending"])
async def lab(request: pytest.FixtureRequest) -> AsyncIterator[Lab]:
    async with opened() as lab:
        if request.param == "only sending":
            yield lab
            return
        running = asyncio.create_task(lab.link.run())
        try:
            await lab.fake.listening()
            await lab.fake.until(lambda: lab.link.client.get_guild(int(lab.guild.id)))
            yield lab
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


async def seen(lab: Lab) -> None:
    """Let the gateway tell what just changed."""
    if lab.fake.gateway.sessions:
        await asyncio.sleep(0.05)
    lab.places._kept.clear()


async def refused(lab: Lab, channel: Channel, topics: tuple[str, ...] = ()) -> str:
    with pytest.raises(Refused, match=r"\w") as caught:
        await join(lab.places, lab.at(channel), topics)
    return str(caught.value)


def person(lab: Lab, name: str, *permissions: str) -> User:
    one = lab.fake.user(name)
    lab.guild.join(one, [lab.guild.role(f"{name}'s", permissions)] if permissions else [])
    return one


async def test_a_channel_has_a_name_a_topic_and_managers(lab: Lab) -> None:
    manager, reader = person(lab, "eve", "manage_channels"), person(lab, "bob")
    boss = person(lab, "boss", "administrator")
    await seen(lab)
    for one, manages in ((lab.ada, True), (manager, True), (boss, True), (reader, False)):
        facts = await lab.places.about(lab.at(user=one))
        assert (facts.name, facts.purpose, facts.manages) == ("reading", "papers that we read", manages)
        assert facts.missing_permissions == ()


async def test_a_channel_may_be_managed_by_those_whom_it_names(lab: Lab) -> None:
    bob = person(lab, "bob")
    lab.channel.overwrite(bob, allow=["manage_channels"])
    await seen(lab)
    assert (await lab.places.about(lab.at(user=bob))).manages
    other = lab.guild.channel("other")
    await seen(lab)
    assert not (await lab.places.about(lab.at(other, bob))).manages


async def test_a_server_is_managed_by_those_with_manage_server(lab: Lab) -> None:
    eve, mod = person(lab, "eve", "manage_guild"), person(lab, "mod", "manage_channels")
    await seen(lab)
    here = Address("discord", lab.guild.id, eve.id)
    facts = await lab.places.about(here)
    assert (facts.name, facts.manages) == ("Eve", True)
    assert not (await lab.places.about(Address("discord", lab.guild.id, mod.id))).manages


async def test_roles_are_told_and_deleted_ones_are_not(lab: Lab) -> None:
    role = lab.guild.role("Readers")
    bob = lab.fake.user("bob")
    lab.guild.join(bob, [role])
    await seen(lab)
    assert (await lab.places.about(lab.at(user=bob))).roles == (role.id,)
    role.delete()
    await seen(lab)
    assert (await lab.places.about(lab.at(user=bob))).roles == ()


async def test_nothing_is_known_where_the_bot_is_not(lab: Lab) -> None:
    elsewhere = lab.fake.guild("Elsewhere", owner=lab.ada, bot=False)
    other = elsewhere.channel("secret")
    stranger = lab.fake.user("stranger")
    await seen(lab)
    assert await lab.places.about(Address("discord", "@me", lab.ada.id)) == Facts(name="Ada")
    for at in (
        Address("discord", "@me", "ada"),
        Address("discord", "@me", lab.ada.id, lab.channel.id),
        Address("discord", elsewhere.id, lab.ada.id),
        Address("discord", elsewhere.id, lab.ada.id, other.id),
        Address("discord", lab.guild.id, stranger.id),
        Address("discord", "lab", "ada"),
        Address("discord", "9" * 30, lab.ada.id),
    ):
        assert await lab.places.about(at) == Facts()


async def test_a_channel_of_another_server_is_not_of_this_one(lab: Lab) -> None:
    second = lab.fake.guild("Second", owner=lab.ada)
    await seen(lab)
    facts = await lab.places.about(Address("discord", second.id, lab.ada.id, lab.channel.id))
    assert (facts.name, facts.manages) == ("", False)
    with pytest.raises(Refused):
        await join(lab.places, Address("discord", second.id, lab.ada.id, lab.channel.id))


async def test_a_channel_that_somebody_does_not_see_has_no_name_for_them(lab: Lab) -> None:
    hidden = lab.guild.channel("hidden", private=True, allow=["view_channel"])
    bob = person(lab, "bob")
    await seen(lab)
    assert (await lab.places.about(lab.at(hidden, bob))).name == ""
    assert (await lab.places.about(lab.at(hidden, lab.ada))).name == "hidden"


async def test_a_thread_is_as_its_channel(lab: Lab) -> None:
    thread = lab.channel.thread("deep")
    mod = person(lab, "mod", "manage_channels")
    await seen(lab)
    facts = await lab.places.about(lab.at(thread, mod))
    assert (facts.name, facts.manages, facts.missing_permissions) == ("deep", True, ())
    await join(lab.places, lab.at(thread))


@pytest.mark.parametrize(
    ("kind", "deny", "names"),
    [
        ("text", "view_channel", "View Channel"),
        ("text", "send_messages", "Send Messages"),
        ("text", "read_message_history", "Read Message History"),
        ("news", "send_messages", "Send Messages"),
        ("forum", "send_messages", "Create Posts"),
        ("thread", "send_messages_in_threads", "Send Messages in Threads"),
    ],
)
async def test_what_is_missing_is_told_by_name(lab: Lab, kind: str, deny: str, names: str) -> None:
    channel = lab.guild.channel("narrow", kind="text" if kind == "thread" else kind, deny=[deny])
    there = channel.thread("in it") if kind == "thread" else channel
    await seen(lab)
    facts = await lab.places.about(Address("discord", lab.guild.id, channel=there.id))
    assert names in facts.missing_permissions
    assert names in await refused(lab, there)


async def test_a_channel_that_can_be_posted_in_is_joined(lab: Lab) -> None:
    for kind in ("text", "news", "forum"):
        channel = lab.guild.channel(kind, kind=kind)
        await seen(lab)
        await join(lab.places, lab.at(channel))
    await join(lab.places, Address("discord", "@me", lab.ada.id))


async def test_a_channel_that_takes_no_messages_is_refused(lab: Lab) -> None:
    voice = lab.guild.channel("talk", kind="voice")
    await seen(lab)
    assert "forums" in await refused(lab, voice)


async def test_a_locked_thread_is_refused_and_an_archived_one_wakes(lab: Lab) -> None:
    old, locked = lab.channel.thread("old"), lab.channel.thread("locked")
    old.archived = True
    old.changed()
    locked.archived = locked.locked = True
    locked.changed()
    await seen(lab)
    await join(lab.places, lab.at(old))
    assert "locked" in await refused(lab, locked)


async def test_a_forum_that_requires_a_tag_needs_one_that_fits(lab: Lab) -> None:
    forum = lab.guild.channel("papers", kind="forum")
    forum.set_tags(["Vision", "NLP"], required=True)
    await seen(lab)
    told = await refused(lab, forum, ("speculative decoding",))
    assert "Vision, NLP" in told
    await join(lab.places, lab.at(forum), ["nlp"])
    forum.set_tags(["Vision", "NLP"])
    await seen(lab)
    await join(lab.places, lab.at(forum), ["speculative decoding"])


async def test_where_the_bot_was_brought_along_the_invite_is_the_answer(lab: Lab) -> None:
    await lab.link.ready()
    with pytest.raises(Refused, match=f"client_id={lab.fake.app_id}"):
        await join(lab.places, Address("discord", "@me", lab.ada.id, lab.channel.id))


@pytest.mark.parametrize("how", ["drop", "garbage", "status"])
async def test_a_discord_that_does_not_answer_is_said(lab: Lab, how: str) -> None:
    await lab.link.ready()
    lab.fake.fail("GET", "*", how=how, status=503, times=-1)
    facts = await lab.places.about(lab.at(user=lab.ada))
    assert not facts.manages
    if not lab.fake.gateway.sessions:
        assert "minute" in await refused(lab, lab.channel)


async def test_a_discord_that_hangs_is_not_waited_for_long(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.link.ready()
    monkeypatch.setattr(places, "PATIENCE", 0.1)
    lab.fake.fail("GET", "*", how="hang", times=-1)
    assert not (await lab.places.about(lab.at(user=lab.ada))).manages


async def test_what_is_known_costs_no_call(lab: Lab) -> None:
    bob = person(lab, "bob")
    await seen(lab)
    await lab.places.about(lab.at(user=bob))
    before = len(lab.fake.requests)
    for _ in range(3):
        await lab.places.about(lab.at(user=bob))
        await lab.places.about(Address("discord", lab.guild.id, bob.id))
    assert len(lab.fake.requests) == before


@pytest.mark.parametrize(("text", "number"), [("12", 12), ("", 0), ("-1", 0), ("C1", 0), ("²", 0), ("1" * 21, 0)])
def test_ids_are_numbers(text: str, number: int) -> None:
    assert number_of(text) == number


class Interaction:
    """What an interaction brings of a person."""

    def __init__(self, lab: Lab, who: User, may: discord.Permissions) -> None:
        guild = lab.link.client.get_guild(int(lab.guild.id))
        told: Any = {
            "user": {"id": who.id, "username": who.name, "discriminator": "0", "avatar": None},
            "roles": lab.guild.members[who.id],
            "joined_at": None,
            "flags": 0,
        }
        assert guild is not None
        self.user = discord.Member(data=told, guild=guild, state=lab.link.client._connection)
        self.guild_id, self.channel_id, self.permissions = guild.id, int(lab.channel.id), may


@pytest.mark.parametrize("lab", ["listening"], indirect=True)
async def test_an_interaction_tells_what_nobody_has_to_ask_for(lab: Lab) -> None:
    bob = person(lab, "bob", "manage_guild")
    await seen(lab)
    interaction: Any = Interaction(lab, bob, discord.Permissions(view_channel=True, manage_channels=True))
    lab.places.note(interaction)
    before = len(lab.fake.requests)
    facts = await lab.places.about(lab.at(user=bob))
    assert (facts.name, facts.manages) == ("reading", True)
    assert (await lab.places.about(Address("discord", lab.guild.id, bob.id))).manages
    other = lab.guild.channel("other")
    await asyncio.sleep(0.05)
    assert not (await lab.places.about(lab.at(other, bob))).manages
    assert len(lab.fake.requests) == before
