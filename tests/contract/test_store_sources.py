"""How sources do, on each kind of database: claimed by one, answers and failures recorded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.store import sources
from bot.store.engine import Store
from bot.store.sources import SourceState

NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
LEASE, MINUTE, HOUR = timedelta(minutes=15), timedelta(minutes=1), timedelta(hours=1)


def claim(store: Store, now: datetime = NOW, name: str = "arxiv") -> SourceState | None:
    with store.writing() as conn:
        return sources.claim(conn, name, now, LEASE)


def held(store: Store, now: datetime = NOW) -> SourceState:
    found = claim(store, now)
    assert found is not None
    return found


def state(store: Store) -> SourceState:
    with store.reading() as conn:
        return sources.get(conn, "arxiv")


def test_one_process_asks_at_a_time(store: Store) -> None:
    assert state(store) == SourceState("arxiv")
    first = held(store)
    assert (first.asked_at, first.leased_until, first.answered_at) == (NOW, NOW + LEASE, None)
    assert claim(store, NOW + 14 * MINUTE) is None
    assert claim(store, NOW, "openreview") is not None
    assert held(store, NOW + 15 * MINUTE).asked_at == NOW + 15 * MINUTE, "a lease that ran out is free"
    with store.reading() as conn:
        assert [each.name for each in sources.all(conn)] == ["arxiv", "openreview"]


def test_who_lost_the_lease_records_nothing(store: Store) -> None:
    first = held(store)
    second = held(store, NOW + LEASE)
    with store.writing() as conn:
        assert sources.renew(conn, first, NOW + HOUR) is None
        sources.answered(conn, first, NOW, NOW + HOUR)
        sources.failed(conn, first, NOW, "late", lambda _: HOUR)
        sources.release(conn, first)
    assert state(store) == second


def test_an_answer(store: Store) -> None:
    first = held(store)
    with store.writing() as conn:
        renewed = sources.renew(conn, first, NOW + HOUR)
        assert renewed is not None
        sources.answered(conn, renewed, NOW + MINUTE, NOW + HOUR, rests="Sundays", behind=True)
    now = state(store)
    assert (now.answered_at, now.next_at, now.leased_until) == (NOW + MINUTE, NOW + HOUR, None)
    assert (now.rests, now.behind_since, now.brought_at, now.error) == ("Sundays", NOW + MINUTE, None, "")
    assert claim(store, NOW + 59 * MINUTE) is None, "its time has not come"
    again = held(store, NOW + HOUR)
    with store.writing() as conn:
        sources.answered(conn, again, NOW + HOUR, NOW + 2 * HOUR, behind=True)
    assert state(store).behind_since == NOW + MINUTE, "it is behind since the first time"
    assert state(store).rests == ""
    again = held(store, NOW + 2 * HOUR)
    with store.writing() as conn:
        sources.answered(conn, again, NOW + 2 * HOUR, NOW + 3 * HOUR)
    assert state(store).behind_since is None


def test_failures_count_from_the_first(store: Store) -> None:
    told: list[timedelta] = []

    def wait(since: timedelta) -> timedelta:
        told.append(since)
        return MINUTE

    for minutes in (0, 5, 15):
        one = held(store, NOW + minutes * MINUTE)
        with store.writing() as conn:
            sources.failed(conn, one, NOW + minutes * MINUTE, "503\x00" + "x" * 999, wait)
    now = state(store)
    assert told == [0 * MINUTE, 5 * MINUTE, 15 * MINUTE]
    assert (now.failing_since, now.next_at, now.answered_at) == (NOW, NOW + 16 * MINUTE, None)
    assert now.error.startswith("503x")
    assert len(now.error) == 500
    one = held(store, NOW + HOUR)
    with store.writing() as conn:
        sources.answered(conn, one, NOW + HOUR, NOW + 2 * HOUR)
    assert (state(store).failing_since, state(store).error) == (None, "")


def test_what_a_source_brings(store: Store) -> None:
    with store.writing() as conn:
        sources.brought(conn, "local", NOW)
        sources.brought(conn, "local", NOW + HOUR)
        assert [(each.name, each.brought_at, each.asked_at) for each in sources.all(conn)] == [
            ("local", NOW + HOUR, None)
        ]
