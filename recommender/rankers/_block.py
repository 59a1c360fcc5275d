"""Papers to rank, prepared for comparing with many interests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from recommender.index import Index
from recommender.rankers._vectors import Vectors, said, unit
from recommender.types import FloatArray, RowArray

_COMMON = 0.1
"""Terms in more than this share of a block are multiplied as a dense matrix: they are few, but most of the work."""
_CELLS = 1 << 17
"""Products of rare terms held at a time, 32 bytes each, which stay in the processor's cache: those of a crowd and a
whole store would be gigabytes."""


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def _product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return left @ right on one thread: on a busy machine more of them wait for each other longer than it takes."""
    with _threads().limit(limits=1, user_api="blas"):
        product: FloatArray = left @ right
    return product


def _cuts(lengths: RowArray) -> Iterator[slice]:
    """Yield neighbours of which the lengths add up to `_CELLS` at most, or single ones."""
    ends, start = np.cumsum(lengths), 0
    while start < ends.size:
        most = _CELLS + int(ends[start] - lengths[start])
        stop = max(int(np.searchsorted(ends, most, "right")), start + 1)
        yield slice(start, stop)
        start = stop


class Block:
    """Papers to rank, followed by the usual ones, prepared for comparing with many interests.

    The first `n` of the `size` columns of what `words`, `said` and `meanings` return are the papers, the others the
    usual ones, whose rows, `usual`, are given in rising order. `meaning` (k, size) are the coordinates of both.
    """

    def __init__(self, index: Index, rows: RowArray, usual: RowArray) -> None:
        self.n, self.size = rows.size, rows.size + usual.size
        self.usual = usual
        both = np.concatenate([rows, usual])
        counts = index.counts(both)
        found, self._said = unit(index, counts.copy()), partial(said, index, counts)
        columns, places = np.unique(found.indices, return_inverse=True)
        self._narrow = csr_matrix((found.data, places, found.indptr), shape=(both.size, columns.size))
        # one place a term of the index: a search among the block's terms would take a third of a ranking's time
        self._places = np.full(index.n_terms, -1, np.int32)
        self._places[columns] = np.arange(columns.size)
        self._turned: csr_matrix = self._narrow.T.tocsr()
        self._lengths = np.diff(self._turned.indptr)
        self._common = self._lengths > both.size * _COMMON
        self._dense = self._turned[self._common].toarray()
        self._slots = np.where(self._common, np.cumsum(self._common) - 1, -1)
        self.meaning = np.ascontiguousarray(index.lsa(both).T)

    def words(self, words: csr_matrix) -> FloatArray:
        """Return products (n_words, n + n_usual) with term weights, (n_words, n_terms); cosines with unit rows."""
        return self._multiplied(words, self._dense, self._turned.data)

    def said(self, words: csr_matrix) -> FloatArray:
        """Return the same as `words` with papers weighed by how often they say each term: what topics ask for."""
        return self._multiplied(words, *self._often)

    @cached_property
    def _often(self) -> tuple[FloatArray, FloatArray]:
        """Return what `said` weighs by: the common terms as a dense matrix, and all as the data of `_turned`."""
        narrow = csr_matrix((self._said().data, self._narrow.indices, self._narrow.indptr), shape=self._narrow.shape)
        turned = narrow.T.tocsr()
        return turned[self._common].toarray(), turned.data

    def _multiplied(self, words: csr_matrix, matrix: FloatArray, weights: FloatArray) -> FloatArray:
        n, width = words.shape[0], self._turned.shape[1]
        places = self._places[words.indices]
        held = np.flatnonzero(places >= 0)
        places, data = places[held], words.data[held]
        rows, slots = np.repeat(np.arange(n), np.diff(words.indptr))[held], self._slots[places]
        common, rare = np.flatnonzero(slots >= 0), np.flatnonzero(slots < 0)
        dense = np.zeros((n, matrix.shape[0]), np.float32)
        dense[rows[common], slots[common]] = data[common]
        starts, lengths = self._turned.indptr[places[rare]], self._lengths[places[rare]]
        sums = _product(dense, matrix)
        for some in _cuts(lengths):
            first, last = rows[rare[some.start]], rows[rare[some.stop - 1]] + 1
            many = lengths[some]
            flat = np.repeat(starts[some] - np.cumsum(many) + many, many) + np.arange(many.sum())
            cells = np.repeat((rows[rare[some]] - first) * width, many) + self._turned.indices[flat]
            worth = np.repeat(data[rare[some]], many) * weights[flat]
            sums[first:last] += np.bincount(cells, worth, (last - first) * width).reshape(last - first, width)
        return sums

    def meanings(self, meaning: FloatArray) -> FloatArray:
        """Return cosines of shape (n_meaning, n + n_usual) with unit rows of LSA coordinates, (n_meaning, k)."""
        return _product(meaning, self.meaning)

    def similarity(self, those: Vectors) -> FloatArray:
        """Return the sum of both cosines, (n_vectors, n + n_usual): the one measure of what is near to what."""
        return self.words(those.words) + self.meanings(those.meaning)

    def holds(self, columns: RowArray) -> NDArray[np.bool_]:
        """Return which papers hold which terms, (n_columns, n + n_usual)."""
        result = np.zeros((columns.size, self._turned.shape[1]), np.bool_)
        places = self._places[columns]
        if (places >= 0).any():  # an empty selection costs a tenth of a ranking
            result[places >= 0] = self._turned[places[places >= 0]].toarray() > 0
        return result
