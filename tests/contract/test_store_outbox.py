"""The outbox on both databases: put in once, claimed by one, marked by who has the lease, and read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from bot.core.message import Button, Card, Message
from bot.core.request import Address, Receipt
from bot.store import heartbeats, interests, outbox, owners, papers, records, subscriptions
from bot.store import tables as t
from bot.store.engine import Store
from recommender.types import Paper

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
BEFORE = NOW - timedelta(days=1)
LEASE = 120.0
PLATFORMS = ("post",)
MESSAGE = Message(
    text="Good morning", cards=(Card("s2:1", "T", lines=("a", "b"), buttons=(Button("More", "more:1"),)),)
)
RECEIPT = Receipt("r1", NOW)


def after(**time: float) -> datetime:
    return NOW + timedelta(**time)


@pytest.fixture
def conn(store: Store) -> Iterator[Connection]:
    """One writing transaction with papers 1, 2 and 3."""
    with store.writing() as connection:
        records.add(connection, [Paper(f"s2:{index}", f"Title {index}") for index in (1, 2, 3)], "local", BEFORE)
        yield connection


def person(conn: Connection, name: str = "ada", workspace: str = "lab") -> int:
    return owners.get(conn, "post", workspace, "person", name, name.title(), NOW).number


def channel(conn: Connection, name: str = "reading", workspace: str = "lab") -> int:
    return owners.get(conn, "post", workspace, "channel", name, f"#{name}", NOW).number


def subscribe(conn: Connection, owner: int, asked_by: int, name: str = "language models") -> int:
    interest = interests.add(conn, owner, name, [name], BEFORE)
    values = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}
    return subscriptions.add(conn, owner, interest, asked_by, values, BEFORE)


def put(conn: Connection, key: str, owner: int | None = None, *, workspace: str = "lab", **more: Any) -> int | None:
    user = more.pop("user", "ada")
    given: dict[str, Any] = {
        "kind": "digest",
        "subscription": None,
        "owner": owner or person(conn, workspace=workspace),
        "address": Address("post", workspace, user, more.pop("channel", "")),
        "message": MESSAGE,
        "due_at": NOW,
        "window_from": BEFORE,
        "window_id": 0,
        "now": NOW,
    }
    return outbox.put(conn, key=key, **given | more)


def claim(conn: Connection, now: datetime = NOW, token: str = "t1", most: int = 10, **more: Any) -> list[outbox.Row]:
    return outbox.claim(conn, now, token, LEASE, most, more.pop("platforms", PLATFORMS), **more)


def read(conn: Connection, number: int | None) -> Any:
    return conn.execute(select(t.outbox).where(t.outbox.c.id == number)).one()


def keys(rows: list[outbox.Row]) -> list[str]:
    return [row.key for row in rows]


def test_a_message_is_put_in_once_and_comes_back_as_it_was(conn: Connection) -> None:
    number = put(conn, "digest:1:2026-12-02", papers=[1, 2, 2])
    assert number is not None
    assert put(conn, "digest:1:2026-12-02", papers=[3]) is None
    (row,) = claim(conn)
    assert (row.number, row.key, row.kind, row.message) == (number, "digest:1:2026-12-02", "digest", MESSAGE)
    assert row.address == Address("post", "lab", "ada")
    assert (row.tries, row.looks, row.uncertain, row.tried_at) == (0, 0, False, None)
    assert (row.due_at, row.claimed_at) == (NOW, NOW)
    assert row.leased_until == after(seconds=LEASE)
    assert set(outbox.shown_to(conn, row.owner)) == {1, 2}


def test_text_that_databases_refuse_is_cleaned(conn: Connection) -> None:
    put(conn, "k" * 500, message=Message(text="NUL \x00 lone \ud800 fine 表示"))
    (row,) = claim(conn)
    assert row.message.text == "NUL  lone  fine 表示"
    assert len(row.key) == 120
    outbox.start(conn, row.number, "t1", NOW, 75)
    assert outbox.retry(conn, row.number, "t1", NOW, "bad \x00 \ud800")


def test_what_is_leased_is_nobody_elses_until_the_lease_ends(conn: Connection) -> None:
    put(conn, "a")
    assert keys(claim(conn)) == ["a"]
    assert claim(conn, after(seconds=119), "t2") == []
    (row,) = claim(conn, after(seconds=120), "t2")
    assert (row.token, row.claimed_at, row.uncertain) == ("t2", NOW, False)
    assert not outbox.start(conn, row.number, "t1", after(seconds=120), 75)
    assert outbox.start(conn, row.number, "t2", after(seconds=120), 75)


def test_only_what_is_due_here_and_pending_is_claimed(conn: Connection) -> None:
    put(conn, "now")
    put(conn, "later", due_at=after(seconds=1))
    put(conn, "held", state="held")
    put(conn, "elsewhere", address=Address("console", "local", "ada"))
    assert claim(conn, platforms=()) == []
    assert claim(conn, most=0) == []
    assert keys(claim(conn)) == ["now"]
    assert keys(claim(conn, after(seconds=1), platforms=["post", "console"])) == ["elsewhere", "later"]


def test_a_terminal_takes_what_is_its_persons_own(conn: Connection) -> None:
    put(conn, "mine")
    put(conn, "others", user="bob")
    put(conn, "channel", channel="reading")
    assert keys(claim(conn, user="ada")) == ["mine"]


def test_workspaces_take_turns(conn: Connection) -> None:
    for number in range(6):
        put(conn, f"big{number}", workspace="big")
    put(conn, "small0", workspace="small", due_at=after(minutes=1))
    put(conn, "small1", workspace="small", due_at=after(minutes=2))
    rows = claim(conn, after(minutes=5), most=5)
    assert keys(rows) == ["big0", "small0", "big1", "small1", "big2"]
    assert keys(claim(conn, after(minutes=5), "t2")) == ["big3", "big4", "big5"]


def test_a_send_begins_with_enough_of_the_lease_left(conn: Connection) -> None:
    number = put(conn, "a") or 0
    claim(conn)
    assert not outbox.start(conn, number, "other", NOW, 75)
    assert not outbox.start(conn, number, "t1", after(seconds=46), 75)
    assert read(conn, number).tries == 0
    assert outbox.start(conn, number, "t1", after(seconds=45), 75)
    row = read(conn, number)
    assert (row.tries, row.uncertain, row.tried_at) == (1, True, after(seconds=45))


def test_a_process_that_died_while_sending_leaves_it_uncertain(conn: Connection) -> None:
    number = put(conn, "a") or 0
    claim(conn)
    outbox.start(conn, number, "t1", after(seconds=40), 75)
    assert claim(conn, after(seconds=179), "t2") == []
    (row,) = claim(conn, after(seconds=180), "t2")
    assert (row.uncertain, row.looks, row.tries, row.claimed_at) == (True, 0, 1, NOW)


def test_sent(conn: Connection) -> None:
    number = put(conn, "a") or 0
    claim(conn)
    outbox.start(conn, number, "t1", NOW, 75)
    assert outbox.sent(conn, number, "t1", RECEIPT, after(seconds=1))
    assert not outbox.sent(conn, number, "t1", RECEIPT, after(seconds=2))
    row = read(conn, number)
    assert (row.state, row.receipt, row.done_at, row.uncertain) == ("sent", "r1", after(seconds=1), False)
    assert (row.token, row.leased_until) == ("", None)
    assert claim(conn, after(days=1)) == []


def test_the_truth_counts_though_the_lease_was_lost(conn: Connection) -> None:
    number = put(conn, "a") or 0
    claim(conn)
    outbox.start(conn, number, "t1", NOW, 75)
    claim(conn, after(seconds=180), "t2")
    assert outbox.sent(conn, number, "t1", RECEIPT, after(seconds=181))
    assert not outbox.start(conn, number, "t2", after(seconds=182), 75)
    assert not outbox.looked(conn, number, "t2", after(seconds=300))
    assert read(conn, number).state == "sent"


def test_not_taken_is_tried_again_without_looking(conn: Connection) -> None:
    number = put(conn, "a") or 0
    claim(conn)
    outbox.start(conn, number, "t1", NOW, 75)
    assert outbox.retry(conn, number, "t1", after(seconds=60), "too many")
    assert claim(conn, after(seconds=59), "t2") == []
    (row,) = claim(conn, after(seconds=60), "t2")
    assert (row.uncertain, row.tries, row.claimed_at) == (False, 0, NOW)
    assert read(conn, number).error == "too many"


def test_uncertain_is_looked_for_and_the_looks_are_counted(conn: Connection) -> None:
    number = put(conn, "a") or 0
    claim(conn)
    outbox.start(conn, number, "t1", NOW, 75)
    assert outbox.uncertain(conn, number, "t1", after(seconds=60), "no answer")
    (row,) = claim(conn, after(seconds=60), "t2")
    assert (row.uncertain, row.looks) == (True, 0)
    assert outbox.looked(conn, number, "t2", after(seconds=120))
    assert claim(conn, after(seconds=119), "t3") == []
    (row,) = claim(conn, after(seconds=120), "t3")
    assert (row.uncertain, row.looks) == (True, 1)
    assert outbox.start(conn, number, "t3", after(seconds=120), 75)
    assert (read(conn, number).looks, read(conn, number).tries) == (0, 2)


def test_a_lost_lease_changes_nothing(conn: Connection) -> None:
    number = put(conn, "a") or 0
    claim(conn)
    before = read(conn, number)
    assert not outbox.retry(conn, number, "lost", NOW, "x")
    assert not outbox.uncertain(conn, number, "lost", NOW, "x")
    assert not outbox.looked(conn, number, "lost", NOW)
    assert not outbox.refused(conn, number, "lost", NOW, "x")
    assert not outbox.dead(conn, number, "lost", NOW, "x")
    assert not outbox.unknown(conn, number, "lost", NOW, "x")
    assert outbox.release(conn, "lost", [number]) == 0
    assert read(conn, number) == before


def test_released_goes_on_at_once_or_when_it_may(conn: Connection) -> None:
    one, two = put(conn, "a") or 0, put(conn, "b") or 0
    claim(conn)
    assert outbox.release(conn, "t1", [one]) == 1
    assert outbox.release(conn, "t1", [two], after(seconds=50)) == 1
    assert keys(claim(conn, token="t2")) == ["a"]
    assert keys(claim(conn, after(seconds=50), "t3")) == ["b"]
    assert outbox.release(conn, "t3", []) == 0


@pytest.mark.parametrize("end", [outbox.dead, outbox.unknown, outbox.refused])
def test_what_is_set_aside_frees_its_papers_and_the_time_it_covered(conn: Connection, end: Any) -> None:
    ada = person(conn)
    sub = subscribe(conn, ada, ada)
    earlier = BEFORE - timedelta(days=1)
    conn.execute(update(t.subscriptions).values(covered_to=NOW))
    number = put(conn, "a", ada, subscription=sub, window_from=earlier, window_id=2, papers=[1, 2]) or 0
    claim(conn)
    assert set(outbox.shown_to(conn, ada)) == {1, 2}
    assert end(conn, number, "t1", after(seconds=5), "why")
    assert outbox.shown_to(conn, ada) == {}
    row = read(conn, number)
    assert (row.state, row.error, row.done_at) == (end.__name__, "why", after(seconds=5))
    (after_,) = subscriptions.of_number(conn, sub)
    assert (after_.covered_to, after_.covered_id) == (earlier, 2)
    assert (after_.paused_at is not None) == (end is outbox.refused)


def test_the_time_covered_is_never_moved_forward(conn: Connection) -> None:
    ada = person(conn)
    sub = subscribe(conn, ada, ada)
    number = put(conn, "a", ada, subscription=sub, window_from=after(days=3), window_id=9) or 0
    claim(conn)
    outbox.dead(conn, number, "t1", NOW, "why")
    (left,) = subscriptions.of_number(conn, sub)
    assert (left.covered_to, left.covered_id) == (BEFORE, 3)


def test_a_refused_channel_pauses_and_tells_who_asked_once(conn: Connection) -> None:
    ada, reading = person(conn), channel(conn)
    sub = subscribe(conn, reading, ada)
    numbers = [put(conn, key, reading, subscription=sub, channel="reading") or 0 for key in ("a", "b")]
    claim(conn)
    for number in numbers:
        assert outbox.refused(conn, number, "t1", NOW, "the channel is archived.")
    (paused,) = subscriptions.of_number(conn, sub)
    assert (paused.paused_at, paused.paused_why, paused.next_due_at) == (NOW, "the channel is archived.", None)
    (notice,) = claim(conn, token="t2")
    assert (notice.kind, notice.owner, notice.key) == ("notice", ada, "notice:a")
    assert notice.address == Address("post", "lab", "ada")
    assert notice.message.text == (
        "The digest for “language models” could not be delivered to #reading: the channel is archived. "
        "It is paused. To go on: /papers resume language models"
    )


def test_a_refused_person_is_told_when_they_ask_for_something(conn: Connection) -> None:
    ada = person(conn)
    sub = subscribe(conn, ada, ada)
    number = put(conn, "a", ada, subscription=sub) or 0
    claim(conn)
    outbox.refused(conn, number, "t1", NOW, "direct messages are closed")
    assert claim(conn, after(days=1), "t2") == []
    ((notice, text),) = outbox.held(conn, ada)
    assert text.startswith(
        "The digest for “language models” could not be delivered to you: direct messages are closed."
    )
    assert outbox.held(conn, person(conn, "bob")) == []
    outbox.tell(conn, [notice, number], after(hours=1))
    assert outbox.held(conn, ada) == []
    assert (read(conn, notice).state, read(conn, number).state) == ("sent", "refused")


def test_a_refused_notice_is_held(conn: Connection) -> None:
    ada = person(conn)
    number = put(conn, "notice:x", ada, kind="notice") or 0
    claim(conn)
    outbox.refused(conn, number, "t1", NOW, "closed")
    assert outbox.held(conn, ada) == [(number, "Good morning")]


def test_unknown_is_told_to_who_asked_and_a_notice_tells_nothing(conn: Connection) -> None:
    ada = person(conn)
    sub = subscribe(conn, ada, ada)
    number = put(conn, "a", ada, subscription=sub) or 0
    claim(conn)
    outbox.unknown(conn, number, "t1", NOW, "no permission to read")
    (notice,) = claim(conn, token="t2")
    assert "could not find out whether the digest for “language models” reached you" in notice.message.text
    assert subscriptions.of_number(conn, sub)[0].paused_at is None
    outbox.unknown(conn, notice.number, "t2", NOW, "no permission to read")
    assert claim(conn, after(days=1), "t3") == []


def test_a_stored_message_that_cannot_be_read_is_dead_and_the_others_go_on(conn: Connection) -> None:
    broken = put(conn, "broken")
    put(conn, "fine")
    conn.execute(update(t.outbox).where(t.outbox.c.id == broken).values(message={"from": "another version"}))
    assert keys(claim(conn)) == ["fine"]
    assert read(conn, broken).state == "dead"
    assert "cannot be read" in read(conn, broken).error


def test_depth_and_troubles(conn: Connection) -> None:
    assert outbox.depth(conn, NOW) == outbox.Depth()
    numbers = [put(conn, key, due_at=NOW - timedelta(minutes=at)) or 0 for at, key in enumerate("abcdef")]
    put(conn, "next", due_at=after(hours=1))
    put(conn, "held", state="held")
    claim(conn)
    outbox.dead(conn, numbers[0], "t1", NOW, "poison")
    outbox.unknown(conn, numbers[1], "t1", NOW, "cannot look")
    outbox.refused(conn, numbers[2], "t1", NOW, "closed")
    outbox.sent(conn, numbers[5], "t1", RECEIPT, NOW)
    assert outbox.depth(conn, NOW) == outbox.Depth(3, NOW - timedelta(minutes=4), 1, 1, 1, 1)
    found = outbox.troubles(conn, 10)
    assert [(each.key, each.state, each.error, each.place) for each in found] == [
        ("b", "unknown", "cannot look", "Ada"),
        ("a", "dead", "poison", "Ada"),
    ]
    assert len(outbox.troubles(conn, 1)) == 1


def test_shown_papers_follow_merges(conn: Connection) -> None:
    ada, bob = person(conn), person(conn, "bob")
    one, two, three = (papers.by_id(conn, f"s2:{index}") or 0 for index in (1, 2, 3))
    put(conn, "a", ada, papers=[one, two])
    number = put(conn, "b", ada, papers=[three]) or 0
    records.merge(conn, one, two, NOW)
    assert outbox.shown_to(conn, ada) == {one: NOW, three: NOW}
    claim(conn)
    outbox.sent(conn, number, "t1", RECEIPT, after(hours=1))
    assert outbox.shown_to_many(conn, [ada, bob]) == {ada: {one: NOW, three: after(hours=1)}, bob: {}}


def test_what_is_done_is_pruned(conn: Connection) -> None:
    numbers = {key: put(conn, key, papers=[1]) or 0 for key in ("sent", "dead", "pending", "late")}
    put(conn, "held", state="held")
    claim(conn)
    outbox.sent(conn, numbers["sent"], "t1", RECEIPT, NOW)
    outbox.dead(conn, numbers["dead"], "t1", NOW, "x")
    outbox.sent(conn, numbers["late"], "t1", RECEIPT, after(days=2))
    assert outbox.prune(conn, NOW) == 0
    assert outbox.prune(conn, after(days=1)) == 3
    assert set(conn.execute(select(t.outbox.c.key)).scalars()) == {"pending", "late"}
    assert conn.execute(select(t.shown.c.outbox_id)).scalars().all() == [numbers["pending"], numbers["late"]]


def test_processes_that_claim_at_once_share_and_none_comes_home_empty(store: Store) -> None:
    if store.dialect == "sqlite":
        size, each = 120, 40
    else:
        size, each = 400, 100
    with store.writing() as conn:
        for number in range(size):
            put(conn, f"k{number}", workspace=f"w{number % 3}")

    def take(token: str) -> list[str]:
        with store.writing() as conn:
            return keys(claim(conn, store.clock(conn) + timedelta(days=400), token, each))

    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(take, ["a", "b", "c", "d"]))
    counts = Counter(key for some in taken for key in some)
    assert set(counts.values()) == {1}
    assert len(counts) == min(size, 4 * each)
    assert all(taken) or store.dialect == "sqlite"


def test_who_holds_a_row_does_not_keep_others_from_the_rest(store: Store) -> None:
    if store.dialect == "sqlite":
        pytest.skip("on SQLite one writes at a time")
    with store.writing() as conn:
        for number in range(6):
            put(conn, f"k{number}")
    with store.writing() as first:
        assert keys(claim(first, token="t1", most=2)) == ["k0", "k1"]
        with store.writing() as second:
            assert keys(claim(second, token="t2", most=2)) == ["k2", "k3"]


def test_processes_that_ended_without_a_word_are_forgotten_in_the_end(conn: Connection) -> None:
    heartbeats.beat(conn, "killed", BEFORE, BEFORE, "all", PLATFORMS)
    heartbeats.beat(conn, "alive", BEFORE, NOW, "all", PLATFORMS)
    heartbeats.prune(conn, NOW)
    assert heartbeats.senders(conn, BEFORE) == {"post": {"alive"}}


def test_who_sends_for_a_platform(conn: Connection) -> None:
    heartbeats.beat(conn, "one", NOW, NOW, "all", ["slack", "discord"])
    heartbeats.beat(conn, "two", NOW, after(seconds=30), "worker", ["slack"])
    heartbeats.beat(conn, "web", NOW, NOW, "web")
    assert heartbeats.senders(conn, NOW) == {"slack": {"one", "two"}, "discord": {"one"}}
    assert heartbeats.senders(conn, after(seconds=1)) == {"slack": {"two"}}
    assert heartbeats.latest(conn) == after(seconds=30)
