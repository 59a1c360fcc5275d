"""The one way to the database: opening it, its transactions, and the seam between async callers and sync SQL."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Engine, func, select
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, InterfaceError, OperationalError

from bot.errors import StoreError
from bot.store import migrate, sqlite
from bot.store.address import make_engine, name_of, parse
from bot.store.tables import meta
from bot.store.together import Together

P = ParamSpec("P")
T = TypeVar("T")


class Store:
    """A database at this program's revision. Made by `Store.open`; `id` is the database's own, a UUID in hex.

    `clock` reads the database's time: leases and due times go by it. A test may set another one.
    """

    def __init__(self, engine: Engine, label: str) -> None:
        self._reader = engine.execution_options(postgresql_readonly=True)
        self._writer = engine.execution_options(writing=True)
        self._engine = engine
        self._label = label
        self._turn: AbstractContextManager[Any] = RLock() if sqlite.in_memory(engine.url) else nullcontext()
        self._together = Together(self.write)
        # SQLite lets a writer that waits sleep and try again: within a process, a lock wakes the next one at once.
        self._pen: AbstractContextManager[Any] = RLock() if engine.dialect.name == "sqlite" else nullcontext()
        self.id = ""
        self.clock: Callable[[Connection], datetime] = clock

    @classmethod
    def open(cls, url: str) -> Store:
        """Open a database and bring it to this program's revision, under a lock.

        A missing SQLite file is made, with its folder, for its owner's eyes only. Raises StoreError, with one line that
        names the database without its password, if it cannot be opened, is no database, is not ours, or is newer.
        """
        address = parse(url)
        label = name_of(address)
        try:
            store = cls(make_engine(address), label)
        except (ArgumentError, ImportError) as error:
            raise StoreError(_missing_driver(address, label, error)) from error
        try:
            store._prepare()
        except DBAPIError as error:
            store.close()
            raise StoreError(_refusal(label, address, error.orig)) from error
        except BaseException:
            store.close()
            raise
        return store

    def _prepare(self) -> None:
        in_file = self.dialect == "sqlite" and not sqlite.in_memory(self._engine.url)
        if in_file:
            sqlite.make_file(self._engine.url)
        with self.reading() as conn:
            ready = migrate.revision(conn) == migrate.HEAD
        if not ready:
            with self.writing() as conn:
                migrate.migrate(conn, self._label)
        if in_file:
            with self._told():
                sqlite.log_ahead(self._engine.url)
        with self.reading() as conn:
            self.id = conn.execute(select(meta.c.value).where(meta.c.name == "id")).scalar_one()

    @property
    def dialect(self) -> str:
        """The name of the database's kind: "sqlite" or "postgresql"."""
        return self._engine.dialect.name

    @property
    def engine(self) -> Engine:
        """SQLAlchemy's engine, for tools that look on: tests, `doctor`."""
        return self._engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection in a transaction that can only read. Raises StoreError if the database does not answer.

        Transactions are not nested: on one SQLite file the inner one would wait for the outer.
        """
        with self._turn, self._told(), self._reader.begin() as conn:
            yield conn

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection in a transaction that writes: kept if the block ends, undone if it raises.

        On SQLite there is one writer at a time and the others wait for up to 30 s. Raises StoreError if the database
        does not answer.
        """
        with self._turn, self._pen, self._told(), self._writer.begin() as conn:
            yield conn

    async def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` in a reading transaction, in a thread. Raises StoreError, and whatever `fn` raises."""

        def work() -> T:
            with self.reading() as conn:
                return fn(conn, *args, **kwargs)

        return await asyncio.to_thread(work)

    async def write(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` in a writing transaction, in a thread. Raises StoreError, and whatever `fn` raises."""

        def work() -> T:
            with self.writing() as conn:
                return fn(conn, *args, **kwargs)

        return await asyncio.to_thread(work)

    async def together(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(conn, …)` as `write` does, in one transaction with others that wait at the same time.

        For small writes that many tasks make: `fn` may be run twice, so it does nothing but write.
        """
        result: T = await self._together.do(lambda conn: fn(conn, *args, **kwargs))
        return result

    def close(self) -> None:
        """Close every connection. A second call does nothing.

        One in memory is the only one, and a thread whose caller waits no longer may be at work on it: it ends first.
        """
        with self._turn:
            self._engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the database refuses into a StoreError; a wrong statement stays what it is, a fault of ours."""
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            if isinstance(error, DBAPIError) and not _is_the_databases(error):
                raise
            raise StoreError(_refusal(self._label, self._engine.url, cause)) from error


def clock(conn: Connection) -> datetime:
    """Return the database's own time (aware, UTC), which all processes share. SQLite has that of its one machine."""
    if conn.dialect.name == "sqlite":
        return datetime.now(UTC)
    found: datetime = conn.execute(select(func.clock_timestamp())).scalar_one()
    return found.astimezone(UTC)


def was_deleted(error: Exception) -> bool:
    """Tell whether a row could not be written because what it belongs to is gone."""
    return isinstance(error, DBAPIError) and "foreign key" in str(error.orig).casefold()


def _is_the_databases(error: DBAPIError) -> bool:
    """Say whether the database is at fault. SQLite's plain SQLITE_ERROR is a statement it cannot understand."""
    if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
        return False
    return type(error) in (OperationalError, InterfaceError, DatabaseError)


def _missing_driver(address: URL, label: str, error: Exception) -> str:
    if address.get_backend_name() == "postgresql":
        return f'The database {label} needs the PostgreSQL driver: pip install "paperround[postgres]".'
    return f"The database {label} cannot be opened: {error}. Use sqlite:///file.db or postgresql://user@host/name."


def _refusal(label: str, address: URL, cause: BaseException | None) -> str:
    """Return one line: which database, the driver's first line without the password, and the way out."""
    reason = (str(cause).strip() or type(cause).__name__).splitlines()[0][:200].rstrip(". ")
    if address.password:
        reason = reason.replace(str(address.password), "***")
    if "not a database" in reason or "malformed" in reason:
        return f"{label} is not a database that can be read ({reason}). Name another file in PAPERROUND_DATABASE_URL."
    if "locked" in reason:
        return f"The database {label} is held by another program ({reason}). Try again when that has ended."
    way_out = "Check PAPERROUND_DATABASE_URL and that it can be reached."
    if "is full" in reason:
        way_out = "Make room on that disk."
    elif "readonly" in reason:
        way_out = "Let this user write to the file and its folder."
    return f"The database {label} cannot be used: {reason}. {way_out}"
