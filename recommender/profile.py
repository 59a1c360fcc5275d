"""From an interest to what is ranked by: stored papers with weights, and topic words that count as papers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from recommender.index import Index
from recommender.types import FloatArray, Interest, RowArray

HALF_LIFE = 90.0
"""Days after which a like counts half as much as one made today."""

TOPIC = 3
"""Liked papers that one topic counts as. Topic words never decay."""

MOST = 500
"""Liked papers, and disliked ones, that count: the latest. It bounds the work for one interest."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """An interest resolved against an index.

    `likes` are rows of shape (n_likes,), latest mark first, and `weights` (n_likes,) has a mean of 1, so that n likes
    count as n papers however old they are. `dislikes` are rows, latest first.
    """

    likes: RowArray
    weights: FloatArray
    dislikes: RowArray
    topics: tuple[str, ...] = ()


def weigh(index: Index, interest: Interest) -> Weighted:
    """Return the rows and weights of an interest.

    A paper both liked and disliked counts by its later mark (by the dislike, if they came at once); ids that the index
    does not hold are ignored; two ids of one stored row count once.
    """
    marks: dict[str, tuple[datetime, bool]] = {}
    for bad, given in ((False, interest.liked), (True, interest.disliked)):
        for mark in given:
            if mark.paper not in marks or (mark.at, bad) >= marks[mark.paper]:
                marks[mark.paper] = (mark.at, bad)
    likes, dated = _rows(index, [(at, paper) for paper, (at, bad) in marks.items() if not bad])
    dislikes, _ = _rows(index, [(at, paper) for paper, (at, bad) in marks.items() if bad])
    topics = tuple(dict.fromkeys(topic for topic in interest.topics if topic.strip()))
    return Weighted(likes, decay(dated), dislikes, topics)


def decay(dates: list[datetime]) -> FloatArray:
    """Return weights of shape (n,) and mean 1: exponential decay with `HALF_LIFE`, counted from the latest date.

    Only differences of dates matter: after a holiday nothing has changed.
    """
    if not dates:
        return np.zeros(0, np.float32)
    latest = max(dates)
    days = np.array([(latest - at).total_seconds() / 86_400.0 for at in dates])
    weights = 0.5 ** (days / HALF_LIFE)
    result: FloatArray = (weights / weights.mean()).astype(np.float32)
    return result


def _rows(index: Index, marks: list[tuple[datetime, str]]) -> tuple[RowArray, list[datetime]]:
    """Return the stored rows of (date, id) pairs, latest first, at most `MOST`, with their dates."""
    marks.sort(key=lambda mark: (-mark[0].timestamp(), mark[1]))
    dated: dict[int, datetime] = {}
    for row, (at, _) in zip(index.rows([paper for _, paper in marks]).tolist(), marks, strict=True):
        if row >= 0 and row not in dated:
            dated[row] = at
    kept = list(dated.items())[:MOST]
    return np.array([row for row, _ in kept], np.int64), [at for _, at in kept]
