"""Where the promise of each subscription's strictness stands: its threshold, and the digests that moved it.

A digest is looked at once, when the next one is planned: it counts if its reader has pressed anything in it by then.
Later presses teach the interest, but not the threshold: only so is the bound exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select

from bot.store import ratings
from bot.store.statements import chunks
from bot.store.tables import interests as interest_table
from bot.store.tables import marks, outbox, saved, shown, subscriptions
from recommender.calibrate import Calibration
from recommender.promise import ALPHA, PLAIN, Rated, after, start

CROWD = 2_000  # subscriptions of a strictness whose first digests say where a new one starts


@dataclass(frozen=True, slots=True)
class Promise:
    """A threshold `tau`, where it began, how many digests count and the sum of their losses since then.

    `weighed` is the number of the last digest that was looked at. Without a `first`, nothing was planned yet.
    """

    tau: float
    first: float | None = None
    counted: int = 0
    wasted: float = 0.0
    weighed: int = 0

    def lost(self, loss: float, strictness: str) -> Promise:
        """Return it behind one more counted digest."""
        tau = after(self.tau, loss, strictness)
        return replace(self, tau=tau, counted=self.counted + 1, wasted=self.wasted + loss)

    @property
    def values(self) -> dict[str, Any]:
        """Return it as columns of the subscription."""
        return {
            "tau": self.tau,
            "tau_first": self.first,
            "counted": self.counted,
            "wasted": self.wasted,
            "weighed_id": self.weighed,
        }


FRESH: dict[str, Any] = {"tau": None, "tau_first": None, "counted": 0, "wasted": 0.0}  # after a change of strictness


@dataclass(frozen=True, slots=True)
class Crowd:
    """What everybody here said so far: a calibration, and by strictness where a threshold starts.

    `enough` are those for which they said enough to tell; the others have a plain start.
    """

    calibration: Calibration
    starts: Mapping[str, float]
    enough: frozenset[str] = frozenset()


def crowd(conn: Connection) -> Crowd:
    """Read it; it takes some time, and holds for an hour or so."""
    known = ratings.crowd(conn)
    begun = {name: start(_first(conn, name, known), alpha, PLAIN[name]) for name, alpha in ALPHA.items()}
    told = {name: tau for name, tau in begun.items() if tau is not None}
    return Crowd(known, PLAIN | told, frozenset(told))


def read(conn: Connection, numbers: Collection[int], everybody: Crowd) -> dict[int, Promise]:
    """Return the promise of each of these subscriptions, with what was pressed in their digests counted."""
    names = ("id", "strictness", "at_most", "tau", "tau_first", "counted", "wasted", "weighed_id")
    columns = [subscriptions.c[name] for name in names]
    found: dict[int, Promise] = {}
    for some in chunks(sorted(set(numbers))):
        digests = _digests(conn, some)
        for row in conn.execute(select(*columns).where(subscriptions.c.id.in_(some))):
            tau = everybody.starts[row.strictness] if row.tau is None else row.tau
            promise = Promise(tau, row.tau_first if row.tau is not None else tau, row.counted, row.wasted)
            for _, loss in digests.get(row.id, ()):
                if loss is not None:
                    promise = promise.lost(loss / max(row.at_most, loss, 1), row.strictness)
            last = max([row.weighed_id, *(number for number, _ in digests.get(row.id, ()))])
            found[row.id] = replace(promise, weighed=last)
    return found


def of_interests(conn: Connection, interests: Sequence[int]) -> dict[int, float]:
    """Return the thresholds of those of these interests that come in digests which were planned before."""
    query = (
        select(interest_table.c.id, subscriptions.c.tau)
        .join(subscriptions, subscriptions.c.id == interest_table.c.subscription_id)
        .where(subscriptions.c.tau.is_not(None))
    )
    return {
        row.id: row.tau
        for some in chunks(interests)
        for row in conn.execute(query.where(interest_table.c.id.in_(some)))
    }


def _digests(conn: Connection, numbers: Sequence[int]) -> dict[int, list[tuple[int, int | None]]]:
    """Return, for each subscription, (digest, papers marked "less") not looked at yet; None if nothing was pressed."""
    same = and_(marks.c.interest_id == shown.c.interest_id, marks.c.paper_id == shown.c.paper_id)
    since = marks.c.at >= outbox.c.created_at
    kept = and_(saved.c.paper_id == shown.c.paper_id, saved.c.owner_id == outbox.c.owner_id)
    query = (
        select(outbox.c.subscription_id, outbox.c.id, shown.c.paper_id, shown.c.aside, marks.c.kind, saved.c.at)
        .join(subscriptions, subscriptions.c.id == outbox.c.subscription_id)
        .join(shown, shown.c.outbox_id == outbox.c.id)
        .outerjoin(marks, and_(same, since))
        .outerjoin(saved, and_(kept, saved.c.at >= outbox.c.created_at))
        .where(outbox.c.subscription_id.in_(numbers), outbox.c.id > subscriptions.c.weighed_id)
        .where(outbox.c.kind == "digest", outbox.c.state == "sent")
        .order_by(outbox.c.subscription_id, outbox.c.id)
    )
    found: dict[int, list[tuple[int, int | None]]] = defaultdict(list)
    for (subscription, digest), rows in groupby(conn.execute(query), key=lambda row: (row[0], row[1])):
        votes: dict[int, int] = defaultdict(int)
        pressed = False
        for row in rows:
            pressed |= row.kind is not None or row.at is not None
            if row.kind is not None and not row.aside:
                votes[row.paper_id] += 1 if row.kind == "less" else -1
        found[subscription].append((digest, sum(vote > 0 for vote in votes.values()) if pressed else None))
    return found


def _first(conn: Connection, strictness: str, known: Calibration) -> list[Rated]:
    """Return the first digest of each subscription in which something was pressed, of those with a plain start.

    Only these are alike: later ones come from thresholds that their readers have moved.
    """
    same = and_(marks.c.interest_id == shown.c.interest_id, marks.c.paper_id == shown.c.paper_id)
    pressed = (
        select(func.min(outbox.c.id))
        .join(shown, and_(shown.c.outbox_id == outbox.c.id, shown.c.tau <= PLAIN[strictness]))
        .join(marks, and_(same, marks.c.at >= outbox.c.created_at))
        .join(subscriptions, subscriptions.c.id == outbox.c.subscription_id)
        .where(outbox.c.state == "sent", subscriptions.c.strictness == strictness)
        .group_by(outbox.c.subscription_id)
        .limit(CROWD)
    )
    less = and_(same, marks.c.kind == "less", marks.c.at >= outbox.c.created_at)
    query = (
        select(outbox.c.id, subscriptions.c.at_most, shown.c.paper_id, ratings.SCORE.label("score"), marks.c.kind)
        .join(subscriptions, subscriptions.c.id == outbox.c.subscription_id)
        .join(shown, and_(shown.c.outbox_id == outbox.c.id, or_(shown.c.aside.is_(False), shown.c.aside.is_(None))))
        .outerjoin(marks, less)
        .where(outbox.c.id.in_(pressed))
        .order_by(outbox.c.id, shown.c.place)
    )
    found = []
    for _, rows in groupby(conn.execute(query), key=lambda row: row.id):
        held = list(rows)
        scores = {row.paper_id: row.score for row in held if row.kind is not None and row.score is not None}
        probabilities = known.probability(list(scores.values())).tolist() if scores else []
        found.append(Rated(max(held[0].at_most, len(scores)), tuple(probabilities)))
    return found
