"""A running bot as a whole: papers come in, digests are planned over them and sent, and nothing is left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select
from structlog.testing import capture_logs

from bot.core.ports import Cursor, Invoke
from bot.errors import Refused
from bot.jobs import service as service_module
from bot.jobs.service import Choose, Parts, Role, Service
from bot.store import chosen, heartbeats, sources, tables
from bot.store.engine import Store
from recommender.types import Paper
from tests.fakes.bot import Bot, make_bot
from tests.fakes.post import Post, take_and_hang
from tests.jobs.test_clock import until

TOPIC = "memory of language models"


@dataclass
class Feed:
    """A source that gives two papers each time, slowly."""

    name: str = "feed"
    every: timedelta = timedelta(hours=1)
    asked: list[datetime | None] = field(default_factory=list)

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        self.asked.append(since)
        await asyncio.sleep(0.2)
        for number in (2 * len(self.asked) - 1, 2 * len(self.asked)):
            yield Paper(f"feed:{number}", f"Memory paper number {number}", f"The {TOPIC} is studied, item{number}.")


@dataclass
class Ear(Post):
    """A platform that counts how often it is listened to, and ends at once or listens for ever."""

    name: str = "test"
    listened: int = 0
    ends: bool = False
    why: Exception = field(default_factory=lambda: RuntimeError("the connection broke"))

    async def run(self, invoke: Invoke) -> None:
        self.listened += 1
        if self.ends:
            raise self.why
        await asyncio.Event().wait()


@asynccontextmanager
async def running(
    bot: Bot, post: Post, role: Role = Role.ALL, feed: Feed | None = None, choose: Choose | None = None, **more: Feed
) -> AsyncIterator[Service]:
    """Run a service, and stop it at the end."""
    app = bot.app
    settings = app.settings.model_copy(update={"metrics_address": "127.0.0.1:0", "heartbeat_seconds": 1})
    feeds = ({"feed": feed} if feed else {}) | more
    service = Service(Parts(app.store, app.library, settings, {"test": post}, feeds, app.invoke, choose=choose), role)
    task = asyncio.create_task(service.run())
    try:
        yield service
    finally:
        service.stop()
        await asyncio.wait_for(task, 20)


@pytest.fixture
async def bot(store: Store) -> Bot:
    """A bot with one digest that is due, and papers that are older."""
    made = make_bot([Paper(f"t:{n}", f"Cooking paper {n}", f"A robot cooks soup{n}.") for n in range(8)], store)
    made.app.library.update(learn=True)
    await made.ask(f"subscribe {TOPIC} at=09:00 on=daily")
    made.at = datetime(2026, 12, 3, 9, 0, 1, tzinfo=UTC)
    store.clock = lambda conn: made.at
    return made


def beats(store: Store) -> list[str]:
    """Return the roles of the processes that are alive."""
    with store.reading() as conn:
        return list(conn.execute(select(tables.heartbeats.c.role)).scalars())


async def test_what_the_sources_bring_at_the_start_is_in_the_digest_that_is_due(bot: Bot) -> None:
    post, feed = Ear(now=lambda: bot.at), Feed()
    async with running(bot, post, feed=feed):
        await until(lambda: post.arrived, 15)
        assert beats(bot.app.store) == ["all"]
    (message,) = post.messages.values()
    assert "of 2 new papers" in message.text
    assert feed.asked == [None]
    assert post.listened == 1
    assert beats(bot.app.store) == []


async def test_after_a_sleep_the_sources_are_asked_before_the_digest_that_is_due(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PULL_EVERY", "PLAN_EVERY"):
        monkeypatch.setattr(service_module, name, 0.1)
    post, feed = Ear(now=lambda: bot.at), Feed()
    async with running(bot, post, feed=feed):
        await until(lambda: post.arrived, 15)
        await asyncio.sleep(0.3)
        bot.at += timedelta(days=1)
        await until(lambda: len(post.arrived) == 2, 15)
    assert len(feed.asked) == 2
    assert "of 2 new papers" in post.messages["digest:1:2026-12-04"].text


async def test_a_source_that_hangs_keeps_no_other_waiting(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck(Feed):
        async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
            await asyncio.Event().wait()
            yield Paper("never", "never")

    monkeypatch.setattr(service_module, "PULL_EVERY", 0.1)
    monkeypatch.setattr(service_module, "STOP_WITHIN", 0.5)
    feed = Feed()

    def answered() -> bool:
        with bot.app.store.reading() as conn:
            return sources.get(conn, "feed").answered_at is not None

    async with running(bot, Ear(now=lambda: bot.at), feed=feed, stuck=Stuck()):
        await until(answered, 15)
        bot.at += timedelta(hours=2)
        await until(lambda: len(feed.asked) == 2, 15)


async def test_what_is_chosen_while_it_runs_is_asked_and_what_is_removed_is_not(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PULL_EVERY", "CHOOSE_EVERY", "AGE_EVERY"):
        monkeypatch.setattr(service_module, name, 0.1)
    store, feed = bot.app.store, Feed()
    begun = asyncio.Event()

    class Stuck(Feed):
        async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
            begun.set()
            await asyncio.Event().wait()
            yield Paper("never", "never")

    kinds = {"feed": feed, "stuck": Stuck()}

    def choose(specs: Sequence[str]) -> tuple[dict[str, Feed], dict[str, str]]:
        return {spec: kinds[spec] for spec in specs if spec in kinds}, dict.fromkeys(set(specs) - kinds.keys(), "gone")

    def state(name: str) -> sources.SourceState:
        with store.reading() as conn:
            return sources.get(conn, name)

    with store.writing() as conn:
        chosen.add(conn, "stuck", "Stuck", bot.at)
        left = sources.claim(conn, "removed long ago", bot.at, timedelta(minutes=1))
        assert left is not None
        sources.failed(conn, left, bot.at, "HTTP 503.", lambda _: timedelta())
    async with running(bot, Ear(now=lambda: bot.at), choose=choose):
        await asyncio.wait_for(begun.wait(), 15)
        assert state("removed long ago").failing_since is None
        with store.writing() as conn:
            chosen.add(conn, "feed", "Feed", bot.at)
            chosen.add(conn, "unknown", "Unknown", bot.at)
            chosen.remove(conn, "stuck")
        await until(lambda: state("feed").answered_at and state("stuck").leased_until is None, 15)
        await until(lambda: state("stuck").asked_at is None, 15)


async def test_a_web_process_answers_and_sends_nothing(bot: Bot) -> None:
    post = Ear(now=lambda: bot.at)
    async with running(bot, post, Role.WEB):
        await until(lambda: post.listened and beats(bot.app.store), 15)
        with bot.app.store.reading() as conn:
            assert heartbeats.senders(conn, bot.at - timedelta(minutes=1)) == {}
        await asyncio.sleep(0.3)
    assert post.arrived == []
    with bot.app.store.reading() as conn:
        assert conn.execute(select(func.count()).select_from(tables.outbox)).scalar() == 0


async def test_a_worker_sends_and_does_not_listen(bot: Bot) -> None:
    post = Ear(now=lambda: bot.at)
    async with running(bot, post, Role.WORKER):
        await until(lambda: post.arrived, 15)
    assert post.listened == 0


async def test_a_platform_whose_connection_breaks_is_listened_to_again(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "LISTEN_AGAIN", (0.01, 0.02))
    post = Ear(now=lambda: bot.at, ends=True)
    with capture_logs() as logs:
        async with running(bot, post):
            await until(lambda: post.listened >= 3, 15)
    failed = [line for line in logs if line["event"] == "a platform failed; it is listened to again"]
    assert failed[0]["platform"] == "test"


async def test_what_a_platform_refuses_is_told_in_its_words(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "LISTEN_AGAIN", (0.01, 0.02))
    post = Ear(now=lambda: bot.at, ends=True, why=Refused("This token is wrong. Make a new one."))
    with capture_logs() as logs:
        async with running(bot, post):
            await until(lambda: post.listened >= 2, 15)
    failed = [line for line in logs if line["event"] == "a platform failed; it is listened to again"]
    assert failed[0]["reason"] == "This token is wrong. Make a new one."
    assert "exc_info" not in failed[0]


async def test_it_stops_soon_though_a_send_hangs_and_the_next_one_looks_first(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = Ear(now=lambda: bot.at, always=take_and_hang)
    monkeypatch.setattr(service_module, "STOP_WITHIN", 0.5)
    async with running(bot, post):
        await until(lambda: post.sends, 15)
    with bot.app.store.reading() as conn:
        row = conn.execute(select(tables.outbox)).mappings().one()
    assert (row["state"], row["uncertain"], row["token"]) == ("pending", True, "")
    post.always = None
    bot.at += timedelta(seconds=61)
    async with running(bot, post):
        await until(lambda: post.looks, 15)
    assert post.counts["digest:1:2026-12-03"] == 1
