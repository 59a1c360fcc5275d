"""The composition root: the one file that picks classes, and the one place where errors become messages."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TextIO
from zoneinfo import available_timezones

import structlog

from bot import metrics
from bot.commands import _pages as pages
from bot.commands._context import Context, Pressed
from bot.commands.help import first_steps
from bot.config import Settings
from bot.core.asked import for_guests
from bot.core.card import clip
from bot.core.command import Command
from bot.core.digest import upcoming
from bot.core.grammar import Parsed, heard, parse, spoken
from bot.core.ids import normalise
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.ports import Facts, Platform, Source
from bot.core.request import Address, Request, cleaned
from bot.core.turns import Turns
from bot.errors import (
    Expired,
    NotAllowed,
    NotFound,
    PaperroundError,
    Refused,
    SettingsError,
    StoreError,
    UserError,
)
from bot.jobs.courier import Courier
from bot.jobs.service import Parts, Role, Service
from bot.jobs.upkeep import pulse
from bot.platforms._setup import Setup
from bot.platforms.console import Console, Memory
from bot.plugins import load
from bot.store import notes, outbox, owners, papers, subscriptions, workspaces
from bot.store.address import sqlite_url
from bot.store.engine import Store, was_deleted
from bot.store.library import Library
from bot.store.owners import Owner

log = structlog.get_logger()

CHANGES_A_REQUEST = 300  # papers that one request may bring into the index; `run` and `import` bring all of them
AT_ONCE = 4  # requests that work at the same time: more would only make all of them late
DATABASE = "paperround.sqlite"
EXPIRED = "This list has expired: run it again."
OWN_NOTES = ("run", "undo", "forget")  # actions whose notes are of their own kind; all others press a card of a list


def utc_now() -> datetime:
    """Return the time: the one clock of the bot."""
    return datetime.now(UTC)


def database_of(settings: Settings) -> str:
    """Return the URL of the database that the settings name: the file in the data folder if they name none."""
    return settings.database_url or sqlite_url(settings.data_dir / DATABASE)


class App:
    """Everything that was put together for one process. `close` it at the end."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        library: Library,
        platforms: Mapping[str, Platform] | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.settings = settings
        self.store = store
        self.library = library
        self.platforms: dict[str, Platform] = dict(platforms or {})
        self.commands: dict[str, Command] = load("bot.commands")
        self.sources: dict[str, Source] = {}
        self.now = now
        self._turns = Turns(AT_ONCE)

    @classmethod
    def open(cls, settings: Settings, now: Callable[[], datetime] = utc_now) -> App:
        """Open the store and the index that the settings name. Raises StoreError and SettingsError."""
        rankers = load("recommender.rankers", "ranker")
        if settings.ranker not in rankers:
            raise SettingsError(f"PAPERROUND_RANKER: “{settings.ranker}” is none of {', '.join(rankers)}.")
        store = Store.open(database_of(settings))
        library = Library(store, settings.data_dir / f"index-{store.id[:12]}", rankers[settings.ranker])
        return cls(settings, store, library, now=now)

    def console(self, *, stdin: TextIO, stdout: TextIO, memory: Memory, **options: Any) -> Console:
        """Make the terminal, as `Console` takes it, and let commands ask it who manages what."""
        console = Console(stdin=stdin, stdout=stdout, memory=memory, commands=self.commands, now=self.now, **options)
        self.platforms[console.name] = console
        return console

    def connect(self) -> None:
        """Open every platform that is set up, and load every source. Raises SettingsError.

        The terminal has a platform of its own, when somebody sits at it.
        """
        setup = Setup(self.settings, self.store, self.commands, self.now)
        for name, make in load("bot.platforms", "platform").items():
            opened: Platform | None = make.open(setup)
            if opened is not None:
                self.platforms[name] = opened
        self.sources = {name: one for name, one in load("bot.sources", "source").items() if name != "local"}

    def service(self, role: Role) -> Service:
        """Put together what `paperround run` runs."""
        return Service(Parts(self.store, self.library, self.settings, self.platforms, self.sources, self.invoke), role)

    def courier(self, platform: Platform, user: str, channel: str = "") -> Courier:
        """Put together what brings the digests of one person, and of a channel, to a terminal."""
        return Courier(self.store, self.library, self.settings, platform, user, channel)

    def facts(self, now: datetime) -> dict[str, Any]:
        """Return what `paperround status` tells: the database, the last sign of life, and how much is stored."""
        self.library.index.refresh()
        with self.store.reading() as conn:
            stored = papers.count(conn)
        return pulse(self.store, self.settings, now) | {
            "papers": stored,
            "papers in the index": len(self.library.index),
            "papers learnt from": self.library.index.fitted,
        }

    def subscriptions(self) -> list[str]:
        """Return a line for each subscription: its number, for whom, what, and when it comes next."""
        with self.store.reading() as conn:
            found = subscriptions.everywhere(conn)
        return [
            f"{sub.number:>5}  {plain(sub.place)} ({sub.platform}): {plain(sub.name)} · "
            + (upcoming(sub.next_due_at, sub.time_zone) or "paused")
            for sub in sorted(found, key=lambda sub: sub.number)
        ]

    def close(self) -> None:
        """Give back the database's connections."""
        self.store.close()

    async def invoke(self, request: Request) -> AsyncGenerator[Message, None]:
        """Answer one request. The first message is posted, and later ones replace it; a public one stands by itself."""
        async with aclosing(self._turns.each(self._answered(cleaned(request)))) as answer:
            async for message in answer:
                yield spoken(message, self.settings.command)

    async def _answered(self, request: Request) -> AsyncGenerator[Message, None]:
        started = time.perf_counter()
        outcome = "done"
        request = replace(request, text=heard(request.text, self.settings.command))
        try:
            async with aclosing(self._answer(request)) as answer:
                async for message in answer:
                    yield message
        except UserError as error:
            outcome = type(error).__name__
            try:
                yield replace(await self._refusal(request, error), private=True)
            except StoreError:  # the answer does not need its button
                yield Message(text=str(error), private=True)
        except PaperroundError as error:
            outcome = type(error).__name__
            yield Message(text=str(error), private=True)
        except Exception as error:
            if was_deleted(error):
                outcome = "deleted"  # what the request had read was deleted meanwhile, as `forget` does
                log.warning("what was asked for is deleted", exc_info=True)  # or a fault of ours: then it is found here
                yield Message(text="What this is about was just deleted. Please type it again.", private=True)
            else:
                outcome = "failed"
                yield self._incident(request)
        finally:
            took = time.perf_counter() - started
            metrics.LOOKUPS.labels(outcome).inc()
            metrics.LOOKUP.observe(took)
            log.info("request", platform=request.address.platform, outcome=outcome, milliseconds=round(took * 1000))

    def _incident(self, request: Request) -> Message:
        """Log the exception being handled under a number, and say the number."""
        incident = secrets.token_hex(3)
        log.exception("request failed", incident=incident, platform=request.address.platform)
        return Message(
            text=f"That did not work, and the fault is here, not yours. Please try once more. If it stays, "
            f"tell your administrator the number {incident}: it stands in the log.",
            private=True,
        )

    async def _answer(self, request: Request) -> AsyncGenerator[Message, None]:
        at = request.address
        if not self.settings.allows(at.platform, at.workspace):
            text = "This bot is not for this workspace. Whoever runs it can allow it: PAPERROUND_ALLOWED."
            yield Message(text=text, private=True)
            return
        ctx = await self._context(request)
        async with aclosing(self._said(ctx, request)) as answer:
            first = await anext(answer)
            yield await self._with_notices(ctx, first)
            async for message in answer:
                yield message

    async def _with_notices(self, ctx: Context, message: Message) -> Message:
        """Put before an answer what could not be told in a direct message: once."""
        held = await self.store.read(outbox.held, ctx.me.number)
        if not held:
            return message
        await self.store.write(outbox.tell, [number for number, _ in held], ctx.now)
        return replace(message, text="\n\n".join([*(text for _, text in held), message.text]))

    async def _said(self, ctx: Context, request: Request) -> AsyncGenerator[Message, None]:
        await self.library.refresh(most=CHANGES_A_REQUEST)
        if request.action:
            yield await self._press(ctx, request.action)
            return
        if request.command:
            yield await self._submit(ctx, request)
            return
        parsed = parse(request.text, self.commands)
        if not parsed.text:
            yield await (self.commands["help"].run(ctx) if request.guest else first_steps(ctx))
            return
        for_guests(request, parsed.command)
        command, values = self._bind(parsed)
        message = await command.run(ctx, **values)
        if parsed.guess is not None:
            line = f"{parsed.guess.name} {parsed.text.partition(' ')[2]}"
            message = replace(
                message, buttons=(*message.buttons, await pages.say(ctx, f"Run “{clip(line, 40)}”", line))
            )
        yield message
        if values.get("share") and ctx.place is not None and not command.personal:
            yield replace(message, public=True)

    def _bind(self, parsed: Parsed) -> tuple[Command, dict[str, Any]]:
        """Return the command and its arguments; what is no command is searched for."""
        if parsed.command is None:
            search = self.commands["search"]
            return search, search.bind([parsed.text], {})
        is_search = parsed.command.name == "search"  # whose words may well be "days=infinite"
        options = dict(parsed.options) | ({} if is_search else dict(parsed.unread))
        return parsed.command, parsed.command.bind(list(parsed.words), options)

    async def _press(self, ctx: Context, action: str) -> Message:
        """Do what a button says. Raises Expired for an action that no longer leads anywhere."""
        head, _, rest = action.partition(":")
        number, _, index = rest.partition(":")
        command = self.commands.get(head)
        kind = head if head in OWN_NOTES else "list"
        try:
            note, at = int(number, 16), int(index or "0", 16)
        except ValueError:
            raise Expired(EXPIRED) from None
        content = await self.store.read(notes.get, note, ctx.owners, kind, ctx.now, ctx.keep)
        pressed = replace(ctx, pressed=Pressed(note, content, at))
        assert pressed.pressed is not None  # noqa: S101 - set in the line above
        item = pressed.pressed.item
        if head == "run" and item:
            return await self._run(ctx, str(item["line"]))
        if command is None or (head != "page" and not item):
            raise Expired(EXPIRED)
        for_guests(ctx.request, command)
        return await command.run(
            pressed, **(command.bind([str(item["say"])], {}) if "say" in item and command.words else {})
        )

    async def _run(self, ctx: Context, line: str) -> Message:
        parsed = parse(line, self.commands)
        for_guests(ctx.request, parsed.command)
        command, values = self._bind(parsed)
        return await command.run(ctx, **values)

    async def _submit(self, ctx: Context, request: Request) -> Message:
        """Run a command with the values of a form."""
        command = self.commands.get(request.command)
        if command is None or command.hidden:
            raise Expired("This form is of another version: type the command again.")
        for_guests(ctx.request, command)
        values = dict(request.values)
        words = [values.pop(arg.name, "") for arg in command.words]
        return await command.run(ctx, **command.bind(words, {k: v for k, v in values.items() if v.strip()}))

    async def _context(self, request: Request) -> Context:
        """Find out who asks and where; whoever comes for the first time is noted."""
        at, now = request.address, self.now()
        where = (at.platform, at.workspace)
        me = await self._met(*where, "person", at.user, request.person or at.user, now)
        is_new = me.created_at == now
        if is_new and (zone := (await self._about(at)).time_zone) in available_timezones():
            await self.store.write(owners.set_zone, me.number, zone)
            me = replace(me, time_zone=zone)
        place = None
        if at.channel and at.channel != "home":
            name = request.place or at.channel
            place = await self._met(*where, "channel", at.channel, name, now)
        return Context(
            request=request,
            me=me,
            place=place,
            now=now,
            settings=self.settings,
            store=self.store,
            library=self.library,
            commands=self.commands,
            about=self._about,
            join=self._join,
            is_new=is_new,
            default_zone="" if me.time_zone else (await self.store.read(workspaces.get, *where)).time_zone,
        )

    async def _met(self, *who: Any) -> Owner:
        """Return a person or a channel; that is written only where something is new, since writers wait in line."""
        known: Owner | None = await self.store.read(owners.known, *who[:-1])
        if known is not None:
            return known
        return await self.store.write(owners.get, *who)

    async def _about(self, address: Address) -> Facts:
        platform = self.platforms.get(address.platform)
        if platform is None:
            return Facts()
        async with self._turns.aside():
            return await platform.about(address)

    async def _join(self, address: Address) -> None:
        """Make sure that the bot can post in a channel. Raises NotAllowed with what to do first, and DeliveryError."""
        join = getattr(self.platforms.get(address.platform), "join", None)
        if join is not None:
            try:
                await join(address)
            except Refused as error:
                raise NotAllowed(str(error)) from error

    async def _refusal(self, request: Request, error: UserError) -> Message:
        """Say what cannot be done; where a command's name began a sentence, offer to search for it."""
        parsed = parse("" if request.action else request.text, self.commands)
        text, rest = parsed.text, parsed.rest
        known = parsed.command is not None and parsed.command.name not in ("search", "help") and not parsed.unread
        a_paper = rest.isdecimal() or normalise(rest) is not None
        if not (isinstance(error, NotFound) and known and rest) or a_paper:
            return Message(text=str(error))
        ctx = await self._context(request)
        return Message(
            text=str(error), buttons=(await pages.say(ctx, f"Search for “{clip(plain(text), 40)}”", f"search {text}"),)
        )
