"""What a digest does not show, and why. Pure, but for the pools that it reads."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from bot.store.wish import Pick, Wish
from recommender.aside import Looked
from recommender.match import by, mentions
from recommender.pool import Pool
from recommender.select import allows
from recommender.types import Paper


def short(looked: Sequence[Looked], picked: Collection[str]) -> tuple[int | None, float | None]:
    """Return the most probable unseen, unmuted paper that was not picked, over all interests that tell papers apart.

    With it, the probability that it is liked, None while that is a guess.
    """
    best: tuple[float, float, int, float | None] | None = None
    for pool, scores, rules, bar, own in looked:
        allowed = own & allows(pool, rules)
        allowed[[pool.places[id_] for id_ in picked if id_ in pool.places]] = False
        if allowed.any() and np.abs(scores).max(initial=0) > 0:
            at = int(np.where(allowed, scores, -np.inf).argmax())
            score = float(scores[at])
            order = float(bar.calibration.probability(score)), score
            if best is None or order > best[:2]:
                best = (*order, int(pool.ids[at]), bar.fits(score))
    return (None, None) if best is None else best[2:]


def muted(looked: Sequence[Looked]) -> int:
    """Return how many papers, of all that were looked at, are muted and not seen."""
    found: set[str] = set()
    for pool in {id(one.pool): one.pool for one in looked}.values():
        rules = looked[0].rules
        if rules.muted:
            places = np.flatnonzero(pool.muted(rules.muted) & ~pool.seen(rules.seen))
            found.update(pool.ids[at] for at in places.tolist())
    return len(found)


def muting(paper: Paper, words: Sequence[str]) -> str:
    """Return the first of these words that mutes a paper, or nothing."""
    return next((word for word in words if mentions(paper, (word,)) or by(paper, (word,))), "")


def reason(wish: Wish, picks: Sequence[Pick], pool: Pool, place: int, scored: tuple[int, float, bool]) -> str:
    """Say why a paper of the pool, nearest to an interest with a score, is not among the picks."""
    nearest, score, told = scored
    paper, bar = pool.papers[place], wish.bars[nearest]
    if int(paper.id) in set(wish.seen):
        return "already shown"
    if words := muting(paper, wish.profile.muted):
        return f"muted: {words}"
    if told and score < bar.least and not by(paper, wish.profile.followed):
        fits = bar.fits(score)
        if fits is not None:
            return f"below the threshold (fits {math.floor(fits * 100)} % of {min(math.ceil(bar.tau * 100), 101)} %)"
        return f"below the threshold ({math.floor(score * 10) / 10:.1f} of {bar.least:.1f})"
    for pick in picks:
        other = pool.places.get(str(pick.number), -1)
        if other in pool.twins(place) or (other >= 0 and pool.titles[other] == pool.titles[place]):
            return f"nearly the same as “{pool.papers[other].title}”"
    worse = any(pick.interest == nearest and pick.score < score and not pick.why.note for pick in picks)
    return "others are more varied" if worse else "the digest is full"
