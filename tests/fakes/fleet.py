"""Real `paperround run` processes on one database, that a test kills and starts again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from bot.jobs.ingest import ingest
from bot.store import interests, owners, subscriptions
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.tables import outbox
from recommender.rankers.default import ranker
from recommender.types import Paper
from tests.fakes.post_office import PostOffice
from tests.fakes.worlds import world

PROGRAM = [sys.executable, "-c", "from bot.cli import main; main()"]
ROOT = Path(__file__).parents[2]
PLUGIN = Path(__file__).parent / "post_platform"
TOPICS = ("vision models", "language models", "graph models")
FINAL = {"sent", "refused", "dead", "unknown", "held"}


@dataclass
class Fleet:
    """Up to `size` processes. `crashes` are the steps at which those that start next kill themselves, one each.

    `url` is the database as they reach it, `watch` as the test does, if it differs. `more` is for their environment.
    """

    folder: Path
    url: str
    office: PostOffice
    size: int = 1
    lease: float = 2.0
    crashes: list[str] = field(default_factory=list)
    more: dict[str, str] = field(default_factory=dict)
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    starts: int = 0
    killed: int = 0
    sprung: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    watch: str = ""
    _logs: dict[int, Path] = field(default_factory=dict)

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a verb on this database; coverage of a killed process is worth nothing."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAPERROUND_", "COVERAGE_"))}
        own = {
            "PAPERROUND_DATA_DIR": str(self.folder / "data"),
            "PAPERROUND_DATABASE_URL": self.url,
            "PAPERROUND_LEASE_SECONDS": str(self.lease),
            "PAPERROUND_HEARTBEAT_SECONDS": "1",
            "PAPERROUND_METRICS_ADDRESS": "127.0.0.1:0",
            "PAPERROUND_LOG_FORMAT": "json",
            "POST_OFFICE": self.office.address,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{PLUGIN}",
            "OPENBLAS_NUM_THREADS": "1",
        }
        return kept | own | self.more | more

    def start(self, *, crash: str = "") -> subprocess.Popen[bytes]:
        """Start one process; what it logs goes into a file of its own."""
        self.starts += 1
        environment = self.environment(**({"CRASH_AT": crash} if crash else {}))
        file = self.folder / f"run-{self.starts}.log"
        with file.open("wb") as log:
            process = subprocess.Popen([*PROGRAM, "run"], env=environment, cwd=self.folder, stdout=log, stderr=log)
        process.args = crash
        self._logs[process.pid] = file
        self.running.append(process)
        return process

    def keep(self) -> None:
        """Take away what has ended, and start as many as are missing."""
        self._reap()
        while len(self.running) < self.size:
            self.start(crash=self.crashes.pop(0) if self.crashes else "")

    def _reap(self) -> None:
        for process in [one for one in self.running if one.poll() is not None]:
            self.running.remove(process)
            if process.returncode == -signal.SIGKILL:
                self.sprung += [str(process.args)] if process.args else []
            else:
                self.ended.append(
                    f"{process.returncode}: {self._logs[process.pid].read_text(errors='replace')[-2000:]}"
                )

    def kill(self, draw: random.Random) -> None:
        """Kill one of them, at once."""
        if self.running:
            victim = draw.choice(self.running)
            victim.args = ""
            victim.kill()
            victim.wait()
            self.killed += 1

    def stop(self, within: float = 10.0) -> list[int]:
        """Ask all to end, and return their exit codes. Raises subprocess.TimeoutExpired for one that does not.

        Those that are still starting are let in first: the system alone would end them.
        """
        end = time.monotonic() + within
        while any(one.poll() is None and not self._works(one) for one in self.running) and time.monotonic() < end:
            time.sleep(0.05)
        self._reap()
        for process in self.running:
            process.terminate()
        codes = [process.wait(within) for process in self.running]
        self.running.clear()
        return codes

    def _works(self, process: subprocess.Popen[bytes]) -> bool:
        return '"event": "running"' in self._logs[process.pid].read_text(errors="replace")

    def verb(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run another verb of the program to its end."""
        command = [*PROGRAM, *words]
        return subprocess.run(
            command, env=self.environment(), cwd=self.folder, capture_output=True, text=True, timeout=60
        )

    def logged(self) -> str:
        """Return all that was logged, oldest process first."""
        files = [self.folder / f"run-{number}.log" for number in range(1, self.starts + 1)]
        return "".join(file.read_text(errors="replace") for file in files)

    def states(self) -> Counter[str]:
        """Return how many digests are in each state."""
        return Counter(row["state"] for row in self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return the digests of the outbox."""
        with opened(self.watch or self.url) as store, store.reading() as conn:
            query = select(outbox).where(outbox.c.kind == "digest").order_by(outbox.c.id)
            return [dict(row) for row in conn.execute(query).mappings()]


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """Open a store and close it again."""
    store = Store.open(url)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def fleet(folder: Path, url: str, office: PostOffice, **more: Any) -> Iterator[Fleet]:
    """Give a fleet that is gone at the end, whatever happens."""
    made = Fleet(folder, url, office, **more)
    try:
        yield made
    finally:
        for process in made.running:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()


def fill(url: str, folder: Path, digests: int, papers: list[Paper] | None = None) -> None:
    """Store subscriptions of channels in five workspaces, due ten minutes ago, and papers that came since."""
    now = datetime.now(UTC)
    before = now - timedelta(days=2)
    at = f"{now - timedelta(minutes=10):%H:%M}"
    values = {"at": at, "time_zone": "UTC", "weekdays": "1234567", "at_most": 3, "strictness": "relaxed"}
    with opened(url) as store:
        with store.writing() as conn:
            for number in range(digests):
                place = ("post", f"w{number % 5}")
                channel = owners.get(conn, *place, "channel", f"c{number}", f"c{number}", before).number
                person = owners.get(conn, *place, "person", f"p{number}", f"p{number}", before).number
                topic = TOPICS[number % len(TOPICS)]
                interest = interests.add(conn, channel, topic, [topic], before)
                subscriptions.add(conn, channel, interest, person, values, before)
        ingest(store, papers or world(60), "local", now - timedelta(days=1))
        Library(store, folder / "data" / f"index-{store.id[:12]}", ranker).update(learn=True)


def until(fleet: Fleet, done: Callable[[], bool], seconds: float, each: Callable[[], None] = lambda: None) -> None:
    """Keep the fleet running until it is done. Fails, with the end of the log, if it takes too long."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, f"{fleet.states()} {fleet.office.outcomes()}\n{fleet.logged()[-4000:]}"
        assert not fleet.ended, f"a process ended by itself: {fleet.ended}"
        fleet.keep()
        each()
        time.sleep(0.05)
