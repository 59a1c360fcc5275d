"""A sigmoid through ratings (Platt, "Probabilistic outputs for support vector machines", 1999), with a prior."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STEPS = 60  # of Newton's method, which needs about five
_STEEPEST = 4.0  # e to this power is the steepest slope


def sigmoid(z: Array) -> Array:
    """Return 1 / (1 + exp(-z)), which does not overflow this way."""
    result: Array = 0.5 * (1.0 + np.tanh(0.5 * z))
    return result


def platt(x: Array, y: Array, centre: Array, weight: float) -> tuple[float, float]:
    """Return offset and slope of the sigmoid of offset + slope * x that is most probable given ratings.

    `x` and ratings `y` (0 or 1) are (n,). (offset, ln slope) have a normal prior with mean `centre` (2,) and variance
    1 / `weight`. By Newton's method with the expected curvature, each step halved until it helps.
    """
    at, best = centre.copy(), _cost(centre, x, y, centre, weight)
    for _ in range(_STEPS):
        slope = math.exp(at[1])
        p = sigmoid(at[0] + slope * x)
        inner = np.stack([np.ones_like(x), slope * x])
        gradient = inner @ (p - y) + weight * (at - centre)
        curvature = (inner * (p * (1.0 - p))) @ inner.T + weight * np.eye(2)
        step, moved = np.linalg.solve(curvature, gradient), False
        for _ in range(_STEPS):
            there = np.clip(at - step, [-np.inf, -_STEEPEST], [np.inf, _STEEPEST])
            cost = _cost(there, x, y, centre, weight)
            if cost < best - 1e-12:
                at, best, moved = there, cost, True
                break
            step = step / 2.0
        if not moved:
            break
    return float(at[0]), math.exp(at[1])


def _cost(at: Array, x: Array, y: Array, centre: Array, weight: float) -> float:
    """Return the negative logarithm of the ratings' and the prior's probability, but for a constant."""
    z = at[0] + math.exp(at[1]) * x
    return float(np.sum(np.logaddexp(0.0, z) - y * z) + 0.5 * weight * np.sum((at - centre) ** 2))
