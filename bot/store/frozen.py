"""An interest with all that hangs on it, as plain JSON: so that removing it can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from bot.store.statements import insert
from bot.store.tables import interests, marks, subscriptions

_TABLES = {"interests": interests, "subscriptions": subscriptions, "marks": marks}


def freeze(conn: Connection, interest: int) -> dict[str, Any]:
    """Return the rows of an interest, of its subscription and of its marks; times in ISO 8601."""
    wheres = {
        "interests": interests.c.id == interest,
        "subscriptions": subscriptions.c.interest_id == interest,
        "marks": marks.c.interest_id == interest,
    }
    return {
        name: [_plain(dict(row)) for row in conn.execute(select(table).where(wheres[name])).mappings()]
        for name, table in _TABLES.items()
    }


def thaw(conn: Connection, content: Mapping[str, Any]) -> None:
    """Put the rows back. What is there again already stays as it is."""
    for name, table in _TABLES.items():
        for row in content[name]:
            values = {
                column: datetime.fromisoformat(value) if column in ("at", "created_at") and "T" in value else value
                for column, value in row.items()
            }
            conn.execute(insert(conn, table).values(**values).on_conflict_do_nothing())


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}
