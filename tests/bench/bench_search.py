"""What a lookup costs, beside rank-bm25 and bm25s over the same words. Prints a table. Run by hand.

    python tests/bench/bench_search.py             needs the shared data beside the project

Both corpora, 38,673 papers, in an index on disk; what is looked up is halves of titles, topics of two words and whole
titles. Times are of the processor, so that other work on the machine does not count: the median and the 95th percentile
over all queries and rounds. rank-bm25: `get_scores` and the best 20, as a lookup gives. bm25s, if it is installed, in
two ways: `retrieve(..., k=10)` of one query, its words made from what is typed first, and `get_scores` alone of words
that are ready. Our lexical part always starts from what is typed. The words are ours for all of them: folded, stemmed.
"""

from __future__ import annotations

import importlib
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recommender import text
from recommender.index import Index
from recommender.lexical import words
from recommender.search import search
from recommender.types import Paper
from tests.fakes.worlds import corpus, slip

QUERIES, ROUNDS, SHOWN, BEST = 60, 3, 20, 10

Step = Callable[[str], object]
Made = list[tuple[str, Step]]


def queries(papers: Sequence[Paper], n: int = QUERIES) -> list[str]:
    """Return what people type: halves of titles, topics of two words, titles, a third each."""
    draw = random.Random(1)
    titles = [paper.title for paper in draw.sample(papers, n)]
    cut = n // 3
    halves = [" ".join(title.split()[::2]) for title in titles[:cut]]
    topics = [" ".join(title.split()[1:3]) for title in titles[cut : 2 * cut]]
    return halves + topics + titles[2 * cut :]


def tokens(said: str) -> list[str]:
    """Return the stemmed words of a text."""
    return [text.stem(word) for word in text.words(said)]


def best(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the places of the k best scores, best first."""
    top = np.argpartition(-scores, k)[:k]
    found: NDArray[np.int64] = top[np.argsort(-scores[top])]
    return found


def okapi(said: list[list[str]]) -> Iterator[tuple[str, Step]]:
    """Yield what rank-bm25 does."""
    from rank_bm25 import BM25Okapi

    model = BM25Okapi(said)
    yield "rank-bm25", lambda query: np.argsort(-model.get_scores(tokens(query)))[:SHOWN]


def sparse(said: list[list[str]], asked: Sequence[str]) -> Iterator[tuple[str, Step]]:
    """Yield what bm25s does, nothing if it is not installed."""
    try:
        bm25s = importlib.import_module("bm25s")
    except ModuleNotFoundError:
        return
    model = bm25s.BM25()
    model.index(said, show_progress=False)
    ready = {query: tokens(query) for query in asked}
    yield f"bm25s, retrieve, k={BEST}", lambda query: model.retrieve([tokens(query)], k=BEST, show_progress=False)
    yield "bm25s, get_scores alone", lambda query: model.get_scores(ready[query])


def timed(steps: Made, asked: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Return the processor times of each step in ms, (rounds x queries,)."""
    for _, step in steps:
        step(asked[0])
    times: dict[str, list[float]] = {name: [] for name, _ in steps}
    for _ in range(ROUNDS):
        for name, step in steps:
            for query in asked:
                start = time.process_time_ns()
                step(query)
                times[name].append((time.process_time_ns() - start) / 1e6)
    return {name: np.array(taken) for name, taken in times.items()}


def main() -> None:
    """Print the table."""
    papers = corpus("iclr2026", "conferences")
    asked = [query for query in queries(papers) if tokens(query)]
    with tempfile.TemporaryDirectory() as folder:
        Index(Path(folder)).append(papers)
        index = Index(Path(folder))
        lookup, part = "lookup, whole", f"lexical part, best {BEST}"
        bare = "lexical part, scores alone"
        ours: Made = [
            (lookup, lambda query: search(index, query, SHOWN)),
            (part, lambda query: best(words(index, query), BEST)),
            (bare, lambda query: words(index, query)),
        ]
        draw = random.Random(2)
        slipped = {query: slip(query, draw) for query in asked}
        ours.append(
            ("lookup, whole, of the same with a slip of the pen", lambda query: search(index, slipped[query], SHOWN))
        )
        said = [tokens(text.paper_text(paper)) for paper in papers]
        others = {"rank-bm25": lookup, f"bm25s, retrieve, k={BEST}": part, "bm25s, get_scores alone": bare}
        times = timed([*ours, *okapi(said), *sparse(said, asked)], asked)
    print(f"| {len(papers):,} papers, {len(asked)} queries | median ms | 95 % ms | times as slow as ours |")
    print("|---|---|---|---|")
    for name, taken in times.items():
        against = f"{np.median(taken) / np.median(times[others[name]]):.2f} ({others[name]})" if name in others else ""
        print(f"| {name} | {np.median(taken):.2f} | {np.percentile(taken, 95):.2f} | {against} |")
    if len(times) < len(ours) + len(others):
        print("| bm25s is not installed | | | |")


if __name__ == "__main__":
    main()
