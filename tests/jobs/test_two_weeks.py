"""Two virtual weeks of `paperround run`: a weekend, Thanksgiving, a late list, an outage of two days, revisions.

Everything is what the program is put together from, but for three things: the sources' servers and the platform are
stand-ins, and the metronome beats when the test says so. Whoever follows something gets each paper of it, once, also
if a feed brings it days after arXiv.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from xml.sax.saxutils import escape

import pytest

from bot.core.ports import Invoke
from bot.jobs import service as service_module
from bot.jobs.send import Sender
from bot.jobs.service import Role
from bot.outside import Outside
from bot.sources import rss
from bot.sources._arxiv_calendar import feed_day, today
from bot.sources._http import Client
from bot.sources.arxiv import Arxiv
from bot.store import papers, sources
from recommender.types import Paper
from tests.fakes.arxiv_server import ArxivWorld, Made, arxiv_server
from tests.fakes.bot import Bot, make_bot
from tests.fakes.feeds_server import rss_of
from tests.fakes.odd_http import Asked, OddServer, says, serving
from tests.fakes.post import Post
from tests.fakes.stores import in_memory

START = datetime(2026, 11, 16, 12, tzinfo=UTC)  # a Monday
END = datetime(2026, 12, 3, 12, tzinfo=UTC)  # the last digest of the last list is out everywhere
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STEP = 2 * HOUR  # between two beats
FIRST, LAST = date(2026, 11, 17), date(2026, 12, 1)  # of the lists
LATE = date(2026, 11, 19)  # its list comes seven hours late
OUTAGE = (datetime(2026, 11, 23, 3, tzinfo=UTC), datetime(2026, 11, 25, 3, tzinfo=UTC))
FEED_OUTAGE = (datetime(2026, 11, 20, 3, tzinfo=UTC), datetime(2026, 11, 20, 21, tzinfo=UTC))
WHO = "Grace Windowmaker"
WORDS = [
    f"{a}{b}" for a in "bacdefgh" for b in ("olume", "ertical", "antern", "icket", "umber", "arbour", "ilver", "oat")
]
PEOPLE = {
    "berlin": "at=09:00 tz=Europe/Berlin on=daily",
    "angeles": "at=07:30 tz=America/Los_Angeles on=weekdays",
    "tokyo": "at=00:30 tz=Asia/Tokyo on=mon,thu",
}


def announced() -> list[Made]:
    """Two papers by somebody who is followed and six by others on each list, and revisions of some days later."""
    chance, made = random.Random(6), []
    days = [FIRST + DAY * n for n in range((LAST - FIRST).days + 1)]
    for day in (one for one in days if feed_day(one)):
        for n in range(8):
            mine = n % 4 == 0
            title = " ".join([*(["sliding windows"] if mine else []), *chance.sample(WORDS, 5)])
            one = Made(f"26{day:%m}.{day.day * 100 + n:05}", day, title, abstract=" ".join(chance.sample(WORDS, 25)))
            one.authors = (WHO,) if mine else ("Ada Byron",)
            made.append(one)
    again = [
        replace(one, listed=one.listed + 4 * DAY, kind="replace", version=2, abstract="Revised. " + one.abstract)
        for one in made[::8]
        if feed_day(one.listed + 4 * DAY)
    ]
    return [*made, *again]


def feed(made: list[Made], at: datetime) -> str:
    """Return a lab's feed: what arXiv listed two to four days ago, and a post of its own every other day."""
    found = [
        (one.title, f"https://arxiv.org/abs/{one.id}", one.authors, one.listed)
        for one in made
        if one.kind == "new" and 2 <= (at.date() - one.listed).days <= 4
    ]
    found += [(title, link, (WHO,), day) for title, link, day in posts() if 0 <= (at.date() - day).days <= 4]
    return rss_of(
        "".join(
            f"<item><title>{escape(title)}</title><link>{link}</link><guid>{link}</guid>"
            f"<dc:creator>{authors[0]}</dc:creator><pubDate>{day:%a, %d %b %Y} 08:00:00 GMT</pubDate></item>"
            for title, link, authors, day in found
        )
    )


def posts() -> list[tuple[str, str, date]]:
    """Return what stands in the feed alone: title, link, and day."""
    days = [FIRST + 2 * n * DAY for n in range(7)]
    return [
        (f"Windows of the lab in {WORDS[n]} weather", f"https://lab.example/{n}", day) for n, day in enumerate(days)
    ]


class Metronome:
    """Keeps the jobs of a service, and runs them when it is told to."""

    def __init__(self) -> None:
        self.jobs: dict[str, Callable[[], Awaitable[object]]] = {}
        self.started = asyncio.Event()

    def every(self, seconds: float, name: str, job: Callable[[], Awaitable[object]]) -> None:
        self.jobs[name] = job

    def drop(self, name: str) -> None:
        del self.jobs[name]

    def start(self) -> None:
        self.started.set()

    async def stop(self, seconds: float) -> None:
        """Nothing is at work between two beats."""

    async def beat(self) -> None:
        """Run every job once; sources are asked again and again until digests, which wait for them, are planned."""
        planning = asyncio.ensure_future(self.jobs["plan"]())
        while not planning.done():
            await asyncio.gather(*(job() for name, job in self.jobs.items() if name.startswith("source ")))
            await asyncio.wait({planning}, timeout=0.1)
        await planning
        for name in ("sources", "ages", "send"):
            await self.jobs[name]()
        sender: Sender = self.jobs["send"].__self__  # type: ignore[attr-defined]
        await sender.idle()


@dataclass
class Mail(Post):
    """A platform that listens until it is told to stop."""

    name: str = "test"

    async def run(self, invoke: Invoke) -> None:
        await asyncio.Event().wait()


@dataclass
class Weeks:
    """A bot that runs, arXiv and a feed, and the metronome, in one virtual time."""

    bot: Bot
    world: ArxivWorld
    post: Post
    metronome: Metronome
    failed: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    behind: list[datetime] = field(default_factory=list)

    async def step(self) -> None:
        """Let two hours go by: arXiv is what it is then, its papers come, and digests are planned and sent."""
        self.bot.at += STEP
        self.world.old = LATE - DAY if today(self.bot.at) == LATE > today(self.bot.at - 7 * HOUR) else None
        out = OUTAGE[0] <= self.bot.at < OUTAGE[1]
        self.world.faults[:] = [("/", 503, {}, b"")] * 50 if out else []
        await self.metronome.beat()
        with self.bot.app.store.reading() as conn:
            for one in sources.all(conn):
                if one.failing_since:
                    self.failed[one.name].append(self.bot.at)
                if one.behind_since:
                    self.behind.append(self.bot.at)

    async def arrived(self) -> dict[str, Counter[str]]:
        """Return, for each person, how often each paper arrived, on all pages of all messages."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for key, _ in self.post.arrived:
            user, message = self.post.places[key].user, self.post.messages[key]
            found[user].update(card.paper for card in message.cards)
            while following := [one for one in message.buttons if one.label == "Next ▸"]:
                message = await self.bot.press(following[0], user=user)
                found[user].update(card.paper for card in message.cards)
        return found


@asynccontextmanager
async def weeks(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Weeks]:
    """Run the program over servers in small."""
    store = in_memory()
    chance = random.Random(1)
    old = datetime(2025, 1, 2, tzinfo=UTC)
    there = [
        Paper(f"local:{n}", " ".join(chance.sample(WORDS, 5)), " ".join(chance.sample(WORDS, 25)), published=old)
        for n in range(60)
    ]
    bot = make_bot(there, store)
    bot.at = START
    store.clock = lambda conn: bot.at
    world = ArxivWorld(announced(), now=lambda: bot.at, lag=DAY)
    metronome = Metronome()
    post: Post = Mail(now=lambda: bot.at)
    monkeypatch.setattr(service_module, "Clock", lambda: metronome)

    async def sleep(seconds: float) -> None:
        """Take no time."""

    async def lab(server: OddServer, asked: Asked, writer: asyncio.StreamWriter) -> None:
        out = FEED_OUTAGE[0] <= bot.at < FEED_OUTAGE[1]
        await (says("", 503) if out else says(feed(world.papers, bot.at)))(server, asked, writer)

    async with arxiv_server(world) as at, serving() as server:
        specs = f"arxiv:cs.CL,rss:{server.on('/feed', lab)}"
        app = bot.app
        app.settings = app.settings.model_copy(update={"sources": specs, "metrics_address": "", "http_address": ""})
        app.platforms["test"] = post
        client = Client(private=True, pace={}, now=lambda: bot.at.timestamp(), sleep=sleep, chance=lambda: 0.0)
        kinds = {"arxiv": Arxiv(at=at, now=lambda: bot.at), "rss": replace(rss.source, every=timedelta(hours=6))}
        app.outside = Outside(app.settings, client, kinds, {}, None)
        running = asyncio.create_task(app.run(Role.ALL))
        await metronome.started.wait()
        yield Weeks(bot, world, post, metronome)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(running, 20)
    app.close()


async def test_everybody_gets_every_relevant_paper_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with weeks(monkeypatch) as run:
        for user, when in PEOPLE.items():
            await run.bot.ask(f"subscribe sliding windows {when} max=50 strictness=relaxed", user=user)
            await run.bot.ask(f"follow {WHO}", user=user)
        while run.bot.at < END:
            await run.step()
        arrived = await run.arrived()
        relevant = {f"arxiv:{one.id}" for one in run.world.papers if one.authors == (WHO,)}
        with run.bot.app.store.reading() as conn:
            stored = Counter(one.paper.title for one in papers.get(conn, range(1, 1000)).values())
    capsys.readouterr()
    assert len(relevant) == 2 * 10, "eleven weekdays, less the one after Thanksgiving"
    assert set(run.post.counts.values()) == {1}, "each message came once"
    titles = {one.title for one in run.world.papers} | {title for title, _, _ in posts()}
    assert {title: stored[title] for title in titles} == dict.fromkeys(titles, 1), "nothing is lost or doubled"
    assert arrived.keys() == PEOPLE.keys()
    for user in PEOPLE:
        assert set(arrived[user].values()) == {1}, user
        assert relevant <= arrived[user].keys(), user
        assert sum(not one.startswith("arxiv:") for one in arrived[user]) == len(posts()), user
    failed = {name.partition(":")[0]: hours for name, hours in run.failed.items()}
    assert failed.keys() == {"arxiv", "rss"}, "the outages were noticed"
    for name, (begin, end) in {"arxiv": OUTAGE, "rss": FEED_OUTAGE}.items():
        assert all(begin <= at < end + STEP for at in failed[name]), "nothing but the outage was a failure"
    assert any(today(at) == LATE for at in run.behind), "the late list was noticed"
