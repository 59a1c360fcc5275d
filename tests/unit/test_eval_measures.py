"""The metrics of many cases, their intervals, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recommender.evaluate.measures import LOSS, MRR, NDCG, PAIRS, RECALL, measure
from recommender.evaluate.outcome import Outcome
from recommender.evaluate.report import as_json, strata
from recommender.evaluate.table import as_table
from recommender.metrics import mrr, ndcg_at_k, pairwise_loss, recall_at_k

ranked = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0, 3.0])), min_size=1, max_size=9)


@given(ranked)
@settings(max_examples=100, deadline=None)
def test_a_case_has_the_metrics_of_the_library(world: list[tuple[int, float]]) -> None:
    scores, grades = map(np.array, zip(*world, strict=True))
    found = measure(scores, grades)
    assert found[NDCG] == (ndcg_at_k(scores, grades, 10), 1.0)
    assert found[RECALL] == (recall_at_k(scores, grades, 100), 1.0)
    assert found[MRR] == (mrr(scores, grades), 1.0)
    wrong, weight = found[LOSS]
    assert (wrong / weight if weight else 0.5) == pytest.approx(pairwise_loss([(scores, grades)]))
    apart = [(a, b) for a in range(len(world)) for b in range(len(world)) if grades[a] > grades[b]]
    right = sum(1.0 if scores[a] > scores[b] else 0.5 if scores[a] == scores[b] else 0.0 for a, b in apart)
    assert found[PAIRS][0] == pytest.approx(right)
    assert found[PAIRS][1] == len(apart)


def test_users_weigh_in_the_loss_by_their_pairs_and_else_alike() -> None:
    cases = [([1, 0], [5, 1]), ([0, 1], [2, 1])]
    found = outcome({"one": [[measure(*case) for case in cases]]})
    assert found.values("one", LOSS).tolist() == [pytest.approx(1 / 5)]
    assert found.values("one", PAIRS).tolist() == [0.5]
    assert found.values("one", NDCG)[0] == pytest.approx(np.mean([ndcg_at_k(*case, 10) for case in cases]))


def outcome(found: dict[str, list[list[dict[str, tuple[float, float]]]]], groups: str = "") -> Outcome:
    """Return an outcome: of each ranker, each seed and each case."""
    first = next(iter(found.values()))[0]
    sums = {
        name: {metric: np.array([[case[metric] for case in cases] for cases in drawn]) for metric in first[0]}
        for name, drawn in found.items()
    }
    names = groups or "".join(chr(97 + at) for at in range(len(first)))
    return Outcome("toy", tuple(names), np.arange(1, len(first) + 1), sums)


def coins(n: int, heads: int) -> list[dict[str, tuple[float, float]]]:
    return [{MRR: (float(at < heads), 1.0)} for at in range(n)]


def test_the_interval_of_coins_is_that_of_the_binomial() -> None:
    found = outcome({"one": [coins(100, 50)]}, "".join(chr(200 + at) for at in range(100))).interval("one", MRR)
    assert found.mean == 0.5
    assert found.low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.012)
    assert found.high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.012)


def test_cases_of_a_group_are_one_witness() -> None:
    wide = outcome({"one": [coins(100, 50)]}, "".join(chr(200 + at // 10) for at in range(100))).interval("one", MRR)
    assert wide.mean == 0.5
    assert wide.high - wide.low > 0.5, "ten coins, not a hundred"


def test_a_difference_is_paired() -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(50)
    better = [[{MRR: (float(value) + 0.1, 1.0)} for value in hard]]
    worse = [[{MRR: (float(value), 1.0)} for value in hard]]
    found = outcome({"tfidf": worse, "one": better}, "".join(chr(200 + at) for at in range(50)))
    apart = found.interval("one", MRR, "tfidf")
    assert (apart.mean, apart.low, apart.high) == pytest.approx((0.1, 0.1, 0.1))
    alone = found.interval("one", MRR)
    assert alone.high - alone.low > 0.1
    same = found.interval("tfidf", MRR, "tfidf")
    assert (same.mean, same.low, same.high) == (0.0, 0.0, 0.0)


def test_seeds_are_averaged_and_their_spread_is_told() -> None:
    found = outcome({"one": [coins(4, 1), coins(4, 2), coins(4, 3)]})
    assert found.values("one", MRR).tolist() == [0.25, 0.5, 0.75]
    spread = found.spread("one", MRR)
    assert (spread.mean, spread.low, spread.high) == (0.5, 0.25, 0.75)
    assert found.interval("one", MRR).mean == 0.5


def test_nothing_to_order_is_chance() -> None:
    found = outcome({"one": [[measure([1, 2], [3, 3])]]})
    assert found.interval("one", LOSS) == found.interval("one", PAIRS)
    assert found.interval("one", LOSS).mean == 0.5


def test_json_has_one_shape() -> None:
    made = as_json(outcome({"tfidf": [coins(3, 1)], "one": [coins(3, 2)]}))
    assert list(made) == ["toy", "toy (1 paper)", "toy (2 to 5 papers)", "toy (seeds)", "toy (minus tfidf)"]
    for rankers in made.values():
        for metrics in rankers.values():
            for found in metrics.values():
                assert list(found) == ["mean", "low", "high"]
                assert found["low"] <= found["mean"] <= found["high"]
                assert all(type(value) is float for value in found.values())
    assert made["toy"]["one"][MRR]["mean"] == pytest.approx(2 / 3)
    assert made["toy (1 paper)"]["tfidf"][MRR]["mean"] == 1.0
    assert list(made["toy (minus tfidf)"]) == ["one"]


def test_strata_are_by_size_of_the_profile() -> None:
    sizes = [1, 2, 5, 6, 20, 21, 500]
    many = Outcome("toy", tuple("abcdefg"), np.array(sizes), outcome({"one": [coins(7, 3)]}).sums)
    assert [(one.name, one.sizes.tolist()) for one in strata(many)] == [
        ("toy (1 paper)", [1]),
        ("toy (2 to 5 papers)", [2, 5]),
        ("toy (6 to 20 papers)", [6, 20]),
        ("toy (21 papers or more)", [21, 500]),
    ]
    assert strata(many.where(many.sizes > 20, "old")) == []


def test_the_table_has_a_row_a_ranker_and_the_difference_to_the_baseline() -> None:
    rows = as_table(outcome({"tfidf": [coins(4, 1)], "one": [coins(4, 2)]}), [MRR]).splitlines()
    assert rows[0] == "| ranker | mrr | − tfidf |"
    assert rows[2].startswith("| tfidf | 0.250 [")
    assert rows[3].startswith("| one | 0.500 [")
    assert "| +0.250 [+0.000, " in rows[3]
    assert "−" not in as_table(outcome({"one": [coins(4, 2)]}), [MRR])
