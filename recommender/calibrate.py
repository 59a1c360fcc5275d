"""From scores to probabilities: how likely somebody is to like a paper that an interest gives a score.

Ratings are scarce, so a calibration starts from a prior and moves away from it as ratings come: what holds for the
crowd is the prior of each interest. Up to 500 ratings it is Platt's sigmoid (Platt, "Probabilistic outputs for support
vector machines", 1999), above that it is isotonic (Zadrozny and Elkan, KDD 2002).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recommender.isotonic import Knots, isotonic, least
from recommender.platt import platt, sigmoid

Array = NDArray[np.float64]

ISOTONIC = 500
"""Ratings from which on the shape is learnt as well."""

TOLD = 20
"""Ratings from which on a probability is a fact worth telling a person, not a guess of ours."""

WEIGHT = 4.0
"""How firmly the prior holds: 1 / variance of the offset and of the slope's logarithm; in a block of many, ratings."""

_FLATTEST = 1e-3  # log-odds per score: scores that tell nothing leave it to wishes, within numbers that can be added


@dataclass(frozen=True, slots=True)
class Calibration:
    """p = 1 / (1 + exp(-(offset + slope * x))), or, of many ratings, a rising line through `knots`.

    x is the score, or, of an interest in a crowd, ln(q / (1 - q)) of the `crowd`'s probability q. `knots` are (score,
    probability) pairs that rise. `n` is the number of ratings behind it; of an interest in a crowd, the crowd's.
    """

    offset: float
    slope: float
    n: int = 0
    knots: Knots = ()
    crowd: Calibration | None = None

    @property
    def steepness(self) -> float:
        """Return how much log-odds one of score is worth, more than 0; of a line through knots, by its sigmoid."""
        return max(self.slope * (self.crowd.steepness if self.crowd else 1.0), _FLATTEST)

    def probability(self, scores: ArrayLike) -> Array:
        """Return the probability of each score, of the same shape, between 0 and 1; 0 for what is no number."""
        s = np.asarray(scores, np.float64)
        if self.knots:
            at, p = zip(*self.knots, strict=True)
            found = np.interp(s, at, p)
        else:
            found = sigmoid(self.offset + self.slope * _input(s, self.crowd))
        return np.where(np.isnan(s), 0.0, found)

    def least(self, probability: float) -> float:
        """Return the least score that has this probability; infinite where none has it, minus infinite where all do."""
        if self.knots:
            return least(self.knots, probability)
        if not 0.0 < probability < 1.0:
            return -math.inf if probability <= 0.0 else math.inf
        x = (math.log(probability / (1.0 - probability)) - self.offset) / self.slope
        return x if self.crowd is None else self.crowd.least(1.0 / (1.0 + math.exp(-x)))


PRIOR = Calibration(math.log(1 / 4), math.log(6))
"""Before anybody has rated: 0.2, 0.6 and 0.9 for a paper 0, 1 and 2 standard deviations above an interest's mean."""


def calibrate(scores: Sequence[float], liked: Sequence[bool], crowd: Calibration | None = None) -> Calibration:
    """Return the calibration of ratings (n,): scores as they were when the papers were shown, and who liked them.

    Of an interest in a `crowd`, it says how much this interest differs from it. With no ratings it is the crowd's, or
    the prior. Scores that are no finite numbers do not count.

    Raises:
        ValueError: there are not as many scores as ratings.

    """
    s, y = np.asarray(scores, np.float64), np.asarray(liked, np.float64)
    if s.shape != y.shape or s.ndim != 1:
        raise ValueError(f"scores and ratings must be two lists of one length, not {s.shape} and {y.shape}")
    s, y = s[np.isfinite(s)], y[np.isfinite(s)]
    if not s.size:
        return crowd or PRIOR
    centre = np.array([0.0, 0.0] if crowd else [PRIOR.offset, math.log(PRIOR.slope)])
    offset, slope = platt(_input(s, crowd), y, centre, WEIGHT)
    fitted = Calibration(offset, slope, crowd.n if crowd else int(s.size), (), crowd)
    if crowd or s.size <= ISOTONIC:
        return fitted
    return replace(fitted, knots=isotonic(s, y, fitted.probability, WEIGHT))


def error(probabilities: ArrayLike, liked: ArrayLike, bins: int = 10) -> float:
    """Return the expected calibration error, 0 to 1: how far the share liked is from the mean probability, over bins.

    Each bin weighs by its size (Naeini, Cooper and Hauskrecht, AAAI 2015, with bins of equal mass). 0 for no papers.
    """
    p, y = np.asarray(probabilities, np.float64), np.asarray(liked, np.float64)
    pieces = np.array_split(np.argsort(p, kind="stable"), bins)
    return sum(len(at) * abs(float(y[at].mean() - p[at].mean())) for at in pieces if len(at)) / max(len(p), 1)


def _input(s: Array, crowd: Calibration | None) -> Array:
    """Return what the sigmoid is a function of, see `Calibration`."""
    if crowd is None:
        return s
    q = np.clip(crowd.probability(s), 1e-9, 1.0 - 1e-9)
    x: Array = np.log(q / (1.0 - q))
    return x
