"""The steps of centroid discriminant analysis: the line between centroids, what turns it, and the weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recommender.cut import Floats

FLAT = 1e-9
"""A difference of centroids this much shorter than the centroids themselves is rounding."""


def between(X: Any, target: NDArray[np.bool_], weights: Floats) -> Floats:  # noqa: N803
    """Return the unit vector from the weighted centroid of the others to that of the target, zeros if they are one."""
    one, other = (np.asarray(X.T @ np.where(side, weights, 0) / weights[side].sum()) for side in (target, ~target))
    apart: Floats = one - other
    length = np.linalg.norm(apart)
    if length <= FLAT * max(np.linalg.norm(one), np.linalg.norm(other)):
        return np.zeros_like(apart)
    return apart / length


def upright(vector: Floats, line: Floats) -> Floats:
    """Return the part of a unit vector that is orthogonal to a unit line, of unit length; zeros if there is none."""
    rest = vector - (vector @ line) * line
    rest -= (rest @ line) * line  # once more: the first time leaves rounding where the two are nearly one
    length = np.linalg.norm(rest)
    return rest / length if length > FLAT else np.zeros_like(rest)


def turns(n: int) -> Floats:
    """Return (cos, sin) of n angles from -90° to 90°, (n, 2), the smallest turn first; with n odd that is none."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, n)
    angles = angles[np.argsort(np.abs(angles), kind="stable")]
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def reweighted(weights: Floats, distances: Floats) -> Floats:
    """Return weights · (max d + min d − d), in the mean 1, with d the distances from the cut over their sum.

    Only their ratios matter, and products of 50 steps would underflow.
    """
    total = distances.sum()
    if total <= 0:
        return weights
    shares = distances / total
    found = weights * (shares.max() + shares.min() - shares)
    return found / found.mean() if found.sum() > 0 else weights
