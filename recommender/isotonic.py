"""A rising line through ratings of any shape (Zadrozny and Elkan, KDD 2002)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Knots = tuple[tuple[float, float], ...]


def isotonic(s: Array, y: Array, guess: Callable[[Array], Array], weight: float) -> Knots:
    """Return (score, probability) at both ends of each block of an isotonic regression of ratings on scores.

    Scores `s` and ratings `y` (0 or 1) are (n,). Each block is drawn in by `weight` ratings of the probability that
    `guess` gives its mean score: none is 0 or 1.
    """
    from scipy.optimize import isotonic_regression  # ranking must not wait for it

    order = np.argsort(s, kind="stable")
    s, y = s[order], y[order]
    levels = isotonic_regression(y).x
    blocks = np.split(np.arange(s.size), np.flatnonzero(np.diff(levels)) + 1)
    middle = guess(np.array([s[block].mean() for block in blocks]))
    drawn = [
        (levels[block[0]] * len(block) + weight * p) / (len(block) + weight)
        for block, p in zip(blocks, middle, strict=True)
    ]
    found = np.maximum.accumulate(np.array(drawn))
    ends = [(float(s[at]), float(p)) for block, p in zip(blocks, found, strict=True) for at in (block[0], block[-1])]
    return tuple(dict(sorted(ends)).items())


def least(knots: Knots, probability: float) -> float:
    """Return the least score whose probability is this high; infinite where none is, minus infinite where all are."""
    at, p = (np.array(one) for one in zip(*knots, strict=True))
    place = int(np.searchsorted(p, probability))  # the first knot that has it
    if place in (0, len(p)):
        return math.inf if place else -math.inf
    share = (probability - p[place - 1]) / (p[place] - p[place - 1])
    return float(at[place - 1] + share * (at[place] - at[place - 1]))
