"""Due digests are claimed and settled on both databases; a fault or a change meanwhile costs nobody anything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from bot.core.message import Message
from bot.core.request import Address
from bot.store import health, interests, outbox, owners, planning, subscriptions
from bot.store import tables as t
from bot.store.engine import Store
from bot.store.planning import Due, Frozen
from bot.store.subscriptions import Subscription

NOW = datetime(2026, 12, 4, 8, 30, tzinfo=UTC)  # a Friday
DUE = datetime(2026, 12, 4, 9, tzinfo=UTC)
USUAL = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}


@pytest.fixture
def conn(store: Store) -> Iterator[Connection]:
    with store.writing() as opened:
        yield opened


def meet(conn: Connection, name: str = "ada") -> int:
    return owners.get(conn, "test", "lab", "person", name, name, NOW).number


def make(conn: Connection, owner: int, name: str, **chosen: Any) -> Subscription:
    return subscriptions.keep(conn, owner, owner, name, [name], usual=USUAL, chosen=chosen, now=NOW)[0]


def claim(conn: Connection, now: datetime = DUE) -> list[Due]:
    return planning.claim(conn, now, 120, 50, ["test"])


def frozen(due: Due, covered_id: int = 9) -> Frozen:
    return Frozen(due, "Good morning", {}, (), (), DUE, covered_id)


def now_of(conn: Connection, number: int) -> Subscription:
    return subscriptions.of_number(conn, number)[0]


def put(conn: Connection, sub: Subscription, key: str = "digest:x", **more: Any) -> int:
    number = outbox.put(
        conn,
        key=key,
        kind="digest",
        subscription=sub.number,
        owner=sub.owner,
        address=Address("test", "lab", "ada"),
        message=Message("Good morning"),
        due_at=NOW,
        window_from=NOW - timedelta(days=1),
        window_id=0,
        now=NOW,
        **more,
    )
    assert number is not None
    return number


def test_a_zone_that_is_not_known_here_keeps_nobody_else_waiting(conn: Connection) -> None:
    broken, fine = make(conn, meet(conn), "graphs"), make(conn, meet(conn, "bob"), "video")
    conn.execute(update(t.subscriptions).where(t.subscriptions.c.id == broken.number).values(time_zone="Mars/Base"))
    assert [due.sub.number for due in claim(conn)] == [fine.number]
    assert claim(conn, DUE + timedelta(seconds=119)) == []


@pytest.mark.parametrize("values", [{"weekdays": "1234567"}, {"gap": 3}, {"at_most": 1}, {"strictness": "strict"}])
def test_what_was_changed_while_it_was_planned_is_planned_anew(conn: Connection, values: dict[str, Any]) -> None:
    sub = make(conn, meet(conn), "graphs")
    (due,) = claim(conn)
    subscriptions.change(conn, sub.number, values, DUE)
    assert now_of(conn, sub.number).next_due_at == DUE
    assert not planning.settle(conn, frozen(due), DUE)
    (again,) = claim(conn, DUE + timedelta(seconds=120))
    assert planning.settle(conn, frozen(again), DUE)
    assert now_of(conn, sub.number).next_due_at == again.next_due_at
    if "weekdays" in values:
        assert again.next_due_at == DUE + timedelta(days=1)


def test_papers_that_come_back_while_it_is_planned_are_not_passed_over(conn: Connection) -> None:
    sub = make(conn, meet(conn), "graphs")
    conn.execute(update(t.subscriptions).values(covered_id=5))
    late = put(conn, sub)
    assert len(outbox.claim(conn, DUE, "mine", 120, 5, ["test"])) == 1
    (due,) = claim(conn)
    assert outbox.dead(conn, late, "mine", DUE, "poison")
    assert not planning.settle(conn, frozen(due), DUE)
    assert now_of(conn, sub.number).covered_id == 0


def test_what_is_followed_no_longer_is_not_sent_though_it_was_being_planned(conn: Connection) -> None:
    ada = meet(conn)
    sub, other = make(conn, ada, "graphs"), make(conn, ada, "video")
    due = next(one for one in claim(conn) if one.sub.number == sub.number)
    subscriptions.join(conn, other.interest, sub.number)
    assert not planning.settle(conn, frozen(due), DUE)
    (due,) = claim(conn, DUE + timedelta(seconds=120))
    assert [one.interest for one in due.subs] == [sub.interest, other.interest]
    interests.remove(conn, sub.interest, DUE)
    assert not planning.settle(conn, frozen(due), DUE)
    assert conn.execute(select(t.outbox.c.id)).all() == []


def test_what_joins_keeps_what_was_shown_what_is_on_its_way_and_what_was_not_considered(conn: Connection) -> None:
    ada = meet(conn)
    weekly, daily = make(conn, ada, "graphs", weekdays="5"), make(conn, ada, "video")
    conn.execute(
        update(t.subscriptions).where(t.subscriptions.c.id == daily.number).values(covered_id=7, covered_to=DUE)
    )
    number = put(conn, weekly)
    subscriptions.join(conn, weekly.interest, daily.number)
    assert {sub.number for sub in subscriptions.of(conn, ada)} == {daily.number}
    together = now_of(conn, daily.number)
    assert (together.covered_id, together.covered_to) == (weekly.covered_id, weekly.covered_to)
    (row,) = outbox.claim(conn, DUE, "mine", 120, 5, ["test"])
    assert (row.number, row.subscription) == (number, daily.number)


@pytest.mark.parametrize("paused", [False, True])
def test_a_digest_on_its_way_is_dropped_when_it_is_wanted_no_longer(conn: Connection, paused: bool) -> None:
    sub = make(conn, meet(conn), "graphs")
    conn.execute(update(t.subscriptions).values(covered_id=5))
    number = put(conn, sub)
    if paused:
        subscriptions.pause(conn, sub.number, DUE)
    else:
        interests.remove(conn, sub.interest, DUE)
    assert outbox.claim(conn, DUE, "mine", 120, 5, ["test"]) == []
    state = select(t.outbox.c.state, t.outbox.c.done_at).where(t.outbox.c.id == number)
    assert tuple(conn.execute(state).one()) == ("dropped", DUE)
    interests.restore(conn, sub.interest)
    assert now_of(conn, sub.number).covered_id == 0


def test_what_was_unsubscribed_is_never_due_next(conn: Connection) -> None:
    sub = make(conn, meet(conn), "graphs")
    assert health.next_due(conn) == DUE
    interests.remove(conn, sub.interest, NOW)
    assert health.next_due(conn) is None


def test_one_that_may_have_arrived_is_looked_for_all_the_same(conn: Connection) -> None:
    sub = make(conn, meet(conn), "graphs")
    number = put(conn, sub)
    outbox.claim(conn, DUE, "mine", 120, 5, ["test"])
    assert outbox.start(conn, number, "mine", DUE, 75)
    assert outbox.uncertain(conn, number, "mine", DUE, "no answer")
    interests.remove(conn, sub.interest, DUE)
    (row,) = outbox.claim(conn, DUE, "other", 120, 5, ["test"])
    assert row.uncertain
