"""Small things that a process has to know of an earlier one, by name: that the commands were told to a platform."""

from __future__ import annotations

from sqlalchemy import Connection, select

from bot.store.statements import insert
from bot.store.tables import meta
from bot.store.text import short, storable


def get(conn: Connection, name: str) -> str:
    """Return what is kept under a name; empty if nothing is."""
    found: str | None = conn.execute(select(meta.c.value).where(meta.c.name == short(name, 40))).scalar()
    return found or ""


def put(conn: Connection, name: str, value: str) -> None:
    """Keep a value under a name, instead of what was kept there."""
    new = insert(conn, meta).values(name=short(name, 40), value=storable(value))
    conn.execute(new.on_conflict_do_update(index_elements=["name"], set_={"value": new.excluded.value}))
