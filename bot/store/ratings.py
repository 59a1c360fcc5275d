"""What people said of the papers that digests showed them: what probabilities are learnt from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from bot.store.statements import chunks, insert
from bot.store.tables import marks, outbox, shown
from recommender.bar import Bar
from recommender.calibrate import PRIOR, Calibration, calibrate

MOST = 20_000  # ratings of the crowd that count, the latest
SCORE = func.coalesce(shown.c.again, shown.c.score)  # of the latest generation that gave one


@dataclass(frozen=True, slots=True)
class Shown:
    """A paper in a digest, and how it came there; see the table."""

    paper: int
    interest: int
    score: float
    generation: int
    tau: float
    chance: float = 1.0
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person said of a paper that a digest showed for an interest with a score."""

    interest: int
    score: float
    liked: bool


def log(conn: Connection, message: int, papers: Sequence[Shown]) -> None:
    """Note the papers that a message shows, in their order; they count as shown by it."""
    rows = [
        {"outbox_id": message, "paper_id": one.paper, "interest_id": one.interest, "place": place, "score": one.score}
        | {"generation": one.generation, "tau": one.tau, "chance": one.chance, "aside": one.aside}
        for place, one in enumerate(papers, 1)
    ]
    if rows:
        conn.execute(insert(conn, shown).on_conflict_do_nothing(), rows)


def rated() -> Select[Any]:
    """Select what arrived and was marked since for the interest that showed it: the rows of `shown` and `marks`."""
    arrived = and_(outbox.c.id == shown.c.outbox_id, outbox.c.state == "sent")
    same = and_(marks.c.interest_id == shown.c.interest_id, marks.c.paper_id == shown.c.paper_id)
    query = select(shown.c.interest_id, SCORE.label("score"), marks.c.kind).join(outbox, arrived).join(marks, same)
    return query.where(shown.c.score.is_not(None), marks.c.at >= outbox.c.created_at)


def of(conn: Connection, interests: Collection[int]) -> dict[int, list[Rating]]:
    """Return the ratings of each of these interests, those of several people in a channel side by side."""
    found: dict[int, list[Rating]] = defaultdict(list)
    for some in chunks(sorted(set(interests))):
        for row in conn.execute(rated().where(shown.c.interest_id.in_(some))):
            found[row.interest_id].append(Rating(row.interest_id, row.score, row.kind == "more"))
    return found


def crowd(conn: Connection) -> Calibration:
    """Return what holds for everybody here: the calibration of the latest ratings of all interests."""
    rows = conn.execute(rated().order_by(marks.c.at.desc()).limit(MOST)).all()
    return calibrate([row.score for row in rows], [row.kind == "more" for row in rows])


def count(conn: Connection) -> int:
    """Return how many ratings there are."""
    return int(conn.execute(select(func.count()).select_from(rated().subquery())).scalar_one())


def bar(tau: float, ratings: Sequence[Rating], everybody: Calibration) -> Bar:
    """Return what papers have to reach for an interest of these ratings, where `everybody` is its prior."""
    prior = everybody if everybody is not PRIOR and everybody.n else None
    own = calibrate([one.score for one in ratings], [one.liked for one in ratings], prior)
    return Bar(tau, own)
