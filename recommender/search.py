"""Lookups: papers for words, for a title with a slip of the pen, and for an author. No learning, no scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recommender import text
from recommender.index import Index
from recommender.segment import name_key, trigram_keys

K1, B = 1.2, 0.75
"""Saturation and length normalisation of BM25 (Robertson and Zaragoza, 2009)."""
TITLE_SHARE = 1.5
"""What a title that holds all trigrams of the query adds, where the words' own best possible score is 1."""
TITLE_POWER = 3
"""Shared trigrams count with this power: a third of a title is chance, four fifths are a slip of the pen."""
TITLE_LEAST = 0.35
"""Share of the query's trigrams below which a title alone is no hit."""
MOST_WORDS, MOST_LETTERS = 64, 300
"""Words of a query that count (the rarest), and the length above which it is no title."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that was found; `exact_title` if the query is its title, give or take case, accents and punctuation."""

    row: int
    score: float
    exact_title: bool = False


@dataclass(frozen=True, slots=True)
class _Posting:
    rows: NDArray[np.int32]
    weights: NDArray[np.uint8]


def search(index: Index, query: str, k: int = 20, mask: NDArray[np.bool_] | None = None) -> list[Hit]:
    """Return up to k hits, best first; among equals the one that came last.

    `mask` (n_rows,) says which rows may be found. Empty for a query without letters and digits. Scores compare within
    one query only: exact titles 10 and above, others 0 to about 4.
    """
    plain = text.plain(query)
    allowed = index.live if mask is None else index.live & mask
    if not plain or k < 1 or not allowed.any():
        return []
    words = _words(index, query)
    scores = words + _names(index, plain)
    if len(plain) <= MOST_LETTERS:
        titles = _titles(index, plain)
        near = np.flatnonzero((titles >= TITLE_LEAST) | (words > 0))
        scores[near] += TITLE_SHARE * titles[near] ** TITLE_POWER
    key = np.uint64(text.hash_key(plain, text.LOOKUP))
    exact = np.concatenate([part.data.titles == key for part in index.parts])
    scores += 10.0 * exact
    rows = np.flatnonzero(allowed & (scores > 0))
    if len(rows) > k:
        least = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
        rows = rows[scores[rows] >= least]
    best = rows[np.lexsort((-rows, -scores[rows]))][:k]
    return [Hit(int(row), float(scores[row]), bool(exact[row])) for row in best]


def _column(index: Index, name: str) -> Floats:
    """Return one number of each row, (n_rows,)."""
    return np.concatenate([getattr(part.data, name) for part in index.parts], dtype=np.float64)


def _postings(index: Index, keys: Sequence[int]) -> list[_Posting]:
    """Return the live rows of each key, over all segments."""
    wanted = np.array(keys, np.uint64)
    found: list[list[_Posting]] = [[] for _ in keys]
    clean = bool(index.live.all())
    for part in index.parts:
        held = part.data.keys
        places = np.searchsorted(held, wanted)
        for at, place in enumerate(places.tolist()):
            if place < len(held) and held[place] == wanted[at]:
                start, end = part.data.key_ptr[place : place + 2].tolist()
                rows, weights = part.data.key_rows[start:end], part.data.key_weights[start:end]
                if part.row:
                    rows = rows + np.int32(part.row)
                keep = slice(None) if clean else index.live[rows]
                found[at].append(_Posting(rows[keep], weights[keep]))
    nothing = _Posting(np.zeros(0, np.int32), np.zeros(0, np.uint8))
    return [_joined(some) if some else nothing for some in found]


def _joined(some: Sequence[_Posting]) -> _Posting:
    if len(some) == 1:
        return some[0]
    return _Posting(np.concatenate([one.rows for one in some]), np.concatenate([one.weights for one in some]))


def _idf(index: Index, df: Floats) -> Floats:
    """Return ln(1 + (N - df + 0.5) / (df + 0.5)), as BM25 weighs it."""
    idf: Floats = np.log1p((len(index) - df + 0.5) / (df + 0.5))
    return idf


def _words(index: Index, query: str) -> Floats:
    """Return BM25 of each row over title (weighted), abstract and keywords, as a share of the best possible."""
    scores = np.zeros(index.n_rows)
    hashes = np.unique(text.term_hashes(query))
    keys = hashes[(hashes & np.uint64(3)) == text.WORD].tolist()
    postings = [one for one in _postings(index, keys) if len(one.rows)]
    if not postings:
        return scores
    idf = _idf(index, np.array([len(one.rows) for one in postings], np.float64))
    lengths = _column(index, "lengths")
    relative = K1 * (1 - B + B * lengths / max(float(lengths[index.live].mean()), 1e-9))
    rarest = np.argsort(-idf, kind="stable")[:MOST_WORDS].tolist()
    for at in rarest:
        rows, weights = postings[at].rows, postings[at].weights
        scores[rows] += idf[at] * weights / (weights + relative[rows])
    scores /= idf[rarest].sum()
    return scores


def _names(index: Index, plain: str) -> Floats:
    """Return how far the query's words are names of a row's authors.

    A word counts by how much oftener papers have an author of that name than use the word ("Bengio" in full, "Long"
    hardly), and by its rarity as either. First and last name of one author, in any order, count once more.
    """
    scores = np.zeros(index.n_rows)
    parts = list(dict.fromkeys(part for part in plain.split() if len(part) > 1))[:MOST_WORDS]
    named = _postings(index, [name_key(part) for part in parts])
    used = _postings(index, text.hash_terms([text.stem(part) for part in parts]).tolist())
    sizes = np.array([[len(name.rows), len(word.rows)] for name, word in zip(named, used, strict=True)], np.float64)
    sizes = sizes.reshape(-1, 2)
    idf = _idf(index, sizes.max(axis=1))
    shares = np.sqrt(sizes[:, 0] / np.maximum(sizes.sum(axis=1), 1)) * idf / max(float(idf.sum()), 1e-9)
    for name, share in zip(named, shares.tolist(), strict=True):
        scores[name.rows] += share
    for both in _postings(index, [name_key(*pair) for pair in pairwise(parts)]):
        scores[both.rows] += 1.0
    return scores


def _titles(index: Index, plain: str) -> Floats:
    """Return the share of the query's trigrams that each title holds, weighed by rarity; a little less for long titles.

    The rare trigrams tell titles apart, so they weigh by idf.
    """
    postings = _postings(index, trigram_keys(plain))
    idf = _idf(index, np.array([len(one.rows) for one in postings], np.float64))
    rows = np.concatenate([one.rows for one in postings])
    weights = np.repeat(idf, [len(one.rows) for one in postings])
    shared: Floats = np.bincount(rows, weights=weights, minlength=index.n_rows) / idf.sum()
    shared *= 0.95 + 0.05 * np.minimum(1, len(postings) / np.maximum(_column(index, "title_sizes"), 1))
    return shared
