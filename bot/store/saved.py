"""Papers that somebody saved."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, or_, select

from bot.store.papers import get, resolve, resolve_all
from bot.store.statements import insert
from bot.store.tables import papers, saved


def add(conn: Connection, owner: int, paper: int, now: datetime) -> bool:
    """Save a paper and return whether it was not saved yet. A second time keeps the first time's date."""
    paper = resolve(conn, paper)
    if paper in {number for number, _ in of(conn, owner)}:
        return False
    new = insert(conn, saved).values(owner_id=owner, paper_id=paper, at=now).on_conflict_do_nothing()
    return conn.execute(new.returning(saved.c.paper_id)).first() is not None


def remove(conn: Connection, owner: int, paper: int) -> bool:
    """Take a paper off the saved ones and return whether it was there."""
    paper = resolve(conn, paper)
    merged = select(papers.c.id).where(papers.c.merged_into == paper)
    same = or_(saved.c.paper_id == paper, saved.c.paper_id.in_(merged))
    gone = conn.execute(delete(saved).where(saved.c.owner_id == owner, same).returning(saved.c.paper_id))
    return gone.first() is not None


def of(conn: Connection, owner: int) -> list[tuple[int, datetime]]:
    """Return the saved papers and when each was saved (aware, UTC), newest first; merged ones once, as saved first."""
    query = select(saved.c.paper_id, saved.c.at).where(saved.c.owner_id == owner)
    rows = list(conn.execute(query.order_by(saved.c.at.desc(), saved.c.paper_id.desc())))
    moved = resolve_all(conn, {number for number, _ in rows})
    first = {moved.get(number, number): at for number, at in rows}
    return sorted(first.items(), key=lambda each: (each[1], each[0]), reverse=True)


def titles(conn: Connection, owner: int, most: int) -> list[tuple[str, str]]:
    """Return the ids and titles of at most `most` saved papers, newest first."""
    found = get(conn, [number for number, _ in of(conn, owner)[:most]])
    return [(stored.paper.id, stored.paper.title) for stored in found.values()]
