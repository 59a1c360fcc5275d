"""How close papers are to an interest, from their similarities to what it holds."""

from __future__ import annotations

import numpy as np

from recommender.types import FloatArray

NEAREST = 3
"""Liked papers that "the nearest" are. A topic counts as three, so it can be all of them."""


def closeness(similarities: FloatArray, mass: FloatArray) -> FloatArray:
    """Return the weighted mean over the profile plus the mean of the three nearest, shape (n,).

    `similarities` is (n_profile, n) and `mass` (n_profile,), newest 1 or more. For the nearest, a similarity counts in
    proportion to the paper's mass against the greatest: an old like attracts less by itself, too.
    """
    if not mass.size:
        return np.zeros(similarities.shape[1], np.float32)
    mean = np.einsum("i,ij->j", mass / mass.sum(), similarities)
    here = np.ascontiguousarray((similarities * (mass / mass.max())[:, None]).T)
    if mass.size > NEAREST:
        here = np.partition(here, mass.size - NEAREST, axis=1)[:, -NEAREST:]
    total: FloatArray = mean + here.mean(axis=1)
    return total


def coefficients(similarities: FloatArray, mass: FloatArray) -> FloatArray:
    """Return what each profile row is multiplied by in `closeness` of one paper, (n_profile,), of (n_profile,)."""
    if not mass.size:
        return np.zeros(0, np.float32)
    share = mass / mass.max()
    nearest = np.argsort(-similarities * share, kind="stable")[:NEAREST]
    result: FloatArray = mass / mass.sum()
    result[nearest] += share[nearest] / np.float32(nearest.size)
    return result
