"""What comes twice is done once, whoever asks, for a day."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from bot.store import deliveries
from bot.store.engine import Store

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)


def test_a_key_is_fresh_once(store: Store) -> None:
    with store.writing() as conn:
        assert deliveries.fresh(conn, "slack:event:1", NOW)
        assert not deliveries.fresh(conn, "slack:event:1", NOW + timedelta(hours=23))
        assert deliveries.fresh(conn, "slack:event:2", NOW)


def test_keys_of_any_length_are_told_apart(store: Store) -> None:
    with store.writing() as conn:
        assert [deliveries.fresh(conn, "k" * 500 + end, NOW) for end in "aba"] == [True, True, False]
        assert deliveries.fresh(conn, "NUL \x00", NOW)


def test_of_many_at_once_one_is_told_that_it_is_fresh(store: Store) -> None:
    def ask(_: int) -> bool:
        with store.writing() as conn:
            return deliveries.fresh(conn, "one", NOW)

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(16))) == 1


def test_after_a_day_it_is_forgotten(store: Store) -> None:
    with store.writing() as conn:
        deliveries.fresh(conn, "old", NOW)
        deliveries.fresh(conn, "new", NOW + timedelta(hours=1))
        assert deliveries.prune(conn, NOW + timedelta(hours=24)) == 0
        assert deliveries.prune(conn, NOW + timedelta(hours=24, seconds=1)) == 1
        assert deliveries.fresh(conn, "old", NOW)
        assert not deliveries.fresh(conn, "new", NOW)
