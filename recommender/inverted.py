"""Inverted lists: for each key the rows that hold it and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recommender.flat import heads, pointers, taken


@dataclass(frozen=True, slots=True)
class Lists:
    """`keys` ascending (m,); those of key i stand at `ptr[i]` to `ptr[i + 1]` of `rows` (ascending) and `weights`."""

    keys: NDArray[np.uint64]
    ptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    weights: NDArray[np.uint8]

    def kept(self, mask: NDArray[np.bool_]) -> Lists:
        """Return the lists of the rows that a mask holds, numbered anew without the others; keys of none fall out."""
        held = mask[self.rows]
        ends = np.append(0, np.cumsum(held))[self.ptr]
        used = np.diff(ends) > 0
        rows = (np.cumsum(mask) - 1).astype(np.int32)[self.rows[held]]
        return Lists(self.keys[used], np.append(0, ends[1:][used]), rows, self.weights[held])


def invert(
    keys: NDArray[np.uint64], places: NDArray[np.int64], rows: NDArray[np.int64], weights: NDArray[np.int64]
) -> Lists:
    """Return the lists of entries (n,), of which each is of the key at a place of `keys`: distinct, in any order.

    Rows are below 2 ** 23 and weights below 2 ** 8, since an entry is sorted as one number.
    """
    order = np.argsort(keys)
    ranks = np.empty(len(keys), np.int64)
    ranks[order] = np.arange(len(keys))
    packed = np.sort(ranks[places] << 32 | rows << 8 | weights)
    ptr = pointers(np.bincount(packed >> 32, minlength=len(keys)))
    return Lists(keys[order], ptr, (packed >> 8 & 0xFFFFFF).astype(np.int32), (packed & 0xFF).astype(np.uint8))


def join(lists: Sequence[Lists], sizes: Sequence[int]) -> Lists:
    """Return one set of lists of several, each of which covers `sizes` rows: those of the next are numbered on.

    Keys alone are sorted, which come in runs: so the cost is nearly in proportion to entries.
    """
    keys = np.concatenate([one.keys for one in lists])
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = heads(ordered)
    firsts = pointers(np.array(sizes, np.int64))[:-1].astype(np.int32)
    rows = np.concatenate([one.rows + first for one, first in zip(lists, firsts, strict=True)])
    weights = np.concatenate([one.weights for one in lists])
    ptr = pointers(np.concatenate([np.diff(one.ptr) for one in lists]))
    ends, (rows, weights) = taken(ptr, order, [rows, weights])
    return Lists(ordered[starts], ends[np.append(starts, len(keys))], rows, weights)
