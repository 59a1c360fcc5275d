"""What tests of the stand-in share: the real discord.py on it, with its two addresses changed and put back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.fakes.discord_wire.fake import FakeDiscord


@contextlib.asynccontextmanager
async def wired() -> AsyncIterator[FakeDiscord]:
    """Serve a Discord that discord.py takes for the real one meanwhile."""
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    try:
        async with FakeDiscord() as fake:
            Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = fake.api_url, yarl.URL(fake.gateway.url)
            yield fake
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway


class Prompt(discord.AutoShardedClient):
    """A client that does not wait five seconds before each further session: a stand-in need not be spared."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for nothing."""


def plain(**more: Any) -> discord.AutoShardedClient:
    """Return a client that hears of servers and messages, and keeps little."""
    intents = discord.Intents.none()
    intents.guilds = intents.guild_messages = intents.dm_messages = True
    more = {"max_messages": None, "chunk_guilds_at_startup": False, "max_ratelimit_timeout": 30.0} | more
    return Prompt(intents=intents, **more)


@contextlib.asynccontextmanager
async def online(fake: FakeDiscord, client: discord.AutoShardedClient, shards: int = 1) -> AsyncIterator[None]:
    """Let a client listen, with so many shards."""
    async with client:
        if client.user is None:
            await client.login(fake.token)
        task = asyncio.create_task(client.connect())
        try:
            await fake.listening(shards)
            yield
        finally:
            await client.close()
            await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def rest(fake: FakeDiscord, **more: Any) -> AsyncIterator[discord.AutoShardedClient]:
    """Give a client that is logged in and does not listen."""
    client = plain(**more)
    async with client:
        await client.login(fake.token)
        yield client
