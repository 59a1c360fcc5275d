"""The doctor's look into the database, on each kind of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert, update

from bot.config import Settings
from bot.jobs import checkup
from bot.store import health, heartbeats, interests, owners, records, subscriptions
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.tables import outbox, sources
from bot.store.tables import subscriptions as schedules
from recommender.rankers.default import ranker
from tests.fakes.worlds import world

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
SETTINGS = Settings(heartbeat_seconds=20)
SCHEDULE = {"at": "09:00", "time_zone": "Europe/Berlin", "weekdays": "12345", "at_most": 5, "strictness": "normal"}


@pytest.fixture(autouse=True)
def clock(store: Store) -> None:
    """Let the database's time stand still."""
    store.clock = lambda _conn: NOW


def subscribe(store: Store, name: str, **values: object) -> int:
    with store.writing() as conn:
        owner = owners.get(conn, "slack", "T1", "channel", f"C-{name}", f"#{name}", NOW).number
        number = subscriptions.add(conn, owner, interests.add(conn, owner, name, [], NOW), owner, SCHEDULE, NOW)
        if values:
            conn.execute(update(schedules).values(values))
    return number


def message(store: Store, key: str, state: str, due: timedelta, error: str = "") -> None:
    nothing = {"tries": 0, "looks": 0, "uncertain": False, "receipt": "", "token": "", "window_id": 0}
    with store.writing() as conn:
        owner = owners.get(conn, "slack", "T1", "channel", "C1", "#lab", NOW).number
        conn.execute(
            insert(outbox).values(
                key=key, kind="notice", owner_id=owner, platform="slack", workspace="T1", user="", channel="C1",
                message={}, state=state, due_at=NOW - due, created_at=NOW, not_before=NOW, window_from=NOW,
                error=error, **nothing,
            )
        )  # fmt: skip


def test_a_store_without_anything_is_well(store: Store) -> None:
    checks = checkup.look_inside(store, Library(store, None, ranker), SETTINGS, lambda: NOW)
    found = {name: check() for name, check in checks.items()}
    assert {name: check.name for name, check in found.items()} == {name: name for name in found}
    assert {name for name, check in found.items() if check.verdict != "ok"} == {"processes", "sources"}


def test_the_real_clocks_agree(store: Store) -> None:
    from bot.store.engine import clock as real

    store.clock = real
    assert checkup.clock(store, lambda: datetime.now(UTC)).verdict == "ok"


def test_the_size_is_that_of_the_database(store: Store) -> None:
    with store.writing() as conn:
        records.add(conn, world(200), "local", NOW)
    with store.reading() as conn:
        assert 100_000 < health.size(conn) < 1_000_000_000


def test_messages_that_wait_for_long_are_worth_a_look(store: Store) -> None:
    subscribe(store, "graphs")
    message(store, "soon", "pending", timedelta(minutes=-60))
    assert checkup.outbox(store).verdict == "ok"
    message(store, "now", "pending", timedelta(minutes=9))
    assert checkup.outbox(store).verdict == "ok"
    message(store, "late", "pending", timedelta(minutes=61))
    check = checkup.outbox(store)
    assert check.verdict == "look"
    assert "3 messages waiting, the oldest due for 1 hour" in check.line
    assert "next digest is due in" in check.line


def test_what_was_given_up_is_shown_with_its_reason(store: Store) -> None:
    for number in range(13):
        message(store, f"m{number}", "dead", timedelta(), f"the server said\nno \x1b[31m{number}")
    message(store, "u", "unknown", timedelta(), "restored from a backup")
    message(store, "s", "sent", timedelta())
    check = checkup.set_aside(store)
    assert check.verdict == "look"
    assert check.line == "13 could not be sent, 1 may or may not have arrived"
    assert check.details[0] == "u for #lab on slack: unknown, restored from a backup"
    assert len(check.details) == 11
    assert check.details[-1] == "and 4 more"
    assert all(line.isprintable() for line in check.details)


def test_paused_subscriptions_are_told_apart_by_who_paused_them(store: Store) -> None:
    asked, refused, _ = (subscribe(store, name) for name in ("one", "two", "three"))
    with store.writing() as conn:
        subscriptions.pause(conn, asked, NOW, until=NOW.date() + timedelta(days=9))
    check = checkup.paused(store)
    assert (check.verdict, check.line) == ("ok", "1 subscription, 0 of them by the bot")
    assert check.details == ("one for #one on slack, since 2026-12-02 until 2026-12-11",)
    with store.writing() as conn:
        subscriptions.pause(conn, refused, NOW, why="the channel is archived")
    check = checkup.paused(store)
    assert check.verdict == "look"
    assert check.details[0] == "two for #two on slack, since 2026-12-02: the channel is archived"
    store.clock = lambda _conn: NOW + timedelta(days=10)
    assert checkup.paused(store).line == "1 subscription, 1 of them by the bot"


def test_zones_that_are_not_known_here_are_named(store: Store) -> None:
    subscribe(store, "one")
    assert checkup.zones(store).verdict == "ok"
    subscribe(store, "two", time_zone="Mars/Base")
    check = checkup.zones(store)
    assert (check.verdict, check.details) == ("wrong", ("Mars/Base: 2 subscriptions",))


def test_sources_that_fail_or_are_behind_come_first(store: Store) -> None:
    with store.writing() as conn:
        states: dict[str, dict[str, Any]] = {
            "arxiv": {"answered_at": NOW, "brought_at": NOW - timedelta(hours=5), "rests": "weekend"},
            "biorxiv": {"answered_at": NOW, "behind_since": NOW - timedelta(hours=3)},
            "local": {"asked_at": None, "brought_at": NOW},
        }
        for name, values in states.items():
            given = {"asked_at": NOW, "error": "", "rests": ""} | values
            conn.execute(insert(sources).values(name=name, **given))
    check = checkup.source_states(store, SETTINGS, {})
    assert (check.verdict, check.line) == ("look", "1 of 2 sources failing or behind")
    assert check.details[0] == "bioRxiv: behind since 05:30; no new paper yet"
    assert check.details[1] == "arXiv: fresh, 08:30; weekend; last new paper 5 hours ago"
    with store.writing() as conn:
        since = NOW - timedelta(days=2)
        conn.execute(update(sources).where(sources.c.name == "arxiv").values(failing_since=since, error="HTTP\n503"))
    check = checkup.source_states(store, SETTINGS, {})
    assert (check.verdict, check.line) == ("wrong", "2 of 2 sources failing or behind")
    assert check.details[0].startswith("arXiv: failing since Mon 30 Nov 08:30 (HTTP 503)")
    assert checkup.facts(store)["sources failing or behind"] == "arxiv, biorxiv"


def test_processes_that_run_and_that_ended_without_a_word(store: Store) -> None:
    with store.writing() as conn:
        heartbeats.beat(conn, "old:1", NOW - timedelta(days=3), NOW - timedelta(days=2))
    check = checkup.processes(store, SETTINGS)
    assert (check.verdict, check.details) == ("look", ("old:1: last sign of life 2 days ago",))
    with store.writing() as conn:
        heartbeats.beat(conn, "new:2", NOW - timedelta(hours=3), NOW, "worker", ["slack", "discord"])
    check = checkup.processes(store, SETTINGS)
    assert (check.verdict, check.line) == ("ok", "1 bot running")
    assert check.details[0] == "new:2 (worker): runs for 3 hours, sends to discord, slack"


def test_papers_that_are_not_in_the_index_are_counted(store: Store) -> None:
    library = Library(store, None, ranker)
    with store.writing() as conn:
        records.add(conn, world(30), "local", NOW)
    check = checkup.index(store, library)
    assert (check.verdict, check.line) == ("look", "0 of 30 papers in it")
    library.update(learn=True)
    assert checkup.index(store, library).verdict == "ok"


def test_facts_for_machines(store: Store) -> None:
    assert set(checkup.facts(store).values()) == {0, "none"}
    subscribe(store, "graphs")
    message(store, "late", "pending", timedelta(minutes=61))
    message(store, "dead", "dead", timedelta())
    assert checkup.facts(store) == {
        "messages waiting": 1,
        "oldest message due": "2026-12-02T07:29:00+00:00",
        "messages given up": 1,
        "sources failing or behind": "none",
        "next digest due": "2026-12-03T08:00:00+00:00",
        "rankers failing": "none",
    }
