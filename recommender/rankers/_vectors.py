"""Unit vectors of papers and topics, and blocks of them prepared for many interests."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from recommender.index import Index
from recommender.profile import TOPIC, Weighted, weigh
from recommender.text import area_hash
from recommender.types import FloatArray, Interest, RowArray

NEAREST = 3
"""Liked papers that "the nearest" are. A topic counts as three, so it can be all of them."""

SAMPLE = 300
"""Random stored papers that say what is usual for an interest."""

_COMMON = 0.1
"""Terms in more than this share of a block are multiplied as a dense matrix: they are few, but most of the work."""

_FEW = 5
_BLOCKS, _PROFILES, _TOPICS, _COMPARED = 4, 64, 2_000, 16
_CACHED_ROWS = 5_000
_CACHED_CELLS = 1_000_000  # of one comparison, 8 bytes each


def unit(index: Index, counts: csr_matrix) -> csr_matrix:
    """Turn counts, (n, n_terms), into unit rows of binary TF-IDF, in place, and return them.

    idf = ln((1 + N) / (1 + df)) + 1, with live counters; the smooth idf is scikit-learn's. Binary, since an abstract
    that repeats a word is not more about it.
    """
    idf = np.log((1.0 + len(index)) / (1.0 + index.df[counts.indices])) + 1.0
    lengths = np.diff(counts.indptr)
    squares = np.bincount(np.repeat(np.arange(lengths.size), lengths), idf * idf, lengths.size)
    counts.data = (idf / np.repeat(np.sqrt(squares), lengths)).astype(np.float32)
    return counts


@dataclass(frozen=True, slots=True)
class Vectors:
    """What an interest is compared by: `words` (n, n_terms) and `meaning` (n, k) are unit rows, `mass` (n,) weights."""

    words: csr_matrix
    meaning: FloatArray
    mass: FloatArray


@dataclass(frozen=True, slots=True)
class Prepared:
    """An interest ready for ranking: its rows and weights, its vectors, and the columns of areas that are topics."""

    weighted: Weighted
    liked: Vectors
    areas: RowArray


def vectors(index: Index, rows: RowArray, mass: FloatArray | None = None) -> Vectors:
    """Return the vectors of stored papers, with one weight each (all 1 if none are given)."""
    mass = np.ones(rows.size, np.float32) if mass is None else mass
    return Vectors(unit(index, index.counts(rows)), index.lsa(rows), mass)


def _stacked(parts: list[csr_matrix]) -> csr_matrix:
    """Return matrices of one width above each other; scipy's own `vstack` costs more than the ranking of a digest."""
    ends = np.cumsum([part.nnz for part in parts])
    indptr = [parts[0].indptr] + [part.indptr[1:] + end for part, end in zip(parts[1:], ends[:-1], strict=True)]
    data = np.concatenate([part.data for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    rows = sum(part.shape[0] for part in parts)
    return csr_matrix((data, indices, np.concatenate(indptr)), shape=(rows, parts[0].shape[1]))


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def _product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return left @ right on one thread: on a busy machine more of them wait for each other longer than it takes."""
    with _threads().limit(limits=1, user_api="blas"):
        product: FloatArray = left @ right
    return product


class Block:
    """Papers to rank, followed by the usual ones, prepared for comparing with many interests.

    The first `n` columns of what `words` and `meanings` return are the papers, the others the usual ones, whose rows
    are given in rising order.
    """

    def __init__(self, index: Index, rows: RowArray, usual: RowArray) -> None:
        self.n = rows.size
        self._usual = usual
        both = np.concatenate([rows, usual])
        found = unit(index, index.counts(both))
        columns, places = np.unique(found.indices, return_inverse=True)
        narrow = csr_matrix((found.data, places, found.indptr), shape=(both.size, columns.size))
        # one place a term of the index: a search among the block's terms would take a third of a ranking's time
        self._places = np.full(index.n_terms, -1, np.int32)
        self._places[columns] = np.arange(columns.size)
        self._turned: csr_matrix = narrow.T.tocsr()
        self._lengths = np.diff(self._turned.indptr)
        common = self._lengths > both.size * _COMMON
        self._dense = self._turned[common].toarray()
        self._slots = np.where(common, np.cumsum(common) - 1, -1)
        self._meaning = np.ascontiguousarray(index.lsa(both).T)

    def usual_but(self, own: RowArray) -> RowArray:
        """Return the columns of the usual papers without an interest's own, or all if that leaves hardly any.

        A paper is like itself: in a small store the interest's own would make everything else look far away.
        """
        others = np.ones(self._usual.size, np.bool_)
        if others.size:
            at = np.minimum(np.searchsorted(self._usual, own), others.size - 1)
            others[at[self._usual[at] == own]] = False
        kept = np.flatnonzero(others)
        return self.n + (kept if kept.size >= _FEW else np.arange(others.size))

    def words(self, words: csr_matrix) -> FloatArray:
        """Return cosines of shape (n_words, n + n_usual) with unit rows of TF-IDF, (n_words, n_terms)."""
        n, width = words.shape[0], self._turned.shape[1]
        places = self._places[words.indices]
        held = np.flatnonzero(places >= 0)
        places, data = places[held], words.data[held]
        rows, slots = np.repeat(np.arange(n), np.diff(words.indptr))[held], self._slots[places]
        common, rare = np.flatnonzero(slots >= 0), np.flatnonzero(slots < 0)
        dense = np.zeros((n, self._dense.shape[0]), np.float32)
        dense[rows[common], slots[common]] = data[common]
        starts, lengths = self._turned.indptr[places[rare]], self._lengths[places[rare]]
        flat = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        cells = np.repeat(rows[rare] * width, lengths) + self._turned.indices[flat]
        worth = np.repeat(data[rare], lengths) * self._turned.data[flat]
        sums = np.bincount(cells, worth, n * width).reshape(n, width)
        return _product(dense, self._dense) + sums.astype(np.float32)

    def meanings(self, meaning: FloatArray) -> FloatArray:
        """Return cosines of shape (n_meaning, n + n_usual) with unit rows of LSA coordinates, (n_meaning, k)."""
        return _product(meaning, self._meaning)

    def similarity(self, those: Vectors) -> FloatArray:
        """Return the sum of both cosines, (n_vectors, n + n_usual): the one measure of what is near to what."""
        return self.words(those.words) + self.meanings(those.meaning)

    def holds(self, columns: RowArray) -> NDArray[np.bool_]:
        """Return which papers hold which terms, (n_columns, n + n_usual)."""
        result = np.zeros((columns.size, self._turned.shape[1]), np.bool_)
        places = self._places[columns]
        result[places >= 0] = self._turned[places[places >= 0]].toarray() > 0
        return result


class Compared:
    """An interest against a block of papers: cosines of words and of meanings, (n_profile, n + n_usual) each.

    `rows` (n,) are the papers'. `parts` has room for what a ranker makes of them, by name, (n,) each.
    """

    def __init__(self, profile: Prepared, rows: RowArray, block: Block) -> None:
        self.profile, self.rows, self.block = profile, rows, block
        self.words = block.words(profile.liked.words)
        self.meanings = block.meanings(profile.liked.meaning)
        self.parts: dict[str, FloatArray] = {}
        self._mixture: Mixture | None = None

    @property
    def mixture(self) -> Mixture:
        """Return what mixes the rows of the interest."""
        self._mixture = self._mixture or Mixture(self.profile.liked.words)
        return self._mixture


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
            found = Prepared(weighted, self._positives(weighted, kept), np.unique(columns[columns >= 0]))
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
            _stacked([liked.words, *(words for words, _ in topics)]),
            np.concatenate([liked.meaning, *(meaning for _, meaning in topics)]),
            np.concatenate([liked.mass, np.ones(len(topics), np.float32)]),
        )

    def _topic(self, topic: str, kept: _Kept) -> tuple[csr_matrix, FloatArray]:
        """Return a topic's unit row of TF-IDF, (1, n_terms), and its unit coordinates, (1, k)."""
        found = kept.topics.pop(topic, None)
        if found is None:
            counts = self._index.vectorise([topic])
            meaning = self._index.project(counts)
            found = unit(self._index, counts), meaning
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


def closeness(similarities: FloatArray, mass: FloatArray) -> FloatArray:
    """Return the weighted mean over the profile plus the mean of the three nearest, shape (n,).

    `similarities` is (n_profile, n) and `mass` (n_profile,), newest 1 or more. For the nearest, a similarity counts in
    proportion to the paper's mass against the greatest: an old like attracts less by itself, too.
    """
    if not mass.size:
        return np.zeros(similarities.shape[1], np.float32)
    mean = np.einsum("i,ij->j", mass / mass.sum(), similarities)
    here = np.ascontiguousarray((similarities * (mass / mass.max())[:, None]).T)
    if mass.size > NEAREST:
        here = np.partition(here, mass.size - NEAREST, axis=1)[:, -NEAREST:]
    total: FloatArray = mean + here.mean(axis=1)
    return total


def coefficients(similarities: FloatArray, mass: FloatArray) -> FloatArray:
    """Return what each profile row is multiplied by in `closeness` of one paper, (n_profile,), of (n_profile,)."""
    if not mass.size:
        return np.zeros(0, np.float32)
    share = mass / mass.max()
    nearest = np.argsort(-similarities * share, kind="stable")[:NEAREST]
    result: FloatArray = mass / mass.sum()
    result[nearest] += share[nearest] / np.float32(nearest.size)
    return result
