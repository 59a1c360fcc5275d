"""A platform plug-in that talks to tests/fakes/post_office.py, as an outsider's would: found by its entry point.

Its settings are its own: POST_OFFICE is the office's host:port, POST_LIMIT "messages a second" in all and to one
destination. POST_PULSE names a file that says how long the event loop was blocked, and the most memory used. POST_PAGES
names a file with the most pages an SQLite database may have, as a full disk would.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from bot.core.check import Check
from bot.core.message import Message, to_json
from bot.core.ports import Facts, Invoke, Limits, Route
from bot.core.request import Address, Receipt
from bot.errors import Refused, Retry, Uncertain, Unknown

BEAT = 0.01  # seconds between two looks at the clock


class Post:
    """The platform `post`. Destinations are "workspace/channel" or "workspace/@user"."""

    name = "post"

    @classmethod
    def open(cls, setup: Any) -> Post:
        """Its settings are its own."""
        return cls()

    def __init__(self) -> None:
        host, _, port = os.environ["POST_OFFICE"].rpartition(":")
        self._office = (host, int(port))
        in_all, to_one = (float(word) for word in os.environ.get("POST_LIMIT", "1000 1000").split())
        self.limits = Limits(a_second=in_all, to_one=to_one)

    async def run(self, invoke: Invoke) -> None:
        """Listen to nothing until cancelled; measure the loop if asked to."""
        pulse = os.environ.get("POST_PULSE", "")
        if pulse:
            await measure(Path(f"{pulse}.{os.getpid()}"))
        await asyncio.Event().wait()

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Deliver a message. Raises Retry, Refused or Uncertain."""
        try:
            reader, writer = await asyncio.open_connection(*self._office)
        except OSError as error:
            raise Retry(f"the office is closed: {error}", 0.5) from error
        asked = {"call": "send", "key": key, "to": place(to), "message": to_json(message)}
        try:
            answer = await talk(reader, writer, asked)
        except (OSError, ValueError) as error:
            raise Uncertain(f"no answer: {type(error).__name__}") from error
        kind = answer.get("error", "")
        if kind == "limited":
            raise Retry("too many at once", answer["after"], everywhere=answer["everywhere"])
        if kind == "refused":
            raise Refused(answer["reason"])
        if kind:
            raise Uncertain("the office failed (500)")
        return Receipt(answer["id"], datetime.fromtimestamp(answer["at"], UTC))

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Look for a message. Raises Unknown."""
        answer = await self._ask({"call": "find", "key": key, "to": place(to), "since": since.timestamp()})
        if "error" in answer:
            raise Unknown(f"the history is {answer['error']}")
        if answer["found"]:
            return Receipt(answer["found"]["id"], datetime.fromtimestamp(answer["found"]["at"], UTC))
        if not (await self._ask({"call": "about", "to": place(to)}))["reads_history"]:
            raise Unknown("the history may not be read, so it looks empty")
        return None

    async def about(self, address: Address) -> Facts:
        """Whoever asks manages the channel."""
        return Facts(name=address.channel or address.user, manages=True)

    def routes(self) -> Sequence[Route]:
        """It has no routes."""
        return ()

    async def check(self) -> Sequence[Check]:
        """The office is there if it answers."""
        answer = await self._ask({"call": "about", "to": "lab/@doctor"})
        return [Check("post", "ok", "reads history" if answer["reads_history"] else "cannot read history")]

    async def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            return await talk(*await asyncio.open_connection(*self._office), asked)
        except (OSError, ValueError) as error:
            raise Unknown(f"no answer: {type(error).__name__}") from error


async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: dict[str, Any]) -> dict[str, Any]:
    """Say one line and return the answer. Raises OSError and ValueError (no answer, or no JSON object)."""
    try:
        writer.write(json.dumps(asked).encode() + b"\n")
        await writer.drain()
        answer: dict[str, Any] = json.loads(await reader.readline())
        return answer
    finally:
        writer.close()


def place(to: Address) -> str:
    """Return the destination as the office knows it."""
    return f"{to.workspace}/{to.channel or '@' + to.user}"


async def measure(file: Path) -> None:
    """Write once a second: the longest that the loop was blocked, in seconds, and the peak of memory, in bytes."""
    longest, written = 0.0, time.monotonic()
    while True:
        before = time.monotonic()
        await asyncio.sleep(BEAT)
        longest = max(longest, time.monotonic() - before - BEAT)
        if before > written + 1:
            written = before
            await asyncio.to_thread(_write, file, longest)


def _write(file: Path, blocked: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with suppress(OSError):
        file.write_text(json.dumps({"blocked": blocked, "peak": peak}))


def bound(file: Path) -> None:
    """Let no SQLite database grow beyond what the file says, read anew for each transaction."""

    @event.listens_for(Engine, "begin")
    def begin(conn: Connection) -> None:
        if conn.dialect.name == "sqlite":
            conn.connection.driver_connection.execute(f"PRAGMA max_page_count={int(file.read_text())}")  # type: ignore[union-attr]


platform = Post
if os.environ.get("POST_PAGES"):
    bound(Path(os.environ["POST_PAGES"]))

if os.environ.get("CRASH_AT"):
    import post_crash  # type: ignore[import-not-found]  # beside this module, on the path of the process

    post_crash.arm(os.environ["CRASH_AT"], Post)
