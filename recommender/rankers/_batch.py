"""Many interests against the same papers: one product over all that they like, each paper and topic once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.profile import TOPIC, Weighted, weigh
from recommender.rankers._block import Block
from recommender.rankers._measured import Measured, others, shares
from recommender.rankers._relevance import holding, relevance
from recommender.rankers._segments import closenesses, greatest, grouped
from recommender.rankers._vectors import Vectors, stacked, topical, vectors
from recommender.text import area_hash
from recommender.types import FloatArray, Interest, RowArray

MEMORY = 1 << 27
"""Bytes of the similarities held at a time, and of what comes of them for each interest: twice 128 MB."""

_ROWS, _INTERESTS, _LEAST, _MOST = 256, 256, 64, 4_096


def together(index: Index, usual: RowArray, interests: Sequence[Interest], rows: RowArray) -> Iterator[Measured]:
    """Yield the interests, measured against rows and usual rows (both of shape (n,)), in order, some at a time."""
    both = np.concatenate([rows, usual])
    many = max(1, MEMORY // (20 * both.size))  # five numbers of four bytes are kept of each pair
    for start in range(0, len(interests), many):
        crowd = Crowd(index, interests[start : start + many], both)
        for at in range(0, len(crowd.weighted), _INTERESTS):
            yield crowd.measured(usual, slice(at, at + _INTERESTS))


class Crowd:
    """Interests against rows (n,). Each paper and topic that any of them likes is compared once."""

    def __init__(self, index: Index, interests: Sequence[Interest], rows: RowArray) -> None:
        self.weighted = [weigh(index, one) for one in interests]
        topics = list(dict.fromkeys(topic for one in self.weighted for topic in one.topics))
        number = {topic: at for at, topic in enumerate(topics)}
        marked = [one.likes for one in self.weighted] + [one.dislikes for one in self.weighted]
        own = np.unique(np.concatenate(marked))
        of = [[number[topic] for topic in one.topics] for one in self.weighted]
        self._places = [
            np.concatenate([np.searchsorted(own, one.likes), own.size + np.tile(np.array(named, np.int64), TOPIC)])
            for one, named in zip(self.weighted, of, strict=True)
        ]
        self._mass = [_mass(one) for one in self.weighted]
        self._disliking = np.flatnonzero([one.dislikes.size > 0 for one in self.weighted])
        pieces = [vectors(index, own[at : at + _ROWS]) for at in range(0, max(own.size, 1), _ROWS)]
        papers = len(pieces)
        pieces += [topical(index, topics[at : at + _ROWS]) for at in range(0, len(topics), _ROWS)]
        self._meaning = np.concatenate([piece.meaning for piece in pieces])
        columns = index.columns(np.array([area_hash(topic) for topic in topics], np.uint64))
        self._areas = np.unique(columns[columns >= 0])
        self._shares = shares(index, self._areas)
        named = [np.unique(columns[one]) if one else columns[:0] for one in of]
        self._named = [np.searchsorted(self._areas, one[one >= 0]) for one in named]
        self._compare(index, own, rows, pieces, papers)
        self._relate(index, rows, holding(stacked([piece.words for piece in pieces])))

    def _compare(self, index: Index, own: RowArray, rows: RowArray, pieces: Sequence[Vectors], papers: int) -> None:
        """Fill in what comes of the similarities, so many columns at a time that these take no more than `MEMORY`.

        The first of the pieces are `papers`, the others topics.
        """
        m, d = len(self.weighted), self._disliking.size
        self._words, self._meanings = np.zeros((2, m, rows.size), np.float32)
        self._good, self._bad = np.full((2, d, rows.size), -np.inf, np.float32)
        self._held = np.zeros((self._areas.size, rows.size), np.bool_)
        self._coordinates = index.lsa(rows)
        liked = grouped(self._places, self._mass)
        some = [self.weighted[at] for at in self._disliking.tolist()]
        marks = [
            [np.searchsorted(own, one.likes) for one in some],
            [np.searchsorted(own, one.dislikes) for one in some],
        ]
        good, bad = (grouped(places, [np.ones(one.size, np.float32) for one in places]) for places in marks)
        ends = np.cumsum([0, *(len(piece.mass) for piece in pieces)])
        wide = min(max(MEMORY // max(8 * len(self._meaning), 1), _LEAST), _MOST)
        for start in range(0, rows.size, wide):
            at = slice(start, start + wide)
            block = Block(index, rows[at], rows[:0])
            words = np.empty((len(self._meaning), block.size), np.float32)
            for number, piece in enumerate(pieces):
                by = block.words if number < papers else block.said
                words[ends[number] : ends[number + 1]] = by(piece.words)
            meanings = block.meanings(self._meaning)
            closenesses(words, liked, self._words[:, at])
            closenesses(meanings, liked, self._meanings[:, at])
            greatest([words, meanings], good, self._good[:, at])
            greatest([words, meanings], bad, self._bad[:, at])
            self._held[:, at] = block.holds(self._areas)

    def _relate(self, index: Index, rows: RowArray, words: csr_matrix) -> None:
        """Fill in the rows by the relevance weights of what is liked; `words` (n_liked, n_terms) says what holds what.

        The weights of some interests at a time, which are a hundred times as many as what they like.
        """
        self._relevance = np.zeros_like(self._words)
        block = Block(index, rows, rows[:0])
        for start in range(0, len(self.weighted), _INTERESTS):
            some = self.weighted[start : start + _INTERESTS]
            sizes = np.array([one.likes.size for one in some])
            places = [place[: one.likes.size] for place, one in zip(self._places[start:], some, strict=False)]
            mass = csr_matrix(
                (np.concatenate([one.weights for one in some]), np.concatenate(places), np.cumsum([0, *sizes])),
                shape=(len(some), words.shape[0]),
            )
            telling = relevance(index, (mass @ words).tocsr(), np.array([one.weights.sum() for one in some]))
            self._relevance[start : start + _INTERESTS] = block.words(telling)

    def measured(self, usual: RowArray, some: slice) -> Measured:
        """Return some of the interests, measured; the last of the rows are the usual ones."""
        weighted = self.weighted[some]
        first, last = np.searchsorted(self._disliking, [some.start, some.start + len(weighted)])
        disliking = self._disliking[first:last] - some.start
        places = self._places[some]
        return Measured(
            n=self._words.shape[1] - usual.size,
            weighted=weighted,
            words=self._words[some],
            meanings=self._meanings[some],
            relevance=self._relevance[some],
            usual=others(usual, [one.likes for one in weighted]),
            meaning=self._coordinates,
            liked=self._meaning[np.concatenate(places)],
            mass=np.concatenate(self._mass[some]),
            starts=np.cumsum([0, *(one.size for one in places)]),
            shares=self._shares,
            held=self._held,
            named=self._named[some],
            disliking=disliking,
            good=self._good[first:last],
            bad=self._bad[first:last],
            unlike=others(usual, [weighted[at].dislikes for at in disliking.tolist()]),
        )


def _mass(one: Weighted) -> FloatArray:
    """Return the weights of the likes and then of the topics, each as `TOPIC` papers."""
    return np.concatenate([one.weights, np.ones(TOPIC * len(one.topics), np.float32)])
