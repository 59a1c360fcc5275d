"""What an interest looks for, in words: the other side of `explain`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recommender.explain import spellings
from recommender.index import Index
from recommender.profile import TOPIC, weigh
from recommender.rankers._vectors import unit
from recommender.text import hash_terms
from recommender.types import Interest

_COMMON = 2
"""Papers that must use a pair of words: of those that one paper alone uses, each is as good as the next."""


def portrait(index: Index, interest: Interest, texts: Sequence[str], most: int) -> list[tuple[str, float]]:
    """Return the heaviest terms of an interest, with their weights as shares of the heaviest, 1.0 first.

    A term's weight is its mean TF-IDF over the liked papers and topics, by their own weights; a pair weighs as its
    words do together with it, and stands for them. `texts` are the titles, abstracts and topics, for the spelling.
    """
    weighed = weigh(index, interest)
    if not index.n_terms or not (weighed.likes.size or weighed.topics):
        return []
    weights = unit(index, index.counts(weighed.likes)).T @ weighed.weights
    weights = weights + TOPIC * np.asarray(unit(index, index.vectorise(weighed.topics)).sum(axis=0)).ravel()
    spelled: dict[str, str] = {}
    for text in texts:
        spelled = spellings(text) | spelled
    keys = list(spelled)
    columns = index.columns(hash_terms(keys))
    common = np.where(columns >= 0, index.df[columns] >= _COMMON, False)
    told_by = {key: float(weights[column]) for key, column in zip(keys, columns.tolist(), strict=True) if column >= 0}
    worth = {
        key: told_by[key] + sum(told_by.get(word, 0.0) for word in key.split(" ") if " " in key)
        for key, usual in zip(keys, common.tolist(), strict=True)
        if key in told_by and (usual or " " not in key)
    }
    chosen: list[tuple[str, float]] = []
    told: set[str] = set()
    for key in sorted(worth, key=lambda key: (-worth[key], key)):
        if len(chosen) < most and worth[key] > 0 and told.isdisjoint(key.split(" ")):
            chosen.append((spelled[key], worth[key]))
            told.update(key.split(" "))
    heaviest = chosen[0][1] if chosen else 1.0
    return [(term, weight / heaviest) for term, weight in chosen]
