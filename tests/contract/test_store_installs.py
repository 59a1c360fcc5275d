"""Installs end, come back and are deleted, with what is followed there; and what is secret stays so at rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Connection, func, select

from bot.core.message import Message
from bot.core.request import Address
from bot.errors import SettingsError
from bot.store import copy, deliveries, installs, interests, outbox, owners, subscriptions, workspaces
from bot.store import tables as t
from bot.store.engine import Store
from bot.store.installs import Install
from bot.store.secret import Box

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
BEFORE = NOW - timedelta(days=1)
LAB = Install("T1", "sealed", "UBOT", "B1", "A1", "Lab", ("chat:write", "commands"), "UADA", BEFORE)


@pytest.fixture
def conn(store: Store) -> Iterator[Connection]:
    with store.writing() as connection:
        installs.keep(connection, "slack", LAB, BEFORE)
        yield connection


def follow(conn: Connection, name: str, workspace: str = "T1", channel: str = "") -> int:
    ada = owners.get(conn, "slack", workspace, "person", "UADA", "Ada", BEFORE).number
    owner = owners.get(conn, "slack", workspace, "channel", channel, "#reading", BEFORE).number if channel else ada
    interest = interests.add(conn, owner, name, [name], BEFORE)
    values = {"at": "09:00", "time_zone": "UTC", "weekdays": "1234567", "at_most": 5, "strictness": "normal"}
    return subscriptions.add(conn, owner, interest, ada, values, BEFORE)


def put(conn: Connection, key: str, sub: int | None, kind: str = "digest", workspace: str = "T1") -> int:
    owner = owners.get(conn, "slack", workspace, "person", "UADA", "Ada", BEFORE).number
    given: dict[str, Any] = {"due_at": NOW, "window_from": BEFORE, "window_id": 0, "now": NOW}
    address = Address("slack", workspace, "UADA")
    number = outbox.put(
        conn, key=key, kind=kind, subscription=sub, owner=owner, address=address, message=Message("hello"), **given
    )
    assert number is not None
    return number


def state(conn: Connection, number: int) -> str:
    return str(conn.execute(select(t.outbox.c.state).where(t.outbox.c.id == number)).scalar_one())


def sub_of(conn: Connection, number: int) -> subscriptions.Subscription:
    return subscriptions.of_number(conn, number)[0]


def test_what_is_kept_comes_back(conn: Connection) -> None:
    assert installs.get(conn, "slack", "T1") == LAB
    assert installs.get(conn, "slack", "T2") is None
    assert installs.get(conn, "discord", "T1") is None
    installs.keep(conn, "slack", replace(LAB, workspace="T0", name="Zoo"), NOW)
    assert [one.workspace for one in installs.every(conn, "slack")] == ["T1", "T0"]


def test_removing_the_app_takes_the_token_and_pauses_what_is_followed(conn: Connection) -> None:
    mine, other = follow(conn, "graphs"), follow(conn, "optics", "T2")
    assert installs.end(conn, "slack", "T1", "the app was removed", NOW, gone=True, at=NOW)
    row = installs.get(conn, "slack", "T1")
    assert row is not None
    assert (row.token, row.ended_at, row.ended_why, row.removed) == ("", NOW, "the app was removed", True)
    sub = sub_of(conn, mine)
    assert (sub.paused_at, sub.next_due_at) == (NOW, None)
    assert "the app was removed" in sub.paused_why
    assert sub_of(conn, other).paused_at is None
    assert not installs.end(conn, "slack", "T1", "the app was removed", NOW, gone=True, at=NOW)


def test_an_end_that_is_older_than_the_install_changes_nothing(conn: Connection) -> None:
    number = follow(conn, "graphs")
    for at in (BEFORE, BEFORE - timedelta(hours=1)):
        assert not installs.end(conn, "slack", "T1", "the app was removed", NOW, gone=True, at=at)
    assert installs.get(conn, "slack", "T1") == LAB
    assert sub_of(conn, number).paused_at is None


def test_a_token_that_is_refused_is_kept_and_may_still_be_removed(conn: Connection) -> None:
    assert installs.end(conn, "slack", "T1", "The app's token is not valid", NOW, gone=False)
    assert not installs.end(conn, "slack", "T1", "The app's token is not valid", NOW, gone=False)
    row = installs.get(conn, "slack", "T1")
    assert row is not None
    assert (row.token, row.removed) == ("sealed", False)
    assert installs.end(conn, "slack", "T1", "the app was removed", NOW, gone=True, at=NOW)
    assert installs.works(conn, "slack", "T1", NOW)
    assert not installs.works(conn, "slack", "T1", NOW)


def test_a_new_install_lets_go_on_exactly_what_was_paused_for_it(conn: Connection) -> None:
    kept, paused, later = (follow(conn, name) for name in ("graphs", "by hand", "until"))
    subscriptions.pause(conn, paused, BEFORE)
    subscriptions.pause(conn, later, BEFORE, date(2026, 12, 20))
    due = sub_of(conn, later).next_due_at
    installs.end(conn, "slack", "T1", "the app was removed", NOW, gone=True, at=NOW)
    assert sub_of(conn, later).next_due_at is None
    back = NOW + timedelta(days=3)
    installs.keep(conn, "slack", replace(LAB, token="anew", installed_at=back), back)
    row = installs.get(conn, "slack", "T1")
    assert row is not None
    assert (row.token, row.ended_at, row.ended_why, row.removed) == ("anew", None, "", False)
    assert (sub_of(conn, kept).paused_at, sub_of(conn, kept).paused_why) == (None, "")
    assert sub_of(conn, kept).next_due_at == datetime(2026, 12, 5, 9, tzinfo=UTC)
    assert sub_of(conn, paused).paused_at == BEFORE
    assert (sub_of(conn, later).paused_until, sub_of(conn, later).next_due_at) == ("2026-12-20", due)


def test_what_is_on_its_way_is_taken_back(conn: Connection) -> None:
    sub = follow(conn, "graphs")
    digest, notice, sending, leased = (
        put(conn, "digest:1", sub),
        put(conn, "n", None, "notice"),
        put(conn, "digest:2", sub),
        put(conn, "digest:3", sub),
    )
    elsewhere = put(conn, "digest:9", follow(conn, "optics", "T2"), workspace="T2")
    rows = {row.number: row for row in outbox.claim(conn, NOW, "tok", 120, 9, ["slack"])}
    assert outbox.start(conn, sending, rows[sending].token, NOW, 60)
    outbox.release(conn, "tok", [digest, notice, elsewhere])
    installs.end(conn, "slack", "T1", "the app was removed", NOW, gone=True, at=NOW)
    assert [state(conn, one) for one in (digest, notice, sending, leased, elsewhere)] == [
        "dropped",
        "held",
        "pending",
        "pending",
        "pending",
    ]


def test_a_digest_that_is_refused_for_it_leaves_the_pause_to_the_install(conn: Connection) -> None:
    sub = follow(conn, "graphs")
    number = put(conn, "digest:1", sub)
    outbox.claim(conn, NOW, "tok", 120, 9, ["slack"])
    installs.end(conn, "slack", "T1", "The app's token is not valid", NOW, gone=False)
    assert outbox.refused(conn, number, "tok", NOW, "The app's token is not valid.")
    ada = owners.get(conn, "slack", "T1", "person", "UADA", "Ada", NOW).number
    assert outbox.held(conn, ada) == []
    assert installs.works(conn, "slack", "T1", NOW)
    assert sub_of(conn, sub).paused_at is None


def test_a_workspace_whose_token_stands_in_the_settings_ends_and_works_again(conn: Connection) -> None:
    sub = follow(conn, "optics", "T2")
    assert installs.end(conn, "slack", "T2", "The app's token is not valid", NOW, gone=False)
    assert sub_of(conn, sub).paused_at == NOW
    assert [one.ended_why for one in installs.every(conn, "slack") if one.workspace == "T2"]
    assert installs.works(conn, "slack", "T2", NOW)
    assert sub_of(conn, sub).paused_at is None


def test_thirty_days_after_it_was_removed_everything_is_deleted(conn: Connection) -> None:
    follow(conn, "graphs")
    follow(conn, "reading", channel="C1")
    other = follow(conn, "optics", "T2")
    workspaces.set_zone(conn, "slack", "T1", "Europe/Berlin")
    installs.end(conn, "slack", "T1", "the app was removed", NOW, gone=True, at=NOW)
    installs.end(conn, "slack", "T2", "The app's token is not valid", NOW, gone=False)
    assert installs.prune(conn, NOW + timedelta(days=30)) == []
    assert installs.prune(conn, NOW + timedelta(days=30, seconds=1)) == ["T1"]
    assert installs.prune(conn, NOW + timedelta(days=300)) == []
    assert installs.get(conn, "slack", "T1") is None
    assert set(conn.execute(select(t.owners.c.workspace)).scalars()) == {"T2"}
    assert conn.execute(select(func.count()).select_from(t.subscriptions)).scalar_one() == 1
    assert workspaces.get(conn, "slack", "T1") == workspaces.Workspace()
    assert sub_of(conn, other).paused_at == NOW


def test_a_channel_that_is_closed_pauses_its_own_and_tells_once(conn: Connection) -> None:
    first, mine, elsewhere = follow(conn, "a", channel="C1"), follow(conn, "b"), follow(conn, "c", channel="C2")
    where = ("slack", "T1", "C1", "the channel was archived")
    assert workspaces.close_channel(conn, *where, "Ev1", NOW) == 1
    assert workspaces.close_channel(conn, *where, "Ev2", NOW) == 0
    assert sub_of(conn, first).paused_why == "the channel was archived"
    assert sub_of(conn, mine).paused_at is None
    assert sub_of(conn, elsewhere).paused_at is None
    (row,) = outbox.claim(conn, NOW, "tok", 120, 9, ["slack"])
    assert row.address == Address("slack", "T1", "UADA")
    assert "“a” could not be delivered to #reading: the channel was archived. It is paused." in row.message.text
    installs.keep(conn, "slack", LAB, NOW)
    assert sub_of(conn, first).paused_at == NOW


def test_keys_change_hands() -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    closed = Box([old]).close("xoxb-sEcret")
    assert "sEcret" not in closed
    both = Box([new, old])
    assert both.open(closed, "Lab") == "xoxb-sEcret"
    assert both.is_old(closed)
    again = both.close("xoxb-sEcret")
    assert not both.is_old(again)
    assert Box([new]).open(again, "Lab") == "xoxb-sEcret"
    with pytest.raises(SettingsError, match="“Lab”") as caught:
        Box([new]).open(closed, "Lab")
    assert "sEcret" not in str(caught.value)
    with pytest.raises(SettingsError, match="paperround key"):
        Box([])


def test_a_stamp_is_good_for_its_time() -> None:
    box = Box([Fernet.generate_key().decode()])
    stamp = box.stamp("state", NOW)
    assert "=" not in stamp
    assert box.stamped(stamp, 600, NOW + timedelta(seconds=599)) == "state"
    assert box.stamped(stamp, 600, NOW + timedelta(seconds=601)) is None
    for wrong in (
        "",
        "x",
        stamp[:-4] + "AAAA",
        "é",
        Box([Fernet.generate_key().decode()]).stamp("", NOW),
    ):
        assert box.stamped(wrong, 600, NOW) is None


def test_a_backup_and_an_export_hold_no_token_that_can_be_read(store: Store, tmp_path: Path) -> None:
    box = Box([Fernet.generate_key().decode()])
    with store.writing() as conn:
        installs.keep(conn, "slack", replace(LAB, token=box.close("xoxb-sEcret-1")), NOW)
        follow(conn, "graphs")
        deliveries.fresh(conn, "slack:event:1", NOW)
        ada = owners.get(conn, "slack", "T1", "person", "UADA", "Ada", NOW).number
        assert "xoxb" not in repr(owners.export(conn, ada))
    copy.backup(store, tmp_path / "backup.db", NOW)
    assert b"sEcret" not in (tmp_path / "backup.db").read_bytes()
    fresh = Store.open(f"sqlite:///{tmp_path / 'new.db'}")
    copy.restore(fresh, tmp_path / "backup.db", NOW, tmp_path)
    with fresh.reading() as conn:
        row = installs.get(conn, "slack", "T1")
        assert row is not None
        assert box.open(row.token, "Lab") == "xoxb-sEcret-1"
    fresh.close()


def test_workspaces_at_work_are_those_with_something_stored_that_have_not_ended(conn: Connection) -> None:
    follow(conn, "graphs")
    follow(conn, "optics", workspace="T2")
    workspaces.set_zone(conn, "slack", "T3", "Europe/Berlin")
    assert installs.at_work(conn, "slack") == {"T1", "T2", "T3"}
    assert installs.at_work(conn, "discord") == set()
    for workspace in ("T2", "T3"):
        installs.end(conn, "slack", workspace, "removed", NOW, gone=True)
    assert installs.at_work(conn, "slack") == {"T1"}
    installs.works(conn, "slack", "T2", NOW)
    assert installs.at_work(conn, "slack") == {"T1", "T2"}
