"""Followed authors and muted words: what holds for all interests of an owner."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, select

from bot.store.statements import insert
from bot.store.tables import wishes
from bot.store.text import key, storable


def add(conn: Connection, owner: int, kind: str, words: str, now: datetime) -> bool:
    """Keep a wish, of the kind "follow" or "mute", and return whether it is new, case and accents aside."""
    values = {"owner_id": owner, "kind": kind, "words_key": key(words), "words": storable(words).strip(), "at": now}
    new = insert(conn, wishes).values(**values).on_conflict_do_nothing()
    return conn.execute(new.returning(wishes.c.words_key)).first() is not None


def remove(conn: Connection, owner: int, kind: str, words: str) -> bool:
    """Take a wish back and return whether it was there, case and accents aside."""
    this = (wishes.c.owner_id == owner, wishes.c.kind == kind, wishes.c.words_key == key(words))
    return conn.execute(delete(wishes).where(*this).returning(wishes.c.words_key)).first() is not None


def of(conn: Connection, owner: int, kind: str) -> list[str]:
    """Return the wishes of a kind as they were typed, oldest first."""
    query = select(wishes.c.words).where(wishes.c.owner_id == owner, wishes.c.kind == kind)
    return list(conn.execute(query.order_by(wishes.c.at, wishes.c.words_key)).scalars())
