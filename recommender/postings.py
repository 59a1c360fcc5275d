"""The rows that hold a key, over all segments of an index, and how rare that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recommender.index import Index

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Posting:
    """The live rows that hold one key, ascending, and how often each holds it."""

    rows: NDArray[np.int32]
    weights: NDArray[np.uint8]


_NOTHING = Posting(np.zeros(0, np.int32), np.zeros(0, np.uint8))


def postings(index: Index, keys: Sequence[int]) -> list[Posting]:
    """Return the live rows of each key, over all segments."""
    wanted = np.array(keys, np.uint64)
    found: list[list[Posting]] = [[] for _ in keys]
    clean = bool(index.live.all())
    for part in index.parts:
        held = part.data.keys
        places = np.searchsorted(held, wanted)
        for at, place in enumerate(places.tolist()):
            if place < len(held) and held[place] == wanted[at]:
                start, end = part.data.key_ptr[place : place + 2].tolist()
                rows, weights = part.data.key_rows[start:end], part.data.key_weights[start:end]
                if part.row:
                    rows = rows + np.int32(part.row)
                keep = slice(None) if clean else index.live[rows]
                found[at].append(Posting(rows[keep], weights[keep]))
    return [_joined(some) for some in found]


def _joined(some: Sequence[Posting]) -> Posting:
    if len(some) < 2:
        return some[0] if some else _NOTHING
    return Posting(np.concatenate([one.rows for one in some]), np.concatenate([one.weights for one in some]))


def sizes(some: Sequence[Posting]) -> Floats:
    """Return the number of rows of each posting, (n,)."""
    return np.array([len(one.rows) for one in some], np.float64)


def idf(index: Index, df: Floats) -> Floats:
    """Return ln(1 + (N - df + 0.5) / (df + 0.5)), as BM25 weighs it."""
    found: Floats = np.log1p((len(index) - df + 0.5) / (df + 0.5))
    return found


def column(index: Index, name: str) -> NDArray[np.int32]:
    """Return one number of each row, (n_rows,), as the segments store it under this name."""
    some = [getattr(part.data, name) for part in index.parts]
    found: NDArray[np.int32] = some[0] if len(some) == 1 else np.concatenate(some)
    return found
