"""What came out of a task, with intervals: bootstrapped by group, paired against another ranker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS, LOW, HIGH = 2000, 2.5, 97.5
NOTHING = 0.5
"""The metric of no pairs at all: chance."""

Sums = NDArray[np.float64]
"""Sums and weights of one metric, (n_seeds, n_cases, 2)."""


@dataclass(frozen=True, slots=True)
class Range:
    """A mean and what 95 % of the draws of a bootstrap lie between, or all the seeds."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Sums of every ranker and metric over the cases of a task; each case's group and profile size, (n_cases,)."""

    name: str
    groups: tuple[str, ...]
    sizes: NDArray[np.int64]
    sums: Mapping[str, Mapping[str, Sums]]

    def where(self, kept: NDArray[np.bool_], name: str) -> Outcome:
        """Return the outcome of some of the cases, (n_cases,), under another name."""
        groups = tuple(group for group, keep in zip(self.groups, kept.tolist(), strict=True) if keep)
        sums = {key: {name: one[:, kept] for name, one in found.items()} for key, found in self.sums.items()}
        return Outcome(name, groups, self.sizes[kept], sums)

    def values(self, ranker: str, metric: str) -> NDArray[np.float64]:
        """Return the metric under each seed, (n_seeds,)."""
        return _ratios(self.sums[ranker][metric].sum(axis=1))

    def spread(self, ranker: str, metric: str) -> Range:
        """Return the mean over the seeds, and the lowest and the highest."""
        found = self.values(ranker, metric)
        return Range(float(found.mean()), float(found.min()), float(found.max()))

    def interval(self, ranker: str, metric: str, against: str = "") -> Range:
        """Return the mean over the seeds, or its difference to another ranker's, with its 95 % interval.

        Groups of cases are drawn with replacement, the same for both rankers (the paired percentile bootstrap of Efron
        and Tibshirani, "An introduction to the bootstrap", 1993).
        """
        mean, drawn = self._drawn(ranker, metric)
        if against:
            other, others = self._drawn(against, metric)
            mean, drawn = mean - other, drawn - others
        low, high = np.percentile(drawn, [LOW, HIGH])
        return Range(mean, float(low), float(high))

    def _drawn(self, ranker: str, metric: str) -> tuple[float, NDArray[np.float64]]:
        """Return the mean over the seeds, and the same of each draw, (DRAWS,)."""
        _, places = np.unique(np.array(self.groups), return_inverse=True)
        n = int(places.max()) + 1
        members = np.zeros((n, places.size))
        members[places, np.arange(places.size)] = 1.0
        grouped = np.einsum("gc,scx->sgx", members, self.sums[ranker][metric])
        times = np.random.default_rng(0).multinomial(n, np.full(n, 1.0 / n), DRAWS).astype(np.float64)
        means = _ratios(np.einsum("dg,sgx->dsx", times, grouped)).mean(axis=1)
        return float(self.values(ranker, metric).mean()), means


def _ratios(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums / weights of (..., 2), `NOTHING` where nothing weighs."""
    weights = sums[..., 1]
    return np.where(weights > 0, sums[..., 0] / np.where(weights > 0, weights, 1.0), NOTHING)
