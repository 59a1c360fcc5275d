"""What Discord tells of ends: the bot was removed from a server, also while it was away, or a channel was deleted.

A server that is unavailable for a while has not ended.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import discord
import structlog

from bot.platforms._setup import Setup
from bot.platforms.discord.client import Link
from bot.store import installs, workspaces
from bot.store.installs import Install

PLATFORM = "discord"
REMOVED = "the bot was removed from the server"
DELETED = "the channel was deleted"

log = structlog.get_logger()


class Ends:
    """Keeps what is stored of servers and channels in step with where the bot is. One for each client.

    Its methods take discord.py's events; they raise StoreError while the database is away. What is missed then is
    found when the shard connects anew, or by the refusal of the next digest.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._turn = asyncio.Lock()  # events in their order: a server may be left and joined again at once
        self._met: dict[int, discord.Guild] = {}
        self._over: set[str] = set()  # servers that had ended when it was looked last

    def hear(self, link: Link) -> None:
        """Be told of all that may have ended, once `link` listens."""
        link.on("shard_connect", lambda shard: self.connected(link.client, shard))
        link.on("guild_join", lambda guild: self.joined(link.client, guild))
        link.on("guild_available", lambda guild: self.available(link.client, guild))
        link.on("guild_remove", self.removed)
        link.on("guild_channel_delete", lambda channel: self.channel_gone(channel.guild.id, channel.id))
        link.on("raw_thread_delete", lambda event: self.channel_gone(event.guild_id, event.thread_id))

    async def connected(self, client: discord.AutoShardedClient, shard: int) -> None:
        """`on_shard_connect`: compare the servers that Discord named for this shard with those that are stored.

        discord.py makes a server anew for each that is named, and keeps what it knew of others: so what it knew
        before, and still is the same object, was not named.
        """
        mine = [guild for guild in client.guilds if guild.shard_id == shard]
        named = {str(guild.id): guild for guild in mine if self._met.get(guild.id) is not guild}
        self._met.update({guild.id: guild for guild in mine})
        count = client.shard_count or 1
        async with self._turn:
            stored, self._over = await self._setup.store.read(_stored)
            lost = {one for one in stored if (int(one) >> 22) % count == shard} - named.keys()
            for workspace in sorted(lost):
                await self._end(workspace, "")
            for workspace in sorted(self._over & named.keys()):
                await self._works(workspace)

    async def joined(self, client: discord.Client, guild: discord.Guild) -> None:
        """`on_guild_join`: what was paused since the bot was away goes on.

        discord.py holds it back while a shard gets ready, so the bot may have been removed again before it comes.
        """
        async with self._turn:
            if client.get_guild(guild.id) is not None:
                self._met[guild.id] = guild
                await self._works(str(guild.id))

    async def available(self, client: discord.Client, guild: discord.Guild) -> None:
        """`on_guild_available`: it comes for each server after a start, and some are those that had ended."""
        if str(guild.id) in self._over:
            await self.joined(client, guild)

    async def removed(self, guild: discord.Guild) -> None:
        """`on_guild_remove`: pause what comes there; 30 days later all that is stored of it is deleted."""
        self._met.pop(guild.id, None)
        async with self._turn:
            await self._end(str(guild.id), guild.name)

    async def channel_gone(self, guild: int, channel: int) -> None:
        """`on_guild_channel_delete` and `on_raw_thread_delete`: pause what comes there, and tell who asked for it."""
        where, key = (PLATFORM, str(guild), str(channel)), f"{PLATFORM}:deleted:{channel}"
        async with self._turn:
            paused = await self._setup.store.write(workspaces.close_channel, *where, DELETED, key, self._setup.now())
        log.info("a channel was deleted", workspace=str(guild), channel=str(channel), paused=paused)

    async def _end(self, workspace: str, name: str) -> None:
        self._over.add(workspace)
        if await self._setup.store.write(_end, workspace, name, self._setup.now()):
            log.info("the bot was removed from a server", workspace=workspace)

    async def _works(self, workspace: str) -> None:
        self._over.discard(workspace)
        known = await self._setup.store.read(installs.get, PLATFORM, workspace)
        if known is None or known.ended_at is None:
            return
        if await self._setup.store.write(installs.works, PLATFORM, workspace, self._setup.now()):
            log.info("the bot is in a server again", workspace=workspace)


def _stored(conn: Any) -> tuple[set[str], set[str]]:
    """Return the servers of which something is stored and that have not ended, and those that have."""
    stored = {one for one in installs.at_work(conn, PLATFORM) if one.isdecimal()}  # of no server: direct messages
    return stored, {one.workspace for one in installs.every(conn, PLATFORM) if one.ended_at is not None}


def _end(conn: Any, workspace: str, name: str, now: datetime) -> bool:
    """Note the end, with the server's name for the doctor."""
    if name and installs.get(conn, PLATFORM, workspace) is None:
        installs.keep(conn, PLATFORM, Install(workspace, "", "", "", "", name, (), "", now), now)
    return installs.end(conn, PLATFORM, workspace, REMOVED, now, gone=True)
