"""The whole bot on a server of Discord: what people type, press and fill in, and what they see of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.store import owners
from tests.fakes.bot import FAULT, Bot, make_bot
from tests.fakes.discord_wire.seen import Seen
from tests.fakes.discord_wire.state import Message as Posted
from tests.fakes.discord_wire.state import User
from tests.fakes.rig_discord import Rig


@dataclass
class Walk:
    """A bot with the seeds, on a server that Ada owns and Bob is in."""

    rig: Rig
    bot: Bot

    async def type(self, name: str, by: User | None = None, **values: Any) -> Seen:
        """Type a command in the channel, and wait until it is done; `into`: its option `in`."""
        if "into" in values:
            values["in"] = values.pop("into")
        return await self.done(await self.rig.fake.slash(by or self.rig.ada, self.rig.channel, name, values))

    async def press(self, message: Posted, what: str, user: User | None = None) -> Seen:
        """Press a button, and wait until it is done."""
        return await self.done(await self.rig.fake.press(user or self.rig.ada, message, what))

    async def submit(self, seen: Seen, **values: Any) -> Seen:
        """Send a form, and wait until it is done."""
        return await self.done(await self.rig.fake.submit(self.rig.ada, seen, values))

    async def done(self, seen: Seen) -> Seen:
        """Wait until nothing is at work."""
        await self.rig.answered(seen)
        assert not seen.refused
        assert FAULT not in seen.text
        return seen

    def name_of(self, kind: str, workspace: str, external: str) -> str:
        """Return the name that is stored of somebody."""
        with self.bot.app.store.reading() as conn:
            found = owners.known(conn, "discord", workspace, kind, external, "")
        assert found is not None
        return found.name

    async def restart(self) -> None:
        """End the platform, and start another on the same store, as a process that is run again does."""
        await self.rig.stop()
        await self.rig.start()
        self.bot.app.platforms["discord"] = self.rig.discord


@asynccontextmanager
async def walking() -> AsyncIterator[Walk]:
    """Open it, and close all at the end."""
    bot, rig = make_bot(), Rig()
    await rig.open(bot.app.invoke, bot.app.store)
    bot.app.platforms["discord"] = rig.discord
    yield Walk(rig, bot)
    await rig.close()
