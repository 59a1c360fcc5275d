"""Relevance weights: the words that set what an interest likes apart from all papers, however many it likes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.rankers._vectors import idf
from recommender.types import FloatArray

PRIOR = 0.1
"""Papers added to those with and to those without a word, so that one like is no certainty."""


def relevance(index: Index, held: csr_matrix, mass: FloatArray) -> csr_matrix:
    """Turn sums into relevance weights, in place, and return them: term weights of m interests, (m, n_terms).

    `held` (m, n_terms) is the mass of the likes that hold a term, `mass` (m,) that of all likes. The weight of a term
    that r of R liked papers and df of N papers hold is ln((r + p) / (R - r + p)) + ln((N - df + 1/2) / (df + 1/2)), or
    0 if that is less (Robertson and Spärck Jones, "Relevance weighting of search terms", 1976, with p = `PRIOR` instead
    of 1/2). It is divided by idf, since papers are multiplied by theirs, and below r = 1 multiplied by r: the formula
    alone gives the rare words of a like that is too old to count as much as those of others.
    """
    df = index.df[held.indices].astype(np.float64)
    with_it = held.data.astype(np.float64)
    without = np.maximum(np.repeat(mass, np.diff(held.indptr)) - with_it, 0.0)
    odds = np.log((with_it + PRIOR) / (without + PRIOR)) + np.log((np.maximum(len(index) - df, 0.0) + 0.5) / (df + 0.5))
    held.data = (np.maximum(odds, 0.0) * np.minimum(with_it, 1.0) / idf(index, held.indices)).astype(np.float32)
    held.eliminate_zeros()
    return held


def holding(words: csr_matrix) -> csr_matrix:
    """Return which of the rows (n, n_terms) hold which terms: 1 each."""
    return csr_matrix((np.ones(words.nnz, np.float32), words.indices, words.indptr), shape=words.shape)
