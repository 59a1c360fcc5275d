"""Sending: every outcome, what a crash leaves, whom it delays, and how it ends. On both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from bot import metrics
from bot.core.message import Message
from bot.core.ports import Limits
from bot.core.request import Address
from bot.core.timing import Timing
from bot.errors import Refused, Retry, StoreError, Uncertain, Unknown
from bot.jobs.send import Sender
from bot.store import heartbeats, interests, outbox, owners, subscriptions
from bot.store import tables as t
from bot.store.engine import Store
from tests.fakes.post import Post, drop, fail, hang, take_and_hang

START = datetime(2026, 12, 2, 8, 0, tzinfo=UTC)


@dataclass
class World:
    """A store whose time the test moves, a platform, and a sender."""

    store: Store
    post: Post = field(default_factory=Post)
    timing: Timing = field(default_factory=Timing)
    at: datetime = START

    def __post_init__(self) -> None:
        self.store.clock = lambda conn: self.at
        self.post.now = lambda: self.at
        self.sender = self.new_sender("one")

    def new_sender(self, process: str, **more: Any) -> Sender:
        return Sender(self.store, {"post": self.post}, self.timing, process, **more)

    def put(self, key: str, *, workspace: str = "lab", user: str = "ada", channel: str = "", **more: Any) -> int:
        with self.store.writing() as conn:
            kind, external = ("channel", channel) if channel else ("person", user)
            owner = owners.get(conn, "post", workspace, kind, external, external, self.at).number
            values: dict[str, Any] = {
                "kind": "digest",
                "subscription": None,
                "owner": owner,
                "address": Address("post", workspace, user, channel),
                "message": Message(text=f"Good morning, {key}"),
                "due_at": self.at,
                "window_from": self.at,
                "window_id": 0,
                "now": self.at,
            }
            return outbox.put(conn, key=key, **values | more) or 0

    def subscribe(self, *, channel: str = "") -> int:
        with self.store.writing() as conn:
            ada = owners.get(conn, "post", "lab", "person", "ada", "Ada", self.at).number
            owner = owners.get(conn, "post", "lab", "channel", channel, channel, self.at).number if channel else ada
            interest = interests.add(conn, owner, "graphs", ["graphs"], self.at)
            values = {"at": "09:00", "time_zone": "UTC", "weekdays": "1234567", "at_most": 5, "strictness": "normal"}
            return subscriptions.add(conn, owner, interest, ada, values, self.at)

    def row(self, key: str) -> Any:
        with self.store.reading() as conn:
            return conn.execute(select(t.outbox).where(t.outbox.c.key == key)).one()

    async def step(self, sender: Sender | None = None, **time: float) -> None:
        """Let time pass, and everything happen that is to be done then."""
        self.at += timedelta(**time)
        await (sender or self.sender).tick()
        await (sender or self.sender).idle()

    async def pass_(self, minutes: int) -> None:
        for _ in range(minutes):
            await self.step(minutes=1)


@pytest.fixture
async def world(store: Store) -> AsyncIterator[World]:
    made = World(store)
    yield made
    await made.sender.drain(0)


async def until(condition: Callable[[], bool], sender: Sender | None = None) -> None:
    async with asyncio.timeout(20):
        while not condition():
            if sender is not None:
                await sender.tick()
            await asyncio.sleep(0.005)


def counted(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(f"paperround_{name}_total", labels) or 0.0


@contextmanager
def counts(by: float, name: str, **labels: str) -> Any:
    before = counted(name, **labels)
    yield
    assert counted(name, **labels) - before == by


async def test_a_message_arrives_once_and_is_marked(world: World) -> None:
    world.put("a", channel="reading")
    with counts(1, "digests_sent", platform="post"):
        await world.step(seconds=5)
    await world.pass_(3)
    assert world.post.counts == {"a": 1}
    assert world.post.places["a"] == Address("post", "lab", "ada", "reading")
    assert world.post.messages["a"] == Message(text="Good morning, a")
    row = world.row("a")
    assert (row.state, row.receipt, row.tries, row.done_at) == ("sent", "id of a", 1, START + timedelta(seconds=5))
    assert world.post.looks == []


async def test_not_taken_waits_as_told_and_goes_without_a_look(world: World) -> None:
    world.put("a")
    world.post.script["a"] = [fail(Retry("too many", 60)), fail(Retry("again", 60))]
    await world.step()
    await world.step(seconds=59)
    assert len(world.post.sends) == 1
    assert world.row("a").error == "too many"
    fresh = world.new_sender("two")  # a limiter that was told nothing
    await world.step(fresh, seconds=1)
    assert len(world.post.sends) == 2
    await world.step(world.new_sender("three"), seconds=60)
    assert world.post.counts == {"a": 1}
    assert (world.row("a").state, world.row("a").tries, world.post.looks) == ("sent", 1, [])


async def test_not_taken_and_nothing_told_waits_longer_and_longer(world: World) -> None:
    world.put("a")
    world.post.always = fail(Retry("down", 0))
    at = []
    for _ in range(60 * 60):
        before = len(world.post.sends)
        await world.sender.tick()
        if world.sender.in_flight:
            await world.sender.idle()
        if len(world.post.sends) > before:
            at.append((world.at - START).total_seconds())
        world.at += timedelta(seconds=5 if len(at) < 9 else 300)
        if len(at) > 12:
            break
    assert at[:9] == [0, 5, 10, 20, 40, 80, 160, 320, 640]
    assert {later - one for one, later in pairwise(at[10:])} == {900}


async def test_what_cannot_be_sent_for_a_day_is_dead_and_the_others_go_on(world: World) -> None:
    world.put("a")
    world.put("b", user="bob")
    world.post.script["a"] = [fail(Retry("down", 3600))] * 40
    with counts(1, "digests_dead"):
        for _ in range(27):
            await world.step(world.new_sender("x"), hours=1)
    assert (world.row("a").state, world.row("b").state) == ("dead", "sent")
    assert len(world.post.sends) < 30


async def test_a_word_for_everything_holds_everything(world: World) -> None:
    world.put("a")
    world.post.script["a"] = [fail(Retry("global", 60, everywhere=True))]
    await world.step()
    for key in "bcd":
        world.put(key, workspace=key)
    await world.step()
    assert len(world.post.sends) == 1
    await world.step(world.new_sender("later"), seconds=60)
    assert world.post.counts == dict.fromkeys("abcd", 1)


async def test_a_word_for_one_destination_holds_only_that(world: World) -> None:
    for key in ("a", "b"):
        world.put(key, channel="reading")
    world.put("c", channel="other")
    world.post.script["a"] = [fail(Retry("channel", 60))]
    await world.step()
    assert world.post.counts == {"c": 1}
    assert len(world.post.sends) == 2
    row = world.row("b")
    assert (row.token, row.tries) == ("", 0)
    assert timedelta(seconds=59) < row.not_before - world.at <= timedelta(seconds=60.1)
    await world.step(world.new_sender("later"), seconds=61)
    assert world.post.counts == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize("reset", [60.0, 1e15, float("inf")])
async def test_used_up_headers_hold_a_destination(world: World, reset: float) -> None:
    for key in ("a", "b"):
        world.put(key, channel="reading")
    world.post.receipt = {"left": 0, "reset": reset}
    await world.step()
    assert world.post.counts == {"a": 1}
    assert world.row("b").token == ""
    assert world.row("b").not_before <= START + timedelta(days=1)


async def test_what_waits_for_a_workspace_that_is_allowed_no_longer_is_dropped(world: World) -> None:
    world.put("out", workspace="elsewhere", subscription=world.subscribe())
    world.put("in")
    await world.step(world.new_sender("strict", allows=lambda platform, workspace: workspace == "lab"))
    assert (world.post.counts, world.row("out").state) == ({"in": 1}, "dropped")


async def test_refused_pauses_and_tells_who_asked(world: World) -> None:
    sub = world.subscribe(channel="reading")
    world.put("a", channel="reading", subscription=sub)
    world.put("b", channel="fine")
    world.post.script["a"] = [fail(Refused("the channel is archived"))]
    with counts(1, "digests_refused"):
        await world.step()
    await world.pass_(3)
    assert (world.row("a").state, world.row("b").state) == ("refused", "sent")
    assert world.post.counts == {"b": 1, "notice:a": 1}
    assert world.post.places["notice:a"] == Address("post", "lab", "ada")
    assert "#reading: the channel is archived. It is paused." in world.post.messages["notice:a"].text
    with world.store.reading() as conn:
        assert subscriptions.of_number(conn, sub)[0].paused_why == "the channel is archived"


async def test_a_message_that_is_refused_by_itself_pauses_nothing(world: World) -> None:
    sub = world.subscribe(channel="reading")
    world.put("a", channel="reading", subscription=sub)
    world.post.script["a"] = [fail(Refused("the blocks are not valid", closed=False))]
    await world.pass_(3)
    assert world.row("a").state == "dead"
    assert not world.post.counts
    with world.store.reading() as conn:
        assert subscriptions.of_number(conn, sub)[0].paused_at is None


async def test_a_refused_direct_message_is_told_later(world: World) -> None:
    sub = world.subscribe()
    world.put("a", subscription=sub)
    world.post.always = fail(Refused("direct messages are closed"))
    await world.pass_(3)
    assert len(world.post.sends) == 1
    assert world.row("notice:a").state == "held"


async def test_a_refused_notice_is_held_and_tells_nobody(world: World) -> None:
    sub = world.subscribe(channel="reading")
    world.put("a", channel="reading", subscription=sub)
    world.post.always = fail(Refused("gone"))
    await world.pass_(3)
    assert [key for key, _ in world.post.sends] == ["a", "notice:a"]
    assert world.row("notice:a").state == "held"


@pytest.mark.parametrize("error", [Uncertain("dropped"), OSError("reset"), TimeoutError(), KeyError("x"), Unknown("?")])
async def test_an_answer_that_was_lost_is_looked_for_and_found(world: World, error: Exception) -> None:
    world.put("a")
    world.post.script["a"] = [drop(error)]
    await world.step()
    await world.step(seconds=59)
    assert (world.row("a").state, world.row("a").uncertain, world.post.looks) == ("pending", True, [])
    with counts(0, "resent"), counts(1, "digests_sent", platform="post"):
        await world.step(seconds=1)
    assert world.post.looks == [("a", START - timedelta(minutes=5))]
    assert (world.row("a").state, world.post.counts) == ("sent", {"a": 1})


async def test_what_two_looks_do_not_show_is_sent_again_and_counted(world: World) -> None:
    world.put("a")
    world.post.script["a"] = [fail(Uncertain("dropped"))]
    await world.step()
    await world.step(seconds=60)
    assert len(world.post.sends) == 1
    await world.step(seconds=59)
    assert len(world.post.sends) == 1
    with counts(1, "resent"), capture_logs() as logs:
        await world.step(seconds=1)
    assert (world.row("a").state, world.post.counts, len(world.post.looks)) == ("sent", {"a": 1}, 2)
    assert [line["key"] for line in logs if line["event"].startswith("sent again")] == ["a"]


@pytest.mark.parametrize(("lag", "doubled"), [(0, 0), (5, 0), (30, 0), (90, 0), (200, 1)])
async def test_a_history_that_lags(world: World, lag: int, doubled: int) -> None:
    world.put("a")
    world.post.lag = timedelta(seconds=lag)
    world.post.script["a"] = [drop(Uncertain("dropped"))]
    with counts(doubled, "resent"):
        for _ in range(60):
            await world.step(seconds=15)
    assert world.post.counts == {"a": 1 + doubled}
    assert world.row("a").state == "sent"


async def test_a_second_send_that_is_not_taken_does_not_make_the_first_certain(world: World) -> None:
    world.put("a")
    world.post.lag = timedelta(seconds=150)
    world.post.script["a"] = [drop(Uncertain("no answer")), fail(Retry("busy", 0))]
    await world.step()
    for _ in range(2):
        await world.step(seconds=61)  # two looks in vain, and a send that is not taken
    assert len(world.post.sends) == 2
    await world.pass_(5)
    assert (world.post.counts, world.row("a").state) == ({"a": 1}, "sent")


async def test_a_history_that_cannot_be_read_is_never_a_blind_resend(world: World) -> None:
    sub = world.subscribe()
    world.put("a", subscription=sub)
    world.post.script["a"] = [drop(Uncertain("dropped"))]
    world.post.blind = Unknown("no permission to read the history")
    looked = []
    with counts(1, "digests_unknown"), counts(0, "resent"):
        for minute in range(60 * 7):
            before = len(world.post.looks)
            await world.step(minutes=1)
            looked += [minute] * (len(world.post.looks) - before)
    row = world.row("a")
    assert (row.state, row.error) == ("unknown", "no permission to read the history")
    assert timedelta(hours=6) < row.done_at - START < timedelta(hours=6, minutes=17)
    assert [key for key, _ in world.post.sends] == ["a", "notice:a"]
    assert [later - one for one, later in pairwise(looked)][:6] == [1, 2, 4, 8, 15, 15]


async def test_a_history_that_can_be_read_again_is_read(world: World) -> None:
    world.put("a")
    world.post.script["a"] = [fail(Uncertain("dropped"))]
    world.post.blind = Retry("rate limited", 0.02)
    await world.pass_(10)
    assert len(world.post.sends) == 1
    world.post.blind = None
    for _ in range(30):
        await world.step(world.new_sender("next"), minutes=1)
    assert (world.post.counts, world.row("a").state) == ({"a": 1}, "sent")


async def test_a_poison_message_is_set_aside_and_blocks_nobody(world: World) -> None:
    world.put("poison")
    world.post.script["poison"] = [fail(ValueError("xoxb-secret"))] * 99
    await world.step()
    world.put("fine", user="bob")
    with counts(1, "digests_dead"):
        await world.pass_(30)
    row = world.row("poison")
    assert (row.state, row.tries, len(world.post.sends)) == ("dead", 5, 6)
    assert "secret" not in row.error
    assert world.post.counts == {"fine": 1}


async def test_the_error_of_a_fault_is_its_kind_and_an_incident(world: World) -> None:
    world.put("a")
    world.post.script["a"] = [fail(ValueError("xoxb-secret"))]
    with capture_logs() as logs:
        await world.step()
    (line,) = [line for line in logs if line["event"] == "delivery failed"]
    assert world.row("a").error == f"ValueError (incident {line['incident']})"


async def test_what_a_dead_process_left_is_looked_for(world: World) -> None:
    number = world.put("a")
    with world.store.writing() as conn:
        outbox.claim(conn, world.at, "dead", world.timing.lease, 9, ["post"])
        outbox.start(conn, number, "dead", world.at, world.timing.least_left)
    world.post.take("a")
    world.post.places["a"] = Address("post", "lab", "ada")
    await world.step(seconds=179)
    assert (world.post.looks, world.post.sends) == ([], [])
    await world.step(seconds=1)
    assert (len(world.post.looks), world.post.counts, world.row("a").state) == (1, {"a": 1}, "sent")


async def test_what_a_dead_process_had_only_claimed_is_sent_when_its_lease_ends(world: World) -> None:
    world.put("a")
    with world.store.writing() as conn:
        outbox.claim(conn, world.at, "dead", world.timing.lease, 9, ["post"])
    await world.step(seconds=119)
    assert world.post.sends == []
    await world.step(seconds=1)
    assert (world.post.looks, world.post.counts) == ([], {"a": 1})


async def test_a_lease_that_would_not_last_is_given_back(world: World) -> None:
    world.put("a")
    world.put("b", user="bob")
    moved = False

    async def sleepy(post: Post, key: str) -> None:
        nonlocal moved
        if not moved:
            moved = True
            world.at += timedelta(seconds=46)  # the machine slept

    world.post.script["a"] = world.post.script["b"] = [sleepy]
    lock = world.sender._lock(("post", "lab", "", "bob"))
    async with lock:
        await world.sender.tick()
        await until(lambda: world.post.counts == {"a": 1})
    await world.sender.idle()
    assert world.post.counts == {"a": 1}
    assert (world.row("b").token, world.row("b").tries) == ("", 0)
    await world.step()
    assert world.post.counts == {"a": 1, "b": 1}


async def test_one_target_that_hangs_delays_nobody(store: Store) -> None:
    world = World(store, timing=Timing(lease=4))
    store.clock = lambda conn: datetime.now(UTC)
    world.at = datetime.now(UTC)
    world.put("hangs", user="bob")
    world.post.script["hangs"] = [hang] * 9
    for number in range(30):
        world.put(f"k{number}", user=f"u{number}")
    await world.sender.tick()
    await until(lambda: len(world.post.arrived) == 30)
    await until(lambda: world.sender.in_flight == 1)
    world.put("next")
    await world.sender.tick()
    await until(lambda: world.post.counts["next"] == 1)
    await until(lambda: world.sender.in_flight == 0)
    assert world.row("hangs").error == "no answer within 2 s"
    await world.sender.drain(0)


async def test_one_destination_gets_its_messages_one_after_another(world: World) -> None:
    for number in range(8):
        world.put(f"k{number}", channel="reading")
    under_way, most = 0, 0

    async def slow(post: Post, key: str) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.003)
        under_way -= 1

    world.post.always = slow
    await world.step()
    assert [key for key, _ in world.post.arrived] == [f"k{number}" for number in range(8)]
    assert most == 1


async def test_workspaces_take_turns_and_the_limit_holds(world: World) -> None:
    world.post.limits = Limits(a_second=100, to_one=100)
    sender = world.new_sender("limited")
    for number in range(60):
        world.put(f"big{number}", workspace="big", user=f"u{number}")
    for number in range(5):
        world.put(f"small{number}", workspace="small", user=f"u{number}")
    await world.step(sender)
    order = [key for key, _ in world.post.sends]
    assert set(order[:10]) == {f"{name}{number}" for name in ("big", "small") for number in range(5)}
    times = [at for _, at in world.post.sends]
    assert times[-1] - times[0] >= (65 - 40) / 100


async def test_drain_finishes_what_began_and_gives_back_the_rest(world: World) -> None:
    world.post.limits = Limits(a_second=20, to_one=100)
    world.post.latency = 0.2
    sender = world.new_sender("ends")
    for number in range(100):
        world.put(f"k{number}", user=f"u{number}")
    await sender.tick()
    await until(lambda: len(world.post.sends) >= 3)
    await sender.drain(5)
    assert sender.in_flight == 0
    began = len(world.post.sends)
    assert len(world.post.arrived) == began < 30
    await sender.tick()
    assert sender.in_flight == 0
    await world.step()  # at once, without waiting for leases
    assert world.post.counts == {f"k{number}": 1 for number in range(100)}


async def test_what_drain_cuts_off_is_looked_for(world: World) -> None:
    world.put("a")
    world.put("b", user="bob")
    world.post.script["a"] = [take_and_hang]
    world.post.script["b"] = [hang]
    sender = world.new_sender("ends")
    await sender.tick()
    await until(lambda: len(world.post.sends) == 2)
    await sender.drain(0.05)
    assert world.row("a").uncertain
    assert world.row("a").token == ""
    for _ in range(3):
        await world.step(seconds=60)
    assert world.post.counts == {"a": 1, "b": 1}


async def test_two_senders_never_double(world: World) -> None:
    size = 150
    for number in range(size):
        world.put(f"k{number}", workspace=f"w{number % 4}", user=f"u{number}")
    senders = [world.new_sender(f"p{number}") for number in range(3)]
    for sender in senders:
        sender.limiters["post"].can = lambda within, now: 20  # type: ignore[method-assign]
    async with asyncio.timeout(30):
        while len(world.post.arrived) < size:
            await asyncio.gather(*(sender.tick() for sender in senders))
            await asyncio.sleep(0.01)
    for sender in senders:
        await sender.drain(1)
    assert set(world.post.counts.values()) == {1}
    with world.store.reading() as conn:
        assert outbox.depth(conn, world.at) == outbox.Depth()


async def test_a_process_takes_its_share_by_the_heartbeats(world: World) -> None:
    with world.store.writing() as conn:
        for name in ("one", "two", "three"):
            heartbeats.beat(conn, name, world.at, world.at, "all", ["post"])
        heartbeats.beat(conn, "web", world.at, world.at, "web")
        heartbeats.beat(conn, "gone", world.at, world.at - timedelta(hours=1), "all", ["post"])
    await world.step()
    assert world.sender.limiters["post"].share == pytest.approx(1 / 3)
    await world.step(hours=1)
    assert world.sender.limiters["post"].share == 1


async def test_a_terminal_sends_only_to_its_person(world: World) -> None:
    world.put("mine")
    world.put("others", user="bob")
    world.put("channel", channel="reading")
    await world.step(world.new_sender("chat", user="ada"))
    assert world.post.counts == {"mine": 1}


async def test_the_depth_is_shown(world: World) -> None:
    world.put("late", due_at=world.at - timedelta(minutes=5), address=Address("other", "lab", "ada"))
    await world.step()
    assert metrics.REGISTRY.get_sample_value("paperround_outbox_depth", {"state": "pending"}) == 1
    assert metrics.REGISTRY.get_sample_value("paperround_outbox_oldest_seconds") == 300


class Gate:
    """Lets a store's transactions fail for a while, as an absent database does."""

    def __init__(self, store: Store) -> None:
        self.away = False
        self._writing = store.writing
        store.writing = self.writing  # type: ignore[method-assign]

    @contextmanager
    def writing(self) -> Any:
        if self.away:
            raise StoreError("The database cannot be reached.")
        with self._writing() as conn:
            yield conn
        if self.away:
            raise StoreError("The connection was lost while the transaction ended.")


async def test_a_database_that_goes_away_is_waited_for(world: World) -> None:
    gate = Gate(world.store)
    for number in range(20):
        world.put(f"k{number}", user=f"u{number}")
    world.post.latency = 0.05
    with capture_logs() as logs:
        await world.sender.tick()
        await until(lambda: len(world.post.sends) > 5)
        gate.away = True
        await until(lambda: len(world.post.arrived) == len(world.post.sends))
        for _ in range(5):
            await world.sender.tick()
            await asyncio.sleep(0.02)
        gate.away = False
        await until(lambda: world.sender.in_flight == 0)
    assert world.post.counts == {f"k{number}": 1 for number in range(20)}
    assert {world.row(f"k{number}").state for number in range(20)} == {"sent"}
    events = [line["event"] for line in logs if "database" in line["event"]]
    assert events == ["the database is away: what is on its way waits", "the database is back"]


async def test_drain_does_not_wait_for_a_database_for_ever(world: World) -> None:
    gate = Gate(world.store)
    world.put("a")
    sender = world.new_sender("ends")

    async def cut(post: Post, key: str) -> None:
        gate.away = True

    world.post.script["a"] = [cut]
    await sender.tick()
    await until(lambda: world.post.counts == {"a": 1})
    async with asyncio.timeout(5):
        await sender.drain(0.2)
    gate.away = False
    await world.step(seconds=180)
    assert (world.post.counts, world.row("a").state) == ({"a": 1}, "sent")


async def test_a_tick_that_is_cancelled_loses_no_claim(world: World) -> None:
    world.put("a")
    tick: Awaitable[None] = asyncio.create_task(world.sender.tick())
    await asyncio.sleep(0)
    tick.cancel()  # type: ignore[attr-defined]
    with pytest.raises(asyncio.CancelledError):
        await tick
    await until(lambda: world.post.counts == {"a": 1})
    await world.sender.idle()


async def test_a_send_that_was_noted_long_ago_does_not_begin(store: Store) -> None:
    world = World(store, timing=Timing(lease=0.8))
    gate = Gate(store)
    world.put("a")
    async with world.sender._lock(("post", "lab", "", "ada")):
        await world.sender.tick()
        gate.away = True
    await asyncio.sleep(0.15)
    gate.away = False
    await world.sender.idle()
    assert (world.post.sends, world.row("a").tries, world.row("a").uncertain) == ([], 0, False)
    await world.step()
    assert world.post.counts == {"a": 1}
    await world.sender.drain(0)


async def test_a_fault_of_ours_is_logged_and_costs_the_lease(world: World) -> None:
    world.put("a")
    limiter = world.sender.limiters["post"]
    with capture_logs() as logs:
        limiter.pause = lambda address, now: 1 / 0  # type: ignore[method-assign]
        await world.step()
    assert [line["event"] for line in logs] == ["a message could not be carried"]
    await world.step(world.new_sender("next"), seconds=120)
    assert world.post.counts == {"a": 1}


async def test_a_fault_while_claiming_is_raised_and_the_next_tick_goes_on(world: World) -> None:
    world.put("a")
    clock = world.store.clock
    world.store.clock = lambda conn: 1 / 0  # type: ignore[assignment, return-value]
    with pytest.raises(ZeroDivisionError):
        await world.sender.tick()
    world.store.clock = clock
    await world.step()
    assert world.post.counts == {"a": 1}
