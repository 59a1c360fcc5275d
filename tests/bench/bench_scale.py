"""What 10,000, 38,673 and 120,000 papers cost, and 10,000 interests at once. Prints tables. Run by hand.

    python tests/bench/bench_scale.py [PAPERS…]        needs the shared data beside the project; half an hour

Times are of the processor, so that other work on the machine does not count; each step is in a process of its own, so
that its peak memory is its own. Up to 38,673 papers, those of the shared corpora, shuffled; of more, the others mix
the sentences of real abstracts, as many as those have, under halves of two real titles; they have more distinct terms
each, so those are counted. The interests are 20 random papers each, of every second one also two topics, of every
fourth two dislikes. Growth: cost of the last size against the one before it, as a share of what it would be if cost
were in proportion to papers: above 1 is worse than linear.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recommender.evaluate.folder import DAY
from recommender.index import Index
from recommender.rankers.default import Default
from recommender.rankers.svm import Svm
from recommender.search import search
from recommender.types import Interest, Mark, Paper
from tests.bench.bench_index import CORPORA, apart, peak
from tests.bench.bench_search import queries
from tests.fakes.worlds import corpus

SIZES = (10_000, 38_673, 120_000)
SHARES = ("terms a paper", "append of 500, % of import and fit")  # of which growth says nothing
NEW, ROUNDS, LIKES, MANY, REFITS = 500, 6, 20, 10_000, 3


@cache
def papers(n: int) -> list[Paper]:
    """Return n papers, real ones first."""
    draw = random.Random(0)
    real = corpus(*CORPORA)
    draw.shuffle(real)
    sentences = [one for paper in real for one in paper.abstract.split(". ")]
    mixed = []
    for number in range(n - len(real)):
        first, second = draw.choice(real), draw.choice(real)
        title = f"{first.title[: len(first.title) // 2]} {second.title[len(second.title) // 2 :]}"
        abstract = ". ".join(draw.choices(sentences, k=draw.choice(real).abstract.count(". ") + 1))
        mixed.append(Paper(f"mixed:{number}", title, abstract, first.authors, categories=second.categories))
    return [*real, *mixed][:n]


def spent(work: Callable[[], object]) -> float:
    """Return the processor time of some work, in seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def build(n: int, folder: Path) -> dict[str, float]:
    """Import and fit all but the last papers, and append those by 500."""
    given = papers(n)
    index, first = Index(folder), n - ROUNDS * NEW
    counted = spent(lambda: index.append(given[:first]))
    fitted = spent(index.fit)
    memory = peak()
    added = [spent(partial(index.append, given[at : at + NEW])) for at in range(first, n, NEW)]
    return {
        "import, s": counted,
        "fit, s": fitted,
        "peak memory of both, MB": memory,
        "terms a paper": float(index.counts(range(first)).nnz / first),
        "append of 500, mean s": statistics.mean(added),
        "append of 500, % of import and fit": 100 * statistics.mean(added) / (counted + fitted),
        "on disk, MB": sum(path.stat().st_size for path in folder.rglob("*.npy")) / 1e6,
    }


def interests(index: Index, n: int) -> list[Interest]:
    """Return n interests of old papers and keywords."""
    rng = np.random.default_rng(0)
    old = index.ids(range(index.n_rows - NEW))
    words = Counter(word.lower() for paper in papers(SIZES[0]) for word in paper.keywords)
    topics = [word for word, _ in words.most_common(500)]

    def some(k: int) -> tuple[Mark, ...]:
        return tuple(Mark(old[at], DAY) for at in rng.integers(0, len(old), k).tolist())

    def named(k: int) -> tuple[str, ...]:
        return tuple(rng.choice(topics, k, replace=False).tolist())

    return [Interest(str(at), named(2 * (at % 2)), some(LIKES), some(0 if at % 4 else 2)) for at in range(n)]


def rank(n: int, folder: Path) -> dict[str, float]:
    """Rank the last 500 papers."""
    index = Index(folder)
    asked = interests(index, MANY)
    rows = np.arange(index.n_rows - NEW, index.n_rows)
    ranker = Default(index)
    before = spent(lambda: ranker.score(asked[:1], rows))
    one = statistics.median(spent(partial(ranker.score, [one], rows)) for one in asked[1:50])
    thousand = spent(lambda: ranker.score(asked[-1_000:], rows))
    memory = peak()
    all_ = spent(lambda: ranker.score(asked, rows))
    return {
        "rank 500 for the first interest, ms": 1000 * before,
        "rank 500 for one interest, ms": 1000 * one,
        "rank 500 for 1,000 interests, s": thousand,
        "rank 500 for 10,000 interests, s": all_,
        "memory that these 10,000 add, MB": peak() - memory,
    }


def refit(n: int, folder: Path) -> dict[str, float]:
    """Train the svm ranker for three interests, the features weighed anew for each."""
    index = Index(folder)
    _ = index.df
    return {
        "svm: one interest, s": statistics.median(
            spent(partial(Svm(index).fitted, one)) for one in interests(index, REFITS)
        )
    }


def opening(n: int, folder: Path) -> dict[str, float]:
    """Open the index and look papers up."""
    before, start = peak(), time.process_time()
    index = Index(folder)
    search(index, "graph neural networks", 20)
    first, ready = time.process_time() - start, peak()
    times = [spent(partial(search, index, query, 20)) for query in queries(papers(min(n, SIZES[1])))]
    return {
        "open and first lookup, ms": 1000 * first,
        "lookup, median ms": 1000 * statistics.median(times),
        "memory that opening adds, MB": ready - before,
    }


def measure(n: int) -> dict[str, float]:
    """Measure one size."""
    rows: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for step in (build, rank, opening) if n != SIZES[1] else (build, rank, opening, refit):
            rows |= apart(partial(step, n), Path(folder))
    return rows


def main() -> None:
    """Print the tables."""
    sizes = tuple(int(one) for one in sys.argv[1:]) or SIZES
    found = [measure(n) for n in sizes]
    print(f"| papers | {' | '.join(f'{n:,}' for n in sizes)} | growth |")
    print("|---" * (len(sizes) + 2) + "|")
    for name in found[0]:
        cells = [f"{one[name]:,.{0 if one[name] >= 100 else 2}f}" for one in found]
        pair = len(sizes) > 1 and found[-2][name] > 0
        growth = (
            f"{found[-1][name] / found[-2][name] * sizes[-2] / sizes[-1]:.2f}" if pair and name not in SHARES else ""
        )
        print(f"| {name} | " + " | ".join(cells) + f" | {growth} |")
    for n, one in zip(sizes, found, strict=True):
        if refitted := one.get("svm: one interest, s"):
            batch = one["rank 500 for 10,000 interests, s"]
            print(f"\n{n:,} papers: svm takes {refitted:.2f} s an interest; 10,000 at once: {batch:.1f} s,", end=" ")
            print(f"{refitted * MANY / batch:,.0f} times its rate")


if __name__ == "__main__":
    main()
