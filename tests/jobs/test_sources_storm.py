"""All sources at once, on real sockets, for two virtual days in which their servers misbehave, each in every way."""

from __future__ import annotations

import asyncio
import gzip
import resource
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from sqlalchemy import select
from yarl import URL

from bot.core.ports import Source
from bot.jobs.plan import Planner
from bot.jobs.pull import pull
from bot.sources._http import Client
from bot.sources._http_answer import Answer
from bot.sources._pace import PACES
from bot.store import papers, sources, tables
from recommender.types import Paper
from tests.fakes.bot import Bot, make_bot
from tests.fakes.odd_http import (
    Act,
    Asked,
    OddServer,
    bomb,
    cut,
    cut_chunks,
    endless,
    late,
    leads_on,
    packed,
    raw,
    says,
    serving,
)
from tests.fakes.stores import in_memory
from tests.fakes.stormy_servers import TOLD, WHO, Item, Servers, Together, sources_at, tag_of

START = datetime(2026, 11, 30, tzinfo=UTC)  # a Monday
LAST_ITEM = START + timedelta(hours=32)
CALM = START + timedelta(days=2)  # from then on nothing misbehaves
END = START + timedelta(days=3, hours=19)
EVERY, BEAT = timedelta(hours=1), timedelta(minutes=1)  # in which sources are asked, and looked at by the program
SLOT, STORM = timedelta(hours=2), timedelta(minutes=65)  # each server misbehaves in the first part of each other slot
LONGEST_WAIT = timedelta(minutes=66)  # of the job after a failure
HURRY = 0.05  # seconds that are waited for a server that hangs
MOST = 1_000_000  # bytes that are read of any body, so that bodies without end take no time
BUFFERS = 8_000_000  # bytes that a server may send before it learns that nobody reads on
MEMORY = 100_000  # KiB
BOMB = bomb(100_000_000)
XML_BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b"]><rss><channel><title>&j;</title></channel></rss>"
)
HTML = b"<!DOCTYPE html><html><body>We are busy. Come back later.</body></html>"
LIE = {
    "arxiv": b"<feed xmlns='http://www.w3.org/2005/Atom'></feed>",
    "openreview": b'{"notes": [], "count": 40}',
    "acl": b"<collection/>",
    "biorxiv": b'{"messages": [{"status": "ok", "count": 0, "total": "40"}], "collection": []}',
    "medrxiv": b'{"messages": [{"status": "ok", "count": 0, "total": "40"}], "collection": []}',
    "huggingface": b'{"error": "there is none"}',
    "rss": b"<rss version='2.0'><channel><title>A feed</title></channel></rss>",
    "semanticscholar": b'{"total": 40, "token": "t4", "data": []}',
    "openalex": b'{"meta": {"count": 40, "next_cursor": "c4"}, "results": []}',
    "crossref": b'{"status": "ok", "message-type": "work-list", "message": {"total-results": 40, "items": []}}',
}


@dataclass
class Weather:
    """What servers do, by name and time. `trap` is where nobody may ever be led to."""

    clock: Together
    trap: str
    met: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    all: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Know all that can go wrong."""
        self.all = list(self.faults("rss", b"x"))

    def faults(self, name: str, body: bytes) -> dict[str, Act]:
        """Return all that a server can do instead of giving a body."""
        until = format_datetime(self.clock.at() + timedelta(minutes=40), usegmt=True)
        tag = tag_of(body)

        async def slow(server: OddServer, asked: Asked, writer: asyncio.StreamWriter) -> None:
            await self.clock.sleep(10)
            await says(body)(server, asked, writer)

        return {
            "429": says("", 429),
            "429, 45 minutes": says("", 429, Retry_After=2700),
            "429, until then": says("", 429, Retry_After=until),
            "503": says("", 503),
            "503, 20 seconds": says("", 503, Retry_After=20),
            "500, a page": says(HTML, 500, "text/html"),
            "cut": cut(body[: len(body) // 2], len(body) - len(body) // 2),
            "cut chunks": cut_chunks(body[: len(body) // 2]),
            "cut, and it seems whole": says(body[: len(body) // 2], ETag=tag),
            "wrong charset": says(body.decode().encode("cp1252"), ETag=tag),
            "wrong charset, says the header": says(body, kind="text/xml; charset=utf-16", ETag=tag),
            "nothing": says(b"", ETag=tag),
            "a page for people": says(HTML, kind="text/html", ETag=tag),
            "an empty list": says(LIE[name], ETag=tag),
            "10 seconds": slow,
            "never": late(3600, says(body)),
            "into the local network": leads_on(f"{self.trap}/"),
            "to a file": leads_on("file:///etc/hostname"),
            "round and round": leads_on("/round"),
            "XML bomb": says(XML_BOMB, ETag=tag),
            "gzip bomb": packed(BOMB),
            "without end": endless(most=200_000_000),
            "spoilt gzip": packed(gzip.compress(body)[:-9]),
            "no HTTP": raw(b"\x16\x03\x01 what is this \x00\xff" * 9),
        }

    def fault(self, name: str, number: int) -> str:
        """Return what a server does now instead of answering; "" if it is well."""
        spent = self.clock.at() - START
        slot = spent // SLOT
        if name == "quiet" or self.clock.at() >= CALM or (slot + number) % 2 or spent % SLOT >= STORM:
            return ""
        turn = spent // (5 * BEAT) if name == "arxiv" else slot // 2  # arXiv is asked seldom, once it gave its list
        return self.all[(turn + 5 * number) % len(self.all)]


def storms(number: int) -> list[tuple[datetime, datetime]]:
    """Return from when until when a server misbehaves."""
    slots = [START + n * SLOT for n in range((CALM - START) // SLOT) if not (n + number) % 2]
    return [(begin, begin + STORM) for begin in slots]


class Hasty(Client):
    """Waits for nobody who hangs, since it would be in real time, and reads less."""

    hangs: Callable[[int], bool] = bool

    async def get(self, url: str, **more: Any) -> Answer:
        if self.hangs(URL(url).port or 0):
            more["within"] = HURRY
        return await super().get(url, **{**more, "limit": MOST})


@dataclass
class Storm:
    """A bot, its sources, and the servers that misbehave, in one virtual time."""

    bot: Bot
    clock: Together
    servers: dict[str, OddServer]
    world: Servers
    weather: Weather
    client: Hasty
    asked: dict[str, Source]
    answered: defaultdict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    failed: Counter[str] = field(default_factory=Counter)
    sent: list[int] = field(default_factory=list)  # bytes of bodies without end

    def serve(self, name: str, number: int) -> Act:
        """Answer what comes to one of the servers, or do something else."""

        async def act(server: OddServer, asked: Asked, writer: asyncio.StreamWriter) -> None:
            status, body = self.world.body(name, asked) if asked.path != "/round" else (200, b"")
            odd = self.weather.fault(name, number)
            if odd:
                self.weather.met[name].add(odd)
                server.sent = 0
                try:
                    await self.weather.faults(name, body)[odd](server, asked, writer)
                finally:
                    self.sent.append(server.sent)
            elif asked.headers.get("if-none-match") == tag_of(body):
                await says(b"", 304)(server, asked, writer)
            else:
                await says(body, status, ETag=tag_of(body))(server, asked, writer)

        return act

    async def ask(self, name: str) -> None:
        """Ask one source when its time has come, as the program does: it looks every minute."""
        source, store = self.asked[name], self.bot.app.store
        while self.clock.at() < END:
            for told in await pull(store, {source.name: source}, self.client, lambda: 0.5):
                self.failed[name] += bool(told.error)
            with store.reading() as conn:
                state = sources.get(conn, source.name)
            if state.answered_at and state.answered_at not in self.answered[name]:
                self.answered[name].append(state.answered_at)
            wait = max((state.next_at or self.clock.at()) - self.clock.at(), timedelta())
            await self.clock.sleep((wait // BEAT + 1) * BEAT.total_seconds())
        self.clock.leave()

    async def plan(self, planner: Planner) -> None:
        """Plan digests every hour."""
        while self.clock.at() < END:
            await planner.tick()
            await self.clock.sleep(3600)
        self.clock.leave()


def news() -> list[Item]:
    """Return all papers: one comes out every hour and a half."""
    step = timedelta(minutes=90)
    return [Item(n + 1, START + n * step, TOLD[n % len(TOLD)]) for n in range((LAST_ITEM - START) // step)]


@asynccontextmanager
async def storm() -> AsyncIterator[Storm]:
    """Put everything together; nobody may be led to the trap."""
    names = list(dict.fromkeys(name for told in TOLD for name in told))
    clock = Together(START, len(names) + 1)
    store = in_memory()
    store.clock = lambda conn: clock.at()
    old = datetime(2025, 1, 2, tzinfo=UTC)
    bot = make_bot([Paper(f"local:{n}", f"Word{n} in {n}", f"About it{n}.", published=old) for n in range(9)], store)
    bot.at = START
    async with AsyncExitStack() as stack:
        trap = await stack.enter_async_context(serving(host="127.0.0.2"))
        servers = {name: await stack.enter_async_context(serving(clock.now)) for name in names}
        paces = {f"127.0.0.1:{servers['arxiv'].port}": PACES["export.arxiv.org"]}
        client = Hasty(private=["127.0.0.1/32"], pace=paces, now=clock.now, sleep=clock.sleep, chance=lambda: 0.5)
        weather = Weather(clock, trap.url)
        ports = {server.port: (name, number) for number, (name, server) in enumerate(servers.items())}
        client.hangs = lambda port: weather.fault(*ports[port]) == "never"
        asked = sources_at({name: server.url for name, server in servers.items()}, clock.at, EVERY)
        run = Storm(bot, clock, servers, Servers(news(), clock.at), weather, client, asked)
        for number, (name, server) in enumerate(servers.items()):
            server.otherwise = run.serve(name, number)
        yield run
        await client.close()
        assert trap.asked == [], "nobody was led into the local network"
    bot.app.close()


async def test_nothing_is_lost_or_doubled_and_nobody_waits_for_another(capsys: pytest.CaptureFixture[str]) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with storm() as run:
        await run.bot.ask("subscribe sliding windows at=18:00 tz=UTC on=daily max=50 strictness=relaxed")
        await run.bot.ask(f"follow {WHO}")
        app = run.bot.app
        planner = Planner(app.store, app.library, app.settings, ["test"])
        await asyncio.gather(run.plan(planner), *map(run.ask, run.servers))
        with app.store.reading() as conn:
            found = {number: one.paper for number, one in papers.get(conn, range(1, 1000)).items()}
            shown = Counter(conn.execute(select(tables.shown.c.paper_id)).scalars())
    capsys.readouterr()
    there = {number: paper for number, paper in found.items() if not paper.id.startswith("local:")}
    stored = Counter(paper.title for paper in there.values())
    assert stored == {item.title: 1 for item in run.world.items}, "nothing is lost, spoilt or doubled"
    assert shown == dict.fromkeys(there, 1), "each was in one digest"
    for number, name in enumerate(run.servers):
        assert late_answers(run.answered[name], [] if name == "quiet" else storms(number)) == [], name
    assert set().union(*run.weather.met.values()) == set(run.weather.all), "all of it came to pass"
    assert min(len(run.weather.met[name]) for name in run.servers if name not in ("quiet", "arxiv")) >= 10
    assert run.failed.keys() - {"quiet"} == run.servers.keys() - {"quiet"}
    assert run.failed["quiet"] == 0
    assert max(run.sent) < MOST + BUFFERS, "a body without end is not read on"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < MEMORY


def late_answers(answered: list[datetime], storms: list[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """Return the stretches without an answer that nothing excuses: no storm, and no wait after one."""
    found = []
    for before, after in zip([START - EVERY, *answered], [*answered, END], strict=True):
        excuses = [end + LONGEST_WAIT for begin, end in storms if begin <= after and end >= before]
        due = max([before + EVERY, *excuses])
        if after > due + 2 * BEAT:  # one until it is looked at, and one in which it answers
            found.append((before, after))
    return found
