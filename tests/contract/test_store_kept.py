"""What one process leaves for the next, by name."""

from __future__ import annotations

from bot.store import kept
from bot.store.engine import Store


def test_the_last_value_of_a_name_is_kept(store: Store) -> None:
    with store.writing() as conn:
        assert kept.get(conn, "discord:1") == ""
        kept.put(conn, "discord:1", "a" * 500)
        kept.put(conn, "discord:2", "b\x00")
        kept.put(conn, "discord:1", "c")
    with store.reading() as conn:
        assert (kept.get(conn, "discord:1"), kept.get(conn, "discord:2")) == ("c", "b")


def test_a_long_name_is_its_own(store: Store) -> None:
    with store.writing() as conn:
        kept.put(conn, "n" * 300 + "1", "one")
        assert (kept.get(conn, "n" * 300 + "1"), kept.get(conn, "n" * 300 + "2")) == ("one", "")
