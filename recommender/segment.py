"""One immutable part of the index: counts by paper, postings by key, ids and coordinates, as flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recommender import piece, text
from recommender.flat import distinct, pointers, sort_rows, taken
from recommender.inverted import Lists, join
from recommender.piece import Piece
from recommender.types import FloatArray, Paper, RowArray

FIRST_YEAR, LAST_YEAR = 1500, 2199
"""Years outside are slips, and count as unknown."""

_PIECE = 1024
"""Papers that are counted at once: what they write stays in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Papers in order of arrival, n rows. Columns are numbered over all segments of an index.

    `id_bytes`, `id_ends`: UTF-8 ids and where each ends. `indptr`, `cols`, `counts`: raw term counts by row (CSR).
    `hashes`: this segment's new terms in column order, `order`: what sorts them. `keys`, `key_ptr`, `key_rows`,
    `key_weights`: postings for lookups (words, names, trigrams of titles). `lengths`: weighted words of each row,
    `titles`: hash of each title, `title_sizes`: its number of trigrams, `years`: when each came out, 0 if nobody knows.
    `vocabulary`: folded words as UTF-8 lines. `lsa`: coordinates of unit length, (n, k).
    """

    id_bytes: NDArray[np.uint8]
    id_ends: NDArray[np.int64]
    indptr: NDArray[np.int64]
    cols: NDArray[np.int32]
    counts: NDArray[np.uint16]
    hashes: NDArray[np.uint64]
    order: NDArray[np.int64]
    keys: NDArray[np.uint64]
    key_ptr: NDArray[np.int64]
    key_rows: NDArray[np.int32]
    key_weights: NDArray[np.uint8]
    lengths: NDArray[np.int32]
    titles: NDArray[np.uint64]
    title_sizes: NDArray[np.int32]
    years: NDArray[np.int16]
    vocabulary: NDArray[np.uint8]
    lsa: FloatArray

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.id_ends)

    def ids(self) -> list[str]:
        """Return the id of each row."""
        raw = self.id_bytes.tobytes()
        starts = [0, *self.id_ends.tolist()]
        return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts)]

    def words(self) -> list[str]:
        """Return the folded words that this segment's papers write, sorted."""
        return self.vocabulary.tobytes().decode("utf-8", "surrogatepass").split("\n") if len(self.vocabulary) else []

    def lists(self) -> Lists:
        """Return the postings."""
        return Lists(self.keys, self.key_ptr, self.key_rows, self.key_weights)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def sound(self) -> bool:
        """Return whether the arrays' lengths fit one another, as those of one segment do."""
        n, entries, keys = len(self), len(self.cols), len(self.keys)
        postings = len(self.key_rows)
        lengths = {"indptr": n + 1, "counts": entries, "order": len(self.hashes), "key_ptr": keys + 1}
        lengths |= {"key_weights": postings, "lengths": n, "titles": n, "title_sizes": n, "years": n, "lsa": n}
        return (
            all(len(getattr(self, name)) == length for name, length in lengths.items())
            and all(array.ndim == (2 if name == "lsa" else 1) for name, array in self.arrays().items())
            and (int(self.indptr[-1]), int(self.key_ptr[-1])) == (entries, postings)
        )

    def with_lsa(self, lsa: FloatArray) -> Segment:
        """Return the same rows with coordinates of shape (n, k)."""
        return replace(self, lsa=lsa)


DTYPES = {
    "id_bytes": "uint8", "id_ends": "int64", "indptr": "int64", "cols": "int32", "counts": "uint16",
    "hashes": "uint64", "order": "int64", "keys": "uint64", "key_ptr": "int64", "key_rows": "int32",
    "key_weights": "uint8", "lengths": "int32", "titles": "uint64", "title_sizes": "int32", "years": "int16",
    "vocabulary": "uint8", "lsa": "float32",
}  # fmt: skip
"""What each stored array must be."""


def number(hashes: NDArray[np.uint64], first_rows: RowArray) -> RowArray:
    """Return each term's rank by the first row that holds it, then by hash: the same however papers were batched."""
    ranks = np.empty(len(hashes), np.int64)
    ranks[np.lexsort((hashes, first_rows))] = np.arange(len(hashes))
    return ranks


def _year(paper: Paper) -> int:
    """Return the year in which a paper came out; 0 where nobody knows or what is said is no year."""
    year = paper.published.year if paper.published is not None else paper.year or 0
    return year if FIRST_YEAR <= year <= LAST_YEAR else 0


def _lines(words: set[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(sorted(words)).encode("utf-8", "surrogatepass"), np.uint8)


def _join(ids: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    encoded = [one.encode("utf-8", "surrogatepass") for one in ids]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([len(one) for one in encoded], dtype=np.int64)


def build(papers: Sequence[Paper], known: Callable[[NDArray[np.uint64]], RowArray], n_terms: int) -> Segment:
    """Count papers into a segment without coordinates.

    `known` maps hashes to columns of earlier segments, -1 where new; new terms are numbered from `n_terms`.
    They are counted in pieces of bounded size, and only what is distinct in each is sorted as a whole.
    """
    vocabulary: set[str] = set()
    starts = range(0, len(papers), _PIECE) or range(1)
    pieces = [piece.count(papers[at : at + _PIECE], vocabulary) for at in starts]
    indptr = pointers(np.concatenate([one.sizes for one in pieces]))
    maps, hashes = _numbered(pieces, known, n_terms)
    cols = np.concatenate([held[one.cols] for held, one in zip(maps, pieces, strict=True)])
    counts = np.concatenate([one.counts for one in pieces])
    sort_rows(indptr, cols, counts)
    id_bytes, id_ends = _join([paper.id for paper in papers])
    return Segment(
        id_bytes=id_bytes,
        id_ends=id_ends,
        indptr=indptr,
        cols=cols,
        counts=counts,
        hashes=hashes,
        order=np.argsort(hashes),
        **_stored(join([one.postings for one in pieces], [len(one.sizes) for one in pieces])),  # type: ignore[arg-type]
        lengths=np.concatenate([one.lengths for one in pieces]),
        titles=np.concatenate([one.titles for one in pieces]),
        title_sizes=np.concatenate([one.title_sizes for one in pieces]),
        years=np.array([_year(paper) for paper in papers], np.int16),
        vocabulary=_lines({text.fold(word) for word in vocabulary}),
        lsa=np.zeros((len(papers), 0), np.float32),
    )


def _numbered(
    pieces: Sequence[Piece], known: Callable[[NDArray[np.uint64]], RowArray], n_terms: int
) -> tuple[list[NDArray[np.int32]], NDArray[np.uint64]]:
    """Return the columns of each piece's hashes, piece by piece, and the new hashes in order of columns."""
    firsts = [one.firsts + at * _PIECE for at, one in enumerate(pieces)]
    hashes, places = distinct(np.concatenate([one.hashes for one in pieces]))
    first = np.zeros(len(hashes), np.int64)
    first[places[::-1]] = np.concatenate(firsts)[::-1]  # of several pieces the first one's stays
    columns = known(hashes)
    new = columns < 0
    columns[new] = n_terms + number(hashes[new], first[new])
    ends = np.cumsum([len(one.hashes) for one in pieces])[:-1]
    return np.split(columns.astype(np.int32)[places], ends), hashes[new][np.argsort(columns[new])]


def _stored(lists: Lists) -> dict[str, NDArray[np.generic]]:
    return {"keys": lists.keys, "key_ptr": lists.ptr, "key_rows": lists.rows, "key_weights": lists.weights}


def merge(parts: Sequence[Segment], keep: Sequence[NDArray[np.bool_]] | None = None) -> Segment:
    """Join neighbouring segments into one whose rows and columns keep their numbers.

    With `keep` (a mask of rows for each part) the other rows fall out; columns keep their numbers still.
    """
    masks = keep if keep is not None else [np.ones(len(part), np.bool_) for part in parts]
    kept = [part if mask.all() else _kept(part, mask) for part, mask in zip(parts, masks, strict=True)]

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in kept])

    hashes = joined("hashes")
    return Segment(
        id_bytes=joined("id_bytes"),
        id_ends=np.cumsum(np.concatenate([np.diff(part.id_ends, prepend=0) for part in kept])),
        indptr=pointers(np.concatenate([np.diff(part.indptr) for part in kept])),
        cols=joined("cols"),
        counts=joined("counts"),
        hashes=hashes,
        order=np.argsort(hashes),
        **_stored(join([part.lists() for part in kept], [len(part) for part in kept])),  # type: ignore[arg-type]
        lengths=joined("lengths"),
        titles=joined("titles"),
        title_sizes=joined("title_sizes"),
        years=joined("years"),
        vocabulary=_lines(set().union(*(part.words() for part in parts))),
        lsa=joined("lsa"),
    )


def _kept(part: Segment, mask: NDArray[np.bool_]) -> Segment:
    """Return the rows of a mask (n,); columns keep their numbers."""
    rows = np.flatnonzero(mask)
    letters, (id_bytes,) = taken(np.append(0, part.id_ends), rows, [part.id_bytes])
    indptr, (cols, counts) = taken(part.indptr, rows, [part.cols, part.counts])
    return replace(
        part,
        id_bytes=id_bytes,
        id_ends=letters[1:],
        indptr=indptr,
        cols=cols,
        counts=counts,
        **_stored(part.lists().kept(mask)),  # type: ignore[arg-type]
        lengths=part.lengths[rows],
        titles=part.titles[rows],
        title_sizes=part.title_sizes[rows],
        years=part.years[rows],
        lsa=part.lsa[rows],
    )


def renumber(part: Segment, hashes: NDArray[np.uint64]) -> Segment:
    """Number the columns of a segment that stands alone as if its papers had been built anew.

    `hashes` are those of the old columns; terms that no row holds fall out.
    """
    firsts = np.full(len(hashes), -1, np.int64)
    rows = np.repeat(np.arange(len(part), dtype=np.int32), np.diff(part.indptr))
    firsts[part.cols[::-1]] = rows[::-1]  # of the rows of one term the one written last stays, which is its first
    used = np.flatnonzero(firsts >= 0)
    ranks = number(hashes[used], firsts[used])
    columns = np.zeros(len(hashes), np.int32)
    columns[used] = ranks
    cols, counts = columns[part.cols], part.counts.copy()
    sort_rows(part.indptr, cols, counts)
    kept = hashes[used][np.argsort(ranks)]
    return replace(part, cols=cols, counts=counts, hashes=kept, order=np.argsort(kept))
