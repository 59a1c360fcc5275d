"""Changes of subscriptions and the way back, people by name, other names of interests; on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import Connection

from bot.errors import UsageError
from bot.store import interests, owners, schedules, subscriptions
from bot.store.engine import Store
from bot.store.schedules import ALL, ALONE, Change
from bot.store.subscriptions import Subscription

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
USUAL = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}


@pytest.fixture
def conn(store: Store) -> Iterator[Connection]:
    with store.writing() as opened:
        yield opened


def meet(conn: Connection, name: str, external: str = "") -> int:
    return owners.get(conn, "test", "lab", "person", external or name, name, NOW).number


def make(conn: Connection, owner: int, name: str) -> Subscription:
    return subscriptions.keep(conn, owner, owner, name, [name], usual=USUAL, chosen={}, now=NOW)[0]


def now_of(conn: Connection, sub: Subscription) -> Subscription:
    (found,) = [one for one in subscriptions.of(conn, sub.owner) if one.interest == sub.interest]
    return found


def test_people_are_found_by_id_first_and_by_name_in_any_case(conn: Connection) -> None:
    ada, kim, other = meet(conn, "Ada"), meet(conn, "Kim Lee", "U1"), meet(conn, "kim lee", "U2")
    owners.get(conn, "test", "lab", "channel", "kim", "Kim Lee", NOW)
    owners.get(conn, "test", "elsewhere", "person", "U1", "Ada", NOW)

    def found(text: str) -> list[int]:
        return [one.number for one in owners.people(conn, "test", "lab", text)]

    assert (found("ada"), found("KIM LEE"), found("U2"), found("nobody")) == ([ada], [kim, other], [other], [])


def test_another_name_must_be_free(conn: Connection) -> None:
    ada = meet(conn, "ada")
    sub = make(conn, ada, "graphs")
    make(conn, ada, "video")
    interests.rename(conn, sub.interest, "Graphs")
    assert now_of(conn, sub).name == "Graphs"
    with pytest.raises(UsageError, match="called “VIDEO” already"):
        interests.rename(conn, sub.interest, "VIDEO")


def test_a_change_and_the_way_back(conn: Connection) -> None:
    ada, bob = meet(conn, "ada"), meet(conn, "bob")
    old = make(conn, ada, "graphs")
    change = Change({"at": "07:00", "silent": True}, name="gnn", person=bob, by=ada)
    schedules.arrange(conn, old.interest, old.number, change, NOW)
    new = now_of(conn, old)
    assert (new.at, new.silent, new.name, new.asked_by) == ("07:00", True, "gnn", bob)
    kept = schedules.before(old, ["at", "silent", "name", "asked_by"])
    for _ in range(2):
        assert schedules.restore(conn, kept, NOW)
        assert now_of(conn, old) == old


@pytest.mark.parametrize("paused", [False, True])
def test_joining_and_the_way_back(conn: Connection, paused: bool) -> None:
    ada = meet(conn, "ada")
    one, two = make(conn, ada, "one"), make(conn, ada, "two")
    if paused:
        subscriptions.pause(conn, two.number, NOW, date(2026, 12, 24), "archived")
    old = now_of(conn, two)
    schedules.arrange(conn, two.interest, two.number, Change({"at": "07:00"}, beside=one.number), NOW)
    assert {sub.number for sub in subscriptions.of(conn, ada)} == {one.number}
    later = NOW + timedelta(hours=1)
    for kept in (schedules.before(old, ALL), schedules.before(one, ["at"])):
        assert schedules.restore(conn, kept, later)
    back = now_of(conn, two)
    assert back.number != one.number
    assert (back.at, back.paused_at, back.paused_until, back.paused_why, back.next_due_at) == (
        *(old.at, old.paused_at, old.paused_until, old.paused_why, old.next_due_at),
    )
    assert now_of(conn, one).at == "09:00"


def test_parting_and_the_way_back(conn: Connection) -> None:
    ada = meet(conn, "ada")
    one, two = make(conn, ada, "one"), make(conn, ada, "two")
    subscriptions.join(conn, two.interest, one.number)
    old = now_of(conn, two)
    schedules.arrange(conn, two.interest, old.number, Change({"at": "07:00"}, beside=ALONE), NOW)
    assert (now_of(conn, one).at, now_of(conn, two).at) == ("09:00", "07:00")
    assert schedules.restore(conn, schedules.before(old, ["at"]), NOW)
    assert now_of(conn, two) == old


def test_a_pause_of_a_digest_goes_back_when_its_first_interest_is_gone(conn: Connection) -> None:
    ada = meet(conn, "ada")
    one, two = make(conn, ada, "one"), make(conn, ada, "two")
    subscriptions.join(conn, two.interest, one.number)
    kept = schedules.before(now_of(conn, one), ["pause"])
    subscriptions.pause(conn, one.number, NOW)
    interests.remove(conn, one.interest, NOW)
    assert schedules.restore(conn, kept, NOW)
    assert now_of(conn, two).paused_at is None
    interests.remove(conn, two.interest, NOW)
    assert not schedules.restore(conn, kept, NOW)
