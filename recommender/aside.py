"""The wildcard: one paper outside the usual, of which an interest is least sure, so that it learns where it ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from recommender.bar import Bar
from recommender.pool import Mask, Pool
from recommender.select import Rules, allows
from recommender.types import FloatArray

AMONG = 5
"""Papers that it is drawn from, each with the same chance, which is logged: only then can one learn from it fairly."""


class Looked(NamedTuple):
    """What an interest was ranked over: a pool, its scores (n,), what may be shown, and from what probability on.

    `own` (n,) says which of the papers belong to this interest and to no other one of the digest.
    """

    pool: Pool
    scores: FloatArray
    rules: Rules
    bar: Bar
    own: Mask


class Aside(NamedTuple):
    """The paper that was drawn: the interest (its number), its place in that interest's pool, and its chance."""

    interest: int
    place: int
    chance: float


def aside(looked: Sequence[Looked], picked: Collection[str], seed: int) -> Aside | None:
    """Draw one of the papers that fall short and whose probability is nearest to 1/2; None if none was told apart.

    It is unseen, not muted, and neither one of the `picked` papers (ids) nor nearly the same as one of them; nor does
    it suit another interest.
    """
    found: list[tuple[float, str, int, int]] = []
    for number, (pool, scores, rules, bar, own) in enumerate(looked):
        mask = own & allows(pool, rules) & np.isfinite(scores) & (scores < rules.least)
        if not mask.any() or not np.abs(scores).max(initial=0) > 0:
            continue
        mine = [pool.places[one] for one in picked if one in pool.places]
        mask[[*mine, *(twin for place in mine for twin in pool.twins(place))]] = False
        doubt = np.abs(bar.calibration.probability(scores) - 0.5)
        places = np.flatnonzero(mask)
        told = {pool.titles[place] for place in mine}
        nearest = places[np.lexsort((pool.rank[places], doubt[places]))][: AMONG + len(told)].tolist()
        found += [(float(doubt[at]), pool.ids[at], number, at) for at in nearest if pool.titles[at] not in told]
    among = sorted(found)[:AMONG]
    if not among:
        return None
    _, _, number, place = among[int(np.random.default_rng(seed).integers(len(among)))]
    return Aside(number, place, 1.0 / len(among))
