"""Some papers, counted all at once: what a segment is built from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recommender import text
from recommender.flat import distinct, find
from recommender.inverted import Lists, invert
from recommender.keys import author_keys, trigram_keys
from recommender.types import Paper

TITLE_WEIGHT = 3
"""A word of the title counts as this many words of the abstract in lookups."""

_COUNT_MAX, _WEIGHT_MAX = 65_535, 255
_TITLE = 1000  # characters of a title that are read for lookups


@dataclass(frozen=True, slots=True)
class Piece:
    """n papers, m terms. `hashes`: their terms, ascending, (m,), `firsts`: the first row that holds each, (m,).

    `sizes`: distinct terms of each row, (n,); `cols`, `counts`: places in `hashes` and counts, row after row.
    The rest is as in `Segment`.
    """

    hashes: NDArray[np.uint64]
    firsts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    cols: NDArray[np.int32]
    counts: NDArray[np.uint16]
    postings: Lists
    lengths: NDArray[np.int32]
    titles: NDArray[np.uint64]
    title_sizes: NDArray[np.int32]


def count(papers: Sequence[Paper], written: set[str]) -> Piece:
    """Count papers, fewer than 2 ** 23, and add their words as written to a set."""
    found, owners = text.occurrences([text.paper_text(paper) for paper in papers], written)
    areas, more = _flat([{text.area_hash(name) for name in paper.categories} for paper in papers])
    hashes, places = distinct(np.append(found, areas))
    entries, counts = np.unique(np.append(owners, more) << 32 | places, return_counts=True)
    rows, cols = entries >> 32, entries & 0xFFFFFFFF
    firsts = np.zeros(len(hashes), np.int64)
    firsts[cols[::-1]] = rows[::-1]  # of the rows of one term the one written last stays, which is its first
    weights = counts + (TITLE_WEIGHT - 1) * _in_titles(papers, hashes, entries)
    words = (hashes & np.uint64(3)) == text.WORD
    word = words[cols]
    titles = [text.plain(paper.title[:_TITLE]) for paper in papers]
    grams = [trigram_keys(title) if title else [] for title in titles]
    names = [{key for author in paper.authors for key in author_keys(author)} for paper in papers]
    others, other_rows = _flat([[*some, *named] for some, named in zip(grams, names, strict=True)])
    keys, key_places = distinct(others)
    return Piece(
        hashes=hashes,
        firsts=firsts,
        sizes=np.bincount(rows, minlength=len(papers)),
        cols=cols.astype(np.int32),
        counts=np.minimum(counts, _COUNT_MAX).astype(np.uint16),
        postings=invert(
            np.append(hashes[words], keys),
            np.append((np.cumsum(words) - 1)[cols[word]], key_places + words.sum()),
            np.append(rows[word], other_rows),
            np.append(np.minimum(weights[word], _WEIGHT_MAX), np.ones(len(others), np.int64)),
        ),
        lengths=np.bincount(rows[word], weights[word], minlength=len(papers)).astype(np.int32),
        titles=np.array([text.hash_key(title, text.LOOKUP) if title else 0 for title in titles], np.uint64),
        title_sizes=np.array([len(some) for some in grams], np.int32),
    )


def _flat(some: Sequence[Collection[int]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return (keys, rows) of the keys of each row."""
    sizes = [len(row) for row in some]
    return np.array([one for row in some for one in row], np.uint64), np.repeat(np.arange(len(some)), sizes)


def _in_titles(papers: Sequence[Paper], hashes: NDArray[np.uint64], entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often the title has the term of each entry (row << 32 | place in `hashes`, ascending)."""
    found, owners = text.occurrences([paper.title[:_TITLE] for paper in papers])
    places, held = find(hashes, found)
    at, hits = find(entries, owners[held] << 32 | places[held])
    return np.bincount(at[hits], minlength=len(entries))
