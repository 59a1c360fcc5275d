"""What a contract test needs of Slack: the platform at a town of its own, and what a person sees of each answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.config import Settings
from bot.core.command import Command
from bot.core.message import Message
from bot.core.ports import Invoke
from bot.core.request import Address, Request
from bot.jobs.web import application
from bot.platforms._setup import Setup
from bot.platforms.slack import Slack
from bot.plugins import load
from bot.store.engine import Store
from tests.fakes.slack_town import APP_TOKEN, SECRET, Town


@dataclass(frozen=True)
class Shown:
    """What a person sees: words as they are read, and where links lead. `raw` is the blocks."""

    text: str
    links: tuple[str, ...]
    raw: str


class Rig:
    """Slack in one of its two modes. `open` it first, and `close` it at the end."""

    def __init__(self, mode: str, **settings: Any) -> None:
        self.mode = mode
        self.town = Town()
        self.address = Address("slack", "T1", "UADA", "")
        self.requests: list[Request] = []
        self.commands: dict[str, Command] = load("bot.commands")
        self.answers: Callable[[Request], Sequence[Message]] = lambda _request: ()
        self._more = settings

    async def open(self, invoke: Invoke | None = None) -> Rig:
        """Start the town and the platform."""
        await self.town.__aenter__()
        self.store = Store.open("sqlite://")
        given: dict[str, Any] = {
            "slack_bot_token": "xoxb-T1",
            "slack_app_token": APP_TOKEN,
            "slack_signing_secret": SECRET,
            "slack_mode": self.mode,
            "slack_api_url": self.town.api_url,
        }
        settings = Settings(data_dir=Path("/nonexistent"), database_url="sqlite://", **given | self._more)
        opened = Slack.open(Setup(settings, self.store, self.commands, lambda: datetime.now(UTC)))
        assert opened is not None
        self.slack = opened
        self._runner = web.AppRunner(application({"slack": opened.routes()}, _well), access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.town.events_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/slack/events"
        self._running = asyncio.create_task(opened.run(invoke or self._invoke))
        if self.mode == "socket":
            await self.town.until(lambda: self.town.sockets)
        else:
            await asyncio.sleep(0)
        return self

    async def close(self) -> None:
        """End everything."""
        self._running.cancel()
        with suppress(asyncio.CancelledError):
            await self._running
        await self.slack.close()
        await self._runner.cleanup()
        await self.town.__aexit__()
        self.store.close()
        assert not self.town.checks.refused, self.town.checks.refused  # whatever was said, Slack would have taken it

    def platform(self) -> Slack:
        """Return the platform."""
        return self.slack

    async def say(self, typed: str, *answers: Message) -> Shown:
        """Type a command; it is answered by these messages, of which later ones replace the first."""
        self.answers = lambda _request: answers
        before = len(self.town.replies)
        await self.town.command(typed.removeprefix("/papers "), channel="DUADA", channel_name="directmessage")
        await self.town.until(lambda: len(self.town.replies) >= before + len(answers))
        return shown(*(reply.body["blocks"] for reply in self.town.replies[before:]))

    async def press(self, message: Message, label: str, *answers: Message) -> Shown:
        """Have a message shown, and press its first button of that label."""
        posted = await self._send(message, "list")
        action = next(value for name, value in buttons(posted["blocks"]) if name == label)
        self.answers = lambda _request: answers
        in_place = self.commands[action.partition(":")[0]].edits
        before = len(self.town.posted["DUADA"])
        await self.town.press(action, channel="DUADA", ts=posted["ts"])
        await self.town.until(
            lambda: (
                self.town.called("chat.update") if in_place else len(self.town.posted["DUADA"]) >= before + len(answers)
            )
        )
        return shown(*(one["blocks"] for one in self.town.posted["DUADA"][before - in_place :]))

    async def send(self, message: Message, key: str) -> Shown:
        """Deliver a message that nobody asked for."""
        return shown((await self._send(message, key))["blocks"])

    async def _send(self, message: Message, key: str) -> dict[str, Any]:
        receipt = await self.slack.send(self.address, message, key)
        assert receipt.id
        assert receipt.at.tzinfo is not None
        return self.town.posted["DUADA"][-1]

    async def _invoke(self, request: Request) -> AsyncGenerator[Message, None]:
        self.requests.append(request)
        for answer in self.answers(request):
            yield answer


async def _well() -> None:
    """All is well."""


def shown(*blocks: Any) -> Shown:
    """Return what a person sees of blocks."""
    texts: list[str] = []
    links: list[str] = []
    for part in _parts(blocks):
        if part.get("type") == "link":
            links += [part["url"]] if part.get("text") else []  # one that shows its own address hides nothing
            texts.append(part.get("text") or part["url"])
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
        if part.get("type") == "button" and part.get("url"):
            links.append(part["url"])
    return Shown("\n".join(texts), tuple(links), json.dumps(blocks, ensure_ascii=False))


def buttons(blocks: Any) -> list[tuple[str, str]]:
    """Return what stands on each button and menu entry, and what it does."""
    return [
        (part["text"]["text"], part["value"])
        for part in _parts(blocks)
        if "value" in part and isinstance(part.get("text"), dict)
    ]


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for inner in value:
            yield from _parts(inner)


RIGS: dict[str, Callable[[], Rig]] = {mode: (lambda mode=mode: Rig(mode)) for mode in ("socket", "http")}  # type: ignore[misc]
