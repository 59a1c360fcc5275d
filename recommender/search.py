"""Lookups: papers for words, for a title with a slip of the pen, and for an author. No learning, no scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
AS_SAID = 3
"""Hits that go first for a word that is mended though some papers use it: it may have been right."""
MOST_SCORE = 4.0
"""About the most that a hit gets that is no exact title."""


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
    return _both(found, search(index, meant, k, mask, mend=False), _as_said(index, plain, meant), k)


def _as_said(index: Index, plain: str, meant: str) -> set[int]:
    """Return the rows that hold a word of a query as it was said and not as it is mended."""
    said = text.hash_terms([text.stem(word) for word in sorted(set(plain.split()) - set(meant.split()))])
    return {row for one in postings(index, said.tolist()) for row in one.rows.tolist()}


def _both(found: list[Hit], others: list[Hit], as_said: set[int], k: int) -> list[Hit]:
    """Return up to k of both, best first; before all but exact titles, `AS_SAID` that hold a word as it was said.

    What many papers hold in their titles would leave no place to the few that hold it.
    """
    first = [hit for hit in found if hit.row in as_said][:AS_SAID]
    most = min(max((hit.score for hit in others), default=0.0), MOST_SCORE)
    best: dict[int, Hit] = {hit.row: replace(hit, score=hit.score + most) for hit in first}
    for hit in [*found, *others]:
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
