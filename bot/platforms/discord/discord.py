"""Discord, as a platform: the thin class that the parts meet in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import partial

import discord

from bot.core.check import Check
from bot.core.drawn import drawn
from bot.core.message import Message
from bot.core.ports import Facts, Invoke, Route
from bot.core.request import Address, Receipt, Request
from bot.platforms._serve import Server
from bot.platforms._setup import Setup
from bot.platforms.discord.check import check
from bot.platforms.discord.client import Client, Link
from bot.platforms.discord.desk import Desk
from bot.platforms.discord.ended import Ends
from bot.platforms.discord.join import join
from bot.platforms.discord.listen import Listen
from bot.platforms.discord.places import Places
from bot.platforms.discord.read import PEOPLE, PLATFORM
from bot.platforms.discord.send import LIMITS, Post
from bot.platforms.discord.sync import sync
from bot.platforms.discord.tree import make_tree


class Discord:
    """One application, on any number of servers. `open` it."""

    name = PLATFORM
    people = PEOPLE
    zones = False
    limits = LIMITS

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._link = Link(setup.settings)
        self._places = Places(self._link)
        self._post = Post(self._link, self._places)
        self._server = Server(Desk(self._post, setup.commands), setup.store, setup.now)
        self._listen = Listen(self._server, self._places)
        self._synced = False
        self._link.furnish(self._furnish)
        self._link.on("ready", self._ready)
        self._link.on("interaction", self._listen.interaction)
        self._link.on("message", self._message)
        Ends(setup).hear(self._link)

    @classmethod
    def open(cls, setup: Setup) -> Discord | None:
        """Make it, if the settings have a token. Raises SettingsError for shards that there are not."""
        return cls(setup) if setup.settings.discord_token.get_secret_value() else None

    async def run(self, invoke: Invoke) -> None:
        """Listen until cancelled: at the gateway. Raises Retry, Refused, and what discord.py raises if it gives up."""
        self._server.opens(partial(self._drawn, invoke))
        try:
            await self._link.ready()
            self._server.start(self._prepare())
            await self._link.run()
        finally:
            await self._server.close()

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Post one message that nobody asked for just now. Raises Retry, Refused or Uncertain."""
        return await self._post.send(to, self._worded(message), key)

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Look into the history for the message of `key`. Raises Unknown if it cannot look."""
        return await self._post.find(to, key, since)

    async def about(self, address: Address) -> Facts:
        """Tell what Discord knows of a place, and what the person may do there."""
        return await self._places.about(address)

    async def join(self, address: Address, topics: Sequence[str] = ()) -> None:
        """Make sure that digests of these topics can be posted in a channel. Raises Refused, with words for people."""
        await join(self._places, address, topics)

    async def check(self) -> Sequence[Check]:
        """Try the token, and name what the bot may not do and which servers it left. Never raises."""
        return await check(self._link, self._setup, self._tree, self._places.about)

    def routes(self) -> Sequence[Route]:
        """Return nothing: Discord is called, and never calls."""
        return ()

    async def close(self) -> None:
        """Let go of all connections. Never raises."""
        await self._server.close()
        await self._link.close()

    async def _drawn(self, invoke: Invoke, request: Request) -> AsyncGenerator[Message, None]:
        async with aclosing(invoke(request)) as answers:
            async for message in answers:
                yield self._worded(message)

    def _worded(self, message: Message) -> Message:
        """Say commands as Discord draws them."""
        return drawn(message, self._setup.settings.command, self._setup.commands)

    def _furnish(self, client: Client) -> None:
        """Give a client the commands."""
        self._tree = make_tree(client, self._setup.commands, self._setup.settings.command, self._listen)
        self._tree.renew = lambda: self._sync(again=True)

    async def _prepare(self) -> None:
        """Tell Discord the commands, and read what is offered: whoever types first shall not wait for it."""
        await self._sync()
        await self._listen.warm()

    async def _ready(self) -> None:
        """`on_ready`, which comes again whenever a session was lost: the start may have been a bad moment."""
        if not self._synced:
            await self._sync()

    async def _sync(self, *, again: bool = False) -> None:
        """Tell Discord the commands, if they changed or `again`."""
        self._synced = await sync(self._tree, self._setup.store, self._setup.settings.discord_guild, again=again)

    async def _message(self, said: discord.Message) -> None:
        me = self._link.client.user
        if me is not None:
            await self._listen.message(said, me.id)
