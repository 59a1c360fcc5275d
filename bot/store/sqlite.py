"""How SQLite is used: write-ahead log, writers that wait, foreign keys on, and reading that cannot write."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event, make_url

from bot.errors import StoreError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

BUSY_TIMEOUT = 30.0  # seconds a writer waits for another


def in_memory(address: URL) -> bool:
    """Say whether this address is a database in memory."""
    return address.get_backend_name() == "sqlite" and address.database in (None, "", ":memory:")


def make_engine(address: URL) -> Engine:
    """Return an engine for a file, or for one database in memory that all threads share."""
    options: dict[str, Any] = {"connect_args": {"timeout": BUSY_TIMEOUT, "check_same_thread": False}}
    if in_memory(address):
        options["poolclass"] = StaticPool
    engine = create_engine(address, hide_parameters=True, **options)
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late and never says IMMEDIATE
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=NORMAL")


def _on_begin(conn: Connection) -> None:
    writing = conn.get_execution_options().get("writing", False)
    driver: Any = conn.connection.dbapi_connection  # itself: SQLAlchemy's way to it costs as much as a small query
    if conn.info.get("writing") != writing:
        driver.execute(f"PRAGMA query_only={'OFF' if writing else 'ON'}")
        conn.info["writing"] = writing
    # A deferred transaction that turns to writing late is refused at once; IMMEDIATE waits for its turn.
    driver.execute("BEGIN IMMEDIATE" if writing else "BEGIN")


def make_file(address: URL) -> None:
    """Make the database file if it is missing, with its folder, for its owner only.

    Raises StoreError if the path cannot hold a database.
    """
    path = Path(str(address.database))
    if path.parent.exists() and not path.parent.is_dir():
        raise StoreError(f"{path.parent} is a file, so no database can lie in it. Name another folder.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a database file. Name a file in it: {path / 'paperround.db'}")
        # One that is there is not opened: to close it would give up the locks that SQLite holds on it in this process,
        # and another process might then take its log away.
        with suppress(FileExistsError):
            os.close(os.open(path.resolve(), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreError(
            f"The database file {path} cannot be opened: {reason}. Name another one in PAPERROUND_DATABASE_URL."
        ) from error


def log_ahead(address: URL) -> None:
    """Switch the file to write-ahead logging, so that readers and a writer do not wait for each other.

    Raises sqlite3.Error if the file is no database, or stays locked for 30 s.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT
    with closing(sqlite3.connect(str(address.database), timeout=BUSY_TIMEOUT, isolation_level=None)) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                # The switch is refused at once where a transaction would wait.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)


@contextmanager
def run_lock(url: str | URL) -> Iterator[None]:
    """Be the only process that runs the bot on this SQLite file; on any other database, and in memory, do nothing.

    `url` is one that `Store.open` takes.
    The system gives the lock back when the process ends, however it ends; the file beside the database stays. Raises
    StoreError, which names the other process, if one has the lock.
    """
    address = make_url(url)
    if address.get_backend_name() != "sqlite" or in_memory(address) or fcntl is None:
        yield
        return
    make_file(address)
    database = Path(str(address.database)).resolve()
    file = database.with_name(f"{database.name}.lock")
    try:
        held = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"The file {file} cannot be written: {error.strerror}. Give it to the bot's user.") from error
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            other = os.read(held, 20).decode("ascii", "replace").strip() or "unknown"
            raise StoreError(
                f"The bot is running on this database already (process {other}): {database}. "
                "Stop that one first, or use PostgreSQL, which any number may share."
            ) from error
        os.ftruncate(held, 0)
        os.pwrite(held, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(held)


def snapshot(source: Path, target: Path) -> None:
    """Copy a database file as it is at this moment, while others go on writing it, into a file that is empty.

    Raises sqlite3.Error if the source cannot be read or the target not be written.
    """
    address = f"{source.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", (str(target),))


def close_up(path: Path) -> None:
    """Make a database, which nobody has open, a single file without a log beside it, and see that it is on the disk.

    Raises sqlite3.Error if the file is damaged or stays locked, OSError if it cannot be written through.
    """
    with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(found)
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
