"""Two weeks of arXiv in virtual time: a weekend, Thanksgiving, a late list, an outage of two days, revisions.

Whoever follows something gets each paper of it, once.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select

from bot.jobs.plan import Planner
from bot.jobs.pull import Pulled, pull
from bot.sources._arxiv_calendar import feed_day, today
from bot.sources._http import Client
from bot.sources.arxiv import Arxiv
from bot.store import owners, papers, sources, tables
from recommender.types import Paper
from tests.fakes.arxiv_server import ArxivWorld, Made, arxiv_server
from tests.fakes.bot import Bot, make_bot
from tests.fakes.stores import in_memory

START = datetime(2026, 11, 16, 12, tzinfo=UTC)  # a Monday
END = datetime(2026, 12, 3, 12, tzinfo=UTC)  # the last digest of the last list is out everywhere
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FIRST, LAST = date(2026, 11, 17), date(2026, 12, 1)  # of the lists
LATE = date(2026, 11, 19)  # its list comes seven hours late
OUTAGE = (datetime(2026, 11, 23, 3, tzinfo=UTC), datetime(2026, 11, 25, 3, tzinfo=UTC))
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


@dataclass
class Weeks:
    """A bot, arXiv, and the client between them, in one virtual time."""

    bot: Bot
    world: ArxivWorld
    source: Arxiv
    client: Client
    planner: Planner

    async def hour(self) -> list[Pulled]:
        """Let an hour go by: arXiv is what it is then, its papers come, and digests are planned."""
        self.bot.at += HOUR
        self.world.old = LATE - DAY if today(self.bot.at) == LATE > today(self.bot.at - 7 * HOUR) else None
        out = OUTAGE[0] <= self.bot.at < OUTAGE[1]
        self.world.faults[:] = [("/", 503, {}, b"")] * 50 if out else []
        told = await pull(self.bot.app.store, {"arxiv": self.source}, self.client, lambda: 0.0)
        await self.planner.tick()
        return told

    def shown(self) -> dict[str, Counter[str]]:
        """Return, for each person, how often each paper was in a digest."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        rows = select(tables.outbox.c.owner_id, tables.shown.c.paper_id).join(
            tables.shown, tables.shown.c.outbox_id == tables.outbox.c.id
        )
        with self.bot.app.store.reading() as conn:
            for owner, number in conn.execute(rows).all():
                one = papers.get(conn, [number])[number]
                found[owners.by_number(conn, owner).external][one.paper.id] += 1
        return found


@asynccontextmanager
async def weeks() -> AsyncIterator[Weeks]:
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

    async def sleep(seconds: float) -> None:
        """Take no time."""

    client = Client(private=True, pace={}, now=lambda: bot.at.timestamp(), sleep=sleep, chance=lambda: 0.0)
    async with arxiv_server(world) as at:
        source = Arxiv(("cs.CL",), at=at, now=lambda: bot.at)
        app = bot.app
        yield Weeks(bot, world, source, client, Planner(store, app.library, app.settings, ["test"]))
        await client.close()
    bot.app.close()


async def test_everybody_gets_every_relevant_paper_once(capsys: pytest.CaptureFixture[str]) -> None:
    async with weeks() as run:
        for user, when in PEOPLE.items():
            await run.bot.ask(f"subscribe sliding windows {when} max=50 strictness=relaxed", user=user)
            await run.bot.ask(f"follow {WHO}", user=user)
        failed: list[datetime] = []
        behind: list[datetime] = []
        while run.bot.at < END:
            failed += [run.bot.at for one in await run.hour() if one.error]
            with run.bot.app.store.reading() as conn:
                behind += [run.bot.at] * bool(sources.get(conn, "arxiv").behind_since)
        shown = run.shown()
        relevant = {f"arxiv:{one.id}" for one in run.world.papers if one.authors == (WHO,)}
    capsys.readouterr()
    assert len(relevant) == 2 * 10, "eleven weekdays, less the one after Thanksgiving"
    assert shown.keys() == PEOPLE.keys()
    for user in PEOPLE:
        assert shown[user] == Counter(relevant), user
    assert failed, "the outage was noticed"
    assert all(OUTAGE[0] <= at < OUTAGE[1] for at in failed), "nothing but the outage was a failure"
    assert any(today(at) == LATE for at in behind), "the late list was noticed"
