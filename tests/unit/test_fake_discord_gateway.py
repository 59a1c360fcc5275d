"""The stand-in's gateway, driven by the real discord.py: shards, resumes, invalid sessions, limits of starts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
import pytest_asyncio

from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.rig import online, plain, wired


@pytest_asyncio.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    """A Discord with no server yet."""
    async with wired() as one:
        yield one


def heard(client: discord.AutoShardedClient) -> list[str]:
    """Return a list that is filled with the words that a client hears."""
    words: list[str] = []

    async def on_message(message: discord.Message) -> None:
        words.append(message.content)

    setattr(client, "on_message", on_message)  # noqa: B010  a hook that the type does not name
    return words


async def test_each_server_comes_to_its_shard(fake: FakeDiscord) -> None:
    fake.gateway.shards = 3
    guilds = [fake.guild(f"Lab {number}") for number in range(6)]
    client = plain()
    async with online(fake, client, shards=3):
        await fake.until(lambda: len(client.guilds) == 6)
        found: list[Any] = [client.get_guild(int(one.id)) for one in guilds]
        assert [one.shard_id for one in found] == [0, 1, 2, 0, 1, 2]
        assert fake.gateway.starts.remaining == 997


async def test_two_processes_share_the_shards(fake: FakeDiscord) -> None:
    for number in range(4):
        fake.guild(f"Lab {number}")
    one, two = plain(shard_count=2, shard_ids=[0]), plain(shard_count=2, shard_ids=[1])
    async with online(fake, one), online(fake, two, shards=2):
        await fake.until(lambda: (len(one.guilds), len(two.guilds)) == (2, 2))
        assert not set(one.guilds) & set(two.guilds)


async def test_what_was_missed_is_replayed(fake: FakeDiscord) -> None:
    ada = fake.user("ada")
    client = plain()
    words = heard(client)
    async with online(fake, client):
        await fake.write(ada, None, "one")
        await fake.until(lambda: words == ["one"])
        fake.gateway.drop(4000)
        await fake.write(ada, None, "two")  # behind the close: not heard before the resume
        await fake.until(lambda: words == ["one", "two"])
        assert fake.gateway.log.count("identify") == 1
        fake.gateway.reconnect()
        await fake.until(lambda: fake.gateway.log.count("resume") == 2)
        await fake.write(ada, None, "three")
        await fake.until(lambda: words == ["one", "two", "three"])


@pytest.mark.parametrize("resumable", [True, False])
async def test_an_invalid_session_is_resumed_or_begun_anew(fake: FakeDiscord, resumable: bool) -> None:
    fake.guild("Lab")
    client = plain()
    words = heard(client)
    async with online(fake, client):
        fake.gateway.invalidate(resumable)
        await fake.until(lambda: "resume" in fake.gateway.log or fake.gateway.log.count("identify") == 2)
        await fake.listening()
        assert ("resume" in fake.gateway.log) is resumable
        await fake.write(fake.user("ada"), None, "still here")
        await fake.until(lambda: words == ["still here"])


async def test_a_resume_that_is_refused_begins_anew(fake: FakeDiscord) -> None:
    client = plain()
    async with online(fake, client):
        fake.gateway.refuse_resumes = 1
        fake.gateway.drop(1006)
        await fake.until(lambda: fake.gateway.log.count("identify") == 2)
        assert fake.gateway.starts.remaining == 998


async def test_heartbeats_are_answered(fake: FakeDiscord) -> None:
    fake.gateway.heartbeat = 0.1
    client = plain()
    async with online(fake, client):
        await fake.until(lambda: fake.gateway.log.count("heartbeat") > 2)
        assert client.latency < 1


@pytest.mark.parametrize(
    ("intents", "error"), [(1 << 15, discord.PrivilegedIntentsRequired), (1 << 30, discord.ConnectionClosed)]
)
async def test_intents_that_are_not_granted(fake: FakeDiscord, intents: int, error: type[Exception]) -> None:
    client = plain()
    client._connection._intents.value |= intents
    async with client:
        await client.login(fake.token)
        with pytest.raises(error):
            await asyncio.wait_for(client.connect(), 5)


async def test_too_few_shards_are_closed_out(fake: FakeDiscord) -> None:
    fake.gateway.shards_needed = 2
    client = plain(shard_count=1)
    async with client:
        await client.login(fake.token)
        with pytest.raises(discord.ConnectionClosed) as closed:
            await asyncio.wait_for(client.connect(), 5)
        assert closed.value.code == 4011


async def test_a_server_comes_goes_and_falls_out(fake: FakeDiscord) -> None:
    seen: list[str] = []
    client = plain(guild_ready_timeout=0.05)
    for name in ("guild_join", "guild_remove", "guild_unavailable", "guild_available", "guild_channel_delete"):

        async def hook(*_: Any, name: str = name) -> None:
            seen.append(name)

        setattr(client, f"on_{name}", hook)
    async with online(fake, client):
        await client.wait_until_ready()  # until then discord.py takes each server for one that it knew
        guild = fake.guild("Lab")
        channel = guild.channel("reading")
        await fake.until(lambda: len(seen) == 1)  # discord.py tells of it in a task of its own
        guild.outage()
        guild.outage(over=True)
        channel.delete()
        guild.remove_bot()
        await fake.until(lambda: len(seen) == 5)
        guild.add_bot()
        await fake.until(lambda: len(seen) == 6)
    assert seen == [
        "guild_join",
        "guild_unavailable",
        "guild_available",
        "guild_channel_delete",
        "guild_remove",
        "guild_join",
    ]
