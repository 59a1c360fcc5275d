"""All that digests showed and what was said of it, with papers and interests: what own feedback is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, Row, select

from bot.store import interests as held
from bot.store import papers as stored
from bot.store.statements import chunks
from bot.store.tables import interests, marks, outbox, papers, shown
from recommender.evaluate.own import Feedback, Shown
from recommender.types import Paper


def read(conn: Connection) -> Feedback:
    """Return all of it. Papers have their numbers as ids, those that were merged that of the survivor."""
    rows = conn.execute(
        select(shown, outbox.c.created_at)
        .join(outbox, outbox.c.id == shown.c.outbox_id)
        .where(outbox.c.state == "sent", shown.c.interest_id.is_not(None))
        .order_by(outbox.c.created_at, outbox.c.id, shown.c.place)
    ).all()
    moved = stored.resolve_all(conn, {row.paper_id for row in rows})
    said = _said(conn)
    log = [_shown(row, moved.get(row.paper_id, row.paper_id), said) for row in rows]
    owners = conn.execute(
        select(interests.c.owner_id).where(interests.c.removed_at.is_(None)).distinct().order_by(interests.c.owner_id)
    ).scalars()
    own = [replace(one.interest, name=str(one.number)) for owner in owners.all() for one in held.of(conn, owner)]
    return Feedback(log, own, _papers(conn))


def _shown(row: Row[tuple[object, ...]], paper: int, said: dict[tuple[int, int], int]) -> Shown:
    balance = said.get((row.interest_id, paper), 0)
    liked = None if balance == 0 else balance > 0
    score, chance = row.score, row.chance
    return Shown(row.created_at, str(row.interest_id), str(paper), row.place, score, row.generation, chance, liked)


def _said(conn: Connection) -> dict[tuple[int, int], int]:
    """Return how many more people said "more" than "less", by interest and paper."""
    found: Counter[tuple[int, int]] = Counter()
    rows = conn.execute(select(marks)).all()
    moved = stored.resolve_all(conn, {row.paper_id for row in rows})
    for row in rows:
        found[row.interest_id, moved.get(row.paper_id, row.paper_id)] += 1 if row.kind == "more" else -1
    return found


def _papers(conn: Connection) -> list[tuple[datetime, Paper]]:
    """Return all papers with when they were first seen."""
    numbers = list(
        conn.execute(select(papers.c.id).where(papers.c.merged_into.is_(None)).order_by(papers.c.id)).scalars()
    )
    got = {number: one for some in chunks(numbers) for number, one in stored.get(conn, some).items()}
    return [(one.first_seen, replace(one.paper, id=str(number))) for number, one in got.items()]
