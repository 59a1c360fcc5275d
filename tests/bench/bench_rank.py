"""What ranking 500 new papers for one profile costs against the svm ranker's refit. Prints a table. Run by hand.

    python tests/bench/bench_rank.py               needs the shared data beside the project

Both corpora, 38,673 papers; the profiles are 20 random papers; times are of the processor, so that other work on the
machine does not count. The refit is what arxiv-sanity-lite does for each user: the corpus' features, weighed anew since
papers came, and LinearSVC on them. Prepared: the new papers are ready for comparing, as they are for all but the first
profile of an hour; each profile is new. Known: the profile has been ranked since papers came. Cold: neither.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recommender.evaluate.folder import DAY
from recommender.evaluate.jsonl import corpus
from recommender.evaluate.places import corpora
from recommender.index import Index
from recommender.rankers.default import Default
from recommender.rankers.svm import Svm
from recommender.rankers.tfidf import Tfidf
from recommender.types import Interest, Mark

NEW, LIKES, PROFILES, REFITS = 500, 20, 40, 3


def median(jobs: Sequence[Callable[[], object]]) -> float:
    """Return the median processor time of the jobs, in ms."""
    times = []
    for job in jobs:
        start = time.process_time()
        job()
        times.append(1000 * (time.process_time() - start))
    return statistics.median(times)


def interests(papers: list[str], topics: tuple[str, ...] = ()) -> list[Interest]:
    """Return profiles of random papers."""
    rng = np.random.default_rng(0)
    drawn = [rng.choice(papers, LIKES, replace=False).tolist() for _ in range(PROFILES)]
    return [Interest(str(at), topics, tuple(Mark(one, DAY) for one in liked)) for at, liked in enumerate(drawn)]


def main() -> None:
    """Print the table."""
    papers = corpus(corpora([]))
    index = Index()
    index.append(papers[:-NEW])
    index.fit()
    index.append(papers[-NEW:])
    rows = index.rows([paper.id for paper in papers[-NEW:]])
    old = [paper.id for paper in papers[:-NEW]]
    profiles, topical = interests(old), interests(old, ("reinforcement learning",))
    refit = median([partial(Svm(index).fitted, one) for one in profiles[:REFITS]])
    ready = Svm(index)
    ready.corpus()
    trained = median([partial(ready.fitted, one) for one in profiles[:REFITS]])
    print(f"| {len(index):,} papers, {NEW} to rank | ms | svm's refit is … times as slow |")
    print("|---|---|---|")
    print(f"| svm: refit, {REFITS} profiles | {refit:,.0f} | 1 |")
    print(f"| svm: the training alone | {trained:,.0f} | {refit / trained:.1f} |")
    for made in (Default, Tfidf):
        ranker = made(index)
        ranker.score(profiles[:1], rows)
        for what, jobs in {
            "prepared": [partial(ranker.score, [one], rows) for one in profiles[1:]],
            "prepared, with a topic": [partial(ranker.score, [one], rows) for one in topical],
            "known, with a topic": [partial(ranker.score, [one], rows) for one in topical],
            "cold": [partial(made(index).score, [one], rows) for one in profiles[:10]],
        }.items():
            cost = median(jobs)
            print(f"| {ranker.name}: {what} | {cost:.2f} | {refit / cost:,.0f} |")


if __name__ == "__main__":
    main()
