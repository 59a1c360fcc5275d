"""Sums by interest over the rows of one matrix that many interests share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recommender.types import FloatArray, RowArray

_TOGETHER = 32
"""Interests summed together: what is added up for them stays in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Group:
    """Some interests, those of most rows first.

    `interests` (g,) are their numbers, `sizes` (g,) their rows' number. `places` (most, g) are the rows, `share`
    (most, g) their mass against the greatest of the interest, and `active` (most,) says how many have one more.
    """

    interests: RowArray
    sizes: RowArray
    places: RowArray
    share: FloatArray
    active: list[int]


def grouped(places: Sequence[RowArray], mass: Sequence[FloatArray]) -> list[Group]:
    """Return the interests that have any rows in groups of similar size; `mass` and `places` are one each."""
    sizes = np.array([len(some) for some in places], np.int64)
    order = np.argsort(-sizes, kind="stable")[: int((sizes > 0).sum())]
    groups = []
    for start in range(0, order.size, _TOGETHER):
        chosen = order[start : start + _TOGETHER]
        most = int(sizes[chosen[0]])
        rows, share = np.zeros((most, chosen.size), np.int64), np.zeros((most, chosen.size), np.float32)
        for at, number in enumerate(chosen.tolist()):
            rows[: sizes[number], at] = places[number]
            share[: sizes[number], at] = mass[number] / mass[number].max()
        active = (sizes[chosen] > np.arange(most)[:, None]).sum(axis=1).tolist()
        groups.append(Group(chosen, sizes[chosen], rows, share, active))
    return groups


def closenesses(similarities: FloatArray, groups: Sequence[Group], out: FloatArray) -> None:
    """Put what `closeness` gives each interest into `out` (n_interests, n); `similarities` are (n_rows, n).

    Interests without rows keep what `out` holds. The three nearest are kept in order while the rows go by.
    """
    for group in groups:
        shape = (group.interests.size, similarities.shape[1])
        total, near = np.zeros(shape, np.float32), np.full((3, *shape), -np.inf, np.float32)
        for places, share, n in zip(group.places, group.share, group.active, strict=True):
            found = similarities[places[:n]]
            found *= share[:n, None]
            total[:n] += found
            for best in near[:2, :n]:
                larger = np.maximum(best, found)
                np.minimum(best, found, out=found)
                best[:] = larger
            np.maximum(near[2, :n], found, out=near[2, :n])
        near[1, group.sizes < 2] = near[2, group.sizes < 3] = 0.0
        total /= group.share.sum(axis=0)[:, None]
        total += near.sum(axis=0) / np.minimum(group.sizes, 3).astype(np.float32)[:, None]
        out[group.interests] = total


def greatest(matrices: Sequence[FloatArray], groups: Sequence[Group], out: FloatArray) -> None:
    """Put the greatest sum of the matrices, (n_rows, n) each, over the rows of each interest into `out`."""
    for group in groups:
        best = np.full((group.interests.size, out.shape[1]), -np.inf, np.float32)
        for places, n in zip(group.places, group.active, strict=True):
            found = sum((matrix[places[:n]] for matrix in matrices[1:]), matrices[0][places[:n]])
            np.maximum(best[:n], found, out=best[:n])
        out[group.interests] = best
