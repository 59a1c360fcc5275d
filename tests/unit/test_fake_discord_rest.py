"""The stand-in's REST interface, driven by the real discord.py: what it refuses, its limits, what goes wrong."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import discord
import pytest
import pytest_asyncio

from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.rig import rest, wired
from tests.fakes.discord_wire.state import Channel


@pytest_asyncio.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    """A Discord with no server yet."""
    async with wired() as one:
        yield one


@pytest_asyncio.fixture
async def client(fake: FakeDiscord) -> AsyncIterator[discord.AutoShardedClient]:
    """A client that is logged in."""
    async with rest(fake) as one:
        yield one


def place(client: discord.AutoShardedClient, channel: Channel) -> discord.PartialMessageable:
    """Return a channel as the bot writes to one that it knows by its id only."""
    return client.get_partial_messageable(int(channel.id))


async def test_a_token_that_is_not_known(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    fake.gateway.token = "another"
    with pytest.raises(discord.HTTPException) as refused:
        await client.fetch_user(int(fake.bot.id))
    assert refused.value.status == 401


async def test_a_nonce_is_taken_once(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    channel = fake.guild().channel("reading")
    http = client.http
    form = {"content": "a digest", "nonce": "n" * 24, "enforce_nonce": True}
    first, second = [await http.request(_route("POST", channel), json=form) for _ in range(2)]
    assert first["id"] == second["id"]
    assert len(channel.said) == 1
    with pytest.raises(discord.HTTPException) as refused:
        await http.request(_route("POST", channel), json={**form, "nonce": "n" * 26})
    assert refused.value.code == 50035
    assert "nonce" in str(refused.value)


def _route(method: str, channel: Channel) -> Any:
    return discord.http.Route(method, "/channels/{channel_id}/messages", channel_id=channel.id)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"deny": ["view_channel"]}, 50001),
        ({"deny": ["send_messages"]}, 50013),
        ({"kind": "forum"}, 50008),
        ({"private": True}, 50001),
        ({"private": True, "allow": ["view_channel"]}, 0),
    ],
)
async def test_channels_that_the_bot_may_not_write_to(
    fake: FakeDiscord, client: discord.AutoShardedClient, how: dict[str, Any], code: int
) -> None:
    channel = fake.guild().channel("reading", **how)
    if not code:
        await place(client, channel).send("x")
        return
    with pytest.raises(discord.HTTPException) as refused:
        await place(client, channel).send("x")
    assert refused.value.code == code


async def test_what_is_gone_or_closed(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    guild = fake.guild()
    channel = guild.channel("reading")
    thread = channel.thread("a paper")
    thread.archived = True
    await place(client, thread).send("wakes")
    assert not thread.archived
    thread.locked = True
    assert await _code(place(client, thread).send("x")) == 160005
    channel.delete()
    assert await _code(place(client, thread).send("x")) == 10003
    shy, stranger, friend = fake.user("shy", dms=False), fake.user("stranger"), fake.user("friend")
    for user in (shy, friend):
        guild.join(user)
    codes = []
    for user in (shy, stranger, friend):
        person = await client.fetch_user(int(user.id))
        codes.append(await _code(person.send("hello")))
    assert codes == [50007, 50278, 0]
    assert fake.dm(friend).said[0].text == "hello"
    guild.remove_bot()
    assert await _code(client.fetch_guild(int(guild.id))) == 10004


async def _code(call: Any) -> int:
    try:
        await call
    except discord.HTTPException as error:
        return error.code
    return 0


async def test_a_channel_takes_five_messages_in_five_seconds(fake: FakeDiscord) -> None:
    fake.server.limits.per_route["POST /channels/*/messages"] = (5, 0.3)
    channel = fake.guild().channel("reading")
    async with rest(fake) as client:
        began = time.monotonic()
        for number in range(11):
            await place(client, channel).send(str(number))
        assert 0.6 <= time.monotonic() - began < 2
        assert fake.server.limits.refused == 0  # discord.py heeds the buckets
    async with aiohttp.ClientSession() as session:
        url, headers = f"{fake.api_url}/channels/{channel.id}/messages", {"Authorization": f"Bot {fake.token}"}
        headers["User-Agent"] = "DiscordBot (a test, 1)"
        for _ in range(5):
            await session.post(url, json={"content": "x"}, headers=headers)
        refused = await session.post(url, json={"content": "x"}, headers=headers)
        told = await refused.json()
        assert refused.status == 429
        assert (refused.headers["X-RateLimit-Scope"], refused.headers["X-RateLimit-Remaining"]) == ("user", "0")
        assert refused.headers["Content-Type"] == "application/json"
        assert refused.headers["Via"]
        assert told["global"] is False
        assert 0 < told["retry_after"] <= 0.3


async def test_all_calls_together_are_fifty_a_second(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    fake.server.limits.a_second = 5
    guild = fake.guild()
    channels = [guild.channel(f"c{number}") for number in range(8)]
    await asyncio.gather(*(place(client, channel).send("x") for channel in channels))
    assert fake.server.limits.refused > 0
    assert all(len(channel.said) == 1 for channel in channels)
    fake.limits = False
    refused = fake.server.limits.refused
    await asyncio.gather(*(place(client, channel).send("x") for channel in channels))
    assert fake.server.limits.refused == refused


async def test_a_long_wait_is_told(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    channel = fake.guild().channel("reading")
    fake.fail("POST", "/channels/*/messages", status=429, retry_after=600.0)
    with pytest.raises(discord.RateLimited) as limited:
        await place(client, channel).send("x")
    assert limited.value.retry_after == 600
    fake.fail("POST", "/channels/*/messages", status=429, via=False)
    with pytest.raises(discord.HTTPException) as banned:
        await place(client, channel).send("x")
    assert banned.value.status == 429


@pytest.mark.parametrize("how", ["reset", "drop"])
@pytest.mark.parametrize("taken", [True, False])
async def test_connections_break(fake: FakeDiscord, client: discord.AutoShardedClient, how: str, taken: bool) -> None:
    channel = fake.guild().channel("reading")
    fault = fake.fail("POST", f"/channels/{channel.id}/messages", how=how, taken=taken, after=1)
    await place(client, channel).send("goes well")
    with pytest.raises((aiohttp.ClientError, OSError)):
        await place(client, channel).send("does not")
    assert fault.hits == 1
    assert len(channel.said) == 1 + taken
    await place(client, channel).send("goes well")


async def test_silence_errors_and_garbage(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    channel = fake.guild().channel("reading")
    path = "/channels/*/messages"
    fake.fail("POST", path, how="hang")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(place(client, channel).send("x"), 0.1)
    fake.fail("POST", path, status=503)
    with pytest.raises(discord.DiscordServerError):
        await place(client, channel).send("x")
    fake.fail("POST", path, status=403, code=40067)
    assert await _code(place(client, channel).send("x")) == 40067
    fake.fail("POST", path, how="garbage", taken=True)
    with pytest.raises(ValueError, match=r"JSON|Unterminated"):
        await place(client, channel).send("x")
    assert [len(channel.said), len(fake.calls("POST", path))] == [1, 4]


async def test_history(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    fake.limits = False
    channel = fake.guild().channel("reading")
    ids = [(await place(client, channel).send(str(number))).id for number in range(7)]
    there = place(client, channel)
    assert [one.id async for one in there.history(limit=3)] == ids[:-4:-1]
    assert [one.id async for one in there.history(after=discord.Object(ids[1]), limit=3)] == ids[2:5]
    assert [one.id async for one in there.history(before=discord.Object(ids[3]), limit=None)] == ids[2::-1]
    fake.lag_history(60.0)
    assert [one async for one in there.history(limit=3)] == []
    fake.lag_history(0.0)
    channel.overwrite(fake.bot, deny=["read_message_history"])
    assert [one async for one in there.history(limit=3)] == []


async def test_a_forum(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    guild = fake.guild()
    forum = guild.channel("papers", kind="forum")
    forum.set_tags(["biology", "physics"], required=True)
    there: Any = await client.fetch_channel(int(forum.id))
    assert [tag.name for tag in there.available_tags] == ["biology", "physics"]
    assert await _code(there.create_thread(name="A digest", content="x")) == 40067
    made = await there.create_thread(name="A digest", content="x", applied_tags=there.available_tags[:1])
    assert made.message.id == made.thread.id
    assert [post.name for post in forum.threads] == ["A digest"]
    assert forum.threads[0].said[0].text == "x"
    assert [one.id for one in await (await client.fetch_guild(int(guild.id))).active_threads()] == [made.thread.id]
    assert await _code(there.create_thread(name="x" * 101, content="x", applied_tags=there.available_tags)) == 50035


async def test_whom_a_message_would_call(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    guild = fake.guild()
    ada, role = fake.user("ada"), guild.role("Chairs")
    channel = guild.channel("reading")
    words = f"@everyone {ada.mention} {role.mention}"
    await place(client, channel).send(words, allowed_mentions=discord.AllowedMentions.none())
    assert fake.pings == []
    await place(client, channel).send(words, allowed_mentions=discord.AllowedMentions(everyone=False, users=[ada]))  # type: ignore[list-item]
    assert {whom for _, whom in fake.pings} == {ada.id, role.id}


async def test_files_come_with_words(fake: FakeDiscord, client: discord.AutoShardedClient) -> None:
    import io

    channel = fake.guild().channel("reading")
    await place(client, channel).send("a file", file=discord.File(io.BytesIO(b"@article{}"), "saved.bib"))
    assert channel.said[0]["attachments"][0] == {
        **channel.said[0]["attachments"][0],
        "filename": "saved.bib",
        "content": "@article{}",
    }
