"""Known items: whether a stored paper that somebody remembers badly is found first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from recommender import text
from recommender.evaluate.measures import FIRST, MRR, Sums
from recommender.evaluate.outcome import Outcome
from recommender.evaluate.remembered import RARE, half, rarest, slip, words_of
from recommender.evaluate.scoring import DEFAULT
from recommender.index import Index
from recommender.metrics import mrr
from recommender.search import Hit, search
from recommender.types import Paper

NAME = "known-items"
METRICS = (FIRST, MRR)
ITEMS, WORDS, LOOKED = 500, 4, 100
KINDS = ("with a slip", "half the words", "six rare words")


def known_items(index: Index, papers: Sequence[Paper], seed: int = 0, most: int = ITEMS) -> list[Outcome]:
    """Look up drawn papers of an index, of titles of four words or more, three ways; return the outcome of each.

    A paper of the same title (folded) is as good, since corpora hold some twice. Ties are the mean over their orders.
    """
    rng = np.random.default_rng(seed)
    same: dict[str, set[str]] = defaultdict(set)
    for paper in papers:
        same[text.plain(paper.title)].add(paper.id)
    fit = [one for one in papers if len(words_of(one.title)) >= WORDS and len(set(words_of(one.abstract))) >= 2 * RARE]
    drawn = [fit[at] for at in rng.permutation(len(fit))[:most].tolist()]
    sums: dict[str, list[Sums]] = {kind: [] for kind in KINDS}
    for paper in drawn:
        queries = (slip(paper.title, rng), half(paper.title, rng), rarest(index, paper.abstract))
        for kind, query in zip(KINDS, queries, strict=True):
            hits = search(index, query, LOOKED)
            sums[kind].append(found(index, hits, same[text.plain(paper.title)]))
    groups, sizes = tuple(paper.id for paper in drawn), np.zeros(len(drawn), np.int64)
    return [
        Outcome(
            f"{NAME} ({kind})",
            groups,
            sizes,
            {DEFAULT: {name: np.array([[one[name] for one in sums[kind]]]) for name in METRICS}},
        )
        for kind in KINDS
        if drawn
    ]


def found(index: Index, hits: Sequence[Hit], wanted: set[str]) -> Sums:
    """Return the chance that a wanted paper comes first, and the reciprocal rank."""
    scores = [hit.score for hit in hits]
    grades = [float(one in wanted) for one in index.ids([hit.row for hit in hits])]
    top = [grade for score, grade in zip(scores, grades, strict=True) if score == max(scores)]
    return {FIRST: (sum(top) / max(len(top), 1), 1.0), MRR: (mrr(scores, grades), 1.0)}
