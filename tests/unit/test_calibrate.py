"""Probabilities are what they say: on ratings whose true probabilities are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recommender.calibrate import ISOTONIC, PRIOR, Calibration, calibrate, error


def rated(n: int, seed: int, truth: Calibration | None = None) -> tuple[list[float], list[bool]]:
    """Return scores and ratings drawn with the probabilities of `truth`, or of a step at 1.5 that is no sigmoid."""
    rng = np.random.default_rng(seed)
    s = rng.normal(1.0, 1.0, n)
    p = truth.probability(s) if truth else np.where(s > 1.5, 0.75, 0.15)
    return s.tolist(), (rng.random(n) < p).tolist()


def test_the_prior_holds_until_somebody_rates() -> None:
    assert calibrate([], []) is PRIOR
    assert calibrate([math.nan, math.inf], [True, False]) is PRIOR
    assert PRIOR.probability([0.0, 1.0, 2.0]).round(1).tolist() == [0.2, 0.6, 0.9]


def test_one_rating_moves_it_a_little() -> None:
    one = calibrate([1.0], [False])
    assert 0.4 < one.probability(1.0) < PRIOR.probability(1.0)
    assert one.n == 1


def test_a_sigmoid_is_found_again() -> None:
    truth = Calibration(-0.5, 0.7)
    found = calibrate(*rated(ISOTONIC, 1, truth))
    assert not found.knots
    grid = np.linspace(-1, 3, 9)
    assert np.abs(found.probability(grid) - truth.probability(grid)).max() < 0.06
    fresh = rated(5_000, 2, truth)
    assert error(found.probability(fresh[0]), fresh[1]) < 0.04 < error(PRIOR.probability(fresh[0]), fresh[1])


def test_many_ratings_also_tell_the_shape() -> None:
    few, many = calibrate(*rated(ISOTONIC, 3)), calibrate(*rated(4_000, 3))
    fresh = rated(5_000, 4)
    assert many.knots
    assert error(many.probability(fresh[0]), fresh[1]) < 0.03 < error(few.probability(fresh[0]), fresh[1])
    assert 0.0 < many.probability(-9.0) < many.probability(9.0) < 1.0


def test_what_an_interest_rates_adds_to_what_the_crowd_rates() -> None:
    crowd = calibrate(*rated(400, 5))
    assert calibrate([], [], crowd) is crowd
    own = calibrate([1.0] * 10, [False] * 10, crowd)
    assert own.probability(1.0) < 0.6 * crowd.probability(1.0)
    assert own.n == 400


def test_the_crowds_shape_is_kept_by_an_interest_of_few_ratings() -> None:
    crowd = calibrate(*rated(4_000, 5))
    assert crowd.knots
    own = calibrate([1.0], [True], crowd)
    assert abs(own.probability(2.5) - crowd.probability(2.5)) < 0.1


def test_lists_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        calibrate([1.0], [])


def test_the_error_of_a_known_case() -> None:
    assert error([0.5, 0.5, 0.5, 0.5], [1, 0, 1, 0], bins=1) == 0.0
    assert error([0.9, 0.9], [1, 0], bins=1) == pytest.approx(0.4)
    assert error([], []) == 0.0


SCORES = st.floats(-50, 50, allow_nan=False)


@given(st.lists(st.tuples(SCORES, st.booleans()), max_size=40), st.floats(0.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_it_rises_and_can_be_turned_round(ratings: list[tuple[float, bool]], wanted: float) -> None:
    found = calibrate([s for s, _ in ratings], [y for _, y in ratings])
    told = found.probability(np.linspace(-60, 60, 50))
    assert ((told >= 0) & (told <= 1)).all()
    assert (np.diff(told) >= 0).all()
    least = found.least(wanted)
    if math.isfinite(least):
        assert found.probability(least) == pytest.approx(wanted, abs=1e-6)


@given(st.floats(0.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_an_isotonic_one_can_be_turned_round(wanted: float) -> None:
    found = _MANY
    least = found.least(wanted)
    if math.isfinite(least):
        assert found.probability(least) == pytest.approx(wanted, abs=1e-6)
    elif least > 0:
        assert found.probability(1e9) < wanted
    else:
        assert found.probability(-1e9) >= wanted


_MANY = calibrate(*rated(1_500, 7))
