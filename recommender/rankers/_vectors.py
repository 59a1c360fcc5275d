"""Unit vectors of papers and topics, and sums of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.types import FloatArray, RowArray

SATURATION = 1.2
"""How soon a word that a paper repeats counts no more: twice counts 1.4 times as much as once, ever so often 2.2."""


def idf(index: Index, columns: NDArray[np.int32] | RowArray) -> NDArray[np.float64]:
    """Return ln((1 + N) / (1 + df)) + 1 of terms, (n,), with live counters: scikit-learn's smooth idf."""
    result: NDArray[np.float64] = np.log((1.0 + len(index)) / (1.0 + index.df[columns])) + 1.0
    return result


def unit(index: Index, counts: csr_matrix) -> csr_matrix:
    """Turn counts, (n, n_terms), into unit rows of binary TF-IDF, in place, and return them.

    So papers count beside papers: one that repeats a word is no nearer to another.
    """
    return _scaled(counts, idf(index, counts.indices))


def said(index: Index, counts: csr_matrix) -> csr_matrix:
    """Turn counts c, (n, n_terms), into unit rows of c / (c + k) * idf, k = `SATURATION`, in place, and return them.

    So papers count beside topics: of two with the words of a topic, the one that says them more often is more about it,
    and the more the less often it has said them so far (BM25's term weight, Robertson and Walker, 1994).
    """
    return _scaled(counts, counts.data / (counts.data + SATURATION) * idf(index, counts.indices))


def _scaled(counts: csr_matrix, weights: NDArray[np.float64]) -> csr_matrix:
    """Put weights, (nnz,), into a matrix, each row scaled to a length of 1."""
    lengths = np.diff(counts.indptr)
    squares = np.bincount(np.repeat(np.arange(lengths.size), lengths), weights * weights, lengths.size)
    counts.data = (weights / np.repeat(np.sqrt(squares), lengths)).astype(np.float32)
    return counts


@dataclass(frozen=True, slots=True)
class Vectors:
    """What an interest is compared by: `words` (n, n_terms) and `meaning` (n, k) are unit rows, `mass` (n,) weights."""

    words: csr_matrix
    meaning: FloatArray
    mass: FloatArray


def vectors(index: Index, rows: RowArray, mass: FloatArray | None = None) -> Vectors:
    """Return the vectors of stored papers, with one weight each (all 1 if none are given)."""
    mass = np.ones(rows.size, np.float32) if mass is None else mass
    return Vectors(unit(index, index.counts(rows)), index.lsa(rows), mass)


def topical(index: Index, topics: Sequence[str]) -> Vectors:
    """Return the vectors of topics, a weight of 1 each."""
    counts = index.vectorise(topics)
    meaning = index.project(counts)
    return Vectors(unit(index, counts), meaning, np.ones(len(topics), np.float32))


def stacked(parts: list[csr_matrix]) -> csr_matrix:
    """Return matrices of one width above each other; scipy's own `vstack` costs more than the ranking of a digest."""
    ends = np.cumsum([part.nnz for part in parts])
    indptr = [parts[0].indptr] + [part.indptr[1:] + end for part, end in zip(parts[1:], ends[:-1], strict=True)]
    data = np.concatenate([part.data for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    rows = sum(part.shape[0] for part in parts)
    return csr_matrix((data, indices, np.concatenate(indptr)), shape=(rows, parts[0].shape[1]))


class Mixture:
    """Sums of the rows of a sparse matrix (n, n_terms) by shares, without an array as wide as the index."""

    def __init__(self, words: csr_matrix) -> None:
        self._columns, self._places = np.unique(words.indices, return_inverse=True)
        self._lengths, self._data, self._width = np.diff(words.indptr), words.data, words.shape[1]

    def of(self, shares: FloatArray) -> csr_matrix:
        """Return shares (n,) @ words (n, n_terms) as a sparse row (1, n_terms), columns sorted."""
        size = self._columns.size
        data = np.bincount(self._places, self._data * np.repeat(shares, self._lengths), size)
        return csr_matrix((data.astype(np.float32), self._columns, [0, size]), shape=(1, self._width))


def mixed(words: csr_matrix, shares: FloatArray) -> csr_matrix:
    """Return shares (n,) @ words (n, n_terms) as a sparse row (1, n_terms), without an array as wide as the index."""
    return Mixture(words).of(shares)
