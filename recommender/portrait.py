"""What an interest looks for, in words: the other side of `explain`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recommender.index import Index
from recommender.profile import TOPIC, weigh
from recommender.rankers._vectors import unit
from recommender.text import hash_terms, terms
from recommender.types import Interest


def portrait(index: Index, interest: Interest, texts: Sequence[str], most: int) -> list[tuple[str, float]]:
    """Return the heaviest terms of an interest, with their weights as shares of the heaviest, 1.0 first.

    A term's weight is its mean TF-IDF over the liked papers and topics, by their own weights. `texts` are the titles,
    abstracts and topics that the words are to be spelt as; a pair stands for the words in it.
    """
    weighed = weigh(index, interest)
    if not index.n_terms or not (weighed.likes.size or weighed.topics):
        return []
    weights = unit(index, index.counts(weighed.likes)).T @ weighed.weights
    weights = weights + TOPIC * np.asarray(unit(index, index.vectorise(weighed.topics)).sum(axis=0)).ravel()
    spelled: dict[str, str] = {}
    for text in texts:
        for key, surface in terms(text):
            if key:
                spelled.setdefault(key, surface)
    keys = list(spelled)
    columns = index.columns(hash_terms(keys))
    worth = {key: float(weights[column]) for key, column in zip(keys, columns.tolist(), strict=True) if column >= 0}
    chosen: list[tuple[str, float]] = []
    told: set[str] = set()
    for key in sorted(worth, key=lambda key: (-worth[key], key)):
        if len(chosen) < most and worth[key] > 0 and told.isdisjoint(key.split(" ")):
            chosen.append((spelled[key], worth[key]))
            told.update(key.split(" "))
    heaviest = chosen[0][1] if chosen else 1.0
    return [(term, weight / heaviest) for term, weight in chosen]
