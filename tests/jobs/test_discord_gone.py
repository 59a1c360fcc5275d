"""Servers and channels that end, over the wire: the real client listens, and Discord tells it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from bot.config import Settings
from bot.platforms._setup import Setup
from bot.platforms.discord.client import Link
from bot.platforms.discord.ended import DELETED, REMOVED, Ends
from bot.store import interests, owners, subscriptions
from bot.store.engine import Store
from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.state import Channel, Guild

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)


@dataclass
class Bot:
    """What listens and stores."""

    fake: FakeDiscord
    store: Store

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen for a while."""
        token = SecretStr(self.fake.token)
        settings = Settings(discord_token=token, discord_api_url=self.fake.api_url, discord_shard_count=1)
        link = Link(settings)
        Ends(Setup(settings, self.store, {}, lambda: NOW)).hear(link)
        running = asyncio.create_task(link.run())
        try:
            await self.fake.listening()
            yield
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await link.close()

    def follow(self, channel: Channel) -> int:
        assert channel.guild is not None
        with self.store.writing() as conn:
            ada = owners.get(conn, "discord", "@me", "person", "8", "Ada", NOW).number
            owner = owners.get(conn, "discord", channel.guild.id, "channel", channel.id, "#c", NOW).number
            values = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}
            return subscriptions.add(conn, owner, interests.add(conn, owner, "g", ["g"], NOW), ada, values, NOW)

    def paused(self, number: int) -> str:
        """Return why a subscription is paused; nothing if it is not."""
        with self.store.reading() as conn:
            return subscriptions.of_number(conn, number)[0].paused_why

    async def until(self, test: Callable[[], bool]) -> None:
        """Wait until something is so, for a few seconds."""
        for _ in range(250):
            if test():
                return
            await asyncio.sleep(0.02)
        raise AssertionError("it did not come so")


@pytest.fixture
async def bot(memory_store: Store) -> AsyncIterator[Bot]:
    async with FakeDiscord() as fake:
        yield Bot(fake, memory_store)


@pytest.fixture
def lab(bot: Bot) -> Guild:
    return bot.fake.guild("Lab", owner=bot.fake.user("ada"))


async def test_a_server_removes_the_bot_and_takes_it_back(bot: Bot, lab: Guild) -> None:
    number = bot.follow(lab.channel("reading"))
    async with bot.listening():
        lab.outage()
        lab.outage(over=True)
        lab.remove_bot()
        await bot.until(lambda: REMOVED in bot.paused(number))
        lab.add_bot()
        await bot.until(lambda: not bot.paused(number))


async def test_a_server_that_removed_the_bot_while_it_was_away(bot: Bot, lab: Guild) -> None:
    number, other = bot.follow(lab.channel("reading")), bot.follow(bot.fake.guild("Club").channel("reading"))
    bot.fake.guild("Down").outage()
    async with bot.listening():
        pass
    assert (bot.paused(number), bot.paused(other)) == ("", "")
    lab.remove_bot()
    async with bot.listening():
        await bot.until(lambda: REMOVED in bot.paused(number))
    lab.add_bot()
    async with bot.listening():
        await bot.until(lambda: not bot.paused(number))
    assert bot.paused(other) == ""


async def test_channels_forums_and_threads_that_are_deleted(bot: Bot, lab: Guild) -> None:
    reading = lab.channel("reading")
    gone = [reading.thread("now"), lab.channel("old"), lab.channel("posts", kind="forum")]
    kept, inside = bot.follow(reading), bot.follow(reading.thread("later"))
    numbers = [bot.follow(channel) for channel in gone]
    async with bot.listening():
        for channel in gone:
            channel.delete()
        await bot.until(lambda: all(bot.paused(number) == DELETED for number in numbers))
        assert (bot.paused(kept), bot.paused(inside)) == ("", "")
        reading.delete()
        await bot.until(lambda: bot.paused(kept) == bot.paused(inside) == DELETED)
