"""Interests against papers and against what is usual, measured: all that a ranker makes its parts of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recommender.index import Index
from recommender.profile import Weighted
from recommender.rankers._close import closeness
from recommender.rankers._compared import Compared
from recommender.rankers._vectors import vectors
from recommender.types import FloatArray, RowArray

_FEW = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """Interests (m of them) against n papers, followed by the usual ones: n + n_usual columns.

    `words`, `meanings`: `closeness` by words and by meaning, (m, n + n_usual); `relevance`: by the relevance weights of
    what is liked; `usual` (m, n_usual): which usual papers
    count for which interest. `meaning` (n + n_usual, k): the papers' coordinates; `liked` (n_liked, k) and `mass`
    (n_liked,): those of what the interests like, one interest's from `starts` (m + 1,) on. `shares` (a,): exact shares
    of areas among the stored papers; `held` (a, n + n_usual): which papers are of them; `named`: the areas of each
    interest. `disliking` (d,): interests with dislikes; the greatest similarity to a liked paper, `good`, and
    to a disliked one, `bad`, (d, n + n_usual) each; `unlike` (d, n_usual): the usual papers that are no dislikes.
    """

    n: int
    weighted: Sequence[Weighted]
    words: FloatArray
    meanings: FloatArray
    relevance: FloatArray
    usual: NDArray[np.bool_]
    meaning: FloatArray
    liked: FloatArray
    mass: FloatArray
    starts: RowArray
    shares: NDArray[np.float64]
    held: NDArray[np.bool_]
    named: Sequence[RowArray]
    disliking: RowArray
    good: FloatArray
    bad: FloatArray
    unlike: NDArray[np.bool_]


def others(usual: RowArray, own: Sequence[RowArray]) -> NDArray[np.bool_]:
    """Return which usual papers, rows in rising order, are not an interest's own, (n_interests, n_usual).

    All are, if hardly any would be left. A paper is like itself: in a small store the interest's own would make
    everything else look far away.
    """
    kept = np.ones((len(own), usual.size), np.bool_)
    if usual.size and own:
        rows, numbers = np.concatenate(own), np.repeat(np.arange(len(own)), [len(one) for one in own])
        at = np.minimum(np.searchsorted(usual, rows), usual.size - 1)
        same = usual[at] == rows
        kept[numbers[same], at[same]] = False
        kept[kept.sum(axis=1) < _FEW] = True
    return kept


def shares(index: Index, areas: RowArray) -> NDArray[np.float64]:
    """Return the share of live papers that are of each area, (n_areas,), of their columns."""
    return np.clip(index.df[areas] / max(len(index), 1), 0.0, 1.0)


def alone(index: Index, compared: Compared) -> Measured:
    """Return one interest, measured: a batch of one."""
    profile, block = compared.profile, compared.block
    weighted, liked = profile.weighted, profile.liked
    likes, disliked = weighted.likes.size, weighted.dislikes.size
    good = bad = np.zeros((0, block.size), np.float32)
    if disliked:
        similar = compared.words[:likes] + compared.meanings[:likes]
        good = similar.max(axis=0, initial=-np.inf)[None, :]
        bad = block.similarity(vectors(index, weighted.dislikes)).max(axis=0)[None, :]
    return Measured(
        n=block.n,
        weighted=[weighted],
        words=closeness(compared.words, liked.mass)[None, :],
        meanings=closeness(compared.meanings, liked.mass)[None, :],
        relevance=compared.relevance[None, :],
        usual=others(block.usual, [weighted.likes]),
        meaning=block.meaning.T,
        liked=liked.meaning,
        mass=liked.mass,
        starts=np.array([0, liked.mass.size]),
        shares=shares(index, profile.areas),
        held=block.holds(profile.areas),
        named=[np.arange(profile.areas.size)],
        disliking=np.arange(1 if disliked else 0),
        good=good,
        bad=bad,
        unlike=others(block.usual, [weighted.dislikes][:disliked]),
    )
