"""Latent semantic analysis: coordinates of papers in a basis learned from the corpus (Deerwester et al., 1990)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from recommender.text import AREA
from recommender.types import FloatArray

COMPONENTS = 256
MAX_TERMS = 100_000
"""Terms in the basis, those of the highest document frequency; 256 float32 each are 100 MB."""
MIN_DF = 2
ITERATIONS = 4
"""Power iterations of the randomised SVD."""
THREADS = 2

DTYPES = {"cols": "int32", "idf": "float32", "directions": "float32"}
"""What each stored array must be."""

_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class Basis:
    """Frozen at a fit. `cols`: ascending columns (m,); `idf`: (m,); `directions`: V / sqrt(s), (m, k)."""

    cols: NDArray[np.int32]
    idf: FloatArray
    directions: FloatArray

    @property
    def k(self) -> int:
        """Return the number of components."""
        return int(self.directions.shape[1])

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays by name."""
        return {"cols": self.cols, "idf": self.idf, "directions": self.directions}

    def weigh(self, counts: csr_matrix) -> csr_matrix:
        """Return (1 + ln count) * idf of counts (n, n_terms) over the basis' terms, rows of unit length, (n, m).

        Damped counts, where ranking by words takes binary ones: measured better than binary in both.
        """
        if not len(self.cols):
            return csr_matrix((counts.shape[0], 0), dtype=np.float32)
        places = np.searchsorted(self.cols, counts.indices)
        places[places == len(self.cols)] = 0
        held = (self.cols[places] == counts.indices) & (counts.data > 0)
        kept = places[held].astype(np.int32)
        sums = np.concatenate([[0], np.cumsum(held)])
        indptr = sums[counts.indptr]
        lengths = np.diff(indptr)
        data = self.idf[kept] * (1.0 + np.log(counts.data[held]))
        rows = np.repeat(np.arange(len(lengths)), lengths)
        norms = np.sqrt(np.bincount(rows, weights=np.square(data, dtype=np.float64), minlength=len(lengths)))
        data = (data / norms[rows]).astype(np.float32)
        return csr_matrix((data, kept, indptr), shape=(len(lengths), len(self.cols)))

    def project(self, counts: csr_matrix) -> FloatArray:
        """Return coordinates (n, k) of counts (n, n_terms), of unit length; zeros where no term is in the basis.

        The projection U S is divided by sqrt(S): measured better than U S and than U alone.
        """
        result = np.zeros((counts.shape[0], self.k), np.float32)
        for start in range(0, counts.shape[0], _BLOCK):
            block = np.asarray(self.weigh(counts[start : start + _BLOCK]) @ self.directions, np.float32)
            norms = np.sqrt(np.sum(np.square(block, dtype=np.float64), axis=1))
            result[start : start + _BLOCK] = block / np.where(norms > 0, norms, 1)[:, None]
        return result


def empty() -> Basis:
    """Return the basis of nothing: no terms, no components."""
    return Basis(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros((0, 0), np.float32))


def learn(counts: csr_matrix, df: NDArray[np.int32], hashes: NDArray[np.uint64], seed: int = 0) -> Basis:
    """Learn a basis from raw counts (n, n_terms), their document frequencies and the terms' hashes.

    Words and pairs that two papers or more use take part, areas do not; idf is ln((1 + n) / (1 + df)) + 1.
    `seed` is that of the randomised SVD.
    A corpus too small for a basis gets an empty one.
    """
    usable = (df >= MIN_DF) & ((hashes & np.uint64(3)) < AREA)
    if usable.sum() > MAX_TERMS:
        best = np.lexsort((hashes, -df.astype(np.int64) * usable))[:MAX_TERMS]
        usable = np.zeros_like(usable)
        usable[best] = True
    cols = np.flatnonzero(usable).astype(np.int32)
    n = counts.shape[0]
    k = min(COMPONENTS, n - 1, len(cols) - 1)
    if k < 1:
        return empty()
    idf = (np.log((1 + n) / (1 + df[cols].astype(np.float64))) + 1).astype(np.float32)
    frame = Basis(cols, idf, np.zeros((len(cols), 0), np.float32))
    values, directions = _svd(frame.weigh(counts), k, seed)
    strong = values > 1e-4 * values.max(initial=0)
    directions = directions[strong] / np.sqrt(values[strong])[:, None]
    return Basis(cols, idf, np.ascontiguousarray(directions.T, np.float32))


def _svd(matrix: csr_matrix, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return k singular values and right singular vectors (k, m); deterministic.

    This is what TruncatedSVD calls; its explained variance is left out, which divides by zero for papers all the same.
    """
    # Lookups and ranking must not wait for scikit-learn's import; only fitting comes here.
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(limits=THREADS):
        _, values, directions = randomized_svd(matrix, k, n_iter=ITERATIONS, random_state=seed)
    return values, directions
