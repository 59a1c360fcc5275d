"""What a database's address means: the driver, the name that people may read, and the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError

from bot.errors import StoreError
from bot.store import sqlite

CONNECT_TIMEOUT = 10  # seconds to wait for a PostgreSQL server that does not answer
_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_FORMS = "Write sqlite:///folder/file.db or postgresql://user@host/name."


def parse(url: str) -> URL:
    """Return the address with the driver that this program uses. Raises StoreError for any it cannot."""
    try:
        address = make_url(url.strip())
    except (ArgumentError, ValueError) as error:
        # The text itself stays unsaid: whatever it is, it may hold a password.
        raise StoreError(f"The database address is not one that can be read. {_FORMS}") from error
    driver = _DRIVERS.get(address.get_backend_name())
    if driver is None:
        raise StoreError(f"Databases of the kind {address.get_backend_name()[:40]!r} are not supported. {_FORMS}")
    return address.set(drivername=driver)


def name_of(address: URL) -> str:
    """Return what people may read of an address: the file, or user, host and name, never a password or options."""
    if address.get_backend_name() == "sqlite":
        return "in memory" if sqlite.in_memory(address) else str(address.database)
    host = address.host or str(address.query.get("host", "localhost"))
    user = f"{address.username}@" if address.username else ""
    port = f":{address.port}" if address.port else ""
    return f"postgresql://{user}{host}{port}/{address.database or ''}"


def make_engine(address: URL) -> Engine:
    """Return an engine; nothing is connected yet. Raises ImportError if the driver is not installed."""
    if address.get_backend_name() == "sqlite":
        return sqlite.make_engine(address)
    # Times are compared and taken apart in UTC, whatever zone the server stands in.
    options: dict[str, Any] = {"connect_timeout": CONNECT_TIMEOUT, "options": "-c timezone=UTC"}
    options = {name: value for name, value in options.items() if name not in address.query}
    return create_engine(address, pool_pre_ping=True, hide_parameters=True, connect_args=options)


def sqlite_url(path: Path) -> str:
    """Return the address of an SQLite file, whatever characters its path holds."""
    return URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)
