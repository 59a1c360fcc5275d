"""Sources asked when their time has come: batches, failures, leases, and cross-lists, on each kind of database."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.ports import Cursor
from bot.errors import SourceError, StoreError
from bot.jobs import pull as pull_module
from bot.jobs.ingest import BATCH, ingest
from bot.jobs.pull import LEASE, Pulled, backoff, pull
from bot.sources._entry import columns, paper_of
from bot.sources._http import Client
from bot.store import papers as shelf
from bot.store import sources
from bot.store.engine import Store
from bot.store.sources import SourceState
from recommender.types import Paper
from tests.fakes.odd_http import same_if, serving

NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def papers(count: int, start: int = 0) -> list[Paper]:
    return [Paper(f"local:{number:016x}", f"A paper that is number {number}") for number in range(start, start + count)]


@dataclass
class Scripted:
    """A source that gives papers and cursors, then raises if it was told to."""

    name: str = "arxiv"
    every: timedelta = HOUR
    gives: Sequence[Paper | Cursor] = ()
    then: Exception | None = None
    asked: list[datetime | None] = field(default_factory=list)
    cursors: list[str] = field(default_factory=list)

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        self.asked.append(since)
        self.cursors.append(cursor)
        for item in self.gives:
            yield item
        if self.then:
            raise self.then


class Weekly(Scripted):
    """A source that rests, and knows when it is behind."""

    def rests(self, on: datetime) -> str:
        return f"arXiv announces nothing on {on:%A}s"

    def behind(self, on: datetime) -> bool:
        return True


@pytest.fixture
def clock(store: Store) -> Callable[[datetime], None]:
    def set_to(now: datetime) -> None:
        store.clock = lambda conn: now

    set_to(NOW)
    return set_to


async def run(store: Store, *those: Scripted) -> list[Pulled]:
    return await pull(store, {one.name: one for one in those}, None, lambda: 0.0)


def state(store: Store, name: str = "arxiv") -> SourceState:
    with store.reading() as conn:
        return sources.get(conn, name)


async def test_a_source_is_asked_when_its_time_has_come(store: Store, clock: Callable[[datetime], None]) -> None:
    one = Scripted(gives=papers(BATCH + 3))
    assert await run(store, one) == [Pulled("arxiv", BATCH + 3)]
    assert (state(store).answered_at, state(store).brought_at, state(store).next_at) == (NOW, NOW, NOW + HOUR)
    clock(NOW + 59 * MINUTE)
    assert await run(store, one) == []
    clock(NOW + HOUR)
    assert await run(store, one) == [Pulled("arxiv", 0)]
    assert (state(store).answered_at, state(store).brought_at) == (NOW + HOUR, NOW)
    assert one.asked == [None, NOW - DAY]


async def test_a_failure_keeps_what_came_and_the_others_go_on(
    store: Store, clock: Callable[[datetime], None], capsys: pytest.CaptureFixture[str]
) -> None:
    failing = Scripted("arxiv", gives=papers(BATCH + 7), then=SourceError("arXiv answered 503."))
    broken = Scripted("crossref", gives=papers(1, 5000), then=KeyError("title"))
    good = Scripted("openreview", gives=papers(2, 9000))
    assert await run(store, failing, broken, good) == [
        Pulled("arxiv", BATCH + 7, "arXiv answered 503."),
        Pulled("crossref", 1, "a fault in reading this source; it is in the log"),
        Pulled("openreview", 2),
    ]
    assert "KeyError" in "".join(capsys.readouterr())
    now = state(store)
    assert (now.failing_since, now.error, now.answered_at) == (NOW, "arXiv answered 503.", None)
    waits = []
    for _ in range(6):
        at = state(store).next_at
        assert at is not None
        waits.append((at - NOW) // MINUTE)
        clock(at)
        assert len(await run(store, failing)) == 1
    assert waits == [5, 15, 35, 75, 135, 195], "5, 10, 20, 40, 60 and 60 minutes apart"
    failing.then = None
    at = state(store).next_at
    assert at is not None
    clock(at)
    assert await run(store, failing) == [Pulled("arxiv", 0)]
    assert (state(store).failing_since, state(store).error) == (None, "")


async def test_it_goes_on_from_the_last_cursor_before_a_failure(
    store: Store, clock: Callable[[datetime], None]
) -> None:
    one = Scripted(gives=[*papers(3), Cursor("page 2"), *papers(2, 10)], then=SourceError("Page 3 came back empty."))
    assert await run(store, one) == [Pulled("arxiv", 5, "Page 3 came back empty.")]
    assert state(store).cursor == "page 2"
    clock(NOW + HOUR)
    one.gives, one.then = [*papers(2, 10), Cursor("page 3"), Cursor("page 4"), *papers(1, 20), Cursor("")], None
    assert await run(store, one) == [Pulled("arxiv", 1)]
    clock(NOW + 2 * HOUR)
    assert await run(store, one) == [Pulled("arxiv", 0)]
    assert one.cursors == ["", "page 2", ""]


async def test_papers_and_their_cursor_are_stored_together_or_not_at_all(
    store: Store, clock: Callable[[datetime], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Scripted(gives=[*papers(2), Cursor("whole"), *papers(2, 10), Cursor("lost")])
    real = sources.renew

    def fail(conn: Any, held: SourceState, until: datetime, cursor: str | None = None) -> SourceState | None:
        renewed = real(conn, held, until, cursor)
        if cursor == "lost":
            raise StoreError("The database went away.")
        return renewed

    with monkeypatch.context() as patch:
        patch.setattr(sources, "renew", fail)
        with pytest.raises(StoreError):
            await run(store, one)
    assert (state(store).cursor, stored(store)) == ("whole", 2)
    clock(NOW + LEASE)
    assert await run(store, one) == [Pulled("arxiv", 2)]
    assert (one.cursors, state(store).cursor, stored(store)) == (["", "whole"], "lost", 4)


def stored(store: Store) -> int:
    with store.reading() as conn:
        return shelf.count(conn)


async def test_one_that_was_cancelled_while_it_stores_goes_on_from_what_is_stored(
    store: Store, clock: Callable[[datetime], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    storing, go = asyncio.Event(), threading.Event()
    loop, real = asyncio.get_running_loop(), sources.renew

    def slow(conn: Any, held: SourceState, until: datetime, cursor: str | None = None) -> SourceState | None:
        loop.call_soon_threadsafe(storing.set)
        go.wait(10)
        return real(conn, held, until, cursor)

    monkeypatch.setattr(sources, "renew", slow)
    asking = asyncio.create_task(run(store, Scripted(gives=[*papers(2), Cursor("two"), *papers(2, 10)])))
    await storing.wait()
    asking.cancel()
    await asyncio.sleep(0)
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (state(store).cursor, state(store).leased_until, stored(store)) == ("two", None, 2)


async def test_who_lost_the_lease_moves_no_cursor(store: Store, clock: Callable[[datetime], None]) -> None:
    with store.writing() as conn:
        held = sources.claim(conn, "arxiv", NOW, LEASE)
        assert held is not None
        assert sources.claim(conn, "arxiv", NOW + LEASE, LEASE) is not None
        assert sources.renew(conn, held, NOW + DAY, "mine") is None
        assert sources.get(conn, "arxiv").cursor == ""


@pytest.mark.parametrize(
    ("after", "wait"),
    [
        (0.0, 5 * MINUTE),
        (60.0, 5 * MINUTE),
        (7200.0, 2 * HOUR),
        (1e9, DAY),
        (float("inf"), DAY),
        (float("nan"), 5 * MINUTE),
    ],
)
async def test_a_source_that_asks_for_time_gets_it(memory_store: Store, after: float, wait: timedelta) -> None:
    memory_store.clock = lambda conn: NOW
    await run(memory_store, Scripted(then=SourceError("arXiv answered 429.", after)))
    assert state(memory_store).next_at == NOW + wait


async def test_a_source_that_is_asked_no_more_keeps_its_place(store: Store, clock: Callable[[datetime], None]) -> None:
    await run(store, Scripted(gives=[*papers(1), Cursor("one")], then=SourceError("arXiv answered 503.")))
    await store.write(sources.retire, "arxiv")
    assert state(store) == SourceState("arxiv", brought_at=NOW, cursor="one")


def test_a_cursor_has_a_bound() -> None:
    assert Cursor("x" * 2000)
    with pytest.raises(ValueError, match="2,001 characters"):
        Cursor("x" * 2001)


def test_what_sources_of_one_kind_say_is_one_record(memory_store: Store) -> None:
    ingest(memory_store, papers(2), "rss:a.example/feed", NOW)
    assert ingest(memory_store, papers(2), "rss:b.example/feed", NOW).known == 2
    assert state(memory_store, "rss:a.example/feed").brought_at == NOW


@dataclass
class Conditional(Scripted):
    """A source that reads a page only if it has changed, and fails in the midst of it."""

    url: str = ""

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        answer = await http.get(self.url, fresh=True)
        if answer.same:
            return
        yield papers(1)[0]
        if isinstance(self.then, asyncio.CancelledError):
            asking = asyncio.current_task()
            assert asking is not None
            asking.cancel()
            await asyncio.sleep(0)
        if self.then:
            raise self.then
        for item in papers(2, 1):
            yield item


@pytest.mark.parametrize(
    "trouble", [SourceError("Page 2 came back empty."), KeyError("title"), StoreError("It is away."), None]
)
async def test_what_was_lost_on_the_way_is_no_news_that_has_not_changed(
    memory_store: Store, trouble: Exception | None, capsys: pytest.CaptureFixture[str]
) -> None:
    memory_store.clock = lambda conn: NOW
    async with serving() as server:
        client = Client(private=True, pace={})
        then = trouble or asyncio.CancelledError()
        one = Conditional(url=server.on("/list", same_if('"1"', "a list")), then=then)  # type: ignore[arg-type]
        with contextlib.suppress(StoreError, asyncio.CancelledError):
            await asyncio.create_task(pull(memory_store, {"arxiv": one}, client, lambda: 0.0))
        one.then = None
        memory_store.clock = lambda conn: NOW + HOUR
        (told,) = await pull(memory_store, {"arxiv": one}, client, lambda: 0.0)
        assert (told.error, stored(memory_store)) == ("", 3)
        memory_store.clock = lambda conn: NOW + 2 * HOUR
        assert await pull(memory_store, {"arxiv": one}, client, lambda: 0.0) == [Pulled("arxiv", 0)]
        assert ["if-none-match" in asked.headers for asked in server.asked] == [False, False, True]
        await client.close()


async def test_two_processes_ask_once(store: Store, clock: Callable[[datetime], None]) -> None:
    one, other = Scripted(gives=papers(2)), Scripted(gives=papers(2))
    told = await asyncio.gather(run(store, one), run(store, other))
    assert sorted(map(len, told)) == [0, 1]
    assert len(one.asked) + len(other.asked) == 1


async def test_why_a_source_rests_is_recorded(store: Store, clock: Callable[[datetime], None]) -> None:
    await run(store, Weekly())
    assert state(store).rests == "arXiv announces nothing on Wednesdays"
    assert state(store).behind_since == NOW


async def test_a_source_that_was_cancelled_is_free_again(store: Store, clock: Callable[[datetime], None]) -> None:
    began = asyncio.Event()

    class Slow(Scripted):
        async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
            began.set()
            await asyncio.sleep(60)
            yield papers(1)[0]

    asking = asyncio.create_task(run(store, Slow()))
    await began.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert state(store).leased_until is None
    assert await run(store, Scripted(gives=papers(1))) == [Pulled("arxiv", 1)]


async def test_a_source_that_falls_silent_is_given_up(
    store: Store, clock: Callable[[datetime], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Scripted):
        async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
            yield papers(1)[0]
            await asyncio.Event().wait()

    monkeypatch.setattr(pull_module, "SILENCE", 0.3)
    (told,) = await asyncio.wait_for(run(store, Silent()), 10)
    assert (told.new, told.error) == (1, "it gave nothing for 0 minutes")
    assert (state(store).failing_since, state(store).leased_until) == (NOW, None)


def test_waits_have_a_bound_and_some_chance() -> None:
    assert backoff(timedelta(0), 0) == 5 * MINUTE
    assert backoff(1000 * DAY, 1) == 66 * MINUTE


def test_an_import_by_hand_is_seen(store: Store) -> None:
    ingest(store, papers(2), "local", NOW)
    ingest(store, papers(2), "local", NOW + HOUR)
    assert (state(store, "local").brought_at, state(store, "local").asked_at) == (NOW, None)


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ({"announce_type": "cross"}, True),
        ({"Announced": "replace-cross"}, True),
        ({"arxiv:announce_type": "CROSS"}, True),
        ({"announce_type": "new"}, False),
        ({"announce_type": ["cross"]}, False),
        ({}, False),
    ],
)
def test_cross_lists_are_read(said: dict[str, object], right: bool) -> None:
    paper = paper_of(columns({"title": "A paper", **said}))
    assert isinstance(paper, Paper)
    assert paper.cross_listed is right


def test_a_paper_is_cross_listed_only_if_all_say_so(store: Store) -> None:
    def stored() -> bool:
        with store.reading() as conn:
            number = shelf.by_id(conn, "arxiv:2612.00001")
            assert number is not None
            return shelf.get(conn, [number])[number].paper.cross_listed

    paper = Paper("arxiv:2612.00001", "Cats at sea")
    ingest(store, [replace(paper, cross_listed=True)], "local", NOW)
    assert stored()
    assert ingest(store, [replace(paper, cross_listed=True)], "local", NOW).known == 1
    ingest(store, [paper], "local", NOW)
    assert not stored()


@pytest.mark.parametrize("spoilt_first", [True, False])
def test_what_a_wrong_charset_spoilt_gives_way_to_what_is_right(memory_store: Store, spoilt_first: bool) -> None:
    right = Paper("arxiv:2612.00001", "Étude of cats", "They went à la mer.", ("Zoë Ask",))
    spoilt = replace(right, title="\ufffdtude of cats", abstract="They went \ufffd la mer.", authors=("Zo\ufffd Ask",))
    for paper in (spoilt, right) if spoilt_first else (right, spoilt):
        ingest(memory_store, [paper], "arxiv", NOW)
    ingest(memory_store, [replace(spoilt, source="semanticscholar")], "semanticscholar", NOW)
    with memory_store.reading() as conn:
        number = shelf.by_id(conn, right.id)
        assert number is not None
        found = shelf.get(conn, [number])[number].paper
    assert (found.title, found.abstract, found.authors) == (right.title, right.abstract, right.authors)


def test_votes_are_kept_whoever_else_tells_of_the_paper(store: Store) -> None:
    paper = Paper("arxiv:2611.10001", "Small models that plan their day", published=NOW)
    ingest(store, [paper], "arxiv", NOW)
    ingest(store, [replace(paper, votes=41)], "huggingface", NOW)
    with store.reading() as conn:
        (stored,) = shelf.get(conn, [1]).values()
    assert stored.paper.votes == 41
