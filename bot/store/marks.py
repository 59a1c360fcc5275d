"""Marks: "more like this" and "less", each of one person, for one paper, in one interest."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, and_, delete, or_, select

from bot.store.papers import resolve, resolve_all
from bot.store.statements import insert
from bot.store.tables import interests, marks, papers
from bot.store.text import storable


def set_(
    conn: Connection, interest: int, paper: int, person: int, kind: str, now: datetime, because: str = ""
) -> tuple[str, str] | None:
    """Set a mark, "more" or "less", or remove it with "". Return the kind and reason that were there, or None.

    The last word wins, also over a paper that was merged into this one. Raises ValueError for any other kind.
    """
    if kind not in ("more", "less", ""):
        raise ValueError(f"no such mark: {kind!r}")
    paper = resolve(conn, paper)
    merged = select(papers.c.id).where(papers.c.merged_into == paper)
    same = or_(marks.c.paper_id == paper, marks.c.paper_id.in_(merged))
    mine = and_(marks.c.interest_id == interest, marks.c.person_id == person, same)
    before = conn.execute(select(marks).where(mine).order_by(marks.c.at.desc())).mappings().first()
    conn.execute(delete(marks).where(mine))
    if kind:
        values = {"kind": kind, "because": storable(because), "at": now}
        new = insert(conn, marks).values(interest_id=interest, paper_id=paper, person_id=person, **values)
        conn.execute(new.on_conflict_do_update(index_elements=["interest_id", "paper_id", "person_id"], set_=values))
    return (before["kind"], before["because"]) if before else None


def interest_of(conn: Connection, paper: int, person: int, kind: str) -> int | None:
    """Return the interest for which a person marked a paper so, the latest of several; None if there is none."""
    mine = and_(marks.c.paper_id == resolve(conn, paper), marks.c.person_id == person, marks.c.kind == kind)
    kept = select(marks.c.interest_id).join(interests, interests.c.id == marks.c.interest_id)
    query = kept.where(mine, interests.c.removed_at.is_(None)).order_by(marks.c.at.desc(), marks.c.interest_id)
    found: int | None = conn.execute(query.limit(1)).scalar()
    return found


def of(conn: Connection, owner: int) -> dict[int, str]:
    """Return the last word on each paper, "more" or "less", over all the owner's interests."""
    query = (
        select(marks.c.paper_id, marks.c.kind)
        .join(interests, interests.c.id == marks.c.interest_id)
        .where(interests.c.owner_id == owner, interests.c.removed_at.is_(None))
        .order_by(marks.c.at, marks.c.interest_id, marks.c.person_id)
    )
    rows = list(conn.execute(query))
    moved = resolve_all(conn, {number for number, _ in rows})
    return {moved.get(number, number): kind for number, kind in rows}
