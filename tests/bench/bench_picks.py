"""What planning digests costs: 500 new papers among 5,500, ranked, selected and explained. Prints a table. Run by hand.

    python tests/bench/bench_picks.py              needs the shared data beside the project

Times are of the processor, a digest, in ms, so that other work on the machine does not count. Alone: nothing is
prepared, as for the first digest after papers came. One by one: `Library.pick`, awaited; many: `Library.pick_many` of
50 at a time. No profile comes twice. The longest delay is that of a loop that sleeps 10 ms at a time, from the first
digest on, while `pick_many` runs in a thread: what a person's request would wait for. A full collection of garbage
stops every thread, the longer the more objects there are: once with it, once with those that are there set aside
(`gc.freeze`).
"""

from __future__ import annotations

import asyncio
import copy
import gc
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bot.jobs.ingest import ingest
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.library import Library, Wish
from recommender.bar import plain
from recommender.rankers.default import ranker
from recommender.types import Interest, Mark, Paper, Profile
from tests.fakes.worlds import corpus

OLD, NEW, DIGESTS, BATCH, ALONE, BEAT = 5_000, 500, 400, 50, 5, 0.01
NOW = datetime(2026, 12, 2, tzinfo=UTC)


class Draw:
    """Draws wishes for the new papers."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        used = Counter(word.lower() for paper in papers for word in paper.keywords)
        self._topics = [word for word, _ in used.most_common(500)]
        self._authors = sorted({author for paper in papers for author in paper.authors})
        self._pool = np.arange(OLD + 1, OLD + NEW + 1)
        self._random = random.Random(0)

    def _interest(self, at: int, topics: int, likes: int) -> Interest:
        draw = self._random
        marks = [Mark(str(draw.randint(1, OLD)), NOW - timedelta(days=draw.randint(0, 200))) for _ in range(likes + 2)]
        liked, disliked = (tuple(marks[2:]), tuple(marks[:2])) if likes else ((), ())
        return Interest(f"interest {at}", tuple(draw.sample(self._topics, topics)), liked, disliked)

    def topic(self) -> Wish:
        """One interest of one topic."""
        return Wish(Profile((self._interest(0, 1, 0),)), self._pool, [5], 5, [plain("normal")])

    def likes(self) -> Wish:
        """Three interests of two topics, 20 likes and two dislikes each."""
        interests = tuple(self._interest(at, 2, 20) for at in range(3))
        return Wish(Profile(interests), self._pool, [5] * 3, 5, [plain("normal")] * 3)

    def names(self) -> Wish:
        """One interest of two topics and five likes, two followed authors and two muted words."""
        followed, muted = self._random.sample(self._authors, 2), self._random.sample(self._topics, 2)
        profile = Profile((self._interest(0, 2, 5),), tuple(followed), tuple(muted))
        return Wish(profile, self._pool, [5], 5, [plain("normal")])

    def mixed(self) -> Wish:
        """One of the three."""
        return self._random.choice([self.topic, self.likes, self.names])()


def cost(work: Callable[[], object], digests: int) -> float:
    """Return the processor time of some work for so many digests, in ms a digest."""
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start) / digests


def alone(store: Store, library: Library, wishes: Sequence[Wish]) -> None:
    """Rank each with nothing prepared."""
    for wish in wishes:
        fresh = Library(store, None, ranker)
        fresh.index = library.index
        fresh.pick_many([wish])


async def one_by_one(library: Library, wishes: Sequence[Wish]) -> None:
    """Rank each as a request does."""
    for wish in wishes:
        await library.pick(wish.profile, wish.pool, wish.seen, wish.most, wish.bars)


def many(library: Library, wishes: Sequence[Wish]) -> None:
    """Rank them in batches."""
    for start in range(0, len(wishes), BATCH):
        library.pick_many(wishes[start : start + BATCH])


async def delays(library: Library, wishes: Sequence[Wish]) -> list[float]:
    """Return by how many ms each sleep of a loop was late while digests were ranked in a thread."""
    late = []
    work = asyncio.create_task(asyncio.to_thread(many, library, wishes))
    while not work.done():
        start = time.perf_counter()
        await asyncio.sleep(BEAT)
        late.append(1000 * (time.perf_counter() - start - BEAT))
    return late


def peak() -> float:
    """Return the most memory that this process has taken, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    papers = corpus("iclr2026", "conferences")[: OLD + NEW]
    draw = Draw(papers)
    with TemporaryDirectory() as folder:
        store = Store.open(sqlite_url(Path(folder) / "papers.db"))
        ingest(store, papers[:OLD], "local", NOW - timedelta(days=30))
        library = Library(store, Path(folder) / "index", ranker)
        library.update(learn=True)
        ingest(store, papers[OLD:], "local", NOW)
        library.update()
        before = peak()
        late = asyncio.run(delays(library, [draw.mixed() for _ in range(DIGESTS)]))
        library.index = copy.copy(library.index)  # so that all is prepared anew
        gc.collect()
        gc.freeze()
        calm = asyncio.run(delays(library, [draw.mixed() for _ in range(DIGESTS)]))
        print(f"| {len(library.index):,} papers, {NEW} new | alone | one by one | many | many are … times as fast |")
        print("|---|---|---|---|---|")
        for name, make in {"1 topic": draw.topic, "3 interests": draw.likes, "follow and mute": draw.names}.items():
            first, single, batch = ([make() for _ in range(n)] for n in (ALONE, DIGESTS, DIGESTS))
            times = [
                cost(lambda some=first: alone(store, library, some), ALONE),  # type: ignore[misc]
                cost(lambda some=single: asyncio.run(one_by_one(library, some)), DIGESTS),  # type: ignore[misc]
                cost(lambda some=batch: many(library, some), DIGESTS),  # type: ignore[misc]
            ]
            print(f"| {name} | " + " | ".join(f"{one:.1f}" for one in times) + f" | {times[0] / times[2]:.0f} |")
        for name, found in {"as it is": late, "without the garbage collector's part": calm}.items():
            print(
                f"\nlongest delay of the loop, {name}: {max(found):.0f} ms; of 99 in 100 {np.percentile(found, 99):.0f}"
            )
        print(f"most memory {peak():.0f} MB; {before:.0f} MB after learning, before any ranking")
        store.close()


if __name__ == "__main__":
    main()
