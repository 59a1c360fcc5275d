"""How well the words of a query fit each paper: BM25 over its text, and its authors' names."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from recommender import text
from recommender.index import Index
from recommender.keys import name_key
from recommender.postings import Floats, column, idf, postings, sizes

K1, B = 1.2, 0.75
"""Saturation and length normalisation of BM25 (Robertson and Zaragoza, 2009)."""
MOST_WORDS = 64
"""Words of a query that count: the rarest."""


def words(index: Index, query: str) -> Floats:
    """Return BM25 of each row, (n_rows,), over title (weighted), abstract and keywords, as a share of the best."""
    scores = np.zeros(index.n_rows)
    hashes = np.unique(text.term_hashes(query))
    found = postings(index, hashes[(hashes & np.uint64(3)) == text.WORD].tolist())
    found = [one for one in found if len(one.rows)]
    if not found:
        return scores
    rarity = idf(index, sizes(found))
    rarest = np.argsort(-rarity, kind="stable")[:MOST_WORDS].tolist()
    rarity /= rarity[rarest].sum()
    lengths = column(index, "lengths")
    mean = float(lengths.mean() if len(index) == index.n_rows else lengths[index.live].mean())
    slope = K1 * B / max(mean, 1e-9)
    for at in rarest:
        rows, weights = found[at].rows, found[at].weights
        scores[rows] += rarity[at] * weights / (weights + (slope * lengths[rows] + K1 * (1 - B)))
    return scores


def names(index: Index, plain: str) -> Floats:
    """Return how far the words of a `text.plain` query are names of each row's authors, (n_rows,).

    A word counts by how much oftener papers have an author of that name than use the word ("Bengio" in full, "Long"
    hardly), and by its rarity as either. First and last name of one author, in any order, count once more.
    """
    scores = np.zeros(index.n_rows)
    parts = list(dict.fromkeys(part for part in plain.split() if len(part) > 1))[:MOST_WORDS]
    named = postings(index, [name_key(part) for part in parts])
    if not any(len(one.rows) for one in named):
        return scores
    used = postings(index, text.hash_terms([text.stem(part) for part in parts]).tolist())
    counts = np.stack([sizes(named), sizes(used)], axis=1)
    rarity = idf(index, counts.max(axis=1))
    shares = np.sqrt(counts[:, 0] / np.maximum(counts.sum(axis=1), 1)) * rarity / max(float(rarity.sum()), 1e-9)
    for name, share in zip(named, shares.tolist(), strict=True):
        scores[name.rows] += share
    for both in postings(index, [name_key(*pair) for pair in pairwise(parts)]):
        scores[both.rows] += 1.0
    return scores
