"""Words of a query that nobody writes so, as they are written."""

from __future__ import annotations

import numpy as np

from recommender import text
from recommender.index import Index
from recommender.keys import name_key
from recommender.near import distance
from recommender.postings import postings, sizes

SHORTEST = 5
"""Letters of the words that are mended: of shorter ones too many are one letter apart."""
TIMES = 300
"""How many times as often the other word must be used, as slips stand in papers too."""
MOST_WORDS = 4
"""Odd words of a query that are looked at: each costs 5 to 30 ms."""

_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))


def mended(index: Index, plain: str) -> str:
    """Return a `text.plain` query with each slip of the pen in a word mended; the same if there is none.

    A slip is a word that is no author's name and that hardly any paper uses, one edit away from one that `TIMES` as
    many use; of a word that none uses, from any. A name may be written with ae, oe or ue for an umlaut.
    """
    parts = plain.split()
    odd = [part for part in dict.fromkeys(parts) if len(part) >= SHORTEST and part.isascii() and part.isalpha()]
    odd = [part for part in odd if text.meant(part)]  # of stop words no use is counted, however often they stand there
    named = sizes(postings(index, [name_key(part) for part in odd]))
    used = _used(index, odd)
    odd = [part for part, name, use in zip(odd, named, used, strict=True) if not name and use * TIMES < len(index)]
    better = {part: _better(index, part) for part in odd[:MOST_WORDS]}
    return " ".join(better.get(part, part) for part in parts)


def _used(index: Index, words: list[str]) -> list[int]:
    """Return how many papers use each word."""
    columns = index.columns(text.hash_terms([text.stem(word) for word in words]))
    return np.where(columns >= 0, index.df[columns], 0).tolist() if len(index.df) else [0] * len(words)


def _better(index: Index, word: str) -> str:
    """Return what was meant, or the word."""
    for said, letter in _UMLAUTS:
        name = word.replace(said, letter)
        if name != word and len(postings(index, [name_key(name)])[0].rows):
            return name
    others = [other for other in index.nearest_words(word) if distance(word, other, 1) == 1]
    own, *counts = _used(index, [word, *others])
    fit = [other for other, count in zip(others, counts, strict=True) if count >= TIMES * own]
    return fit[0] if fit else word
