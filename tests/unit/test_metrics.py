"""The metrics, against sums over all orders of the ties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recommender.metrics import mrr, ndcg_at_k, pairwise_loss, recall_at_k

lists = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 2), min_size=n, max_size=n), st.lists(st.integers(0, 3), min_size=n, max_size=n)
    )
)


def _orders(scores: list[int]) -> list[tuple[int, ...]]:
    """All orders of the papers that do not contradict the scores."""
    ways = itertools.permutations(range(len(scores)))
    return [way for way in ways if all(scores[a] >= scores[b] for a, b in itertools.pairwise(way))]


def _ndcg(grades: list[int], way: tuple[int, ...], k: int) -> float:
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(grades, reverse=True)[:k]))
    return sum(grades[p] / math.log2(i + 2) for i, p in enumerate(way[:k])) / ideal if ideal else 0.0


def _recall(grades: list[int], way: tuple[int, ...], k: int) -> float:
    hits = sum(g > 0 for g in grades)
    return sum(grades[p] > 0 for p in way[:k]) / hits if hits else 0.0


def _mrr(grades: list[int], way: tuple[int, ...]) -> float:
    return next((1 / (i + 1) for i, p in enumerate(way) if grades[p] > 0), 0.0)


@settings(max_examples=60, deadline=None)
@given(lists, st.integers(1, 7))
def test_ties_count_as_the_mean_over_their_orders(world: tuple[list[int], list[int]], k: int) -> None:
    scores, grades = world
    ways = _orders(scores)
    assert ndcg_at_k(scores, grades, k) == pytest.approx(np.mean([_ndcg(grades, way, k) for way in ways]))
    assert recall_at_k(scores, grades, k) == pytest.approx(np.mean([_recall(grades, way, k) for way in ways]))
    assert mrr(scores, grades) == pytest.approx(np.mean([_mrr(grades, way) for way in ways]))


def test_a_known_case() -> None:
    assert ndcg_at_k([3, 2, 1], [0, 0, 1], 3) == pytest.approx(1 / math.log2(4))
    assert ndcg_at_k([1, 2, 3], [0, 1, 3], 3) == pytest.approx(1.0)
    assert recall_at_k([4, 3, 2, 1], [1, 0, 0, 1], 2) == pytest.approx(0.5)
    assert mrr([4, 3, 2, 1], [0, 0, 1, 1]) == pytest.approx(1 / 3)


def test_pairwise_loss_weighs_a_wrong_pair_by_its_difference() -> None:
    assert pairwise_loss([([3, 2, 1], [5, 3, 1])]) == 0.0
    assert pairwise_loss([([1, 2, 3], [5, 3, 1])]) == 1.0
    assert pairwise_loss([([3, 1, 2], [5, 3, 1])]) == pytest.approx(2 / 8)
    assert pairwise_loss([([1, 1], [5, 1])]) == 0.5
    assert pairwise_loss([([1, 0], [5, 1]), ([0, 1], [2, 1])]) == pytest.approx(1 / 5)


def test_a_constant_scorer_scores_as_chance() -> None:
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 4, 30)
    flat = np.zeros(30)
    draws = [rng.permutation(30) for _ in range(4000)]
    assert pairwise_loss([(flat, grades)]) == 0.5
    assert ndcg_at_k(flat, grades, 10) == pytest.approx(np.mean([ndcg_at_k(d, grades, 10) for d in draws]), abs=0.01)
    assert recall_at_k(flat, grades, 10) == pytest.approx(1 / 3)
    assert mrr(flat, grades) == pytest.approx(np.mean([mrr(d, grades) for d in draws]), abs=0.01)


def test_nothing_to_find() -> None:
    assert ndcg_at_k([], [], 10) == recall_at_k([], [], 10) == mrr([], []) == 0.0
    assert ndcg_at_k([1, 2], [0, 0], 10) == recall_at_k([1, 2], [0, 0], 10) == mrr([1, 2], [0, 0]) == 0.0
    assert pairwise_loss([]) == pairwise_loss([([1, 2], [3, 3])]) == 0.5


def test_refusals() -> None:
    with pytest.raises(ValueError, match="not a number"):
        mrr([float("nan")], [1])
    with pytest.raises(ValueError, match="one length"):
        ndcg_at_k([1, 2], [1], 10)
    with pytest.raises(ValueError, match="k must be"):
        recall_at_k([1], [1], 0)
