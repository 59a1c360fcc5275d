"""One delivery, from the row that says it is new to the answer. Nothing here raises: it runs in a task of its own."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import structlog

from bot.core.message import File, Message
from bot.core.ports import Invoke
from bot.core.request import Address, Request
from bot.errors import DeliveryError, PaperroundError, Refused, StoreError
from bot.store import deliveries
from bot.store.engine import Store

STOP_WITHIN = 5.0  # seconds for answers that are on their way when the process ends
STOPPING = "I am being restarted: please type or press it again in a minute."
AWAY = "My database does not answer. Please try again in a minute; if it stays, tell whoever runs this bot."
NOT_HERE = "I am not installed in your workspace, so I can do nothing for you here. Whoever manages it can install me."
FILE_COMES = "The file comes as a direct message."
NO_FILE = (  # the first way is Discord's, the second the others'
    "I cannot write to you directly, so the file did not go out. Allow direct messages from members of this server, or "
    "open one with me, and ask again."
)

log = structlog.get_logger()


class Way(Protocol):
    """How an answer reaches the person who asked. `lasting`: it is still there when the window is loaded anew."""

    lasting: bool

    async def show(self, message: Message) -> None:
        """Post the first message; replace it by a later one. Raises Refused, Retry or Uncertain."""

    async def aside(self, message: Message) -> None:
        """Show one more message to the person only; it replaces nothing. Raises Refused, Retry or Uncertain."""

    async def publish(self, message: Message) -> None:
        """Post for all who are there, unless they read the answer anyway. Raises Refused, Retry or Uncertain."""


class Writes(Protocol):
    """What a platform writes to people with, whatever they asked."""

    async def is_here(self, workspace: str) -> bool:
        """Say whether the bot is installed in a workspace; if nobody can tell soon, it is."""

    async def direct(self, at: Address, message: Message) -> None:
        """Write to this person alone. Raises Refused, Retry or Uncertain."""

    async def upload(self, at: Address, file: File) -> None:
        """Send a file to this person alone: never into a channel. Raises Refused, Retry or Uncertain."""


D = TypeVar("D", bound=Writes)


class Server(Generic[D]):
    """Serves deliveries, each once. `invoke` is there while the platform runs; `listens`: more may come."""

    def __init__(self, desk: D, store: Store, now: Callable[[], datetime]) -> None:
        self.desk = desk
        self.invoke: Invoke | None = None
        self.listens = False
        self._store = store
        self._now = now
        self._tasks: set[asyncio.Task[None]] = set()

    def opens(self, invoke: Invoke) -> None:
        """Begin to serve."""
        self.invoke, self.listens = invoke, True

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in a task that is kept until it ends."""
        task = asyncio.create_task(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def is_new(self, key: str) -> bool:
        """Note a delivery, and say whether it comes for the first time. What has no key cannot be known again."""
        return not key or await self._store.together(deliveries.fresh, key, self._now())

    async def seems_new(self, key: str) -> bool:
        """Note a delivery, and say whether it is known to have come before: without the database it is not."""
        try:
            return await self.is_new(key)
        except StoreError as error:
            log.warning("a delivery could not be noted", reason=str(error))
            return True

    async def serve(self, request: Request, way: Way, *, noted: bool = False) -> None:
        """Answer a request, unless it was answered before. `noted`: it is known to be new."""
        try:
            if noted or await self.is_new(request.key):
                await self._answer(request, way)
        except DeliveryError as error:
            log.warning("an answer did not arrive", reason=str(error), workspace=request.address.workspace)
        except StoreError as error:  # its words are for whoever runs the bot
            log.error("a delivery could not be noted", reason=str(error))
            await _tell(way, AWAY)
        except PaperroundError as error:
            await _tell(way, str(error))
        except Exception:
            incident = secrets.token_hex(3)
            log.exception("a delivery failed", incident=incident)
            await _tell(
                way,
                "That did not work, and the fault is here, not yours. Please try once more. If it stays, tell your "
                f"administrator the number {incident}: it stands in the log.",
            )

    async def close(self) -> None:
        """Let what is at work come to its end, for a few seconds, and take no more. Never raises."""
        self.listens = False
        loop = asyncio.get_running_loop()
        end = loop.time() + STOP_WITHIN
        while self._tasks and loop.time() < end:
            await asyncio.wait(self._tasks, timeout=end - loop.time())
        self.invoke = None
        late = list(self._tasks)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _answer(self, request: Request, way: Way) -> None:
        if self.invoke is None:
            return await way.show(Message(STOPPING, private=True))
        if not await self.desk.is_here(request.address.workspace):
            return await way.show(Message(NOT_HERE, private=True))
        last: Message | None = None
        async with aclosing(self.invoke(request)) as answer:
            async for message in answer:
                if message.public:
                    await _publish(way, message)
                else:
                    await way.show(_told(message) if message.files and not way.lasting else message)
                    last = message
        if last is not None:
            await self._also(request, way, last)
        return None

    async def _also(self, request: Request, way: Way, message: Message) -> None:
        """Bring what a private answer cannot hold to the direct message: what must last, and files."""
        at = request.address
        try:
            if message.lasts and not way.lasting:
                await self.desk.direct(at, message)
            for file in message.files:
                await self.desk.upload(at, file)
        except Refused as error:
            log.warning("a direct message was refused", reason=str(error), workspace=at.workspace)
            if message.files:
                await way.show(Message(NO_FILE, private=True))
            elif message.if_closed:
                text = "\n\n".join(part for part in (message.text, message.if_closed) if part)
                await way.show(replace(message, text=text))


def _told(message: Message) -> Message:
    """Say where to look for what an answer that vanishes cannot hold."""
    return replace(message, text="\n".join(part for part in (message.text, FILE_COMES) if part))


async def _publish(way: Way, message: Message) -> None:
    """Post for all in the channel; if the bot may not, whoever asked hears why."""
    try:
        await way.publish(message)
    except Refused as error:
        log.info("an answer could not be shared", reason=str(error))
        await way.aside(Message(f"It could not be shared here. {error}", private=True))


async def _tell(way: Way, text: str) -> None:
    with suppress(DeliveryError):
        await way.show(Message(text, private=True))


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except DeliveryError as error:
        log.warning("an answer did not arrive", reason=str(error))
    except Exception:
        log.exception("a delivery failed", incident=secrets.token_hex(3))
