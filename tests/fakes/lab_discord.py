"""Sending to Discord in a test: a world of its own, a client without a gateway, and what the sender needs of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.config import Settings
from bot.core.message import Button, Card, Message
from bot.core.ports import Limits
from bot.core.request import Address, Receipt
from bot.platforms.discord.client import Link
from bot.platforms.discord.places import Places
from bot.platforms.discord.send import Post
from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.state import Channel, Guild, User

HELLO = Message(
    "Good morning.",
    (Card("x:1", "A paper", "https://example.org/1", 1, ("Ada, Bob",), (Button("More", "more:1:0"),)),),
    topics=("speculative decoding",),
)
MESSAGES = "/channels/*/messages"


class Sends:
    """What the sender needs of a platform."""

    name = "discord"

    def __init__(self, post: Post, limits: Limits) -> None:
        self._post = post
        self.limits = limits

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Post."""
        return await self._post.send(to, message, key)

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Look."""
        return await self._post.find(to, key, since)


@dataclass
class Lab:
    """A server of Ada's with a channel, and the bot that posts there."""

    fake: FakeDiscord
    ada: User
    guild: Guild
    channel: Channel
    link: Link
    places: Places
    post: Post

    def at(self, channel: Channel | None = None, user: User | None = None) -> Address:
        """Return the address of a channel, and of a person there."""
        return Address("discord", self.guild.id, user.id if user else "", (channel or self.channel).id)

    @property
    def direct(self) -> Address:
        """The address of Ada's direct message."""
        return Address("discord", "@me", self.ada.id)

    def platform(self, a_second: float = 1e6, to_one: float = 1e6) -> Any:
        """Return a platform for the sender."""
        return Sends(self.post, Limits(a_second, to_one))


def settings_of(fake: FakeDiscord, **more: Any) -> Settings:
    """Return settings with this Discord in them."""
    given: dict[str, Any] = {"discord_token": fake.token, "discord_api_url": fake.api_url}
    return Settings(data_dir=Path("/nonexistent"), database_url="sqlite://", **given | more)


@asynccontextmanager
async def opened() -> AsyncIterator[Lab]:
    """Open one, and close all at the end."""
    async with FakeDiscord() as fake:
        ada = fake.user("ada")
        guild = fake.guild("Lab", owner=ada)
        channel = guild.channel("reading", topic="papers that we read")
        link = Link(settings_of(fake))
        places = Places(link)
        try:
            yield Lab(fake, ada, guild, channel, link, places, Post(link, places))
        finally:
            await link.close()
