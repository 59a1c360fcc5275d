"""Several interests of one owner share a digest: a paper belongs to the one that it suits most, and they take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from recommender.bar import Bar
from recommender.pool import Pool
from recommender.types import FloatArray, Ranked

LONG = 4
"""Words of a title from which on two papers of one title are one paper."""


def owners(scores: FloatArray, bars: Sequence[Bar]) -> NDArray[np.int64]:
    """Return to which of m interests each of n papers belongs, (n,): to the most probable one whose bar it passes.

    A paper that passes none belongs to the most probable one. Where two are level it is the one with the better score,
    then the first. `scores` are (m, n), m at least 1; one that is no number passes nothing and is never probable.
    """
    worth = np.asarray(scores, np.float64)
    probable = np.array([bar.calibration.probability(own) for bar, own in zip(bars, worth, strict=True)])
    passing = worth >= np.array([bar.least for bar in bars])[:, None]
    first = probable + 2.0 * passing
    level = first == first.max(axis=0)
    found: NDArray[np.int64] = np.where(level & ~np.isnan(worth), worth, -np.inf).argmax(axis=0)
    return found


def interleave(
    per_interest: Sequence[Sequence[Ranked]], k: int, same: Callable[[str], Collection[str]] = lambda _: ()
) -> list[tuple[int, Ranked]]:
    """Return at most `k` papers as (number of the interest, paper), taking from the interests in turn.

    A paper comes once, where its turn comes first; so do those that `same` says (ids) are one paper with it.
    """
    queues = [deque(picked) for picked in per_interest]
    turns: list[tuple[int, Ranked]] = []
    gone: set[str] = set()
    while len(turns) < k and any(queues):
        for number, queue in enumerate(queues):
            while queue and queue[0].paper in gone:
                queue.popleft()
            if queue and len(turns) < k:
                turns.append((number, queue.popleft()))
                gone |= {turns[-1][1].paper, *same(turns[-1][1].paper)}
    return turns


def copies(pools: Sequence[Pool], id_: str) -> set[str]:
    """Return the ids of what is one paper with this one in any of the pools: nearly its text, or its long title."""
    found: set[str] = set()
    for pool in {id(each): each for each in pools}.values():
        place = pool.places.get(id_, -1)
        if place < 0:
            continue
        found.update(pool.ids[twin] for twin in pool.twins(place))
        title = pool.titles[place]
        if title.count(" ") >= LONG - 1:
            found.update(other for other, its in zip(pool.ids, pool.titles, strict=True) if its == title)
    return found - {id_}
