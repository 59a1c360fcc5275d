"""What strictness costs planning: 500 subscriptions with 20,000 ratings of their digests. Prints a table. Run by hand.

    python tests/bench/bench_promises.py              needs the shared data beside the project

Each subscription has one keyword, 10 digests of 4 papers, all rated, and is due. Planned in batches of 50, as a running
bot does. Share: of the whole time of planning. What everybody said is read once an hour, by a request once as well.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sqlalchemy import insert

from bot.config import Settings
from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.jobs.replay import Replay
from bot.store import digests, interests, owners, promises, ratings, subscriptions
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.tables import marks, outbox
from recommender.rankers.default import ranker
from tests.fakes.worlds import corpus

SUBSCRIPTIONS, SENT, PLACES, OLD, NEW = 500, 10, 4, 3_000, 500
NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)


def fill(store: Store, topics: list[str]) -> None:
    """Make the subscriptions, their digests and the ratings."""
    draw = random.Random(0)
    values = {"at": "08:00", "time_zone": "UTC", "weekdays": "1234567", "at_most": 5, "strictness": "normal"}
    with store.writing() as conn:
        for number in range(1, SUBSCRIPTIONS + 1):
            before = NOW - timedelta(days=SENT + 1)
            place = ("post", "lab")
            person = owners.get(conn, *place, "person", f"p{number}", f"p{number}", before).number
            interest = interests.add(conn, person, topics[number], [topics[number]], before)
            subscription = subscriptions.add(conn, person, interest, person, values, NOW - timedelta(days=1))
            papers = iter(draw.sample(range(1, OLD), SENT * PLACES))
            for day in range(SENT):
                at = before + timedelta(days=day)
                message = _message(conn, f"digest:{subscription}:{day}", subscription, person, at)
                rows = [(next(papers), draw.gauss(1.5, 0.7)) for _ in range(PLACES)]
                ratings.log(conn, message, [ratings.Shown(paper, interest, score, 0, 0.6) for paper, score in rows])
                said = [
                    {"interest_id": interest, "paper_id": paper, "person_id": person, "because": ""}
                    | {"kind": "more" if draw.gauss(0.5, 1.0) < score else "less", "at": at}
                    for paper, score in rows
                ]
                conn.execute(insert(marks), said)


def _message(conn: Any, key: str, subscription: int, owner: int, at: datetime) -> int:
    zero = {"tries": 1, "looks": 0, "token": "", "uncertain": False, "window_id": 0, "receipt": "", "error": ""}
    where = {"platform": "post", "workspace": "lab", "user": "p", "channel": ""}
    when = dict.fromkeys(("due_at", "created_at", "not_before", "window_from"), at)
    row = {"key": key, "kind": "digest", "subscription_id": subscription, "owner_id": owner, "message": {}}
    new = insert(outbox).values(**row, **where, **when, **zero, state="sent")
    return int(conn.execute(new.returning(outbox.c.id)).scalar_one())


def timed(spent: dict[str, list[float]], name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which notes what it costs each time, in seconds."""

    def measured(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return fn(*args, **kwargs)
        finally:
            spent[name].append(time.perf_counter() - start)

    return measured


def main() -> None:
    """Print the table."""
    papers = corpus("iclr2026", "conferences")[: OLD + NEW]
    topics = sorted({word for paper in papers for word in paper.keywords if 3 < len(word) < 60})
    spent: dict[str, list[float]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        store = Store.open(sqlite_url(Path(folder) / "papers.db"))
        store.clock = lambda conn: NOW
        ingest(store, papers[:OLD], "local", NOW - timedelta(days=90))
        fill(store, topics)
        ingest(store, papers[OLD:], "local", NOW - timedelta(hours=12))
        library = Library(store, Path(folder) / "index", ranker)
        library.update(learn=True)
        for module, name in ((promises, "crowd"), (promises, "read"), (ratings, "of"), (digests, "on_demand")):
            setattr(module, name, timed(spent, f"{module.__name__.rpartition('.')[2]}.{name}", getattr(module, name)))
        planner = Planner(store, library, Settings(data_dir=Path(folder), database_url="sqlite://"), ["post"])
        start = time.perf_counter()
        planned = asyncio.run(planner.tick())
        whole = time.perf_counter() - start
        start = time.perf_counter()
        scored = asyncio.run(Replay(store, library).tick())
        again = time.perf_counter() - start
        store.close()
    said = SUBSCRIPTIONS * SENT * PLACES
    print(f"| planning {planned} digests, {said:,} ratings: {whole:.1f} s | times | ms each | share |")
    print("|---|---|---|---|")
    for name, times in spent.items():
        print(f"| `{name}` | {len(times)} | {1000 * sum(times) / len(times):.0f} | {sum(times) / whole:.1%} |")
    print(f"\n{scored:,} ratings scored again after the index was learnt anew: {again:.1f} s, in the background")


if __name__ == "__main__":
    main()
