"""Processes that are killed at every step and at any moment, on a platform at its worst: every digest comes once.

A longer run: pytest --long tests/jobs/test_crash.py
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.fleet import Fleet, fill, fleet, until
from tests.fakes.post_office import Faults, PostOffice

LEASE = 2.0  # seconds; everything else follows, 60 times quicker than in earnest
STEPS = ("plan", "claim", "start", "send", "mark")
CRASHES = [f"{step}:{when}" for step in STEPS for when in ("before", "after")]
BAD = Faults(  # a third of the calls, and a tenth are dropped after the request left
    limited=0.11, failed=0.06, failed_after=0.05, garbage=0.06, garbage_after=0.05, drop=0.1, most=2, after=0.2
)
LAGS = {"w0": 0.0, "w1": LEASE / 24, "w2": LEASE / 4}  # as 0, 5 and 30 s in earnest
PROCESSES = {"sqlite": 1, "postgres": 3}

pytestmark = pytest.mark.slow


@pytest.fixture
def size(request: pytest.FixtureRequest) -> int:
    """How many processes may run on this database."""
    return PROCESSES[request.node.callspec.params["store_url"]]


def all_sent(ships: Fleet, digests: int) -> Callable[[], bool]:
    return lambda: ships.states() == {"sent": digests}


def assert_once(office: PostOffice, ships: Fleet, digests: int) -> None:
    """Every digest arrived once, says the office; and was sent, says the outbox."""
    keys = [row["key"] for row in ships.rows()]
    assert len(keys) == digests
    assert office.counts("digest:") == dict.fromkeys(keys, 1)
    assert "Traceback" not in ships.logged()


def test_killed_at_every_step(store_url: str, size: int, tmp_path: Path) -> None:
    fill(store_url, tmp_path, 100)
    crashes = [
        f"{crash}:{1 if crash.startswith(('plan', 'claim')) else 1 + at % 2}" for at, crash in enumerate(CRASHES)
    ]
    with PostOffice() as office, fleet(tmp_path, store_url, office, lease=LEASE, crashes=crashes) as ships:
        ships.more["POST_LIMIT"] = "20 1000"  # slowly, so that there is something left for each
        until(ships, lambda: len(ships.sprung) == 2, 60)  # planning is soon over: nobody else may do it
        ships.size = size
        until(ships, all_sent(ships, 100), 120)
        assert set(ships.stop()) <= {0, -9}
        assert {crash.rpartition(":")[0] for crash in ships.sprung} == set(CRASHES)
        assert_once(office, ships, 100)


def test_killed_at_random_moments(store_url: str, size: int, tmp_path: Path, long: bool) -> None:
    digests, kills = (2000, 100) if long else (200, 10)
    fill(store_url, tmp_path, digests)
    with PostOffice() as office, fleet(tmp_path, store_url, office, size=size, lease=LEASE) as ships:
        ships.more["POST_LIMIT"] = "40 1000"
        until(ships, all_sent(ships, digests), 2 * digests, each=Killer(ships, random.Random(7), kills))
        assert set(ships.stop()) == {0}
        assert ships.killed >= (20 if long else 3)
        assert_once(office, ships, digests)


class Killer:
    """Kills one of the fleet now and then, `most` times in all."""

    def __init__(self, ships: Fleet, draw: random.Random, most: int) -> None:
        self._ships = ships
        self._draw = draw
        self._most = most
        self._at = self._next()

    def __call__(self) -> None:
        """Kill if it is time."""
        if time.monotonic() >= self._at and self._ships.killed < self._most:
            self._ships.kill(self._draw)
            self._at = self._next()

    def _next(self) -> float:
        return time.monotonic() + self._draw.uniform(1.5, 4.0)


def test_a_platform_at_its_worst(store_url: str, size: int, tmp_path: Path) -> None:
    """A third of the calls is answered badly, and each workspace has another history: lagging, refused or empty.

    Processes are killed meanwhile, too.
    """
    fill(store_url, tmp_path, 75)
    places = {name: replace(BAD, lag=lag) for name, lag in LAGS.items()}
    places |= {"w3": replace(BAD, history="refused"), "w4": replace(BAD, history="empty")}
    with PostOffice(places=places, seed=5) as office:
        with fleet(tmp_path, store_url, office, size=size, lease=LEASE, crashes=["start:after:9"]) as ships:
            ships.more["POST_LIMIT"] = "25 1000"
            until(ships, lambda: settled(ships, office), 120, each=Killer(ships, random.Random(3), 3))
            assert set(ships.stop()) == {0}
        rows = ships.rows()
        counts = office.counts("digest:")
        assert office.doubles() == 0
        assert office.early == 0
        assert {row["state"] for row in rows if row["workspace"] in LAGS} == {"sent"}
        assert {row["key"] for row in rows if row["state"] == "sent"} <= set(counts)
        asleep = [row for row in rows if row["state"] != "sent"]
        assert asleep, "nobody met a history that cannot be read"
        assert all(row["tries"] <= 1 + retries(office, row["key"]) for row in asleep), "a blind resend"


def retries(office: PostOffice, key: str) -> int:
    """Return how often the office said that it did not take a message."""
    return sum(call.key == key and call.outcome == "limited" for call in office.calls)


def settled(ships: Fleet, office: PostOffice) -> bool:
    """All is sent, but what was looked for where nobody may look."""
    rows = ships.rows()
    looked = {call.key for call in office.calls if call.kind == "find"}
    return len(rows) == 75 and all(
        row["state"] == "sent" or (row["workspace"] in ("w3", "w4") and row["uncertain"] and row["key"] in looked)
        for row in rows
    )


@pytest.mark.parametrize("lag", [0.75, 5.0])
def test_a_history_that_lags_longer_may_bring_doubles_and_they_are_counted(
    store_url: str, size: int, tmp_path: Path, lag: float
) -> None:
    fill(store_url, tmp_path, 20)
    with PostOffice(Faults(drop=0.5, most=1, lag=lag * LEASE)) as office:
        with fleet(tmp_path, store_url, office, size=size, lease=LEASE) as ships:
            until(ships, all_sent(ships, 20), 60)
            assert set(ships.stop()) == {0}
        resent = ships.logged().count("sent again: ")
        assert office.doubles() <= resent
        assert (office.doubles() > 0) == (lag > 1), "two looks reach back about a lease"
