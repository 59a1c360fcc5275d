"""How close papers are to interests by dense vectors, where the index has some."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recommender.dense import Dense
from recommender.index import Index
from recommender.profile import TOPIC, Weighted
from recommender.rankers._base import spreads
from recommender.rankers._close import closeness
from recommender.types import FloatArray, RowArray

ENOUGH = 30
"""Usual papers that need a vector: of fewer, nothing can be said of what is usual."""


WEIGHT, ALONE = 1.5, 6.0
"""Weight of the part for an interest of n papers, beside 1 for words: `WEIGHT` + `ALONE` / n.

The fewer papers an interest holds, the less their words say what else it is about: on authors-nlp, people with 4 to 7
papers gain by every weight up to 10, those with more lose, the more the higher it is.
"""


class Density:
    """Compares by the vectors of one index. The papers that were compared last are kept: 1.2 MB for 800 papers."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._last: tuple[Dense | None, bytes, FloatArray] = (None, b"", np.zeros((0, 0), np.float32))

    def part(self, weighted: Sequence[Weighted], both: RowArray, usual: NDArray[np.bool_]) -> FloatArray | None:
        """Return the weighted closeness of papers, in standard deviations over the usual ones, (m, n + n_usual).

        `both` are the rows of the papers and then of the usual ones, `usual` (m, n_usual) which of these count for
        which interest. It is 0, as of a usual paper, where a paper has no vector or an interest holds nothing that has
        one. None without vectors, or with too few to say what is usual.
        """
        dense = self._index.dense
        if dense is None or not weighted:
            return None
        papers = self._papers(dense, both)
        there: NDArray[np.bool_] = np.any(papers, axis=1)
        n = both.size - usual.shape[1]
        if there[n:].sum() < ENOUGH:
            return None
        close = np.zeros((len(weighted), both.size), np.float32)
        weight = np.zeros((len(weighted), 1), np.float32)
        for at, one in enumerate(weighted):
            liked, mass = self.liked(one)
            weight[at] = WEIGHT + ALONE / mass.size if mass.size else 0.0
            close[at] = closeness(liked @ papers.T, mass)
        mean, deviation = spreads(close[:, n:], usual & there[n:])
        result: FloatArray = np.where(there, weight * (close - mean) / deviation, np.float32(0.0))
        return result

    def liked(self, one: Weighted) -> tuple[FloatArray, FloatArray]:
        """Return the vectors of what an interest holds, (n, d), and their mass (n,): topics as `TOPIC` papers each.

        What has no vector is left out.
        """
        dense = self._index.dense or Dense()
        likes, topics = dense.of(self._index.ids(one.likes)), dense.about(one.topics)
        there = likes.any(axis=1)
        vectors = np.concatenate([likes[there], *[topics] * TOPIC])
        return vectors, np.concatenate([one.weights[there], np.ones(TOPIC * len(topics), np.float32)])

    def _papers(self, dense: Dense, rows: RowArray) -> FloatArray:
        known, key, papers = self._last
        if known is not dense or key != rows.tobytes():
            papers = dense.of(self._index.ids(rows))
            self._last = dense, rows.tobytes(), papers
        return papers
