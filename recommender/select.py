"""From scores to what is shown: fresh, unseen, each paper once, varied, nothing muted. Every ranker shares it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from recommender.bar import THRESHOLDS
from recommender.calibrate import PRIOR
from recommender.index import Index
from recommender.match import by as by
from recommender.match import mentions as mentions
from recommender.pool import Mask, Pool
from recommender.share import LONG
from recommender.types import FloatArray, Paper, Ranked, RowArray, Why

RELEVANCE = 0.7
"""Lambda of maximal marginal relevance: 1 is the plain order, 0 looks at variety alone.

Measured on authors-nlp, 0.7 makes the top ten more varied (mean cosine 0.23 instead of 0.27) and loses no hits.
"""

FOLLOWED = 2.0 * math.log(6.0)
"""Log-odds that a followed author adds where papers are put in order: odds times 36. Such a paper passes the threshold.

Before anybody has rated, that is two standard deviations. It is our weighing of a wish, no observation: the probability
that people are told stays that of the text.
"""

NEWEST, AUTHOR, ASIDE = "newest", "followed author", "aside"
"""Notes of `Why`: nothing in the interest told the papers apart; an author is followed; outside the usual."""

_FLAT = 1e-5
_POOL = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper that may be shown, its score, and when it was first seen here (aware, UTC)."""

    paper: Paper
    score: float
    first_seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What may be shown. `seen` are ids, `least` is the least score; `days`, with `now`, asks for fresh papers.

    `followed` are authors that pass the threshold; `muted` are words, phrases or authors that never appear. `steepness`
    is how much log-odds one of score is worth.
    """

    seen: Collection[str] = frozenset()
    least: float = THRESHOLDS["normal"]
    followed: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    steepness: float = PRIOR.steepness
    now: datetime | None = None
    days: int | None = None


def select(index: Index, candidates: Sequence[Candidate], k: int, rules: Rules = Rules()) -> list[Ranked]:
    """Return at most `k` picked papers: `choose` from a pool of these candidates alone."""
    pool = Pool(index, [one.paper for one in candidates], [one.first_seen for one in candidates])
    return choose(pool, np.array([one.score for one in candidates], np.float64), k, rules)


def finite(scores: FloatArray) -> FloatArray:
    """Return scores (m, n) of m interests without NaN and infinities, as a ranker from outside may give: last.

    Where an interest's other scores tell nothing apart, they are 0 too.
    """
    odd = ~np.isfinite(scores)
    if not odd.any():
        return scores
    known = np.where(odd, np.float32(0.0), scores)
    told = np.abs(known).max(axis=1, initial=0.0, keepdims=True) > 0
    last = known.min(axis=1, initial=0.0, keepdims=True) - 1
    return np.where(odd & told, last, known).astype(np.float32)


def choose(
    pool: Pool, scores: FloatArray | NDArray[np.float64], k: int, rules: Rules, among: Mask | None = None
) -> list[Ranked]:
    """Return at most `k` picked papers, the best first and then as `RELEVANCE` weighs score against variety.

    `scores` (n,) are those of the pool's papers; `among` (n,) says which of them are looked at, all by default. Ties
    go to the newest paper and then by id. Where no score differs from 0, the newest papers are returned, noted as
    "newest": the threshold then says nothing. A score that is not a finite number never wins. The reasons are empty
    but for their note.
    """
    worth, told, passing = passes(pool, scores, rules, among)
    followed = pool.by(rules.followed)
    lifted = worth + FOLLOWED / rules.steepness * followed
    places = np.flatnonzero(passing)
    places = places[np.lexsort((pool.rank[places], -lifted[places]))]
    kept = _once(pool, places, followed)
    if told:
        order = _varied(lifted[kept], pool.meaning[kept], k)
        chosen = _with_followed([kept[at] for at in order], kept, followed, k)
    else:
        chosen = kept[:k]
    return [
        Ranked(pool.ids[at], float(worth[at]), Why(note=AUTHOR if followed[at] else "" if told else NEWEST))
        for at in chosen
    ]


def passes(
    pool: Pool, scores: FloatArray | NDArray[np.float64], rules: Rules, among: Mask | None = None
) -> tuple[NDArray[np.float64], bool, Mask]:
    """Return the scores (n,) that count, whether they tell the papers apart, and which papers may be picked, (n,).

    See `choose`. Scores that tell nothing apart count as 0.
    """
    allowed = allows(pool, rules) if among is None else allows(pool, rules) & among
    worth = np.asarray(scores, np.float64)
    finite = np.isfinite(worth)
    if not (np.abs(worth[allowed & finite]) > _FLAT).any():
        return np.zeros(len(pool)), False, allowed
    return worth, True, allowed & finite & (pool.by(rules.followed) | (worth >= rules.least))


def allows(pool: Pool, rules: Rules) -> Mask:
    """Return which papers, (n,), are unseen, fresh where that is asked for, and not muted."""
    mask = ~(pool.seen(rules.seen) | pool.muted(rules.muted))
    if rules.now is not None and rules.days is not None:
        for at in np.flatnonzero(mask).tolist():
            mask[at] = fresh(pool.papers[at], pool.first_seen[at], rules.now, rules.days)
    return mask


def _with_followed(chosen: list[int], kept: list[int], followed: Mask, k: int) -> list[int]:
    """Put the best of the followed authors' papers among the chosen, in up to half of the k places (rounded up)."""
    owed = [at for at in kept if followed[at]][: (k + 1) // 2]
    missing = [at for at in owed if at not in chosen]
    if not missing:
        return chosen
    surplus = max(len(chosen) + len(missing) - k, 0)
    others = [at for at in chosen if at not in owed]
    dropped = others[len(others) - surplus :]
    return [*(at for at in chosen if at not in dropped), *missing]


def _once(pool: Pool, places: RowArray, followed: Mask) -> list[int]:
    """Return the best of these places, each paper once: of one title (four words or more) or of nearly one text."""
    told: set[str] = set()
    distinct = []
    for at in places.tolist():
        title, id_ = pool.titles[at], pool.ids[at]
        if id_ in told or (title in told and title.count(" ") >= LONG - 1):
            continue
        told |= {title, id_}
        distinct.append(at)
    # the best, and whoever is followed however far down
    distinct = [*distinct[:_POOL], *(at for at in distinct[_POOL:] if followed[at])]
    pool.prepare(np.array(distinct, np.int64))
    kept: list[int] = []
    gone: set[int] = set()
    for at in distinct:
        if at not in gone:
            kept.append(at)
            gone |= pool.twins(at)
    return kept


def fresh(paper: Paper, first_seen: datetime | None, now: datetime, days: int) -> bool:
    """Say whether a paper is new: published within `days`, or, where only the year is known, seen within them.

    A paper of which only the year is known must also be of this year or the last. One that tells neither counts from
    when it was first seen; without that either, it is new. All times are aware.
    """
    since = now - timedelta(days=days)
    if paper.published is not None:
        return paper.published >= since
    if paper.year is not None and paper.year < now.year - 1:
        return False
    return first_seen is None or first_seen >= since


def _varied(scores: NDArray[np.float64], meaning: FloatArray, k: int) -> list[int]:
    """Return at most `k` positions in the order of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).

    Each next one has the greatest lambda * relevance - (1 - lambda) * greatest cosine with those before it, where
    relevance is the score scaled to 0..1 over the pool. `scores` is (n,), best first; `meaning` (n, k) unit rows.
    """
    span = float(np.ptp(scores)) if scores.size else 0.0
    relevance = (scores - scores.min()) / span if span > 0 else np.zeros(scores.size)
    nearest = np.zeros(scores.size)
    order: list[int] = []
    while len(order) < min(k, scores.size):
        worth = RELEVANCE * relevance - (1.0 - RELEVANCE) * nearest
        worth[order] = -np.inf
        order.append(int(np.argmax(worth)))
        nearest = np.maximum(nearest, meaning @ meaning[order[-1]])
    return order
