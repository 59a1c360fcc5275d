"""What is chosen for a workspace stays there, and one choice leaves the other alone."""

from __future__ import annotations

from bot.store import workspaces
from bot.store.engine import Store
from bot.store.workspaces import Workspace


def test_nothing_is_chosen_at_first(store: Store) -> None:
    with store.reading() as conn:
        assert workspaces.get(conn, "slack", "T1") == Workspace("", "")


def test_each_choice_is_kept_by_itself(store: Store) -> None:
    with store.writing() as conn:
        workspaces.set_zone(conn, "slack", "T1", "Europe/Berlin")
        workspaces.set_channels(conn, "slack", "T1", "everyone")
        workspaces.set_channels(conn, "discord", "T1", "managers")
    with store.writing() as conn:
        assert workspaces.get(conn, "slack", "T1") == Workspace("Europe/Berlin", "everyone")
        assert workspaces.get(conn, "discord", "T1") == Workspace("", "managers")
        workspaces.set_zone(conn, "slack", "T1", "")
    with store.reading() as conn:
        assert workspaces.get(conn, "slack", "T1") == Workspace("", "everyone")


def test_a_name_of_any_length_is_its_own(store: Store) -> None:
    with store.writing() as conn:
        workspaces.set_zone(conn, "slack", "w" * 500 + "1", "UTC")
    with store.reading() as conn:
        assert workspaces.get(conn, "slack", "w" * 500 + "1").time_zone == "UTC"
        assert workspaces.get(conn, "slack", "w" * 500 + "2").time_zone == ""


def test_a_role_is_kept_with_its_name_and_taken_out_again(store: Store) -> None:
    with store.writing() as conn:
        workspaces.set_zone(conn, "discord", "1", "Asia/Tokyo")
        workspaces.set_role(conn, "discord", "1", "77", "Readers\x00")
        assert workspaces.get(conn, "discord", "1") == Workspace("Asia/Tokyo", "", "77", "Readers")
        workspaces.set_role(conn, "discord", "1", "", "")
        assert workspaces.get(conn, "discord", "1") == Workspace("Asia/Tokyo", "")
