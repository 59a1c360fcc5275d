"""What sources an administrator chose at a terminal, beside those that the settings name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from bot.store.statements import insert
from bot.store.tables import chosen
from bot.store.text import storable


@dataclass(frozen=True, slots=True)
class Chosen:
    """A source that was chosen: its spec, such as arxiv:cs.CL, how it is called, and when that was (aware, UTC)."""

    spec: str
    name: str
    added_at: datetime


def all(conn: Connection) -> list[Chosen]:  # noqa: A001 - read as chosen.all
    """Return all that were chosen, in the order in which they were."""
    rows = conn.execute(
        select(chosen.c.spec, chosen.c.name, chosen.c.added_at).order_by(chosen.c.added_at, chosen.c.spec)
    )
    return [Chosen(*row) for row in rows]


def specs(conn: Connection, named: str) -> list[str]:
    """Return all specs: those that the settings name, with commas between, then what was added; each once."""
    return list(dict.fromkeys([*filter(None, named.split(",")), *(one.spec for one in all(conn))]))


def add(conn: Connection, spec: str, name: str, now: datetime) -> bool:
    """Choose a source, called `name`, and say whether it was not chosen before. `spec` has at most 500 characters."""
    new = insert(conn, chosen).values(spec=spec, name=storable(name), added_at=now)
    return conn.execute(new.on_conflict_do_nothing().returning(chosen.c.spec)).first() is not None


def remove(conn: Connection, spec: str) -> bool:
    """Choose a source no more, and say whether it was chosen."""
    return conn.execute(delete(chosen).where(chosen.c.spec == spec).returning(chosen.c.spec)).first() is not None
