"""Subscribing to an area by its name: how many of the top ten are of that area. Prints a markdown table. Run by hand.

    python tests/bench/bench_areas.py              needs the shared data beside the project

The papers accepted at ICLR 2026 and its 21 areas, which the authors chose; the areas are the papers' categories.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recommender.evaluate.jsonl import corpus, stem
from recommender.evaluate.places import corpora
from recommender.index import Index
from recommender.rankers.default import Default
from recommender.select import Candidate, select
from recommender.types import FloatArray, Interest

TOP = 10


def main() -> None:
    """Print one line an area and the means."""
    papers = {paper.id: paper for paper in corpus([file for file in corpora([]) if stem(file) == "iclr2026"])}
    ranker = Default(Index())
    ranker.fit(list(papers.values()))
    rows = np.flatnonzero(ranker.index.live)
    ids = ranker.index.ids(rows)

    def hits(scores: FloatArray, area: str) -> int:
        return sum(area in papers[ids[at]].categories for at in np.argsort(-scores, kind="stable")[:TOP])

    counts: list[tuple[int, int, int]] = []
    print("| area | papers | by words and meaning | with the named area | as a digest of ten |")
    print("|---|---|---|---|---|")
    for area, n in Counter(area for paper in papers.values() for area in paper.categories).most_common():
        interest = Interest(area, (area,))
        parts = ranker.parts(interest, rows)
        named = ranker.score([interest], rows)[0]
        candidates = [Candidate(papers[one], float(score)) for one, score in zip(ids, named, strict=True)]
        digest = select(ranker.index, candidates, TOP)
        shown = sum(area in papers[one.paper].categories for one in digest)
        counts.append((hits(parts["words"] + parts["meaning"], area), hits(named, area), shown))
        print(f"| {area} | {n} | " + " | ".join(map(str, counts[-1])) + " |")
    print("| mean | | " + " | ".join(f"{mean:.2f}" for mean in np.mean(counts, axis=0)) + " |")


if __name__ == "__main__":
    main()
