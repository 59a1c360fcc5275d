"""What was prepared last for an index, for one interest after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.profile import TOPIC, Weighted, weigh
from recommender.rankers._block import Block
from recommender.rankers._compared import Compared, Prepared
from recommender.rankers._relevance import holding, relevance
from recommender.rankers._vectors import Vectors, mixed, stacked, topical, vectors
from recommender.text import area_hash
from recommender.types import FloatArray, Interest, RowArray

SAMPLE = 300
"""Random stored papers that say what is usual for an interest."""

_BLOCKS, _PROFILES, _TOPICS, _COMPARED = 4, 64, 2_000, 16
_CACHED_ROWS = 5_000
_CACHED_CELLS = 1_000_000  # of one comparison, 8 bytes each


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is prepared for one state of an index: (generation, n_rows, live papers)."""

    state: tuple[int, int, int]
    usual: RowArray
    blocks: dict[bytes, Block] = field(default_factory=dict)
    profiles: dict[Interest, Prepared] = field(default_factory=dict)
    topics: dict[str, tuple[csr_matrix, FloatArray]] = field(default_factory=dict)
    compared: dict[Interest, Compared] = field(default_factory=dict)


class Desk:
    """What was prepared last for an index, made anew once the index has changed.

    Everybody's digest of one hour ranks the same new papers, many name the same topics, and a digest asks of its
    interest for every reason. At most 16 comparisons of 8 MB, 4 blocks and 64 interests are kept.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._kept = _Kept((-1, -1, -1), np.zeros(0, np.int64))

    @property
    def usual(self) -> RowArray:
        """Return the rows of the random stored papers, in rising order."""
        return self._current().usual

    def block(self, rows: RowArray) -> Block:
        """Return the block of these rows."""
        kept, key = self._current(), rows.tobytes()
        found = kept.blocks.pop(key, None) or Block(self._index, rows, kept.usual)
        if 1 < rows.size <= _CACHED_ROWS:  # single papers are asked for once, for their reasons
            kept.blocks[key] = found
            _trim(kept.blocks, _BLOCKS)
        return found

    def profile(self, interest: Interest) -> Prepared:
        """Return an interest resolved and turned into vectors."""
        kept = self._current()
        found = kept.profiles.pop(interest, None)
        if found is None:
            weighted = weigh(self._index, interest)
            columns = self._index.columns(np.array([area_hash(one) for one in weighted.topics], np.uint64))
            liked = self._positives(weighted, kept)
            n = weighted.likes.size
            likes, topics = liked.words[:n], liked.words[n : n + len(weighted.topics)]
            telling = relevance(
                self._index, mixed(holding(likes), weighted.weights), weighted.weights.sum(keepdims=True)
            )
            areas = np.unique(columns[columns >= 0])
            found = Prepared(weighted, liked, telling, areas, stacked([likes, telling]), topics)
        kept.profiles[interest] = found
        _trim(kept.profiles, _PROFILES)
        return found

    def compare(self, interest: Interest, rows: RowArray) -> Compared:
        """Return an interest against these rows: the last comparison if it was with the same ones."""
        kept = self._current()
        found = kept.compared.pop(interest, None)
        if found is None or not np.array_equal(found.rows, rows):
            found = Compared(self.profile(interest), rows, self.block(rows))
        if found.words.size <= _CACHED_CELLS:
            kept.compared[interest] = found
            _trim(kept.compared, _COMPARED)
        return found

    def about(self, interest: Interest, row: int) -> tuple[Compared, int]:
        """Return an interest against a paper as (comparison, its place there): the last one if it holds the paper."""
        last = self._current().compared.get(interest)
        if last is not None and (places := np.flatnonzero(last.rows == row)).size:
            return last, int(places[0])
        return self.compare(interest, np.array([row], np.int64)), 0

    def _positives(self, weighted: Weighted, kept: _Kept) -> Vectors:
        """Return the liked papers (first) and then the topics of an interest, each topic as `TOPIC` equal papers."""
        liked = vectors(self._index, weighted.likes, weighted.weights)
        if not weighted.topics:
            return liked
        topics = [self._topic(topic, kept) for topic in weighted.topics] * TOPIC
        return Vectors(
            stacked([liked.words, *(words for words, _ in topics)]),
            np.concatenate([liked.meaning, *(meaning for _, meaning in topics)]),
            np.concatenate([liked.mass, np.ones(len(topics), np.float32)]),
        )

    def _topic(self, topic: str, kept: _Kept) -> tuple[csr_matrix, FloatArray]:
        """Return a topic's unit row of TF-IDF, (1, n_terms), and its unit coordinates, (1, k)."""
        found = kept.topics.pop(topic, None)
        if found is None:
            one = topical(self._index, [topic])
            found = one.words, one.meaning
        kept.topics[topic] = found
        _trim(kept.topics, _TOPICS)
        return found

    def _current(self) -> _Kept:
        """Return what is kept for the index as it is. What another thread still makes for an older one goes there."""
        index = self._index
        state = (index.generation, index.n_rows, len(index))
        if state != self._kept.state:
            self._kept = _Kept(state, index.sample(SAMPLE))
        return self._kept


def _trim(kept: dict[Any, Any], most: int) -> None:
    if len(kept) > most:
        for old in list(kept)[:-most]:
            kept.pop(old, None)
