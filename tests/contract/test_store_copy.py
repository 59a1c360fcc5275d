"""Backups: taken while the database is used, whole, never over anything, and brought back into either kind."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert, select, text, update

from bot.errors import FileError, StoreError
from bot.store import (
    chosen,
    copy,
    deliveries,
    embeddings,
    heartbeats,
    installs,
    interests,
    marks,
    notes,
    owners,
    papers,
    records,
    saved,
    subscriptions,
    wishes,
)
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.installs import Install
from bot.store.tables import disputes, metadata, outbox, shown, sources
from bot.store.tables import owners as people
from bot.store.tables import subscriptions as schedules
from tests.fakes.worlds import world

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
SCHEDULE = {"at": "09:00", "time_zone": "Europe/Berlin", "weekdays": "12345", "at_most": 5, "strictness": "normal"}


@pytest.fixture
def full(store: Store) -> Store:
    """A store with a row in every table."""
    with store.writing() as conn:
        records.add(conn, world(40), "local", NOW)
        numbers = papers.newest(conn, 40)
        records.merge(conn, numbers[0], numbers[5], NOW)
        records.merge(conn, numbers[7], numbers[0], NOW)
        ada = owners.get(conn, "slack", "T1", "person", "U1", "Ada \N{SNOWMAN}", NOW).number
        lab = owners.get(conn, "slack", "T1", "channel", "C1", "lab", NOW).number
        interest = interests.add(conn, lab, "graphs", ["graphs", "nodes"], NOW)
        number = subscriptions.add(conn, lab, interest, ada, SCHEDULE, NOW)
        marks.set_(conn, interest, numbers[3], ada, "more", NOW, "so")
        saved.add(conn, ada, numbers[2], NOW)
        wishes.add(conn, ada, "mute", "blockchain", NOW)
        last = [notes.add(conn, ada, "list", {"items": [1, None, "é"]}, NOW) for _ in range(5)][-1]
        conn.execute(text("DELETE FROM notes WHERE id = :last"), {"last": last})
        heartbeats.beat(conn, "host:1", NOW, NOW)
        conn.execute(insert(sources).values(name="arxiv", error="", rests="", leased_until=LATER))
        chosen.add(conn, "arxiv:cs.CL", "arXiv cs.CL", NOW)
        conn.execute(
            text("INSERT INTO workspaces VALUES ('slack', 'T1', 'Europe/Berlin', 'everyone', '77', 'Readers')")
        )
        deliveries.fresh(conn, "slack:event:1", NOW)
        installs.keep(conn, "slack", Install("T1", "sealed", "U", "B", "A", "Lab", ("commands",), "U1", NOW), NOW)
        for key, state, token in (("one", "sent", ""), ("two", "pending", "x"), ("three", "dead", "")):
            put(conn, key, state, token, number, lab)
        embeddings.keep(conn, "model:1", {"0" * 64: np.full(4, 0.5, np.float32)})
        conn.execute(insert(disputes).values(alias="doi:10.1/x", paper_id=numbers[3]))
        conn.execute(insert(shown).values(outbox_id=2, paper_id=numbers[3]))
        conn.execute(update(schedules).values(next_due_at=LATER, planning_until=LATER, covered_id=9))
    return store


def put(conn: Any, key: str, state: str, token: str, subscription: int, owner: int) -> None:
    nothing = {"tries": 0, "looks": 0, "uncertain": False, "receipt": "", "error": ""}
    conn.execute(
        insert(outbox).values(
            key=key, kind="digest", subscription_id=subscription, owner_id=owner, platform="slack", workspace="T1",
            user="", channel="C1", message={"text": "…"}, state=state, due_at=NOW, created_at=NOW, not_before=NOW,
            token=token, window_from=NOW - timedelta(days=1), window_id=7, **nothing,
        )
    )  # fmt: skip


def rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table that a backup has to bring back."""
    with store.reading() as conn:
        return {
            table.name: [tuple(row) for row in conn.execute(select(table).order_by(*table.primary_key.columns))]
            for table in metadata.sorted_tables
            if table.name not in ("meta", "heartbeats")
        }


@pytest.fixture
def other(empty_url: str) -> Iterator[Store]:
    """An empty store to bring a backup into, once of each kind."""
    opened = Store.open(empty_url)
    yield opened
    opened.close()


def test_what_was_backed_up_comes_back_in_either_database(full: Store, other: Store, tmp_path: Path) -> None:
    file = tmp_path / "backup.sqlite"
    before, own = rows(full), other.id
    made = copy.backup(full, file, LATER)
    assert rows(full) == before
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(tmp_path.glob("*backup*")) == [file]
    restored = copy.restore(other, file, LATER + timedelta(days=1), tmp_path)
    assert restored == made
    assert (made.papers, made.owners, made.subscriptions, made.set_aside, made.made_at) == (38, 2, 1, 1, LATER)
    after = rows(other)
    changed = ("outbox", "subscriptions", "sources")
    assert {name: after[name] for name in after if name not in changed} == {
        name: before[name] for name in before if name not in changed
    }
    assert [name for name in before if not before[name]] == []
    again = Store.open(str(other.engine.url.render_as_string(hide_password=False)))
    assert len({full.id, own, again.id}) == 3  # so that its index is built anew
    again.close()


def test_what_was_on_its_way_is_never_sent_again(full: Store, other: Store, tmp_path: Path) -> None:
    copy.backup(full, tmp_path / "backup.sqlite", LATER)
    copy.restore(other, tmp_path / "backup.sqlite", LATER, tmp_path)
    with other.reading() as conn:
        found = {row.key: row for row in conn.execute(select(outbox))}
        [schedule] = conn.execute(select(schedules)).all()
        [source] = conn.execute(select(sources)).all()
        assert heartbeats.latest(conn) is None
    assert {key: row.state for key, row in found.items()} == {"one": "sent", "two": "unknown", "three": "dead"}
    assert (found["two"].error, found["two"].token, found["two"].done_at) == ("restored from a backup", "", LATER)
    assert schedule.next_due_at == LATER
    assert (schedule.covered_to, schedule.covered_id) == (NOW - timedelta(days=1), 7)  # its papers are free again
    assert schedule.planning_until is None
    assert source.leased_until is None


def test_numbers_that_were_given_out_are_not_given_out_again(full: Store, other: Store, tmp_path: Path) -> None:
    with full.writing() as conn:
        given = notes.add(conn, 1, "list", {}, NOW)
    copy.backup(full, tmp_path / "backup.sqlite", LATER)
    with full.writing() as conn:
        after_it = notes.add(conn, 1, "list", {}, NOW)
    copy.restore(other, tmp_path / "backup.sqlite", LATER, tmp_path)
    with other.writing() as conn:
        new = notes.add(conn, 1, "list", {}, NOW)
        assert new > after_it > given
        owner = owners.get(conn, "slack", "T1", "person", "U9", "", NOW)
        assert owner.number == 3
        assert records.add(conn, world(1, 90), "local", NOW).new == 1


def test_the_file_itself_can_be_used_as_the_database(full: Store, tmp_path: Path) -> None:
    copy.backup(full, tmp_path / "backup.sqlite", LATER)
    with closing(sqlite3.connect(tmp_path / "backup.sqlite")) as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert plain.execute("PRAGMA foreign_key_check").fetchall() == []
    used = Store.open(sqlite_url(tmp_path / "backup.sqlite"))
    assert used.id != full.id
    with used.reading() as conn:
        assert conn.execute(select(outbox.c.state).where(outbox.c.state == "pending")).all() == []
    used.close()


def test_it_is_one_moment_of_a_database_in_use(store: Store, tmp_path: Path) -> None:
    with store.writing() as conn:
        records.add(conn, world(1500), "local", NOW)
    stop = threading.Event()
    written: list[str] = []

    def write() -> None:
        while not stop.is_set():
            with store.writing() as conn:
                place = f"C{len(written)}"
                owner = owners.get(conn, "slack", "T1", "channel", place, "", NOW).number
                interests.add(conn, owner, place, [], NOW)
            written.append(place)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        while len(written) < 5:
            stop.wait(0.01)
        began = len(written)
        copy.backup(store, tmp_path / "backup.sqlite", NOW)
        during = len(written) - began
    finally:
        stop.set()
        thread.join()
    assert during > 0, "nobody had to wait until the end"
    found = rows(opened := Store.open(sqlite_url(tmp_path / "backup.sqlite")))
    opened.close()
    assert len(found["owners"]) == len(found["interests"]) >= began
    assert len(found["papers"]) == 1500


def test_a_database_with_something_in_it_is_refused(full: Store, other: Store, tmp_path: Path) -> None:
    copy.backup(full, tmp_path / "backup.sqlite", NOW)
    with other.writing() as conn:
        records.add(conn, world(3), "local", NOW)
        owners.get(conn, "slack", "T1", "person", "U1", "", NOW)
    before = rows(other)
    with pytest.raises(StoreError, match=r"holds .*1 people and channels.*PAPERROUND_DATABASE_URL") as caught:
        copy.restore(other, tmp_path / "backup.sqlite", NOW, tmp_path)
    assert "3 papers" in str(caught.value)
    assert rows(other) == before
    assert not list(tmp_path.glob("restore-*"))


def test_a_database_that_only_ran_is_empty(full: Store, other: Store, tmp_path: Path) -> None:
    copy.backup(full, tmp_path / "backup.sqlite", NOW)
    with other.writing() as conn:
        heartbeats.beat(conn, "host:2", NOW, NOW)
        conn.execute(insert(sources).values(name="arxiv", error="", rests="", asked_at=NOW))
    copy.restore(other, tmp_path / "backup.sqlite", NOW, tmp_path)
    with other.reading() as conn:
        assert heartbeats.latest(conn) == NOW
        assert papers.count(conn) == 38


def test_nothing_is_ever_replaced(memory_store: Store, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name, said in (
        ("there", "there already"),
        ("link", "there already"),
        (".", "folder"),
        ("no/file", "not there"),
    ):
        with pytest.raises(FileError, match=said) as caught:
            copy.backup(memory_store, tmp_path / name, NOW)
        assert "\n" not in str(caught.value)
    assert (tmp_path / "there").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "there"]


def test_a_database_in_memory_is_refused(memory_store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="in memory"):
        copy.backup(memory_store, tmp_path / "backup", NOW)
    assert list(tmp_path.iterdir()) == []


def test_a_name_taken_meanwhile_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there already"), copy._beside(tmp_path / "file"):
        (tmp_path / "file").write_text("theirs")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "theirs")]


def test_a_full_disk_is_said_and_leaves_nothing(full: Store, tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        with pytest.raises(FileError, match="backup cannot be written: ") as caught:
            copy.backup(full, tmp_path / "to" / "backup", NOW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(tmp_path / "to" / "backup") in str(caught.value)
    assert list((tmp_path / "to").iterdir()) == []


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_said(full: Store, tmp_path: Path) -> None:
    (tmp_path / "to").mkdir(mode=0o500)
    with pytest.raises(FileError, match="Permission denied"):
        copy.backup(full, tmp_path / "to" / "backup", NOW)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none", None, "not there"),
        ("folder", "folder", "is a folder"),
        ("text", b"Dear diary\n" * 1000, "not a database"),
        ("empty", b"", "another program, or empty"),
    ],
)
def test_what_is_no_backup_is_refused(
    memory_store: Store, tmp_path: Path, name: str, content: bytes | str | None, said: str
) -> None:
    if isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    elif content:
        (tmp_path / name).mkdir()
    with pytest.raises(FileError, match=said) as caught:
        copy.restore(memory_store, tmp_path / name, NOW, tmp_path)
    assert str(tmp_path / name) in str(caught.value)
    assert not list(tmp_path.glob("restore-*"))


def test_another_programs_database_is_refused(memory_store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other")) as conn:
        conn.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(FileError, match="another program"):
        copy.restore(memory_store, tmp_path / "other", NOW, tmp_path)


def test_a_newer_backup_is_refused_by_name(memory_store: Store, tmp_path: Path) -> None:
    Store.open(sqlite_url(tmp_path / "newer")).close()
    with closing(sqlite3.connect(tmp_path / "newer")) as conn:
        conn.execute("UPDATE paperround_version SET version_num = '0999'")
        conn.commit()
    with pytest.raises(StoreError, match="0999") as caught:
        copy.restore(memory_store, tmp_path / "newer", NOW, tmp_path)
    assert str(tmp_path / "newer") in str(caught.value)


def test_an_older_backup_is_brought_up_and_left_as_it_is(memory_store: Store, tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    from bot.store import migrate

    old = Store.open(sqlite_url(tmp_path / "old"))
    config = Config()
    config.set_main_option("script_location", str(migrate.FOLDER))
    config.set_main_option("path_separator", "os")
    with old.writing() as conn:
        config.attributes |= {"connection": conn, "version_table": migrate.VERSION_TABLE}
        command.downgrade(config, "base")
        command.upgrade(config, "0001")
        conn.execute(
            people.insert().values(platform="a", workspace="", kind="person", external="b", created_at=NOW, menu=[])
        )
    old.close()
    before = (tmp_path / "old").read_bytes()
    assert copy.restore(memory_store, tmp_path / "old", NOW, tmp_path).owners == 1
    assert (tmp_path / "old").read_bytes() == before


def test_a_database_file_in_use_can_be_brought_into_another(tmp_path: Path, empty_url: str) -> None:
    used = Store.open(sqlite_url(tmp_path / "used.db"))
    with used.writing() as conn:
        records.add(conn, world(10), "local", NOW)
    other = Store.open(empty_url if "sqlite" not in empty_url else sqlite_url(tmp_path / "new.db"))
    assert copy.restore(other, tmp_path / "used.db", NOW, tmp_path).papers == 10  # with what is only in its log
    other.close()
    used.close()


def test_the_source_that_goes_away_is_named_and_leaves_nothing(tmp_path: Path, postgres_url: str) -> None:
    store = Store.open(postgres_url)
    with store.writing() as conn:
        conn.execute(text("DROP TABLE shown"))
    with pytest.raises(StoreError, match="reading failed"):
        copy.backup(store, tmp_path / "backup", NOW)
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_links_takes_a_backup_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    with copy._beside(tmp_path / "file") as new:
        new.write_text("whole")
    with pytest.raises(FileError, match="there already"), copy._beside(tmp_path / "second"):
        shutil.copy(tmp_path / "file", tmp_path / "second")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "second"]
