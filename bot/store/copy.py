"""Backups: everything in one SQLite file, from either database while it is used, and back into an empty one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Table, bindparam, delete, exists, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from bot.errors import FileError, StoreError
from bot.store import sqlite
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.migrate import VERSION_TABLE
from bot.store.tables import counters, heartbeats, meta, metadata, outbox, owners, papers, sources, subscriptions

BATCH = 500  # rows held in memory at a time
RESTORED = "restored from a backup"
LEAP = 1_000_000  # numbers given out after the backup was made are not given out again: old buttons may hold them
_LEAPING = ("notes", "subscriptions", "outbox")
_OF_THE_DATABASE = (meta, heartbeats)  # about a database and its processes, not about what is in it
_MADE_AT = "backup"  # in meta: when the backup was made


@dataclass(frozen=True, slots=True)
class Copied:
    """What a backup holds: papers, people and channels, subscriptions; messages on their way that are not sent again.

    `made_at` is when the backup was made (aware, UTC).
    """

    papers: int
    owners: int
    subscriptions: int
    set_aside: int
    made_at: datetime


def backup(store: Store, file: Path, now: datetime) -> Copied:
    """Copy a database as it is at one moment into a new SQLite file for its owner's eyes only, whoever uses it.

    In the copy, what was on its way to somebody is set aside: after this moment it may have arrived, so it is never
    sent from there. Raises FileError if the file is there already or cannot be written, StoreError if the database
    does not answer.
    """
    with _beside(file) as new:
        if sqlite.in_memory(store.engine.url):
            raise StoreError("A database in memory ends with its process, so there is nothing to back up.")
        if store.dialect == "sqlite":
            sqlite.snapshot(Path(str(store.engine.url.database)), new)
        copy = Store.open(sqlite_url(new))
        try:
            with copy.writing() as to:
                if store.dialect != "sqlite":
                    with store.reading() as source:
                        source.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
                        _copy(source, to)
                _settle(to, now)
                to.execute(delete(meta).where(meta.c.name == _MADE_AT))
                to.execute(insert(meta).values(name=_MADE_AT, value=now.isoformat()))
                copied = _copied(to, now)
        finally:
            copy.close()
        sqlite.close_up(new)
    return copied


def restore(store: Store, file: Path, now: datetime, scratch: Path) -> Copied:
    """Bring a backup into an empty database of any kind. `scratch` is a folder with room for a copy of the file.

    Messages that were on their way become "unknown": they are never sent again, and their papers are free to come
    with the next digest. Raises FileError if the file is no backup, StoreError if the database is not empty or newer.
    """
    with TemporaryDirectory(prefix="restore-", dir=scratch) as folder:
        taken = _taken_out(file, Path(folder) / "backup.sqlite")
        try:
            with taken.writing() as old:
                made_at = datetime.fromisoformat(
                    old.execute(select(meta.c.value).where(meta.c.name == _MADE_AT)).scalar() or now.isoformat()
                )
                _settle(old, now)
            with taken.reading() as old, store.writing() as to:
                _refuse_full(to)
                _copy(old, to)
                to.execute(update(meta).where(meta.c.name == "id").values(value=uuid4().hex))
                copied = _copied(to, made_at, now)
        finally:
            taken.close()
    return copied


def _taken_out(file: Path, new: Path) -> Store:
    """Return a store of a backup's copy, at this program's revision. Raises FileError if it is no backup."""
    if not file.is_file():
        raise FileError(f"{file} {'is a folder, not a backup' if file.is_dir() else 'is not there'}. Name the backup.")
    try:
        new.touch(0o600)
        sqlite.snapshot(file, new)
    except (OSError, sqlite3.Error) as error:
        raise FileError(f"{file} cannot be read as a backup: {error}.") from error
    with closing(sqlite3.connect(new)) as look:
        names = {row[0] for row in look.execute("SELECT name FROM sqlite_master")}
    if VERSION_TABLE not in names:
        raise FileError(f"{file} is a database of another program, or empty. Name a backup that Paperround made.")
    try:
        return Store.open(sqlite_url(new))
    except StoreError as error:
        raise StoreError(str(error).replace(str(new), str(file))) from error


@contextmanager
def _beside(file: Path) -> Iterator[Path]:
    """Give an empty file beside the one that is wanted, which it becomes at the end, if that is not there by then.

    Raises FileError, and leaves nothing, if it cannot.
    """
    if file.exists() or file.is_symlink():
        what = "a folder. Name a file in it" if file.is_dir() else "there already. Name another file"
        raise FileError(f"{file} is {what}: a backup never replaces anything.")
    if not file.parent.is_dir():
        raise FileError(f"The folder {file.parent} is not there. Make it first, or name another file.")
    new = file.with_name(f".{file.name[:100]}.{token_hex(4)}")
    try:
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield new
        _publish(new, file)
    except FileExistsError as error:
        raise FileError(f"{file} is there already. Name another file: a backup never replaces anything.") from error
    except (OSError, sqlite3.Error) as error:
        raise FileError(f"The backup {file} cannot be written: {_first_line(error)}. Nothing is left of it.") from error
    except StoreError as error:
        if str(new) not in str(error) or error.__cause__ is None:
            raise  # it is about the database that is read
        reason = _first_line(error.__cause__)
        raise FileError(f"The backup {file} cannot be written: {reason}. Nothing is left of it.") from error
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                Path(f"{new}{end}").unlink(missing_ok=True)


def _publish(new: Path, file: Path) -> None:
    """Give a finished file its name, and never another's. Raises FileExistsError if it is taken meanwhile."""
    try:
        os.link(new, file)
    except FileExistsError:
        raise
    except OSError:  # this kind of disk has no second names
        if file.exists():
            raise FileExistsError(file) from None
        new.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _refuse_full(conn: Connection) -> None:
    """Raise StoreError if anything is in the database; keep other processes from writing until the end."""
    tables = [table for table in metadata.sorted_tables if table not in _OF_THE_DATABASE]
    if conn.dialect.name == "postgresql":
        conn.execute(text(f"LOCK TABLE {', '.join(table.name for table in tables)} IN EXCLUSIVE MODE"))
    full = {table.name: _count(conn, table) for table in tables if table not in (counters, sources)}
    if any(full.values()):
        told = {"papers": full["papers"], "people and channels": full["owners"]}
        held = ", ".join(
            f"{number:,} {name}" for name, number in (told if any(told.values()) else full).items() if number
        )
        raise StoreError(
            f"A backup goes into an empty database, and this one holds {held}. "
            "Name another one in PAPERROUND_DATABASE_URL, or another folder in PAPERROUND_DATA_DIR."
        )


def _count(conn: Connection, table: Table) -> int:
    return int(conn.execute(select(func.count()).select_from(table)).scalar_one())


def _copied(conn: Connection, made_at: datetime, now: datetime | None = None) -> Copied:
    live = select(func.count()).select_from(papers).where(papers.c.merged_into.is_(None))
    aside = (
        select(func.count())
        .select_from(outbox)
        .where(outbox.c.error == RESTORED, outbox.c.done_at.in_([made_at, now or made_at]))
    )
    return Copied(
        papers=conn.execute(live).scalar_one(),
        owners=_count(conn, owners),
        subscriptions=_count(conn, subscriptions),
        set_aside=conn.execute(aside).scalar_one(),
        made_at=made_at,
    )


def _settle(conn: Connection, now: datetime) -> None:
    """Make a copy fit to live on beside what its original did after it: nothing of it goes out a second time."""
    waiting = outbox.c.state == "pending"
    for back, covered in (("window_from", "covered_to"), ("window_id", "covered_id")):
        mine = (
            waiting,
            outbox.c.subscription_id == subscriptions.c.id,
            outbox.c[back] < subscriptions.c[covered],
        )
        earliest = select(func.min(outbox.c[back])).where(*mine).scalar_subquery()
        conn.execute(update(subscriptions).where(exists().where(*mine)).values({covered: earliest}))
    conn.execute(update(subscriptions).values(planning_until=None))
    done = {"state": "unknown", "error": RESTORED, "done_at": now, "token": "", "leased_until": None}
    conn.execute(update(outbox).where(waiting).values(**done))
    conn.execute(update(sources).values(leased_until=None))
    conn.execute(delete(heartbeats))
    conn.execute(update(meta).where(meta.c.name == "id").values(value=uuid4().hex))  # its index is another one
    numbers = _numbers(conn)
    _number_on(conn, {name: numbers[name] + (LEAP if name in _LEAPING else 0) for name in numbers})


# --- from one database to another


def _copy(source: Connection, to: Connection) -> None:
    """Copy every row, parents before children, a batch at a time."""
    for table in metadata.sorted_tables:
        if table not in _OF_THE_DATABASE:
            to.execute(delete(table))
            _copy_table(source, to, table)
    _number_on(to, _numbers(source))


def _copy_table(source: Connection, to: Connection, table: Table) -> None:
    """Copy one table. A column that leads to another row of the table is filled when all rows are there."""
    inward = [column for column in table.c if any(key.column.table is table for key in column.foreign_keys)]
    for batch in _batches(source, select(table)):
        to.execute(insert(table), [row | {column.name: None for column in inward} for row in batch])
    for column in inward:
        link = update(table).where(table.c.id == bindparam("row")).values({column.name: bindparam("leads_to")})
        query = select(table.c.id.label("row"), column.label("leads_to")).where(column.is_not(None))
        for batch in _batches(source, query):
            to.execute(link, batch)


def _batches(conn: Connection, query: Any) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a query. Raises StoreError here, since the caller writes to another database meanwhile."""
    try:
        with conn.execution_options(stream_results=True, yield_per=BATCH).execute(query) as result:
            for rows in result.mappings().partitions():
                yield [dict(row) for row in rows]
    except DBAPIError as error:
        raise StoreError(f"The copy stopped, since reading failed: {_first_line(error)}. Try it again.") from error


def _first_line(error: BaseException) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    return next(iter(str(cause).splitlines()), type(cause).__name__)[:200].rstrip(". ")


def _numbers(conn: Connection) -> dict[str, int]:
    """Return the highest number that each table has ever given out, also to rows that are gone."""
    tables = [table for table in metadata.sorted_tables if "id" in table.c]
    if conn.dialect.name == "sqlite":
        given = {row.name: row.seq for row in conn.execute(text("SELECT name, seq FROM sqlite_sequence"))}
    else:
        query = text("SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, 'id')::regclass)")
        given = {table.name: conn.execute(query, {"table": table.name}).scalar() for table in tables}
    there = {table.name: conn.execute(select(func.max(table.c.id))).scalar() for table in tables}
    return {name: max(given.get(name) or 0, there[name] or 0) for name in there}


def _number_on(conn: Connection, numbers: dict[str, int]) -> None:
    """Let new rows be numbered from the next on."""
    for name, last in numbers.items():
        values = {"table": name, "last": last}
        if conn.dialect.name == "sqlite":
            conn.execute(text("DELETE FROM sqlite_sequence WHERE name = :table"), values)
            conn.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last)"), values)
        elif last:
            conn.execute(text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)"), values)
    if conn.dialect.name == "postgresql":
        conn.execute(text("ANALYZE"))  # without statistics its plans are slow, until it gathers them by itself
