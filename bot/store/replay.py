"""Scores of rated papers again, after the index was learnt anew: probabilities are learnt from scores of one scale.

What was logged stays as it was; the new score stands beside it. It is that of the interest as it was when the paper was
shown, with the marks from before: a paper that was liked since would else be near itself. Thresholds are probabilities,
so they hold in any generation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, func, select, update

from bot.store import papers, ratings
from bot.store.interests import marked
from bot.store.statements import chunks
from bot.store.tables import interests, marks, outbox, shown
from recommender.types import Interest

IN = func.coalesce(shown.c.again_in, shown.c.generation)


@dataclass(frozen=True, slots=True)
class Stale:
    """Rated papers that one message showed for one interest, as (number in the log, number now), and when."""

    message: int
    interest: int
    at: datetime
    papers: tuple[tuple[int, int], ...]


def stale(conn: Connection, generation: int, most: int = ratings.MOST) -> list[Stale]:
    """Return what was rated, of the latest `most` ratings, and scored in an earlier generation than this one."""
    latest = ratings.rated().add_columns(shown.c.outbox_id, shown.c.paper_id, outbox.c.created_at, IN.label("made_in"))
    kept = latest.order_by(marks.c.at.desc()).limit(most).subquery()
    rows = conn.execute(select(kept).where(kept.c.made_in < generation).distinct()).all()
    moved = papers.resolve_all(conn, {row.paper_id for row in rows})
    found: dict[tuple[int, int, datetime], set[tuple[int, int]]] = defaultdict(set)
    for row in rows:
        key = (row.outbox_id, row.interest_id, row.created_at)
        found[key].add((row.paper_id, moved.get(row.paper_id, row.paper_id)))
    return [Stale(*key, tuple(sorted(some))) for key, some in sorted(found.items(), key=lambda item: item[0][:2])]


def as_they_were(conn: Connection, some: Sequence[Stale]) -> list[Interest]:
    """Return the interest of each when its papers were shown: with the marks from before, and its topics of today."""
    numbers = sorted({one.interest for one in some})
    query = select(interests.c.id, interests.c.name, interests.c.topics)
    rows = {row.id: row for part in chunks(numbers) for row in conn.execute(query.where(interests.c.id.in_(part)))}
    liked, disliked = marked(conn, numbers)
    return [
        Interest(
            rows[one.interest].name if one.interest in rows else "",
            tuple(rows[one.interest].topics) if one.interest in rows else (),
            tuple(mark for mark in liked[one.interest] if mark.at < one.at),
            tuple(mark for mark in disliked[one.interest] if mark.at < one.at),
        )
        for one in some
    ]


def latest(conn: Connection) -> int:
    """Return the highest generation that scores were logged or looked for in; 0 for none."""
    highest = conn.execute(select(func.max(shown.c.generation), func.max(shown.c.again_in))).one()
    return max(int(one or 0) for one in highest)


def keep(conn: Connection, scored: Mapping[tuple[int, int], float | None], generation: int) -> None:
    """Keep scores of this generation, by (message, paper in the log). None: the index lacks it, and the old one stays.

    What another process scored in a later generation meanwhile is left alone.
    """
    this = (shown.c.outbox_id == bindparam("m"), shown.c.paper_id == bindparam("p"), generation > IN)
    new: ColumnElement[float] = func.coalesce(bindparam("s"), shown.c.again)
    rows = [{"m": message, "p": paper, "s": score} for (message, paper), score in scored.items()]
    if rows:
        conn.execute(update(shown).where(*this).values(again=new, again_in=generation), rows)
