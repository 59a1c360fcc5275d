"""The promise of strictness: its bound is exact for any reader, and its start is right on average."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recommender.promise import ALPHA, ETA, LOOSEST, PLAIN, Rated, after, bound, start

NAMES = st.sampled_from(list(ALPHA))
# one digest: the probabilities of the papers that came, and which of them the reader would mark "less"
DIGEST = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=8)


def shown(papers: list[tuple[float, bool]], tau: float, places: int) -> list[bool]:
    """Return who is marked "less" of the papers that a threshold shows, the best first."""
    return [less for p, less in sorted(papers, reverse=True) if p >= tau][:places]


@given(NAMES, st.floats(0, 1), st.lists(DIGEST, min_size=1, max_size=60), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_the_bound_holds_for_any_sequence(
    strictness: str, first: float, days: list[list[tuple[float, bool]]], places: int
) -> None:
    tau, losses = first, []
    for papers in days:
        losses.append(sum(shown(papers, tau, places)) / places)
        tau = after(tau, losses[-1], strictness)
        assert np.mean(losses) <= bound(first, len(losses), strictness) + 1e-9
        assert LOOSEST[strictness] <= tau <= 1.0 + ETA


@pytest.mark.parametrize("strictness", ALPHA)
def test_whoever_marks_everything_is_shown_little(strictness: str) -> None:
    """The hardest reader: every paper is certain, and marked "less"."""
    tau, losses = PLAIN[strictness], []
    for _ in range(400):
        losses.append(float(tau <= 1.0))
        tau = after(tau, losses[-1], strictness)
    assert np.mean(losses) <= bound(PLAIN[strictness], 400, strictness)
    assert np.mean(losses) == pytest.approx(ALPHA[strictness], abs=0.03), "and not less than is needed"


def test_whoever_marks_nothing_is_shown_more_but_not_noise() -> None:
    tau = PLAIN["strict"]
    for _ in range(1_000):
        tau = after(tau, 0.0, "strict")
    assert tau == LOOSEST["strict"] > LOOSEST["normal"]


def test_the_loss_counts_places_and_never_rises_with_the_threshold() -> None:
    one = Rated(5, (0.3, 0.8))
    assert [one.loss(tau) for tau in (0.0, 0.3, 0.31, 0.8, 0.81)] == [0.4, 0.4, 0.2, 0.2, 0.0]
    assert Rated(0).loss(0.0) == 0.0


def test_too_few_digests_allow_no_start() -> None:
    assert start([Rated(5)] * 3, 0.2, 0.6) is None
    assert start([Rated(5)] * 4, 0.2, 0.6) == 0.6
    assert start([], 0.4, 0.0) is None


def test_the_start_is_the_loosest_that_the_crowd_allows() -> None:
    crowd = [Rated(1, (0.7,)), *[Rated(1)] * 9]  # one loss of 1 in ten: (1 + 1) / 11 is within 0.2
    assert start(crowd, 0.2, 0.6) == 0.6
    crowd = [Rated(1, (0.7,)), Rated(1, (0.65,)), *[Rated(1)] * 8]
    assert start(crowd, 0.2, 0.6) == np.nextafter(0.65, 1)
    assert start([Rated(1, (1.0,))] * 10, 0.2, 0.6) == np.nextafter(1.0, 2), "then nothing is shown"


@pytest.mark.parametrize(("n", "near"), [(9, 0.2), (30, 0.06), (100, 0.025)])
def test_the_start_keeps_the_promise_on_average(n: int, near: float) -> None:
    """2,000 crowds of n digests and one more: its mean loss is alpha at most, and near it for a hundred."""
    alpha, places, rng = 0.2, 5, np.random.default_rng(n)

    def digest() -> Rated:
        p = rng.random(places)
        return Rated(places, tuple(p[rng.random(places) > p].tolist()))

    losses = []
    for _ in range(2_000):
        tau = start([digest() for _ in range(n)], alpha, 0.0)
        assert tau is not None
        losses.append(digest().loss(tau))
    error = np.std(losses) / np.sqrt(len(losses))
    assert alpha - near <= np.mean(losses) <= alpha + 3 * error
