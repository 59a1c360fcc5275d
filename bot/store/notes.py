"""Notes: what a button's short number stands for."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, select

from bot.errors import Expired
from bot.store.statements import insert
from bot.store.tables import notes
from bot.store.text import storable_json

EXPIRED = "This list has expired: run it again."


def add(conn: Connection, owner: int, kind: str, content: dict[str, Any], now: datetime) -> int:
    """Keep a note of an owner and return its number. `content` is plain JSON."""
    new = insert(conn, notes).values(owner_id=owner, kind=kind, content=storable_json(content), at=now)
    return int(conn.execute(new.returning(notes.c.id)).scalar_one())


def get(
    conn: Connection, number: int, owners: Collection[int], kinds: Collection[str], now: datetime, keep: timedelta
) -> dict[str, Any]:
    """Return a note's content. Raises Expired if it is missing, too old, of another kind or not of these owners."""
    whose = (notes.c.kind.in_(list(kinds)), notes.c.owner_id.in_(list(owners)))
    known = (notes.c.id == number, *whose, notes.c.at > now - keep)
    found: dict[str, Any] | None = None
    if abs(number) < 2**63:
        found = conn.execute(select(notes.c.content).where(*known)).scalar()
    if found is None:
        raise Expired(EXPIRED)
    return found


def latest(conn: Connection, owner: int, kind: str) -> tuple[int, dict[str, Any]] | None:
    """Return the number and content of the owner's latest note of a kind, or None."""
    query = select(notes.c.id, notes.c.content).where(notes.c.owner_id == owner, notes.c.kind == kind)
    row = conn.execute(query.order_by(notes.c.id.desc()).limit(1)).first()
    return (row.id, row.content) if row else None


def prune(conn: Connection, before: datetime) -> int:
    """Delete the notes made before a time and return how many they were."""
    return len(conn.execute(delete(notes).where(notes.c.at < before).returning(notes.c.id)).all())
