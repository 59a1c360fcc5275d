"""The few places where the two databases want different SQL, or a long list must be cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")
CHUNK = 2000  # values in one statement: SQLite takes 32,766 parameters


def chunks(values: Collection[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Yield the values in order, at most `size` at a time."""
    ordered = list(values)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def insert(conn: Connection, table: Table) -> Any:
    """Return an INSERT that knows ON CONFLICT, in the words of this database."""
    return postgresql.insert(table) if conn.dialect.name == "postgresql" else sqlite.insert(table)
