"""Papers that many digests pick from, prepared once: order, titles, names, muted words and near duplicates."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.match import abbreviated, author_name, holds, searchable
from recommender.text import plain
from recommender.types import Paper

SAME = 0.7
"""Cosine of binary word counts from which two texts are one paper: revisions stay above, other papers far below."""

Mask = NDArray[np.bool_]

_MASKS = 512
_PIECE = 64  # papers compared with all others at a time: no step holds up other threads


class Pool:
    """Papers that may be shown, n of them, in one state of an index; those that it lacks are compared by title alone.

    `ids`, `titles` (folded) and `first_seen` are by place, and `places` by id; `rows` (n,) are those of the index, -1
    where it lacks one; `meaning` (n, k) are their latent coordinates, and `rank` (n,) says which of two papers that are
    level comes first: the newer, then by id. The rest is made when it is first asked for. Takes up to about 10 kB a
    paper, and n bytes for each of the last 512 names and muted words.
    """

    def __init__(self, index: Index, papers: Sequence[Paper], first_seen: Sequence[datetime | None]) -> None:
        self._index = index
        self.papers = papers
        self.first_seen = first_seen
        self.ids = [paper.id for paper in papers]
        self.places = {id_: at for at, id_ in enumerate(self.ids)}
        self.titles = [plain(paper.title) for paper in papers]
        self.rows = index.rows(self.ids)
        self.meaning = index.lsa(self.rows)
        ages = [_age(paper) for paper in papers]
        order = sorted(range(len(papers)), key=lambda at: (-ages[at], self.ids[at]))
        self.rank = np.empty(len(papers), np.int64)
        self.rank[order] = np.arange(len(papers))
        self._known: dict[str, list[int]] | None = None
        self._names: dict[str, list[tuple[int, str]]] | None = None
        self._texts: list[str] | None = None
        self._masks: dict[tuple[str, str], Mask] = {}
        self._words: tuple[csr_matrix, csr_matrix, NDArray[np.float32]] | None = None
        self._twins: dict[int, frozenset[int]] = {}

    def __len__(self) -> int:
        """Return the number of papers."""
        return len(self.papers)

    def seen(self, ids: Collection[str]) -> Mask:
        """Return which papers have one of these ids, (n,)."""
        mask = np.zeros(len(self), np.bool_)
        if not ids:
            return mask
        if self._known is None:
            known = defaultdict(list)
            for at, paper in enumerate(self.papers):
                for id_ in (paper.id, *paper.ids):
                    known[id_].append(at)
            self._known = dict(known)
        for id_ in ids if len(ids) < len(self._known) else self._known.keys() & set(ids):
            mask[self._known.get(id_, [])] = True
        return mask

    def by(self, names: Sequence[str]) -> Mask:
        """Return which papers are by one of these authors, (n,); what counts as one's name says `match.by`."""
        return self._any("by", names, self._by)

    def mentioning(self, phrases: Sequence[str]) -> Mask:
        """Return which papers hold one of these phrases in title or abstract, (n,); see `match.mentions`."""
        return self._any("in", phrases, self._mentioning)

    def muted(self, words: Sequence[str]) -> Mask:
        """Return which papers have one of these as words or as an author, (n,)."""
        return self.mentioning(words) | self.by(words)

    def twins(self, place: int) -> frozenset[int]:
        """Return the places of the other papers that have nearly the same text as this one; see `SAME`."""
        self.prepare(np.array([place]))
        return self._twins[place]

    def prepare(self, places: NDArray[np.int64]) -> None:
        """Compare these papers with all others, so that asking for their `twins` costs nothing."""
        missing = np.array([at for at in places.tolist() if at not in self._twins], np.int64)
        for start in range(0, missing.size, _PIECE):
            self._compare(missing[start : start + _PIECE])

    def _any(self, kind: str, words: Sequence[str], find: Callable[[str], Mask]) -> Mask:
        mask = np.zeros(len(self), np.bool_)
        for word in words:
            found = self._masks.pop((kind, word), None)
            self._masks[kind, word] = found = find(word) if found is None else found
            mask |= found
        for old in list(self._masks)[:-_MASKS]:
            self._masks.pop(old)
        return mask

    def _by(self, name: str) -> Mask:
        mask = np.zeros(len(self), np.bool_)
        if self._names is None:
            self._names = _endings(self.papers)
        folded = author_name(name)
        mask[[at for at, _ in self._names.get(folded, [])]] = True
        initial, surname = abbreviated(folded)
        if initial:
            same = [at for at, full in self._names.get(surname, []) if full.startswith(initial) and full != surname]
            mask[same] = True
        return mask

    def _mentioning(self, phrase: str) -> Mask:
        if self._texts is None:
            self._texts = [searchable(paper) for paper in self.papers]
        return np.array([holds(text, phrase) for text in self._texts], np.bool_)

    def _compare(self, places: NDArray[np.int64]) -> None:
        """Find the twins of some papers."""
        if self._words is None:
            self._words = self._binary()
        words, turned, sizes = self._words
        shared = (words[places] @ turned).toarray()
        alike = (shared >= SAME * np.outer(sizes[places], sizes)) & (sizes > 0) & (sizes[places] > 0)[:, None]
        alike[np.arange(places.size), places] = False
        for place, row in zip(places.tolist(), alike, strict=True):
            self._twins[place] = frozenset(np.flatnonzero(row).tolist())

    def _binary(self) -> tuple[csr_matrix, csr_matrix, NDArray[np.float32]]:
        """Return which papers use which terms, (n, m) and (m, n), and the root of how many terms each uses, (n,).

        Terms that only one of the papers uses are left out of the matrices; one that the index lacks uses none.
        """
        held = self.rows >= 0
        counts = self._index.counts(self.rows[held])
        lengths = np.zeros(len(self), np.int64)
        lengths[held] = np.diff(counts.indptr)
        _, places, uses = np.unique(counts.indices, return_inverse=True, return_counts=True)
        common = uses > 1
        kept = common[places]
        narrow = (np.cumsum(common) - 1)[places[kept]]
        owners = np.repeat(np.arange(len(self)), lengths)[kept]
        indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(self)))])
        ones = np.ones(narrow.size, np.float32)
        words = csr_matrix((ones, narrow, indptr), shape=(len(self), int(common.sum())))
        return words, words.T.tocsr(), np.sqrt(lengths.astype(np.float32))


def _endings(papers: Sequence[Paper]) -> dict[str, list[tuple[int, str]]]:
    """Return ending of a folded name, from any of its words on -> (place of the paper, the whole name)."""
    found = defaultdict(list)
    for at, paper in enumerate(papers):
        for author in map(author_name, paper.authors):
            parts = author.split(" ") if author else []
            for start in range(len(parts)):
                found[" ".join(parts[start:])].append((at, author))
    return dict(found)


def _age(paper: Paper) -> float:
    """Return when a paper came out, as a timestamp; one of which only the year is known, at that year's start."""
    if paper.published is not None:
        return paper.published.timestamp()
    return datetime(paper.year, 1, 1).timestamp() if paper.year and 0 < paper.year < 10_000 else -math.inf  # noqa: DTZ001
