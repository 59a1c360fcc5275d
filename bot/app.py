"""The composition root: the one file that picks classes, and the one place where errors become messages."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TextIO

import structlog

from bot import metrics
from bot.commands._answer import answers, refusal
from bot.commands._complete import choices
from bot.commands._context import Context
from bot.commands._first import introduction
from bot.commands._reach import LOOKING
from bot.config import Settings
from bot.core.asked import in_thread, shares
from bot.core.command import Command
from bot.core.grammar import heard, parse, spoken
from bot.core.message import Message
from bot.core.ports import Facts, Platform
from bot.core.reached import Reach
from bot.core.request import Address, Request, cleaned
from bot.core.turns import Turns
from bot.core.typed import zones
from bot.errors import NotAllowed, PaperroundError, Refused, SettingsError, StoreError, UserError
from bot.jobs.courier import Courier
from bot.jobs.service import Parts, Role, Service
from bot.jobs.upkeep import held, pulse, subscribed
from bot.outside import Outside, vectors_of
from bot.platforms._setup import Setup
from bot.platforms.console import Console, Memory
from bot.plugins import load
from bot.store import outbox, owners, visits
from bot.store.address import sqlite_url
from bot.store.engine import Store, was_deleted
from bot.store.library import Library
from bot.store.offered import Offered
from bot.store.owners import Owner

log = structlog.get_logger()

CHANGES_A_REQUEST = 300  # papers that one request may bring into the index; `run` and `import` bring all of them
AT_ONCE = 4  # requests that work at the same time: more would only make all of them late
DATABASE = "paperround.sqlite"
NOT_HERE = "This bot is not for this workspace. Whoever runs it can allow it: PAPERROUND_ALLOWED."
NOT_MET = "This bot is for single servers, and I have not met you in one of them yet. Type /papers there once."
AWAY = "My database does not answer. Please try again in a minute; if it stays, tell whoever runs this bot."


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
        self.outside: Outside | None = None
        self.reach: Reach | None = None
        self.now = now
        self.offered = Offered(store)
        self._turns = Turns(AT_ONCE)

    @classmethod
    def open(cls, settings: Settings, now: Callable[[], datetime] = utc_now) -> App:
        """Open the store and the index that the settings name. Raises StoreError and SettingsError."""
        rankers = load("recommender.rankers", "ranker")
        if settings.ranker not in rankers:
            raise SettingsError(f"PAPERROUND_RANKER: “{settings.ranker}” is none of {', '.join(rankers)}.")
        store = Store.open(database_of(settings))
        folder = settings.data_dir / f"index-{store.id[:12]}"
        library = Library(store, folder, rankers[settings.ranker], vectors_of(settings, store))
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
        self.reach_out()

    def reach_out(self) -> Outside:
        """Open the way out to the sources. Whoever does closes it: `hang_up`. Raises SettingsError."""
        self.outside = way = Outside.open(self.settings, self.store, self.library)
        self.reach = way.reach
        return way

    async def run(self, role: Role) -> None:
        """Do what `paperround run` does until it is stopped, and close the way out. Raises SetupError."""
        way, mine = self.outside or self.reach_out(), (self.store, self.library, self.settings, self.platforms)
        try:
            await Service(Parts(*mine, way.sources, self.invoke, way.http, way.choose), role).run()
        finally:
            await self.hang_up()

    def courier(self, platform: Platform, user: str, channel: str = "") -> Courier:
        """Put together what brings the digests of one person, and of a channel, to a terminal."""
        return Courier(self.store, self.library, self.settings, platform, user, channel)

    def facts(self, now: datetime) -> dict[str, Any]:
        """Return what `paperround status` tells: the database, the last sign of life, and how much is stored."""
        return pulse(self.store, self.settings, now) | held(self.store, self.library)

    def subscriptions(self) -> list[str]:
        """Return a line for each subscription: its number, for whom, what, and when it comes next."""
        return subscribed(self.store)

    async def hang_up(self) -> None:
        """Close the way out, in the event loop that used it."""
        outside, self.outside, self.reach = self.outside, None, None
        if outside is not None:
            await outside.close()

    def close(self) -> None:
        """Give back the database's connections."""
        self.offered.close()
        self.store.close()

    async def invoke(self, request: Request) -> AsyncGenerator[Message, None]:
        """Answer one request. The first message is posted, and later ones replace it; a public one stands by itself."""
        if request.event == "complete":
            yield await self._choices(cleaned(request))
            return
        async with aclosing(self._turns.each(self._answered(cleaned(request)))) as answer:
            async for message in answer:
                yield spoken(message, self.settings.command)

    async def _answered(self, request: Request) -> AsyncGenerator[Message, None]:
        started = time.perf_counter()
        outcome = "done"
        request = replace(request, text=heard(request.text, self.settings.command))
        ctx: Context | None = None
        try:
            ctx = await self._context(request)
            async with aclosing(self._answer(ctx)) as answer:
                async for message in answer:
                    yield message
        except UserError as error:
            outcome = type(error).__name__
            try:
                yield await self._refused(ctx, error)
            except StoreError:  # the answer does not need its button
                yield Message(text=str(error), private=True)
        except StoreError as error:  # its text is for whoever runs the bot: it names the database
            outcome = type(error).__name__
            log.error("a request found no database", reason=str(error))
            yield Message(text=AWAY, private=True)
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

    async def _answer(self, ctx: Context) -> AsyncGenerator[Message, None]:
        async with aclosing(answers(ctx)) as answer:
            untold = True
            async for message in answer:
                waits = untold and message is LOOKING
                yield await self._first(ctx, message) if untold and not waits else message
                untold = waits

    async def _first(self, ctx: Context, message: Message) -> Message:
        """Add what is told once: what could not be said in a direct message, and at first contact who this is."""
        if ctx.in_the_open or message.form is not None:
            return message
        if held := ctx.held:
            await self.store.write(outbox.tell, [number for number, _ in held], ctx.now)
            message = replace(
                message, text="\n\n".join(part for part in (*(text for _, text in held), message.text) if part)
            )
        asked = ctx.request
        said = parse(asked.text, self.commands).text or (asked.command and asked.forms)
        typed = bool(said) and not asked.event
        if ctx.is_new and typed and not ctx.request.guest:
            message = replace(message, footer="\n".join([*filter(None, [message.footer]), *await introduction(ctx)]))
        return message

    async def _refused(self, ctx: Context | None, error: UserError) -> Message:
        if ctx is None:
            return Message(text=str(error), private=True)
        return replace(await self._first(ctx, await refusal(ctx, error)), private=True)

    async def _context(self, request: Request) -> Context:
        """Find out who asks and where; whoever comes for the first time is noted. Raises NotAllowed."""
        at, now, people = request.address, self.now(), self._people(request.address)
        if not self.settings.allows(at.platform, at.workspace):
            raise NotAllowed(NOT_HERE)
        visits_only = bool(people) and at.workspace == people  # somebody brought the bot along: nothing is kept of it
        channel = (at.room, "" if visits_only else request.place) if at.room else None
        person = (at.user, request.person)
        seen = await self.store.read(visits.look, at.platform, at.workspace, person, channel, people)
        await self._may_come(at, people, seen.me)
        if seen.newest != self.library.index.last:
            await self.library.refresh(most=CHANGES_A_REQUEST)
        me, place = seen.me, seen.place
        if me is None:
            home = replace(at, workspace=people or at.workspace, channel="", thread="")
            me = await self._meet(home, "person", at.user, request.person, now)
        is_new = seen.me is None and me.created_at == now
        me = await self._in_zone(request, me)
        if place is None and channel is not None and (not visits_only or shares(request, self.commands)):
            place = await self._meet(at, "channel", *channel, now)
        zone = "" if me.time_zone else seen.time_zone
        around = replace(self._around(request, me, place), now=now, newest=seen.newest)
        return replace(around, is_new=is_new, held=seen.held, default_zone=zone)

    def _around(self, request: Request, me: Owner, place: Owner | None) -> Context:
        """Put together what surrounds a request of somebody in a place."""
        return Context(
            request=request,
            me=me,
            place=place,
            now=self.now(),
            settings=self.settings,
            store=self.store,
            library=self.library,
            commands=self.commands,
            about=self._about,
            join=self._join,
            offered=self.offered,
            people=self._people(request.address),
            zones=self._tells_zones(request.address),
            reach=self.reach,
            aside=self._turns.aside,
        )

    async def _may_come(self, at: Address, people: str, me: Owner | None) -> None:
        """Where single workspaces are allowed, let those write directly who were met in one. Raises NotAllowed."""
        if at.workspace != people or self.settings.allows(at.platform, "") or me is not None:
            return
        # Of somebody who has another name now the look knew nothing: it is repeated without the name.
        if await self.store.read(owners.known, at.platform, people, "person", at.user, "") is None:
            raise NotAllowed(NOT_MET)

    async def _choices(self, request: Request) -> Message:
        """Say what can stand in the argument that somebody is typing: beside all turns, and nobody is met by it.

        Without a user it is the platform that asks, so that what is offered has been read before somebody types.
        """
        at, people = request.address, self._people(request.address)
        if at.user and not self.settings.allows(at.platform, at.workspace):
            return Message()
        try:
            who = (at.platform, at.workspace, at.user, at.room, people)
            me, place, newest = await self.offered.read(visits.glance, *who)
            if at.user:
                await self._may_come(at, people, me)
            me = me or Owner(0, at.platform, people or at.workspace, "person", at.user, "", "", self.now())
            return await choices(replace(self._around(request, me, place), newest=newest))
        except PaperroundError as error:
            log.warning("nothing could be offered", reason=str(error))
        except Exception:
            log.exception("nothing could be offered", incident=secrets.token_hex(3))
        return Message()

    def _people(self, at: Address) -> str:
        """Return the workspace in which a platform's people are kept, where they are the same in all; else nothing."""
        return str(getattr(self.platforms.get(at.platform), "people", ""))

    def _tells_zones(self, at: Address) -> bool:
        return bool(getattr(self.platforms.get(at.platform), "zones", True))

    async def _in_zone(self, request: Request, me: Owner) -> Owner:
        """Learn a person's time zone from the platform, once something is asked for in which a date may stand."""
        looks_up = bool(request.text) and in_thread(request.text, self.commands)
        if me.time_zone or looks_up or request.guest or not self._tells_zones(request.address):
            return me
        zone = (await self._about(request.address)).time_zone
        if zone not in zones():
            return me
        await self.store.together(owners.set_zone, me.number, zone)
        return replace(me, time_zone=zone)

    async def _meet(self, at: Address, kind: str, external: str, name: str, now: datetime) -> Owner:
        """Note a person or a channel that is new or has another name now. The platform tells a name that is missing."""
        name = name or (await self._about(at)).name or external
        return await self.store.together(owners.get, at.platform, at.workspace, kind, external, name, now)

    async def _about(self, address: Address) -> Facts:
        platform = self.platforms.get(address.platform)
        if platform is None:
            return Facts()
        async with self._turns.aside():
            return await platform.about(address)

    async def _join(self, address: Address, topics: Sequence[str] = ()) -> None:
        """Make sure that the bot can post in a channel. Raises NotAllowed with what to do first, and DeliveryError."""
        join = getattr(self.platforms.get(address.platform), "join", None)
        if join is not None:
            try:
                async with self._turns.aside():
                    await join(address, topics)
            except Refused as error:
                raise NotAllowed(str(error)) from error
