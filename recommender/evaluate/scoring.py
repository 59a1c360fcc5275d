"""Where the scores of candidates come from: a ranker, the search for what somebody typed, or chance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from recommender.evaluate.jsonl import BadSetError
from recommender.evaluate.task import Case
from recommender.index import Index
from recommender.search import search
from recommender.types import FloatArray, Ranker, RowArray

DEFAULT, BASELINE, RANDOM = "default", "tfidf", "random"

Maker = Callable[[Index], Ranker] | None
"""What makes a ranker; None draws the scores."""

Scorer = Callable[[Case, RowArray], FloatArray | NDArray[np.float64]]


def scorer_of(name: str, make: Maker, index: Index, seed: int) -> Scorer:
    """Return what gives the scores, (n_rows,), of a case and rows (n_rows,).

    What somebody typed to find is looked up where the ranker is `default`, as the bot does; others rank it as a topic.
    Raises BadSetError where a ranker gives what is no number.
    """
    rng = np.random.default_rng([seed, 1])
    ranker = make and make(index)

    def scores(case: Case, rows: RowArray) -> FloatArray | NDArray[np.float64]:
        if ranker is None:
            return rng.random(rows.size)
        if name == DEFAULT and case.query and not case.size:
            return looked_up(index, case.query, rows)
        found: FloatArray = ranker.score([case.interest], rows)[0]
        if not np.isfinite(found).all():
            raise BadSetError(f"The ranker {name} gives {case.name} a score that is no number.")
        return found

    return scores


def looked_up(index: Index, query: str, rows: RowArray) -> NDArray[np.float64]:
    """Return the search's scores of rows, (n_rows,); 0 where it does not find one."""
    mask = np.zeros(index.n_rows, np.bool_)
    mask[rows] = True
    found = np.zeros(index.n_rows)
    for hit in search(index, query, max(rows.size, 1), mask):
        found[hit.row] = hit.score
    return found[rows]
