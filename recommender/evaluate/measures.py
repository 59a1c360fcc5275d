"""The metrics of one case as (sum, weight): those of any selection of cases are their sums over their weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recommender.metrics import mrr, ndcg_at_k, recall_at_k

NDCG_AT, RECALL_AT = 10, 100
LOSS, NDCG, RECALL, MRR, PAIRS = "pairwise_loss", f"ndcg@{NDCG_AT}", f"recall@{RECALL_AT}", "mrr", "pair_accuracy"
FIRST = "found_first"
LOWER = frozenset({LOSS})
"""Metrics of which less is better."""

Sums = dict[str, tuple[float, float]]


def measure(scores: ArrayLike, grades: ArrayLike) -> Sums:
    """Return all metrics of one case, of scores and grades of shape (n,).

    nDCG, recall and reciprocal rank weigh 1 a case, with nothing to find too (they are 0 then); what is about pairs
    weighs as much as there are pairs. Ties are as in `recommender.metrics`. Raises ValueError as those do.
    """
    s, g = np.asarray(scores, np.float64), np.asarray(grades, np.float64)
    found: Sums = {
        NDCG: (ndcg_at_k(s, g, NDCG_AT), 1.0),
        RECALL: (recall_at_k(s, g, RECALL_AT), 1.0),
        MRR: (mrr(s, g), 1.0),
    }
    return found | pairs(s, g)


def pairs(scores: NDArray[np.float64], grades: NDArray[np.float64]) -> Sums:
    """Return the weighted pairwise loss and the share of pairs ordered rightly, both over pairs of different grades.

    The loss weighs a pair by the difference of its grades, the share does not; a tie is half right. The loss is that
    of `recommender.metrics.pairwise_loss`, in O(n log n) for each different grade instead of O(n²).
    """
    wrong = weight = misplaced = count = 0.0
    for level in np.unique(grades)[:-1]:
        lower, higher = np.sort(scores[grades == level]), grades > level
        under = np.searchsorted(lower, scores[higher], "left")
        beside = np.searchsorted(lower, scores[higher], "right") - under
        above = lower.size - under - 0.5 * beside
        difference = grades[higher] - level
        wrong += float(difference @ above)
        weight += float(difference.sum()) * lower.size
        misplaced += float(above.sum())
        count += float(above.size * lower.size)
    return {LOSS: (wrong, weight), PAIRS: (count - misplaced, count)}
