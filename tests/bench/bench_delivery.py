"""What a big digest hour costs: many subscriptions due in the same minute. Prints two tables. Run by hand.

    python tests/bench/bench_delivery.py                            10,000 subscriptions; about a quarter of an hour
    python tests/bench/bench_delivery.py --subscriptions 500 --papers 1000 --new 100
    python tests/bench/bench_delivery.py --only alone               or: --only shared (PostgreSQL, one against two)

Papers are of the shared corpora where they are beside the project, else made up. Subscriptions have one interest each,
a keyword of the papers. Real processes send to a test platform on a socket. Planned: from the first digest to the last.
Blocked: the longest that a task of 10 ms had to wait beyond them. The rate is that of the messages that arrived, from
the first to the last, against what the limiter allows.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sqlalchemy import func, select

from bot.jobs.ingest import ingest
from bot.store import interests, owners, subscriptions
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.tables import outbox
from recommender.rankers.default import ranker
from recommender.types import Paper
from tests.conftest import _named, _run, _start
from tests.fakes.fleet import Fleet, fleet, opened
from tests.fakes.post_office import Arrival, PostOffice
from tests.fakes.worlds import corpus, world

BATCH = 1000  # subscriptions made in one transaction


@dataclass(frozen=True)
class Outcome:
    """What one run brought: seconds, bytes, messages."""

    planned_in: float
    rate: float
    peak: int
    blocked: float
    doubled: int
    late: float


def papers_of(old: int, new: int) -> tuple[list[Paper], list[Paper]]:
    """Return old papers and new ones."""
    try:
        known, fresh = corpus("conferences"), corpus("iclr2026")
        return known[:: max(1, len(known) // old)][:old], fresh[:new]
    except FileNotFoundError:
        made = world(old + new)
        return made[:old], made[old:]


def topics_of(papers: list[Paper], most: int) -> list[str]:
    """Return the commonest keywords."""
    counts = Counter(word.strip().lower() for paper in papers for word in paper.keywords if 3 < len(word) < 60)
    return [word for word, _ in counts.most_common(most)]


def fill(url: str, folder: Path, digests: int, old: list[Paper], new: list[Paper]) -> None:
    """Store the papers, learn from them, and make the subscriptions: due at one minute, ten minutes ago."""
    now = datetime.now(UTC)
    before = now - timedelta(days=2)
    at = f"{now - timedelta(minutes=10):%H:%M}"
    values = {"at": at, "time_zone": "UTC", "weekdays": "1234567", "at_most": 5, "strictness": "normal"}
    draw, topics = random.Random(0), topics_of(new + old, 1000)
    with opened(url) as store:
        ingest(store, old, "local", now - timedelta(days=90))
        for start in range(0, digests, BATCH):
            with store.writing() as conn:
                for number in range(start, min(start + BATCH, digests)):
                    place = ("post", f"w{number % 20}")
                    person = owners.get(conn, *place, "person", f"p{number}", f"p{number}", before).number
                    topic = draw.choice(topics)
                    interest = interests.add(conn, person, topic, [topic], before)
                    subscriptions.add(conn, person, interest, person, values, before)
        ingest(store, new, "local", now - timedelta(hours=12))
        Library(store, folder / "data" / f"index-{store.id[:12]}", ranker).update(learn=True)
        if store.dialect == "postgresql":
            _run(url, "ANALYZE")  # which the server does by itself where the tables did not grow within a minute


def state(store: Store) -> tuple[int, int, datetime | None, datetime | None]:
    """Return how many digests are planned, how many sent, and when the first and the last were planned."""
    with store.reading() as conn:
        query = select(func.count(), func.min(outbox.c.created_at), func.max(outbox.c.created_at))
        planned, first, last = conn.execute(query).one()
        done = conn.execute(select(func.count()).where(outbox.c.state == "sent")).scalar_one()
    return planned, done, first, last


def play(ships: Fleet, digests: int, *, sending: bool) -> Outcome:
    """Let the fleet plan all, and send all if asked to; measure it."""
    began = time.monotonic()
    while len(ships.running) < ships.size:
        ships.start()
    with opened(ships.watch or ships.url) as store:
        while True:
            planned, done, first, last = state(store)
            waited = time.monotonic() - began
            print(f"\r{waited:6.0f} s: {planned} planned, {done} sent", end="", file=sys.stderr)
            if (done if sending else planned) >= digests:
                break
            if any(one.poll() is not None for one in ships.running) or waited > 3600:
                raise SystemExit(f"it ended, or takes too long:\n{ships.logged()[-3000:]}")
            time.sleep(2)
    print(file=sys.stderr)
    time.sleep(2)
    pulses = [json.loads(Path(f"{ships.more['POST_PULSE']}.{one.pid}").read_text()) for one in ships.running]
    ships.stop(60)
    log = list(ships.office.log)
    tell_pace(log)
    span = log[-1].at - log[0].at if len(log) > 1 else 0.0
    planned_in = (last - first).total_seconds() if first and last else 0.0
    peak, blocked = max(one["peak"] for one in pulses), max(one["blocked"] for one in pulses)
    rate = (len(log) - 1) / span if span else 0.0
    return Outcome(planned_in, rate, peak, blocked, ships.office.doubles(), span)


def tell_pace(log: list[Arrival]) -> None:
    """Say on the side how many messages a second arrived, in spans of ten seconds."""
    spans = Counter(int((one.at - log[0].at) // 10) for one in log)
    print("a second:", *(f"{spans[at] / 10:.0f}" for at in range(max(spans, default=-1) + 1)), file=sys.stderr)


def alone(options: argparse.Namespace, url: str, label: str) -> None:
    """Print what one process does on a database: plan and send all."""
    with tempfile.TemporaryDirectory(prefix="paperround-bench-") as name, PostOffice() as office:
        folder = Path(name)
        fill(url, folder, options.subscriptions, *papers_of(options.papers, options.new))
        more = {"POST_LIMIT": f"{options.rate} 1", "POST_PULSE": str(folder / "pulse")}
        with fleet(folder, url, office, lease=120.0, more=more) as ships:
            outcome = play(ships, options.subscriptions, sending=True)
    print(
        f"{label:<12}{outcome.planned_in:>10.1f} s{options.subscriptions / max(outcome.planned_in, 1e-9):>10.1f}/s"
        f"{outcome.peak / 2**20:>9.0f} MB{1000 * outcome.blocked:>9.0f} ms{outcome.rate:>9.2f}/s"
        f"{100 * outcome.rate / options.rate:>9.1f} %{outcome.doubled:>9}"
    )


def shared(options: argparse.Namespace, server: str) -> None:
    """Print how two processes on one PostgreSQL share the planning, against one."""
    print("\nprocesses   planned in      rate   ratio   doubled")
    with tempfile.TemporaryDirectory(prefix="paperround-bench-") as name:
        folder = Path(name)
        _run(server, "CREATE DATABASE filled")
        fill(_named(server, "filled"), folder, options.subscriptions, *papers_of(options.papers, options.new))
        one = 0.0
        for size in (1, 2):
            database = f"shared{size}"
            _run(server, f"CREATE DATABASE {database} TEMPLATE filled")
            with PostOffice() as office, ExitStack() as stack:
                more = {"POST_LIMIT": "1 1", "POST_PULSE": str(folder / "pulse")}  # planning is what counts here
                ships = stack.enter_context(
                    fleet(folder, _named(server, database), office, size=size, lease=120.0, more=more)
                )
                outcome = play(ships, options.subscriptions, sending=False)
            rate = options.subscriptions / max(outcome.planned_in, 1e-9)
            one = one or rate
            print(f"{size:>9}{outcome.planned_in:>11.1f} s{rate:>8.1f}/s{rate / one:>8.2f}{outcome.doubled:>10}")


def main() -> None:
    """Print the tables."""
    reader = argparse.ArgumentParser(description="What a big digest hour costs.")
    reader.add_argument("--subscriptions", type=int, default=10_000)
    reader.add_argument("--papers", type=int, default=5000, help="old papers")
    reader.add_argument("--new", type=int, default=500, help="new papers")
    reader.add_argument("--rate", type=float, default=50.0, help="messages a second that the limiter allows")
    reader.add_argument("--only", choices=("alone", "shared"), default="")
    reader.add_argument("--database", choices=("SQLite", "PostgreSQL"), default="", help="of the first table")
    options = reader.parse_args()
    with tempfile.TemporaryDirectory(prefix="paperround-bench-") as name:
        server = _start(Path(name) / "data")
        try:
            if options.only != "shared":
                print("database     planned in      rate     memory  blocked     sent  of limit  doubled", flush=True)
                if options.database != "PostgreSQL":
                    alone(options, sqlite_url(Path(name) / "paperround.db"), "SQLite")
                if options.database != "SQLite":
                    _run(server.get_uri(), "CREATE DATABASE alone")
                    alone(options, _named(server.get_uri(), "alone"), "PostgreSQL")
            if options.only != "alone":
                shared(options, server.get_uri())
        finally:
            server.cleanup()


if __name__ == "__main__":
    main()
