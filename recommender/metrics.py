"""How well a ranking agrees with people: nDCG, recall, reciprocal rank, weighted pairwise loss.

Papers with the same score have no order of their own, so every metric is its mean over all orders of the ties
(McSherry and Najork, "Computing information retrieval performance measures efficiently in the presence of tied
scores", ECIR 2008). A constant scorer therefore scores exactly as chance does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def ndcg_at_k(scores: ArrayLike, grades: ArrayLike, k: int) -> float:
    """Return the normalised discounted cumulative gain of the first `k` places, 0 to 1 (0 if no grade is above 0).

    DCG = sum over places i = 1..k of grade(i) / log2(i + 1), divided by the DCG of the best order (Järvelin and
    Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002). `scores` and `grades` have shape (n,).

    Raises:
        ValueError: shapes differ, a score is NaN, or k < 1.

    """
    s, g = _checked(scores, grades, k)
    discounts = np.zeros(s.size)
    places = np.arange(min(k, s.size))
    discounts[places] = 1.0 / np.log2(places + 2.0)
    best = float(np.sort(g)[::-1] @ discounts)
    if best <= 0.0:
        return 0.0
    gains = [float(g[tied].mean() * discounts[start : start + tied.size].sum()) for start, tied in _ties(s, k)]
    return sum(gains) / best


def recall_at_k(scores: ArrayLike, grades: ArrayLike, k: int) -> float:
    """Return the share of the papers with a grade above 0 that stand in the first `k` places (0 if there are none).

    Of a group of ties that straddles place k, each member is inside with the same probability. Shapes (n,).

    Raises:
        ValueError: shapes differ, a score is NaN, or k < 1.

    """
    s, g = _checked(scores, grades, k)
    relevant = g > 0
    if not relevant.any():
        return 0.0
    found = 0.0
    for start, tied in _ties(s, k):
        inside = min(k - start, tied.size)
        found += float(relevant[tied].sum()) * inside / tied.size
    return found / float(relevant.sum())


def mrr(scores: ArrayLike, grades: ArrayLike) -> float:
    """Return 1 / place of the first paper with a grade above 0 (0 if there are none): the reciprocal rank.

    Averaged over queries it is the mean reciprocal rank (Voorhees, TREC-8 question answering track, 1999). In a group
    of m ties with r relevant ones, the first relevant one stands at place j with probability C(m-j, r-1) / C(m, r).

    Raises:
        ValueError: shapes differ or a score is NaN.

    """
    s, g = _checked(scores, grades, 1)
    for start, tied in _ties(s, s.size):
        relevant = int((g[tied] > 0).sum())
        if relevant:
            return _first_hit(start, tied.size, relevant)
    return 0.0


def pairwise_loss(groups: Iterable[tuple[ArrayLike, ArrayLike]]) -> float:
    """Return the weighted pairwise loss over (scores, grades) of each user: 0 is perfect, 0.5 is chance.

    Over all pairs of one user with different grades: the grade difference of the pairs ordered wrongly, ties counting
    half, over the sum of all differences, both summed over the users (Stelmakh, Wieting, Neubig and Shah, "A gold
    standard dataset for the reviewer assignment problem", 2023). With no such pair there is nothing to order: 0.5.

    Raises:
        ValueError: shapes of a group differ or a score is NaN.

    """
    wrong = total = 0.0
    for scores, grades in groups:
        s, g = _checked(scores, grades, 1)
        better = np.maximum(g[:, None] - g[None, :], 0.0)
        ahead = s[:, None] - s[None, :]
        wrong += float((better * ((ahead < 0) + 0.5 * (ahead == 0))).sum())
        total += float(better.sum())
    return wrong / total if total else 0.5


def _checked(scores: ArrayLike, grades: ArrayLike, k: int) -> tuple[Array, Array]:
    s, g = np.asarray(scores, dtype=np.float64), np.asarray(grades, dtype=np.float64)
    if s.ndim != 1 or s.shape != g.shape:
        raise ValueError(f"scores and grades must be two lists of one length, not {s.shape} and {g.shape}")
    if np.isnan(s).any():
        raise ValueError("a score is not a number")
    if k < 1:
        raise ValueError(f"k must be 1 or more, not {k}")
    return s, g


def _ties(scores: Array, until: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield (first place from 0, positions of the equal scores), best score first, of places before `until`."""
    order = np.argsort(-scores, kind="stable")
    edges = [0, *(np.flatnonzero(np.diff(scores[order])) + 1).tolist(), scores.size]
    for start, end in pairwise(edges):
        if start >= until:
            break
        if end > start:
            yield start, order[start:end]


def _first_hit(start: int, size: int, relevant: int) -> float:
    """Return the mean of 1 / (start + j), where j is the place of the first of `relevant` hits among `size` ties."""
    mean, none_before = 0.0, 1.0
    for j in range(1, size - relevant + 2):
        here = relevant / (size - j + 1)
        mean += none_before * here / (start + j)
        none_before *= 1.0 - here
    return mean
