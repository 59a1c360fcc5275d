"""One immutable part of the index: counts by paper, postings by key, ids and coordinates, as flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from recommender import text
from recommender.types import FloatArray, Paper, RowArray

TITLE_WEIGHT = 3
"""A word of the title counts as this many words of the abstract in lookups."""

FIRST_YEAR, LAST_YEAR = 1500, 2199
"""Years outside are slips, and count as unknown."""

_COUNT_MAX, _WEIGHT_MAX = 65_535, 255


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


def spans(indptr: NDArray[np.int64], rows: RowArray) -> tuple[RowArray, RowArray]:
    """Return (places, lengths): the flat places of the entries of some rows of a CSR, row after row."""
    starts, lengths = indptr[rows], indptr[rows + 1] - indptr[rows]
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths), lengths


def number(hashes: NDArray[np.uint64], first_rows: RowArray) -> RowArray:
    """Return each term's rank by the first row that holds it, then by hash: the same however papers were batched."""
    ranks = np.empty(len(hashes), np.int64)
    ranks[np.lexsort((hashes, first_rows))] = np.arange(len(hashes))
    return ranks


@dataclass(frozen=True, slots=True)
class _Row:
    """One paper's terms and lookup keys, counted."""

    terms: NDArray[np.uint64]
    counts: NDArray[np.uint16]
    keys: NDArray[np.uint64]
    weights: NDArray[np.uint8]
    length: int
    title: int
    title_size: int
    year: int


class _Keys(dict[str, int]):
    def __missing__(self, key: str) -> int:
        if len(self) > 1_000_000:
            self.clear()
        value = self[key] = text.hash_key(key, text.LOOKUP)
        return value


_keys = _Keys()


def trigram_keys(plain: str) -> list[int]:
    """Return the lookup keys of the distinct character trigrams of a `text.plain` title, edges included."""
    padded = f" {plain} "
    return [_keys[f"\0tri {gram}"] for gram in {padded[at : at + 3] for at in range(len(padded) - 2)}]


def name_key(*parts: str) -> int:
    """Return the lookup key of a part of a name, or of two parts in any order (all folded)."""
    return _keys["\0name " + " ".join(sorted(parts))]


def _name_keys(authors: Sequence[str]) -> set[int]:
    """Return keys for each part of each name, and for first and last part together."""
    keys: set[int] = set()
    for author in authors:
        last, comma, first = author.partition(",")
        parts = [part for part in text.plain(f"{first} {last}" if comma else author).split() if len(part) > 1]
        keys.update(name_key(part) for part in parts)
        if len(parts) > 1:
            keys.add(name_key(parts[0], parts[-1]))
    return keys


def _row(paper: Paper, vocabulary: set[str]) -> _Row:
    """Count one paper and add its words as written to the vocabulary."""
    found, seen = text.surfaces(text.paper_text(paper))
    vocabulary |= seen
    areas = np.array(sorted({text.area_hash(name) for name in paper.categories}), np.uint64)
    counted, counts = np.unique(np.concatenate([found, areas]), return_counts=True)
    title = text.plain(paper.title[:1000])
    heavy = text.term_hashes(paper.title[:1000])
    kinds = counted & np.uint64(3)
    word_keys, weights = counted[kinds == text.WORD], counts[kinds == text.WORD]
    at = np.searchsorted(word_keys, heavy)
    at[at == len(word_keys)] = 0
    held = at[word_keys[at] == heavy] if len(word_keys) else at[:0]
    weights = weights + (TITLE_WEIGHT - 1) * np.bincount(held, minlength=len(weights))
    grams = trigram_keys(title) if title else []
    others = np.array([*grams, *_name_keys(paper.authors)], np.uint64)
    return _Row(
        terms=counted,
        counts=np.minimum(counts, _COUNT_MAX).astype(np.uint16),
        keys=np.concatenate([word_keys, others]),
        weights=np.concatenate([np.minimum(weights, _WEIGHT_MAX), np.ones(len(others))]).astype(np.uint8),
        length=int(weights.sum()),
        title=text.hash_key(title, text.LOOKUP) if title else 0,
        title_size=len(grams),
        year=_year(paper),
    )


def _year(paper: Paper) -> int:
    """Return the year in which a paper came out; 0 where nobody knows or what is said is no year."""
    year = paper.published.year if paper.published is not None else paper.year or 0
    return year if FIRST_YEAR <= year <= LAST_YEAR else 0


def _pointers(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)


def _lines(words: set[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(sorted(words)).encode("utf-8", "surrogatepass"), np.uint8)


def _join(ids: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    encoded = [one.encode("utf-8", "surrogatepass") for one in ids]
    return np.frombuffer(b"".join(encoded), np.uint8), _pointers([len(one) for one in encoded])[1:]


def _sort_rows(indptr: NDArray[np.int64], cols: NDArray[np.int32], counts: NDArray[np.uint16]) -> None:
    """Sort the columns within each row, in place."""
    for start, end in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
        order = np.argsort(cols[start:end])
        cols[start:end] = cols[start:end][order]
        counts[start:end] = counts[start:end][order]


def _postings(
    keys: NDArray[np.uint64], rows: NDArray[np.int32], weights: NDArray[np.uint8]
) -> dict[str, NDArray[np.generic]]:
    """Turn (key, row, weight) triples, rows ascending, into postings sorted by key, then row."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(np.ones(min(len(keys), 1), np.bool_), ordered[1:] != ordered[:-1]))
    return {
        "keys": ordered[starts],
        "key_ptr": np.append(starts, len(keys)).astype(np.int64),
        "key_rows": rows[order],
        "key_weights": weights[order],
    }


def build(papers: Sequence[Paper], known: Callable[[NDArray[np.uint64]], RowArray], n_terms: int) -> Segment:
    """Count papers into a segment without coordinates.

    `known` maps hashes to columns of earlier segments, -1 where new; new terms are numbered from `n_terms`.
    """
    vocabulary: set[str] = set()
    rows = [_row(paper, vocabulary) for paper in papers]
    empty = [np.zeros(0, np.uint64)]
    indptr = _pointers([len(row.terms) for row in rows])
    hashes, firsts, inverse = np.unique(
        np.concatenate(empty + [row.terms for row in rows]), return_index=True, return_inverse=True
    )
    columns = known(hashes)
    new = columns < 0
    columns[new] = n_terms + number(hashes[new], np.searchsorted(indptr, firsts[new], side="right"))
    cols = columns[inverse.ravel()].astype(np.int32)
    counts = np.concatenate([np.zeros(0, np.uint16)] + [row.counts for row in rows])
    _sort_rows(indptr, cols, counts)
    new_hashes = hashes[new][np.argsort(columns[new])]
    weights = np.concatenate([np.zeros(0, np.uint8)] + [row.weights for row in rows])
    posting_rows = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row.keys) for row in rows])
    posting_keys = np.concatenate(empty + [row.keys for row in rows])
    id_bytes, id_ends = _join([paper.id for paper in papers])
    return Segment(
        id_bytes=id_bytes,
        id_ends=id_ends,
        indptr=indptr,
        cols=cols,
        counts=counts,
        hashes=new_hashes,
        order=np.argsort(new_hashes),
        **_postings(posting_keys, posting_rows, weights),  # type: ignore[arg-type]
        lengths=np.array([row.length for row in rows], np.int32),
        titles=np.array([row.title for row in rows], np.uint64),
        title_sizes=np.array([row.title_size for row in rows], np.int32),
        years=np.array([row.year for row in rows], np.int16),
        vocabulary=_lines({text.fold(word) for word in vocabulary}),
        lsa=np.zeros((len(rows), 0), np.float32),
    )


def merge(parts: Sequence[Segment], keep: Sequence[NDArray[np.bool_]] | None = None) -> Segment:
    """Join neighbouring segments into one whose rows and columns keep their numbers.

    With `keep` (a mask of rows for each part) the other rows fall out; columns keep their numbers still.
    """
    masks = keep if keep is not None else [np.ones(len(part), np.bool_) for part in parts]
    kept = [np.flatnonzero(mask) for mask in masks]
    taken = [spans(part.indptr, rows) for part, rows in zip(parts, kept, strict=True)]
    hashes = np.concatenate([part.hashes for part in parts])
    id_bytes, id_ends = _join(
        [part_id for part, mask in zip(parts, masks, strict=True) for part_id in _kept(part, mask)]
    )
    return Segment(
        id_bytes=id_bytes,
        id_ends=id_ends,
        indptr=_pointers(np.concatenate([lengths for _, lengths in taken]).tolist()),
        cols=np.concatenate([part.cols[places] for part, (places, _) in zip(parts, taken, strict=True)]),
        counts=np.concatenate([part.counts[places] for part, (places, _) in zip(parts, taken, strict=True)]),
        hashes=hashes,
        order=np.argsort(hashes),
        **_merged_postings(parts, masks),  # type: ignore[arg-type]
        lengths=np.concatenate([part.lengths[rows] for part, rows in zip(parts, kept, strict=True)]),
        titles=np.concatenate([part.titles[rows] for part, rows in zip(parts, kept, strict=True)]),
        title_sizes=np.concatenate([part.title_sizes[rows] for part, rows in zip(parts, kept, strict=True)]),
        years=np.concatenate([part.years[rows] for part, rows in zip(parts, kept, strict=True)]),
        vocabulary=_lines(set().union(*(part.words() for part in parts))),
        lsa=np.concatenate([part.lsa[rows] for part, rows in zip(parts, kept, strict=True)]),
    )


def _kept(part: Segment, mask: NDArray[np.bool_]) -> list[str]:
    return [one for one, held in zip(part.ids(), mask.tolist(), strict=True) if held]


def _merged_postings(parts: Sequence[Segment], masks: Sequence[NDArray[np.bool_]]) -> dict[str, NDArray[np.generic]]:
    keys, rows, weights, offset = [], [], [], 0
    for part, mask in zip(parts, masks, strict=True):
        held = mask[part.key_rows]
        renumbered = (np.cumsum(mask) - 1 + offset).astype(np.int32)
        keys.append(np.repeat(part.keys, np.diff(part.key_ptr))[held])
        rows.append(renumbered[part.key_rows[held]])
        weights.append(part.key_weights[held])
        offset += int(mask.sum())
    return _postings(np.concatenate(keys), np.concatenate(rows), np.concatenate(weights))


def renumber(part: Segment, hashes: NDArray[np.uint64]) -> Segment:
    """Number the columns of a segment that stands alone as if its papers had been built anew.

    `hashes` are those of the old columns; terms that no row holds fall out.
    """
    used, firsts, inverse = np.unique(part.cols, return_index=True, return_inverse=True)
    ranks = number(hashes[used], np.searchsorted(part.indptr, firsts, side="right"))
    cols, counts = ranks[inverse.ravel()].astype(np.int32), part.counts.copy()
    _sort_rows(part.indptr, cols, counts)
    kept = hashes[used][np.argsort(ranks)]
    return replace(part, cols=cols, counts=counts, hashes=kept, order=np.argsort(kept))


def frequencies(cols: NDArray[np.int32], n_terms: int) -> NDArray[np.int32]:
    """Return how many rows hold each column, in blocks so that no 64-bit copy of all columns is made."""
    df = np.zeros(n_terms, np.int32)
    for start in range(0, len(cols), 1 << 20):
        df += np.bincount(cols[start : start + (1 << 20)], minlength=n_terms).astype(np.int32)
    return df
