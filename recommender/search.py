"""Lookups: papers for words, for a title with a slip of the pen, and for an author. No learning, no scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recommender import text
from recommender.index import Index
from recommender.keys import trigram_keys
from recommender.lexical import names, words
from recommender.mended import mended
from recommender.postings import Floats, column, idf, postings, sizes
from recommender.worth import MOST, named, without, worth

TITLE_SHARE = 1.5
"""What a title that holds all trigrams of the query adds, where the words' own best possible score is 1.

Shared trigrams count with their third power: a third of a title is chance, four fifths are a slip of the pen.
"""
TITLE_LETTERS = 10
"""Letters of a query from which on a title counts in full: the trigrams of less stand in many titles by chance."""
TITLE_LEAST = 0.35
"""Share of the query's trigrams below which a title alone is no hit."""
SURE = 0.8
"""Share of the trigrams of a query that is not short from which on a title is what was meant, slips and all."""
MOST_LETTERS = 300
"""Length above which a query is no title."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that was found; `exact_title` if the query is its title, give or take case, accents and punctuation."""

    row: int
    score: float
    exact_title: bool = False


def search(
    index: Index, query: str, k: int = 20, mask: NDArray[np.bool_] | None = None, *, mend: bool = True
) -> list[Hit]:
    """Return up to k hits, best first; among equals the one that came last.

    `mask` (n_rows,) says which rows may be found. Empty for a query without letters and digits. Scores compare within
    one query only: exact titles 10 and above, others 0 to about 4. `mend`: where no title comes near, what slips of the
    pen stand for is found too.
    """
    plain = text.plain(query)
    allowed = index.live if mask is None else index.live & mask
    if not plain or k < 1 or not allowed.any():
        return []
    long = len(plain) > MOST_LETTERS
    near = np.zeros(index.n_rows) if long else titles(index, plain)
    found = _search(index, query, plain, near, k, allowed)
    if not mend or long or (near.max() >= SURE and len(plain) > 2 * TITLE_LETTERS):
        return found
    meant = mended(index, plain)
    if meant == plain:
        return found
    best: dict[int, Hit] = {}
    for hit in [*found, *search(index, meant, k, mask, mend=False)]:
        if hit.row not in best or best[hit.row].score < hit.score:
            best[hit.row] = hit
    return sorted(best.values(), key=lambda hit: (-hit.score, -hit.row))[:k]


def _search(index: Index, query: str, plain: str, near: Floats, k: int, allowed: NDArray[np.bool_]) -> list[Hit]:
    """Return up to k hits among the allowed rows (n_rows,), given how near each title is (n_rows,)."""
    years = named(index, plain)
    scores = words(index, without(query, years))
    _add_titles(scores, near, min(1, len(plain) / TITLE_LETTERS))
    scores += names(index, plain)
    key = np.uint64(text.hash_key(plain, text.LOOKUP))
    exact = np.concatenate([part.data.titles == key for part in index.parts])
    scores += 10.0 * exact
    rows = np.flatnonzero(allowed & (scores > 0))
    fit = scores[rows]
    if len(rows) > k:
        good = fit >= np.partition(fit, len(fit) - k)[len(fit) - k] - MOST
        rows, fit = rows[good], fit[good]
    fit = fit + worth(index, years, rows)
    best = np.lexsort((-rows, -fit))[:k]
    return [Hit(int(rows[at]), float(fit[at]), bool(exact[rows[at]])) for at in best]


def _add_titles(scores: Floats, shared: Floats, whole: float) -> None:
    """Add to scores, in place, what the titles add, of which `whole` (0 to 1) counts."""
    near = np.flatnonzero((shared >= TITLE_LEAST) | (scores > 0))
    share = shared[near]
    scores[near] += TITLE_SHARE * whole * share * share * share


def titles(index: Index, plain: str) -> Floats:
    """Return the share of a `text.plain` query's trigrams that each title holds, (n_rows,).

    The rare trigrams tell titles apart, so they weigh by idf. Long titles have a little less.
    """
    found = postings(index, trigram_keys(plain))
    rarity = idf(index, sizes(found))
    rows = np.concatenate([one.rows for one in found])
    weights = np.repeat(rarity, [len(one.rows) for one in found])
    shared: Floats = np.bincount(rows, weights=weights, minlength=index.n_rows) / rarity.sum()
    shared *= 0.95 + 0.05 * np.minimum(1, len(found) / np.maximum(column(index, "title_sizes"), 1))
    return shared
