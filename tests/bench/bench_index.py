"""Print what the index costs on both shared corpora, as a markdown table: `python tests/bench/bench_index.py`.

Each line is measured in a process of its own, so that its peak memory is its own. Lookups beside those of others:
`bench_search.py`.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from recommender.index import Index  # noqa: E402
from recommender.search import search  # noqa: E402
from tests.bench.bench_search import QUERIES, queries  # noqa: E402
from tests.fakes.worlds import corpus, seed_titles, slip  # noqa: E402

CORPORA = ("iclr2026", "conferences")
EXTRA, ROUNDS = 500, 7


def peak() -> float:
    """Return this process' peak resident memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def build(folder: Path) -> dict[str, float]:
    """Import all but the last papers, fit, then append the last ones by 500."""
    papers = corpus(*CORPORA)
    first = len(papers) - ROUNDS * EXTRA
    index = Index(folder)
    start = time.perf_counter()
    index.append(papers[:first])
    appended = time.perf_counter()
    index.fit()
    fitted = time.perf_counter()
    memory = peak()
    added = []
    for at in range(first, len(papers), EXTRA):
        begun = time.perf_counter()
        index.append(papers[at : at + EXTRA])
        added.append(time.perf_counter() - begun)
    return {
        "papers imported and fitted": first,
        "import into the index, s": appended - start,
        "fit, s": fitted - appended,
        "peak memory of import and fit, MB": memory,
        f"append of {EXTRA}, median s": statistics.median(added),
        f"append of {EXTRA}, slowest s": max(added),
        f"append of {EXTRA}, median % of import and fit": 100 * statistics.median(added) / (fitted - start),
        "terms": index.n_terms,
        "size on disk, MB": sum(path.stat().st_size for path in folder.rglob("*.npy")) / 1e6,
    }


def look(folder: Path) -> dict[str, float]:
    """Open the index and look papers up."""
    asked = queries(corpus(*CORPORA))
    before = peak()
    start = time.perf_counter()
    index = Index(folder)
    opened = time.perf_counter() - start
    search(index, "warm", 20)
    times = []
    for query in asked:
        start = time.perf_counter()
        search(index, query, 20)
        times.append(time.perf_counter() - start)
    return {
        "open, s": opened,
        "lookup, median ms": 1000 * statistics.median(times),
        f"lookup, slowest of {QUERIES} ms": 1000 * max(times),
        "memory that lookups add, MB": peak() - before,
        "scikit-learn imported by lookups": float("sklearn" in sys.modules),
    }


def known_items(folder: Path) -> dict[str, float]:
    """Return how often a paper is found first by its title: whole, with a slip of the pen, by every other word."""
    papers = corpus(*CORPORA)
    index = Index(folder)
    draw = random.Random(2)
    sample = [paper for paper in draw.sample(papers, 400) if len(paper.title.split()) > 3][:200]

    def first(query: str, title: str) -> bool:
        hits = search(index, query, 1)
        found = index.ids([hits[0].row])[0] if hits else ""
        return titles.get(found, "").casefold() == title.casefold()

    titles = {paper.id: paper.title for paper in papers}
    return {
        "found first by title, %": 100 * statistics.mean(first(paper.title, paper.title) for paper in sample),
        "found first with a slip of the pen, %": 100
        * statistics.mean(first(slip(paper.title, draw), paper.title) for paper in sample),
        "found first by every other word, %": 100
        * statistics.mean(first(" ".join(paper.title.split()[::2]), paper.title) for paper in sample),
        "seed titles found first, of 19": sum(first(title, title) for title in seed_titles()),
    }


def _call(step: Callable[[Path], dict[str, float]], folder: Path, pipe: multiprocessing.connection.Connection) -> None:
    pipe.send(step(folder))


def apart(step: Callable[[Path], dict[str, float]], folder: Path) -> dict[str, float]:
    """Run a step in a fresh process and return what it measured."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_call, args=(step, folder, theirs))
    process.start()
    result: dict[str, float] = ours.recv()
    process.join()
    return result


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        rows: dict[str, float] = {}
        for step in (build, look, known_items):
            rows |= apart(step, Path(folder))
    print("| | |\n|---|---|")
    for name, value in rows.items():
        print(f"| {name} | {value:,.{0 if value >= 100 or value == int(value) else 2}f} |")


if __name__ == "__main__":
    main()
