"""What each part of the default ranker is worth: with one thing changed at a time. Prints a table a set. Run by hand.

    python tests/bench/bench_parts.py [SET…]    the judgements beside the project, topic-words too; half an hour

As deployed; three seeds, of topic-words one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recommender.evaluate.places import corpora, sets
from recommender.evaluate.scoring import Maker
from recommender.evaluate.table import as_table
from recommender.evaluate.topics import NAME
from recommender.evaluate.whole import Whole
from recommender.profile import Weighted
from recommender.rankers import _block, _relevance, _vectors, default
from recommender.rankers.tfidf import Tfidf
from recommender.types import FloatArray, Interest, RowArray

SETS = ("goldstandard-reviewer", "csfcube", "authors-nlp", NAME)


def none(weighted: Sequence[Weighted]) -> FloatArray:
    """Return 0 for each interest, (n_interests, 1)."""
    return np.zeros((len(weighted), 1), np.float32)


def varied(left_out: str = "", *changes: tuple[ModuleType, str, object]) -> Maker:
    """Return what makes the default ranker without a part and with some names of modules changed while it scores."""

    class Varied(default.Default):
        def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
            with ExitStack() as stack:
                for module, name, value in changes:
                    stack.enter_context(patch.object(module, name, value))
                return {name: part for name, part in super().parts(interest, rows).items() if name != left_out}

    return lambda index: Varied(index)


VARIANTS: dict[str, Maker] = {
    "tfidf": lambda index: Tfidf(index),
    "default": varied(),
    "meaning alone": varied("words"),
    "words alone": varied("meaning"),
    "words alone, no relevance weights": varied("meaning", (default, "_liked_share", none)),
    "no relevance weights": varied("", (default, "_liked_share", none)),
    "relevance weights alone, with meaning": varied("", (default, "CLOSE", 0.0)),
    "closeness by words × 1": varied("", (default, "CLOSE", 1.0)),
    "topics by whether papers say them": varied("", (_vectors, "SATURATION", 0.0)),
    "topics by counts that saturate at 0.6": varied("", (_vectors, "SATURATION", 0.6)),
    "likes by counts, too": varied("", (_block, "unit", _vectors.said)),
    "a prior of 1/2 paper": varied("", (_relevance, "PRIOR", 0.5)),
}


def main() -> None:
    """Print a table for each set."""
    folders = {one.name: str(one) for one in sets()} | {NAME: NAME}
    for name in sys.argv[1:] or SETS:
        files = corpora([Path(folders[name])]) if name != NAME else corpora([])
        seeds = range(1 if name == NAME else 3)
        for told in Whole(
            [folders[name]], files, VARIANTS, seeds=seeds, tell=partial(print, file=sys.stderr)
        ).outcomes():
            print(f"\n{told.outcome.name}\n\n{as_table(told.outcome, told.metrics)}", flush=True)


if __name__ == "__main__":
    main()
