"""What all rankers share: the corpus is the index's, and a score is the sum of parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.rankers._vectors import unit
from recommender.types import FloatArray, Interest, Paper, RowArray

FLAT = 1e-6
"""Standard deviations below this are rounding: the papers do not differ."""


class Base:
    """A ranker over an index. It has a `name`, `parts`, and `query` and `near` if it can tell what raises a paper."""

    name = ""

    def __init__(self, index: Index) -> None:
        self.index = index

    def fit(self, papers: Sequence[Paper]) -> None:
        """Replace the corpus by `papers` and learn from it: rare, in the background."""
        self.index.clear()
        self.index.append(papers)
        self.index.fit()

    def append(self, papers: Sequence[Paper]) -> None:
        """Add papers without learning."""
        self.index.append(papers)

    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        """Return float32 scores of shape (n_interests, n_rows): the sums of `parts`, finite, higher is better.

        A single call and a batch give the same numbers, but for rounding.

        Raises:
            IndexError: a row is not one of the index.

        """
        rows = np.asarray(rows, np.int64)
        if rows.size and not 0 <= rows.min() <= rows.max() < self.index.n_rows:
            raise IndexError(f"rows must be 0 to {self.index.n_rows - 1}")
        if not rows.size or not interests:
            return np.zeros((len(interests), rows.size), np.float32)
        result = self.sums(interests, rows)
        if not np.isfinite(result).all():
            np.nan_to_num(result, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
        return result

    def sums(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        """Return the sums of `parts`, (n_interests, n_rows), one interest after the other."""
        result = np.zeros((len(interests), rows.size), np.float32)
        for scores, interest in zip(result, interests, strict=True):
            for part in self.parts(interest, rows).values():
                scores += part
        return result

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the named parts, each of shape (n_rows,), that sum to the score of one interest."""
        raise NotImplementedError

    def query(self, interest: Interest, row: int) -> csr_matrix:
        """Return term weights q, (1, n_terms): a paper's words give it q times what `own` says. Zeros: cannot tell.

        The weights may depend on the paper (`row`), since its nearest liked papers count more than others.
        """
        del interest, row
        return csr_matrix((1, self.index.n_terms), dtype=np.float32)

    def own(self, row: int) -> csr_matrix:
        """Return the term weights of a paper, (1, n_terms), which those of `query` are multiplied by."""
        return unit(self.index, self.index.counts([row]))

    def near(self, interest: Interest, row: int) -> int:
        """Return the row of the liked paper that a paper is nearest to, -1 if there is none or it cannot be told."""
        del interest, row
        return -1


def spread(values: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation; (0, 1) of nothing, and a deviation of 1 where it is rounding only."""
    if not values.size:
        return 0.0, 1.0
    mean = float(values.sum(dtype=np.float64)) / values.size
    apart = values - np.float32(mean)
    deviation = float(np.sqrt(apart @ apart / values.size))
    return mean, deviation if deviation > FLAT else 1.0


def standardise(values: FloatArray, reference: FloatArray) -> FloatArray:
    """Return (values - mean) / deviation, with the mean and the deviation of `reference`; see `spread`."""
    mean, deviation = spread(reference)
    return (values - np.float32(mean)) / np.float32(deviation)


def spreads(values: FloatArray, counted: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of each row of `values` (m, n) over the columns `counted` (m, n), (m, 1) each.

    They are 0 and 1 where nothing is counted, and the deviation is 1 where it is rounding only.
    """
    size = np.maximum(counted.sum(axis=1, keepdims=True), 1)
    mean = ((values * counted).sum(axis=1, keepdims=True, dtype=np.float64) / size).astype(np.float32)
    apart = (values - mean) * counted
    deviation = np.sqrt(np.einsum("ij,ij->i", apart, apart)[:, None] / size).astype(np.float32)
    return mean, np.where(deviation > FLAT, deviation, np.float32(1.0))
