"""The chat: lines are read, answers are shown, and the number of a button presses it."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TextIO

from bot.core.command import Command
from bot.core.grammar import ROOT
from bot.core.message import File, Message
from bot.core.ports import Facts, Invoke, Route
from bot.core.request import Address, Receipt, Request
from bot.errors import Refused, Retry, Unknown
from bot.platforms.console.keep import save, system_zone
from bot.platforms.console.lines import Lines, descriptor
from bot.platforms.console.render import as_json, plain, terminal, usage_line
from bot.platforms.console.rows import actions
from bot.platforms.console.typed import Typed, read

WORKSPACE = "local"
NUMBERS_LIMIT = 200  # buttons that are kept; then the numbers begin anew
WIDTH = 80  # columns, where a terminal does not tell
CLOSED_AFTER = 3600.0  # seconds until a message for a terminal that is not open is tried again
PROMPT = "> "


def utc_now() -> datetime:
    """Return the time (aware, UTC)."""
    return datetime.now(UTC)


class Memory(Protocol):
    """Where the numbers of buttons are remembered; the console itself forgets."""

    async def remember(self, address: Address, actions: list[str]) -> None:
        """Keep what the buttons 1, 2, … do at an address."""

    async def recall(self, address: Address) -> list[str]:
        """Return what the buttons 1, 2, … do there; nothing if none were shown."""


class _Closed(Exception):  # noqa: N818
    """Nobody reads what is written any more."""


class Console:
    """One person at one terminal. `color`: None tells a terminal from a pipe; `width`: None asks the terminal.

    `commands` are needed only to say a form as the line that would be typed instead; `now` tells when something is
    delivered.
    """

    name = "console"

    @classmethod
    def open(cls, setup: object) -> None:
        """There is none until somebody sits at it, with streams of their own: see `App.console`."""

    def __init__(
        self,
        *,
        stdin: TextIO,
        stdout: TextIO,
        memory: Memory,
        user: str = "me",
        channel: str = "",
        as_json: bool = False,
        color: bool | None = None,
        width: int | None = None,
        commands: Mapping[str, Command] | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._memory = memory
        self._address = Address(self.name, WORKSPACE, user, channel.strip().lstrip("#"))
        self._json = as_json
        self._color = not as_json and (stdout.isatty() if color is None else color)
        self._width = width
        self._commands = commands or {}
        self._now = now
        self._prompts = not as_json and stdin.isatty() and stdout.isatty()
        self._prompted = False
        self._showing = asyncio.Lock()

    async def run(self, invoke: Invoke) -> None:
        """Answer lines until the input ends, `exit` is typed, or nobody reads the output any more."""
        lines = Lines(self._stdin)
        try:
            while True:
                self._prompt()
                line = await lines.next()
                self._prompted = self._prompted and line is None
                if line is None or (typed := read(line)).leaves:
                    return
                await self._take(typed, invoke)
        except _Closed:
            self._hush()
        finally:
            if self._prompted:
                with suppress(_Closed):
                    self._write("\n")

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Show a message under a rule with the time. Raises Refused for another platform, Retry if it is not open."""
        here = self._address
        if (to.platform, to.workspace) != (here.platform, here.workspace):
            raise Refused(f"This is the terminal, and the message is for {to.platform}.")
        if not to.channel and to.user != here.user:
            raise Retry(f"This is the terminal of {here.user}. {to.user} has to open one.", CLOSED_AFTER)
        now = self._now()
        place = f" · #{to.channel}" if to.channel else ""
        try:
            if self._prompted:
                self._write("\n")
            await self._show(message, rule=f"{now.astimezone():%H:%M}{place}")
            if self._prompted:
                self._prompt()
        except _Closed:
            raise Retry("The terminal is closed.", CLOSED_AFTER) from None
        return Receipt(key, now)

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:  # noqa: ARG002 - it cannot look
        """Raise Unknown: a terminal keeps no history."""
        raise Unknown("A terminal keeps no history, so nobody can tell whether the message was seen.")

    async def about(self, address: Address) -> Facts:
        """Tell what is known: the name, the system's time zone, and that whoever sits here may do all."""
        return Facts(name=address.channel or address.user, time_zone=system_zone(), manages=True)

    def routes(self) -> Sequence[Route]:
        """A terminal has no routes."""
        return ()

    async def _take(self, typed: Typed, invoke: Invoke) -> None:
        action = typed.action
        if typed.number is not None:
            held = await self._memory.recall(self._address)
            if not 1 <= typed.number <= len(held):
                await self._show(Message(text=_no_button(typed.number, len(held))))
                return
            action = held[typed.number - 1]
        if action or typed.text:
            key = f"{self.name}:{secrets.token_hex(8)}"
            at = self._address
            request = Request(at, typed.text, action, key=key, person=at.user, place=at.channel)
            await self._answer(invoke, request)

    async def _answer(self, invoke: Invoke, request: Request) -> None:
        """Show an answer: at a terminal as it grows, otherwise only the last private message and what is public."""
        anew = self._json or not request.action  # after a press numbers go on: the list is still on the screen
        last: Message | None = None
        public: list[Message] = []
        async with aclosing(invoke(request)) as answer:
            async for message in answer:
                if self._color and message != last:
                    await self._show(message, anew=anew)
                    anew = anew and not actions(message)
                if message.public and not self._color:
                    public.append(message)
                else:
                    last = message
        if self._color:
            return
        for message in [last, *public] if last is not None else public:
            await self._show(message, anew=anew)
            anew = anew and not actions(message)

    async def _show(self, message: Message, *, anew: bool = False, rule: str = "") -> None:
        """Print a message, and have its buttons remembered with those that are on the screen already."""
        async with self._showing:
            new = actions(message)
            held = [] if anew or not new else await self._memory.recall(self._address)
            held = held if len(held) + len(new) <= NUMBERS_LIMIT else []
            self._write(self._rendered(message, len(held) + 1, rule))
            if new:
                await self._memory.remember(self._address, held + new)

    def _rendered(self, message: Message, first: int, rule: str) -> str:
        if self._json:
            return as_json(message)
        place = f"in #{self._address.channel}" if self._address.channel else "for everybody"
        head = f"{place}:" if message.public else ""
        notes = [_saved(file) for file in message.files]
        if message.form is not None:
            notes.append(f"Type: {usage_line(message.form, self._commands)}")
        if not self._color:
            return plain(message, first=first, head=head, rule=rule, notes=notes) + "\n"
        return terminal(message, self._columns(), first=first, head=head, rule=rule, notes=notes) + "\n"

    def _columns(self) -> int:
        fd = descriptor(self._stdout)
        if self._width is None and fd is not None:
            with suppress(OSError):
                return os.get_terminal_size(fd).columns or WIDTH
        return self._width or WIDTH

    def _prompt(self) -> None:
        if self._prompts:
            self._write(PROMPT)
            self._prompted = True

    def _write(self, text: str) -> None:
        """Write and flush; what the stream's encoding lacks becomes a question mark. Raises _Closed."""
        encoding = self._stdout.encoding or "utf-8"
        try:
            self._stdout.write(text.encode(encoding, "replace").decode(encoding))
            self._stdout.flush()
        except OSError as error:
            if isinstance(error, ConnectionError) or error.errno == errno.EIO:  # a closed pipe, or a closed terminal
                raise _Closed from None
            raise

    def _hush(self) -> None:
        """Point a closed output to nowhere, or the interpreter complains when it flushes it at its end."""
        fd = descriptor(self._stdout)
        if fd is not None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, fd)
            os.close(nowhere)


def _no_button(number: int, held: int) -> str:
    known = f"they go from 1 to {held}" if held > 1 else "there is only 1"
    reason = f"There is no button {number}: {known}." if held else "There is no button to press yet."
    return f"{reason} To search for the number, type: /{ROOT} search {number}"


def _saved(file: File) -> str:
    """Save a file into the current folder, and say where it is."""
    try:
        return f"Saved as {save(file, Path.cwd())}"
    except OSError as error:
        reason = error.strerror or str(error)
        return f"{file.name} could not be saved here ({reason}). Start the chat in a folder of yours, and ask again."
