"""Opening a store, its transactions, its migrations, and every way in which it cannot be opened."""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.errors import StoreError
from bot.store import heartbeats, migrate, subscriptions
from bot.store import sqlite as sqlite_module
from bot.store.address import name_of, parse, sqlite_url
from bot.store.engine import Store
from bot.store.tables import heartbeats as beats
from bot.store.tables import metadata, records

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
ROOT = Path(__file__).parents[2]


def refused(url: str) -> str:
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    line = str(caught.value)
    assert line
    assert "\n" not in line
    assert "sEcret" not in line
    assert len(line) < 500
    return line


def test_the_migrated_database_is_what_the_tables_say(store: Store) -> None:
    with store.writing() as conn:
        context = MigrationContext.configure(
            conn,
            opts={
                "compare_type": True,
                "compare_server_default": True,
                "version_table": migrate.VERSION_TABLE,
            },
        )
        assert compare_metadata(context, metadata) == []


def test_unique_constraints_indexes_and_foreign_keys_are_the_same(store: Store) -> None:
    with store.reading() as conn:
        look = inspect(conn)
        for table in metadata.sorted_tables:
            assert {index["name"] for index in look.get_indexes(table.name)} >= {index.name for index in table.indexes}
            keys = look.get_foreign_keys(table.name)
            found = {
                (*key["constrained_columns"], key["referred_table"], key["options"].get("ondelete")) for key in keys
            }
            wanted = table.foreign_key_constraints
            assert found == {(*key.column_keys, key.referred_table.name, key.ondelete) for key in wanted}


def test_the_head_named_in_code_is_the_head_of_the_scripts() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.FOLDER))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD


def test_a_downgrade_leaves_no_table(empty_url: str) -> None:
    from alembic import command

    store = Store.open(empty_url)
    config = Config()
    config.set_main_option("script_location", str(migrate.FOLDER))
    config.set_main_option("path_separator", "os")
    with store.writing() as conn:
        config.attributes["connection"] = conn
        config.attributes["version_table"] = migrate.VERSION_TABLE
        command.downgrade(config, "base")
        assert inspect(conn).get_table_names() == [migrate.VERSION_TABLE]
    store.close()


def test_subscriptions_of_the_first_revision_go_on(empty_url: str) -> None:
    from alembic import command

    store = Store.open(empty_url)
    config = Config()
    config.set_main_option("script_location", str(migrate.FOLDER))
    config.set_main_option("path_separator", "os")
    with store.writing() as conn:
        config.attributes["connection"] = conn
        config.attributes["version_table"] = migrate.VERSION_TABLE
        command.downgrade(config, "base")
        command.upgrade(config, "0001")
        made = "'2026-11-30 08:00:00.000000'"
        people = "INSERT INTO owners (id, platform, workspace, kind, external, name, time_zone, created_at, menu)"
        conn.execute(text(f"{people} VALUES (7, 'console', 'local', 'person', 'ada', 'Ada', '', {made}, '[]')"))
        columns = "(id, owner_id, name, name_key, topics, created_at)"
        for number, name in ((3, "one"), (4, "two"), (5, "three")):
            conn.execute(
                text(f"INSERT INTO interests {columns} VALUES ({number}, 7, '{name}', '{name}', '[]', {made})")
            )
        columns = "(id, interest_id, asked_by, at, time_zone, weekdays, at_most, strictness, created_at)"
        for number, interest in ((11, 5), (12, 3)):
            values = f"({number}, {interest}, 7, '09:00', 'UTC', '12345', 5, 'normal', {made})"
            conn.execute(text(f"INSERT INTO subscriptions {columns} VALUES {values}"))
        conn.execute(text("INSERT INTO notes (owner_id, kind, content, at) VALUES (7, 'list', '{}', " + made + ")"))
    store.close()
    store = Store.open(empty_url)
    with store.writing() as conn:
        kept = subscriptions.of(conn, 7)
        assert [(sub.number, sub.interest, sub.name) for sub in kept] == [(12, 3, "one"), (11, 5, "three")]
        assert {sub.next_due_at for sub in kept} == {datetime(2026, 11, 30, 8, tzinfo=UTC)}
        usual = {"at": "09:00", "time_zone": "UTC", "weekdays": "1", "at_most": 5, "strictness": "normal"}
        assert subscriptions.add(conn, 7, 4, 7, usual, NOW) == 13
    store.close()


def test_opened_again_it_keeps_its_id_and_rows(store_url: str) -> None:
    first = Store.open(store_url)
    with first.writing() as conn:
        heartbeats.beat(conn, "one", NOW, NOW)
    first.close()
    first.close()
    again = Store.open(store_url)
    assert again.id == first.id
    assert len(again.id) == 32
    with again.reading() as conn:
        assert heartbeats.latest(conn) == NOW
    again.close()


def test_a_time_comes_back_as_the_same_instant_aware(store: Store) -> None:
    moment = datetime.fromisoformat("2024-03-10T13:30:45-08:00")
    with store.writing() as conn:
        heartbeats.beat(conn, "one", moment, moment)
    with store.reading() as conn:
        back = heartbeats.latest(conn)
    assert back == moment
    assert back is not None
    assert back.tzinfo is UTC
    assert back.isoformat() == "2024-03-10T21:30:45+00:00"


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(Exception, match="without a time zone"), store.writing() as conn:
        heartbeats.beat(conn, "one", datetime(2024, 3, 10), NOW)  # noqa: DTZ001


def test_a_transaction_that_raises_leaves_nothing(store: Store) -> None:
    with suppress(RuntimeError), store.writing() as conn:
        heartbeats.beat(conn, "one", NOW, NOW)
        raise RuntimeError
    with store.reading() as conn:
        assert heartbeats.latest(conn) is None


def test_reading_cannot_write(store: Store) -> None:
    with pytest.raises((StoreError, Exception), match=r"readonly|read-only"), store.reading() as conn:
        heartbeats.beat(conn, "one", NOW, NOW)
    with store.writing() as conn:
        heartbeats.beat(conn, "one", NOW, NOW)


def test_foreign_keys_are_on(store: Store) -> None:
    row = {"paper_id": 999, "source": "s", "source_id": "x", "hash": "h", "content": {}, "title_key": "", "held": False}
    with pytest.raises(IntegrityError), store.writing() as conn:
        conn.execute(records.insert(), {**row, "seen_at": NOW})


async def test_read_and_write_run_in_a_thread(store: Store) -> None:
    def where(conn: Connection, *, extra: int) -> tuple[int, int]:
        return threading.get_ident(), extra

    await store.write(heartbeats.beat, "one", NOW, NOW)
    assert await store.read(heartbeats.latest) == NOW
    ident, extra = await store.read(where, extra=5)
    assert ident != threading.get_ident()
    assert extra == 5


def test_threads_share_one_database_in_memory(memory_store: Store) -> None:
    def work(name: str) -> None:
        for _ in range(20):
            with memory_store.writing() as conn:
                heartbeats.beat(conn, name, NOW, NOW)
            with memory_store.reading() as conn:
                assert heartbeats.latest(conn) == NOW

    threads = [threading.Thread(target=work, args=(f"p{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    with memory_store.reading() as conn:
        assert conn.execute(select(func.count()).select_from(beats)).scalar() == 4


WRITER = """
    import sys, time
    from datetime import UTC, datetime
    from bot.store.engine import Store
    from bot.store.tables import meta
    store = Store.open(sys.argv[1])
    for number in range(15):
        with store.writing() as conn:
            conn.execute(meta.insert(), {"name": f"{sys.argv[2]}-{number}", "value": ""})
            time.sleep(0.005)
    store.close()
"""


def test_two_processes_open_and_write_at_once(empty_url: str) -> None:
    command = [sys.executable, "-W", "error", "-c", dedent(WRITER), empty_url]
    running = [
        subprocess.Popen([*command, name], cwd=ROOT, stderr=subprocess.PIPE, text=True) for name in ("one", "two")
    ]
    for process in running:
        _, complaint = process.communicate(timeout=60)
        assert process.returncode == 0, complaint
    store = Store.open(empty_url)
    with store.reading() as conn:
        assert conn.execute(text("SELECT count(*) FROM meta")).scalar() == 31
        assert conn.execute(text("SELECT count(*) FROM meta WHERE name = 'id'")).scalar() == 1
    store.close()


def test_a_file_is_made_with_its_folder_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "50% ü? #1" / "paper round.db"
    store = Store.open(sqlite_url(path))
    with store.writing() as conn:
        heartbeats.beat(conn, "one", NOW, NOW)
        assert conn.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert conn.execute(text("PRAGMA foreign_keys")).scalar() == 1
        assert conn.execute(text("PRAGMA busy_timeout")).scalar() == 30_000
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store.close()


def test_a_file_that_another_program_holds_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "held.db"
    Store.open(sqlite_url(path)).close()
    monkeypatch.setattr("bot.store.sqlite.BUSY_TIMEOUT", 0.1)
    store = Store.open(sqlite_url(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="held by another program"), store.writing():
            pass
        with store.reading() as conn:
            assert heartbeats.latest(conn) is None
    store.close()


@pytest.mark.parametrize("begin", [["BEGIN EXCLUSIVE"], ["BEGIN", "SELECT * FROM t"], ["BEGIN IMMEDIATE"]])
def test_the_switch_to_the_log_waits_for_others(tmp_path: Path, begin: list[str]) -> None:
    path = tmp_path / "busy.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE t (a)")
        for statement in begin:
            other.execute(statement).fetchall()
        release = threading.Timer(0.2, other.execute, ["COMMIT"])
        release.start()
        sqlite_module.log_ahead(parse(sqlite_url(path)))
        release.join()
    with closing(sqlite3.connect(path)) as fresh:
        assert fresh.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_wrong_statement_is_no_fault_of_the_database(store: Store) -> None:
    with pytest.raises(DBAPIError, match="nowhere"), store.reading() as conn:
        conn.execute(text("SELECT nothing FROM nowhere"))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    line = refused(sqlite_url(tmp_path))
    assert str(tmp_path) in line
    assert "folder" in line


def test_a_text_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, this is not a database.\n" * 100)
    assert "not a database" in refused(sqlite_url(path))
    assert path.read_text().startswith("Dear diary")
    assert list(tmp_path.iterdir()) == [path]


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    assert "another program" in refused(sqlite_url(path))
    assert path.read_bytes() == before


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    Store.open(sqlite_url(path)).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    assert str(path) in refused(sqlite_url(path))


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "is a file" in refused(sqlite_url(tmp_path / "file" / "paperround.db"))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody may make a file")
def test_a_folder_where_nothing_can_be_made_is_refused() -> None:
    assert "cannot be opened" in refused(sqlite_url(Path("/proc/self/paperround/paperround.db")))


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "closed.db"
    path.touch(mode=0o000)
    assert "Permission denied" in refused(sqlite_url(path))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://me:sEcret@host/name", "mysql"),
        ("oracle+nothing://me:sEcret@host/name", "oracle"),
        ("", "cannot be"),
        ("paperround.db", "sqlite:///"),
        ("postgresql://me:sEcret@host:notaport/name", "postgresql://"),
        ("postgresql://me:sEcret@127.0.0.1/name?sEcretOption=1", "postgresql://me@127.0.0.1/name"),
        ("sqlite:///a\0b.db", "cannot be opened"),
    ],
)
def test_addresses_that_cannot_be_used(url: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    line = str(caught.value)
    assert said.replace("cannot be", "") in line
    assert "sEcret@" not in line
    assert "\n" not in line


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert 'pip install "paperround[postgres]"' in refused("postgresql://me:sEcret@host/name")


def test_a_server_that_does_not_answer() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        line = refused(f"postgresql://me:sEcret@127.0.0.1:{port}/name?connect_timeout=2")
    assert f"postgresql://me@127.0.0.1:{port}/name" in line


def test_a_database_that_is_not_on_the_server(postgres_server: str) -> None:
    assert "/missing" in refused(str(parse(postgres_server).set(database="missing").render_as_string(False)))


def test_a_newer_database_names_both_revisions_and_is_left_alone(empty_url: str) -> None:
    store = Store.open(empty_url)
    with store.writing() as conn:
        conn.execute(text("UPDATE paperround_version SET version_num = '0999'"))
    line = refused(empty_url)
    assert "0999" in line
    assert migrate.HEAD in line
    with store.reading() as conn:
        assert migrate.revision(conn) == "0999"
    store.close()


def test_tables_of_another_program_may_stand_in_the_same_postgres(postgres_url: str) -> None:
    from sqlalchemy import create_engine

    engine = create_engine(parse(postgres_url))
    with engine.begin() as conn:
        conn.execute(text("CREATE TABLE bookmarks (url TEXT)"))
    store = Store.open(postgres_url)
    with store.reading() as conn:
        assert "bookmarks" in inspect(conn).get_table_names()
    store.close()
    engine.dispose()


def test_a_table_of_the_same_name_in_postgres_is_refused(postgres_url: str) -> None:
    from sqlalchemy import create_engine

    engine = create_engine(parse(postgres_url))
    with engine.begin() as conn:
        conn.execute(text("CREATE TABLE papers (url TEXT)"))
    assert "papers" in refused(postgres_url)
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("sqlite://", "in memory"),
        ("sqlite:////srv/paper.db", "/srv/paper.db"),
        ("postgres://me:sEcret@host:5433/name?password=sEcret", "postgresql://me@host:5433/name"),
        ("postgresql:///name?host=/run/pg", "postgresql:///run/pg/name"),
    ],
)
def test_what_people_read_of_an_address(url: str, name: str) -> None:
    assert name_of(parse(url)) == name


def test_the_drivers_text_never_shows_a_password() -> None:
    from bot.store.engine import _refusal

    fault: Any = ValueError("bad password sEcret for user\nsecond line")
    line = _refusal("here", parse("postgresql://me:sEcret@host/name"), fault)
    assert "sEcret" not in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("reason", "way_out"),
    [
        ("database or disk is full", "Make room on that disk."),
        ("attempt to write a readonly database", "Let this user write to the file and its folder."),
        ("connection refused", "Check PAPERROUND_DATABASE_URL and that it can be reached."),
    ],
)
def test_the_way_out_is_that_of_the_fault(reason: str, way_out: str) -> None:
    from bot.store.engine import _refusal

    line = _refusal("here", parse("sqlite:///file.db"), OSError(reason))
    assert line == f"The database here cannot be used: {reason}. {way_out}"
