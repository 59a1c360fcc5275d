"""A running bot: it listens, plans, sends, brings papers in and keeps house, until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any

import structlog

from bot import metrics
from bot.config import Settings
from bot.core.ports import Closes, Invoke, Platform, Source
from bot.core.timing import Timing
from bot.errors import DeliveryError, StoreError
from bot.jobs import web
from bot.jobs.choose import specs_of
from bot.jobs.clock import Clock
from bot.jobs.embed import Embedding
from bot.jobs.plan import Planner
from bot.jobs.pull import pull
from bot.jobs.replay import EVERY as REPLAY_EVERY
from bot.jobs.replay import Replay
from bot.jobs.send import Sender
from bot.jobs.upkeep import ALIVE_FACTOR
from bot.store import deliveries, heartbeats, installs, interests, notes, outbox, sources
from bot.store.engine import Store
from bot.store.library import Library

INDEX_EVERY, EMBED_EVERY, CHOOSE_EVERY, PULL_EVERY, PLAN_EVERY, SEND_EVERY, AGE_EVERY, PRUNE_EVERY = (
    60.0,
    60.0,
    30.0,
    60.0,
    2.0,
    1.0,
    15.0,
    3600.0,
)  # seconds
PATIENCE = 300.0  # seconds that digests wait for the papers of a source which is due, after a start or a sleep
SLEPT = timedelta(minutes=2)  # between two looks at the time: the machine slept, or the database was away
GONE = timedelta(days=7)  # without a sign of life, until a process is forgotten
STOP_WITHIN = 20.0  # seconds for what is at work, and as many for what is being sent
LISTEN_AGAIN = (1.0, 60.0)  # seconds until a platform that fell silent is listened to again: first, most

Choose = Callable[[Sequence[str]], tuple[Mapping[str, Source], Mapping[str, str]]]
log = structlog.get_logger()


class Role(StrEnum):
    """What a process does: "web" listens and answers, "worker" plans and sends, "all" does both."""

    ALL = "all"
    WORKER = "worker"
    WEB = "web"


@dataclass(frozen=True, slots=True)
class Parts:
    """What a service is put together from.

    `sources` are asked in any case, with `http`; so are those that `choose` makes of specs: it returns the sources, and
    why specs cannot be.
    """

    store: Store
    library: Library
    settings: Settings
    platforms: Mapping[str, Platform]
    sources: Mapping[str, Source]
    invoke: Invoke
    http: Any = None
    choose: Choose | None = None


class Service:
    """One process of the bot."""

    def __init__(self, parts: Parts, role: Role) -> None:
        self._parts = parts
        self._role = role
        self._name = f"{socket.gethostname()[:50]}:{os.getpid()}:{secrets.token_hex(2)}"
        timing = Timing(parts.settings.lease_seconds)
        served = sorted(parts.platforms)
        self._planner = Planner(parts.store, parts.library, parts.settings, served)
        alive = parts.settings.heartbeat_seconds * ALIVE_FACTOR
        self._sender = Sender(
            parts.store,
            parts.platforms,
            timing,
            self._name,
            alive=alive,
            command=parts.settings.command,
            allows=parts.settings.allows,
        )
        self._sources: dict[str, Source] = dict(parts.sources)
        self._specs: list[str] | None = None
        self._clock = Clock()
        self._started: datetime | None = None
        self._settled = False
        self._looked: datetime | None = None
        self._pulled = asyncio.Event()
        self._ask_first(datetime.min.replace(tzinfo=UTC))
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Work until SIGTERM or SIGINT; then finish or give back what was claimed. Raises SetupError."""
        hang_up = await self._serve()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        close = metrics.serve(self._parts.settings.metrics_address)
        await self._first_choice()
        clock = self._jobs()
        listeners = self._listen() if self._role is not Role.WORKER else []
        log.info("running", process=self._name, role=self._role.value, platforms=sorted(self._parts.platforms))
        if not self._parts.platforms:
            log.warning("no platform is set up, so nothing can be sent; digests at the terminal: paperround chat")
        clock.start()
        await self._stop.wait()
        log.info("stopping", process=self._name)
        self._planner.stopping = True
        for task in listeners:
            task.cancel()
        await _ended(*listeners, asyncio.ensure_future(hang_up()), asyncio.create_task(clock.stop(STOP_WITHIN)))
        await self._sender.drain(STOP_WITHIN)
        for platform in self._parts.platforms.values():
            if isinstance(platform, Closes):
                await platform.close()
        await self._gone()
        close()
        log.info("stopped", process=self._name)

    async def _serve(self) -> web.Stop:
        """Answer over HTTP where this process listens and a platform wants it."""
        store = self._parts.store
        heard = self._parts.platforms if self._role is not Role.WORKER else {}
        return await web.serve(self._parts.settings.http_address, heard, lambda: store.read(store.clock))

    def stop(self) -> None:
        """Let `run` come to its end."""
        self._stop.set()

    def _jobs(self) -> Clock:
        clock = self._clock
        clock.every(self._parts.settings.heartbeat_seconds, "heartbeat", self._beat)
        clock.every(INDEX_EVERY, "index", self._index)
        if self._role is not Role.WEB:
            for name in self._sources:
                self._ask_often(name)
            if self._parts.choose is not None:
                clock.every(CHOOSE_EVERY, "sources", self._choose)
            clock.every(PLAN_EVERY, "plan", self._plan)
            clock.every(SEND_EVERY, "send", self._sender.tick)
            clock.every(AGE_EVERY, "ages", self._age)
            clock.every(PRUNE_EVERY, "prune", self._prune)
            clock.every(REPLAY_EVERY, "replay", Replay(self._parts.store, self._parts.library).tick)
            if (vectors := self._parts.library.vectors) is not None:
                clock.every(EMBED_EVERY, "dense vectors", Embedding(self._parts.store, vectors).tick)
        return clock

    def _ask_often(self, name: str) -> None:
        """Ask a source by itself: one that takes hours keeps no other waiting."""
        self._clock.every(PULL_EVERY, f"source {name}", partial(self._pull, name))

    async def _first_choice(self) -> None:
        """Know what is chosen before digests are planned, since what the sources bring belongs to them."""
        if self._role is Role.WEB or self._parts.choose is None:
            return
        try:
            await self._choose(running=False)
        except StoreError as error:
            log.warning("what sources are chosen could not be read; it is read again", reason=str(error))
        self._ask_first(self._awake)

    async def _choose(self, *, running: bool = True) -> None:
        """See what sources are chosen now, and begin with those that are new and end with those that are gone."""
        store = self._parts.store
        specs = await store.read(specs_of, self._parts.settings)
        if specs == self._specs or self._parts.choose is None:
            return
        found, refused = self._parts.choose(specs)
        for spec, why in refused.items():
            log.error("a source that was chosen cannot be asked", source=spec, reason=why)
        before, self._sources = self._sources, {**self._parts.sources, **found}
        gone, new = before.keys() - self._sources.keys(), self._sources.keys() - before.keys()
        for name in sorted(gone) if running else ():
            self._clock.drop(f"source {name}")
            self._unasked.discard(name)
        for name in sorted(new) if running else ():
            self._ask_often(name)
        await store.write(self._retire)
        self._specs = specs
        log.info("sources", asked=sorted(self._sources))

    def _retire(self, conn: Any) -> None:
        """Forget how those do that are asked no more, so that nobody is told that they fail."""
        for state in sources.all(conn):
            if state.asked_at and state.name not in self._sources:
                sources.retire(conn, state.name)

    async def _beat(self) -> None:
        """Give a sign of life: by it, others know how many processes share what a bot token may send."""
        serves = self._parts.platforms if self._role is not Role.WEB else ()
        store = self._parts.store

        def beat(conn: Any) -> None:
            now = store.clock(conn)
            self._started = self._started or now
            heartbeats.beat(conn, self._name, self._started, now, self._role.value, list(serves))

        await store.write(beat)

    async def _index(self) -> None:
        await self._parts.library.refresh(learn=self._role is not Role.WEB)
        if (vectors := self._parts.library.vectors) is not None:
            await asyncio.to_thread(vectors.update)
        if not self._settled:
            # A full collection stops every thread, the event loop's too, for the longer the more there is to look at.
            self._settled = True
            gc.collect()
            gc.freeze()

    def _ask_first(self, awake: datetime) -> None:
        """Let digests wait until every source was asked after `awake`: what is still at work may be older."""
        self._awake = awake
        self._unasked = set(self._sources)
        self._pulled.clear() if self._unasked else self._pulled.set()

    async def _pull(self, name: str) -> None:
        began = await self._parts.store.read(self._parts.store.clock)
        try:
            await pull(self._parts.store, {name: self._sources[name]}, self._parts.http)
        finally:
            if began >= self._awake:
                self._unasked.discard(name)
            if not self._unasked:
                self._pulled.set()

    async def _plan(self) -> None:
        """Plan what is due; after a start or a sleep, once the sources were asked: what they bring belongs to it."""
        now = await self._parts.store.read(self._parts.store.clock)
        if self._looked is not None and now - self._looked > SLEPT:
            self._ask_first(self._looked + SLEPT)
        if not self._pulled.is_set():
            await asyncio.wait({asyncio.ensure_future(self._pulled.wait())}, timeout=PATIENCE)
            self._pulled.set()
            now = await self._parts.store.read(self._parts.store.clock)
        if await self._planner.tick(until=now + SLEPT / 2):  # a sleep in the midst of it ends it
            await self._sender.tick()
        end = await self._parts.store.read(self._parts.store.clock)
        self._looked = end if end - now <= SLEPT else now

    async def _age(self) -> None:
        """Tell Prometheus how the sources do."""
        store = self._parts.store
        states, now = await store.read(lambda conn: (sources.all(conn), store.clock(conn)))
        for source in states:
            since = source.answered_at or source.brought_at
            asked = source.asked_at is not None
            _seconds(
                metrics.SOURCE_AGE, source.name, now - since if since and (asked or not source.answered_at) else None
            )
            failing, behind = source.failing_since or now, source.behind_since or now
            _seconds(metrics.SOURCE_FAILING, source.name, now - failing if asked else None)
            _seconds(metrics.SOURCE_BEHIND, source.name, now - behind if asked else None)
            _seconds(metrics.SOURCE_NEXT, source.name, source.next_at - now if source.next_at else None)

    async def _prune(self) -> None:
        store = self._parts.store
        now = await store.read(store.clock)
        for drop in (notes.prune, interests.prune, outbox.prune):
            await store.write(drop, now - timedelta(days=self._parts.settings.keep_days))
        await store.write(heartbeats.prune, now - GONE)
        await store.write(deliveries.prune, now)
        if gone := await store.write(installs.prune, now):
            log.info("what is stored of workspaces that removed the bot is deleted", workspaces=gone)

    async def _gone(self) -> None:
        """Take this process off the list; if the database is away, its signs of life end by themselves."""
        try:
            await self._parts.store.write(heartbeats.stop, self._name)
        except StoreError as error:
            log.warning("the end could not be noted", reason=str(error))

    def _listen(self) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self._keep_listening(one)) for one in self._parts.platforms.values()]

    async def _keep_listening(self, platform: Platform) -> None:
        """Listen to a platform; when that ends or fails, again after a while that grows."""
        wait, most = LISTEN_AGAIN
        while not self._stop.is_set():
            begun = asyncio.get_running_loop().time()
            try:
                await platform.run(self._parts.invoke)
                log.warning("a platform ended", platform=platform.name)
            except DeliveryError as error:  # it says what is to be done, as that a token is wrong
                log.error(
                    "a platform failed; it is listened to again", platform=platform.name, after=wait, reason=str(error)
                )
            except Exception:
                log.exception("a platform failed; it is listened to again", platform=platform.name, after=wait)
            lasted = asyncio.get_running_loop().time() - begun
            wait = LISTEN_AGAIN[0] if lasted > most else min(wait * 2, most)
            await asyncio.sleep(wait)


def _seconds(gauge: Any, source: str, time: timedelta | None) -> None:
    """Tell a time of a source; None: there is none, and what was told before is taken back."""
    if time is None:
        gauge.remove(source)
    else:
        gauge.labels(source).set(time.total_seconds())


async def _ended(*tasks: asyncio.Future[None]) -> None:
    """Wait until tasks have ended, and no longer than they may take: one of a library may not let itself be ended."""
    done, late = await asyncio.wait(tasks, timeout=STOP_WITHIN + 10)
    await asyncio.gather(*done, return_exceptions=True)
    if late:
        log.warning("what did not end is left behind", tasks=len(late))
