"""What a contract test needs of Discord: the platform at a world of its own, and what a person sees of each answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bot.config import Settings
from bot.core.command import Command
from bot.core.message import Message
from bot.core.ports import Invoke
from bot.core.request import Address, Request
from bot.platforms._setup import Setup
from bot.platforms.discord import Discord
from bot.plugins import load
from bot.store.engine import Store
from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.seen import Seen
from tests.fakes.discord_wire.state import Message as Posted
from tests.fakes.discord_wire.state import walk
from tests.fakes.markdown_discord import read
from tests.fakes.stores import in_memory


@dataclass(frozen=True)
class Shown:
    """What a person sees: words as they are read, and where links lead. `raw` is the components."""

    text: str
    links: tuple[str, ...]
    raw: str


class Rig:
    """Discord at its gateway. `open` it first, and `close` it at the end."""

    def __init__(self, **settings: Any) -> None:
        self.fake = FakeDiscord()
        self.requests: list[Request] = []
        self.own: list[Request] = []
        """What the platform asked by itself, of nobody."""
        self.commands: dict[str, Command] = load("bot.commands")
        self.answers: Callable[[Request], Sequence[Message]] = lambda _request: ()
        self._more = settings

    async def open(self, invoke: Invoke | None = None, store: Store | None = None) -> Rig:
        """Start the world and the platform: a server of Ada's, with Bob in it, and a channel."""
        await self.fake.__aenter__()
        self.ada, self.bob = self.fake.user("ada"), self.fake.user("bob")
        self.guild = self.fake.guild("Lab", owner=self.ada)
        self.guild.join(self.bob)
        self.channel = self.guild.channel("reading")
        self.dm = self.fake.dm(self.ada)
        self.address = Address("discord", "@me", self.ada.id)
        self.here = Address("discord", self.guild.id, self.ada.id, self.channel.id)
        self.store = store or in_memory()
        self.invoke = invoke or self._invoke
        await self.start()
        return self

    async def start(self) -> None:
        """Start the platform, as a process does."""
        given: dict[str, Any] = {"discord_token": self.fake.token, "discord_api_url": self.fake.api_url}
        settings = Settings(data_dir=Path("/nonexistent"), database_url="sqlite://", **given | self._more)
        opened = Discord.open(Setup(settings, self.store, self.commands, lambda: datetime.now(UTC)))
        assert opened is not None
        self.discord = opened
        self._running = asyncio.create_task(opened.run(self.invoke))
        await self.fake.listening()
        await self.settled()

    async def stop(self) -> None:
        """End the platform."""
        if self._running.cancel():
            with suppress(asyncio.CancelledError):
                await self._running
        await self.discord.close()

    async def close(self) -> None:
        """End everything."""
        await self.stop()
        await self.fake.__aexit__(None, None, None)
        self.store.close()

    def platform(self) -> Discord:
        """Return the platform."""
        return self.discord

    async def say(self, typed: str, *answers: Message) -> Shown:
        """Type a command; it is answered by these messages, of which later ones replace the first."""
        self.answers = lambda _request: answers
        seen = await self.fake.slash(self.ada, self.dm, "ask", {"text": typed.removeprefix("/papers ")})
        await self.answered(seen)
        return shown(*seen.messages)

    async def press(self, message: Message, label: str, *answers: Message) -> Shown:
        """Have a message shown, and press its first button of that label."""
        posted = await self._send(message, "list")
        await self.stop()
        await self.start()
        self.answers = lambda _request: answers
        seen = await self.fake.press(self.ada, posted, label)
        await self.answered(seen)
        return shown(*seen.messages)

    async def send(self, message: Message, key: str) -> Shown:
        """Deliver a message that nobody asked for."""
        return shown(await self._send(message, key))

    async def answered(self, seen: Seen) -> Seen:
        """Wait until something is acknowledged, and nothing is at work any more."""
        await seen.until(lambda one: one.acked or one.refused)
        await self.settled()
        return seen

    async def settled(self) -> None:
        """Wait until nothing is at work."""
        await asyncio.sleep(0.01)
        async with asyncio.timeout(5):
            while tasks := self.discord._server._tasks:
                await asyncio.wait(tasks)

    async def _send(self, message: Message, key: str) -> Posted:
        receipt = await self.discord.send(self.address, message, key)
        assert receipt.id
        assert receipt.at.tzinfo is not None
        return self.dm.said[-1]

    async def _invoke(self, request: Request) -> AsyncGenerator[Message, None]:
        (self.requests if request.address.user else self.own).append(request)
        for answer in self.answers(request):
            yield answer


def shown(*messages: Posted) -> Shown:
    """Return what a person sees of messages."""
    parts = [part for message in messages for part in walk(message["components"])]
    texts: list[str] = []
    links: list[str] = []
    for part in parts:
        spans = read(part["content"]) if part["type"] == 10 else []
        texts += ["".join(span.text for span in spans)] if spans else []
        links += [
            unquote(span.url) for span in spans if span.url and span.text != span.url
        ]  # one that is seen hides nothing
        texts += [part["label"]] if part["type"] == 2 else []
        links += [part["url"]] if part.get("url") else []
    return Shown("\n".join(texts), tuple(links), json.dumps([message["components"] for message in messages]))


def buttons(messages: Iterable[Posted]) -> list[str]:
    """Return what stands on the buttons of messages."""
    return [label for message in messages for label in message.labels]


RIGS: dict[str, Callable[[], Rig]] = {"gateway": Rig}
