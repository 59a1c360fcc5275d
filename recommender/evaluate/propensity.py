"""What own feedback is measured by: likes against dislikes, by the chance that each had of being seen at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from recommender.evaluate.background import Background
from recommender.evaluate.measures import PAIRS, Sums, measure
from recommender.evaluate.own import Feedback, Shown, halfway, own_feedback
from recommender.evaluate.run import SEEDS, Measure, run
from recommender.evaluate.scoring import Maker
from recommender.evaluate.table import Told
from recommender.evaluate.task import Case
from recommender.index import Index
from recommender.rankers._base import Base
from recommender.types import FloatArray, Interest, RowArray

AUC, LEAST = "auc", 0.05
"""A chance of being shown below `LEAST` counts as that, so that no single paper decides."""

AS_SHOWN = "as shown"
"""Stands for a ranker: the scores with which papers were shown."""


def as_seldom(log: Sequence[Shown]) -> Measure:
    """Return what measures a case, with the `auc` besides: papers weigh by one over their chance of being shown."""
    chances = {(one.interest, one.paper): one.chance for one in log}

    def measured(case: Case, ids: Sequence[str], scores: ArrayLike, grades: ArrayLike) -> Sums:
        weights = 1.0 / np.maximum([chances.get((case.name, one), 1.0) for one in ids], LEAST)
        return measure(scores, grades) | {AUC: auc(scores, grades, weights)}

    return measured


def auc(scores: ArrayLike, liked: ArrayLike, weights: ArrayLike) -> tuple[float, float]:
    """Return the area under the ROC curve as (sum, weight) over pairs of a like and a dislike, ties half; (n,) each.

    A pair weighs the product of its papers' weights: one over their chance (inverse propensity; Schnabel et al.,
    "Recommendations as treatments", ICML 2016).
    """
    s, w = np.asarray(scores, np.float64), np.asarray(weights, np.float64)
    good = np.asarray(liked, np.float64) > 0
    apart = s[good][:, None] - s[~good][None, :]
    pairs = w[good][:, None] * w[~good][None, :]
    return float((pairs * ((apart > 0) + 0.5 * (apart == 0))).sum()), float(pairs.sum())


def as_shown(log: Sequence[Shown]) -> Maker:
    """Return what makes the ranker `AS_SHOWN`: it gives the latest score logged for an interest and a paper, else 0."""
    logged = {(one.interest, one.paper): one.score or 0.0 for one in sorted(log, key=lambda one: one.at)}

    class AsShown(Base):
        name = AS_SHOWN

        def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
            ids = self.index.ids(rows)
            return {"logged": np.array([logged.get((interest.name, one), 0.0) for one in ids], np.float32)}

    def make(index: Index) -> AsShown:
        return AsShown(index)

    return make


def own_told(
    given: Feedback,
    makers: Mapping[str, Maker],
    seeds: Sequence[int] = SEEDS,
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Told]:
    """Yield how rankers do on the later half of the ratings, knowing what was before it; nothing if there are none."""
    log = given.log
    at = halfway(log)
    task = own_feedback(given, at) if at else None
    if task is None or not task.cases:
        tell("Nobody has rated enough of what digests showed: at least two papers, before and after a time.")
        return
    rated = sum(len(case.pool) for case in task.cases)
    tell(f"{len(task.stored):,} papers from before {at:%Y-%m-%d %H:%M} UTC, {rated:,} ratings since")
    yield Told(
        run(task, Background(), {**makers, AS_SHOWN: as_shown(log)}, seeds, tell=tell, measured=as_seldom(log)),
        (AUC, PAIRS),
    )
