"""The words of a vocabulary that are spelt most like a given one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_SHORT, _LONG = 5, 100


def distance(first: str, second: str, most: int) -> int:
    """Return the edit distance of two words, or `most` + 1 where it is higher.

    Insertions, deletions, changes and swaps of neighbours count one each (optimal string alignment; Damerau, 1964).
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, 1):
        before, above, row = row, before, [i]
        for j, right in enumerate(second, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == second[j - 2] and first[i - 2] == right:
                best = min(best, above[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return row[-1]


def _letters(word: str) -> int:
    """Return the set of a word's characters as 64 bits."""
    bits = 0
    for character in word:
        bits |= 1 << (ord(character) % 64)
    return bits


class Speller:
    """Finds words by edit distance; sets of letters leave few words to compare in full."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._words = vocabulary
        self._sizes = np.array([len(word) for word in vocabulary], np.int64)
        self._letters = np.array([_letters(word) for word in vocabulary], np.uint64)

    def nearest(self, word: str) -> list[tuple[str, int]]:
        """Return (word, distance) pairs, nearest first: one edit for words of up to five letters, two for others."""
        most = 1 if len(word) <= _SHORT else 2
        if not word or not self._words or len(word) > _LONG:
            return []
        # one edit changes a set of letters by two at most
        apart = np.bitwise_count(self._letters ^ np.uint64(_letters(word)))
        places = np.flatnonzero((apart <= 2 * most) & (np.abs(self._sizes - len(word)) <= most))
        found = ((distance(word, self._words[at], most), self._words[at]) for at in places.tolist())
        return [(other, edits) for edits, other in sorted(found) if edits <= most]
