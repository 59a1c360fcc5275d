"""How digests go out on Discord: to many channels, through a reset, and to people. Prints tables. By hand.

    python tests/bench/bench_discord_digests.py                   10,000 channels, all tables; some nine minutes
    python tests/bench/bench_discord_digests.py --channels 500 --only digests

A real `paperround run` with the real discord.py; the stand-in for Discord is in this process. One digest a channel. The
limits are kept: 50 requests a second in all, and buckets of routes. The rate is that of the messages that arrived, from
the first to the last. Direct messages are opened before the first digest of each person, and that is counted apart.
What misses its bar is marked with *.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import socket
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sqlalchemy import func, select

from bot.app import DATABASE
from bot.store import interests, owners, subscriptions
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.tables import outbox
from recommender.types import Paper
from tests.bench.bench_discord import against, bot, memory
from tests.bench.bench_slack import fill, papers_of, sizes
from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.limits import EVERY_SECOND
from tests.fakes.discord_wire.state import Channel

MESSAGES, OPEN = "/messages", "/users/@me/channels"  # how paths end
A_GUILD = 100  # channels of a server that has digests
Place = tuple[str, str, str]  # workspace, "channel" or "person", id


def guilds_of(fake: FakeDiscord, channels: int) -> list[Channel]:
    """Make servers with so many channels in all."""
    made: list[Channel] = []
    while len(made) < channels:
        guild = fake.guild(f"Lab {len(made)}")
        made += [guild.channel(f"c{number}") for number in range(min(A_GUILD, channels - len(made)))]
    return made


def subscribe(folder: Path, papers: list[Paper], places: Sequence[Place], due: datetime) -> None:
    """Subscribe places: ten papers each, due at one minute."""
    counts = Counter(word.strip().lower() for paper in papers for word in paper.keywords if 3 < len(word) < 60)
    topics = [word for word, _ in counts.most_common(200)] or ["vision models"]
    values = {"at": f"{due:%H:%M}", "time_zone": "UTC", "weekdays": "1234567", "at_most": 10, "strictness": "relaxed"}
    before, draw = due - timedelta(days=2), random.Random(0)
    store = Store.open(sqlite_url(folder / DATABASE))
    with store.writing() as conn:
        ada = owners.get(conn, "discord", "@me", "person", "1", "ada", before).number
        for workspace, kind, id_ in places:
            place = owners.get(conn, "discord", workspace, kind, id_, "reading", before).number
            topic = draw.choice(topics)
            interest = interests.add(conn, place, topic, [topic], before)
            subscriptions.add(conn, place, interest, ada if kind == "channel" else place, values, before)
    store.close()


@dataclass
class Arrivals:
    """What came: seconds at which messages and calls that open direct messages came, and how many were too early."""

    messages: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    early: int = 0
    memory: float = 0.0  # MB that the bot had at most
    states: dict[str, int] = field(default_factory=dict)

    def read(self, fake: FakeDiscord) -> None:
        """Count the calls since the last time, and forget them."""
        calls, fake.server.requests = fake.server.requests, []
        taken = [one for one in calls if one.method == "POST" and one.status == 200]
        self.messages += [one.at for one in taken if one.path.endswith(MESSAGES)]
        self.opened += [one.at for one in taken if one.path == OPEN]
        self.early += sum(one.status == 429 for one in calls)


def states(folder: Path) -> Counter[str]:
    """Return how many digests are in which state."""
    store = Store.open(sqlite_url(folder / DATABASE))
    with store.reading() as conn:
        rows = conn.execute(select(outbox.c.state, func.count()).group_by(outbox.c.state)).all()
    store.close()
    return Counter({str(state): int(count) for state, count in rows})


async def deliver(
    folder: Path, fake: FakeDiscord, total: int, half: Callable[[FakeDiscord], None] | None = None
) -> Arrivals:
    """Run the bot until all digests are sent, or five minutes change nothing; call `half` when one half was sent."""
    came, done, last = Arrivals(), Counter[str](), time.monotonic()
    async with bot(folder, fake) as pid:
        while done["sent"] < total and time.monotonic() - last < 300:
            await asyncio.sleep(1)
            came.read(fake)
            if (now := states(folder)) != done:
                done, last = now, time.monotonic()
                print(f"\r{done['sent']} sent", end="", file=sys.stderr)
            if half is not None and len(came.messages) >= total / 2:
                half(fake)
                half = None
        came.memory = memory(pid, "VmHWM")
    print(file=sys.stderr)
    came.read(fake)
    came.states = dict(done)
    return came


def prepare(folder: Path, papers: list[Paper], places: Sequence[Place]) -> None:
    """Store papers, subscriptions that are due, and then papers which are news to them."""
    folder.mkdir()
    fill(folder, papers[::2])
    subscribe(folder, papers, places, datetime.now(UTC) - timedelta(minutes=10))
    fill(folder, papers[1::2])


def rate_of(times: list[float]) -> float:
    """Return how many came a second, from the first to the last."""
    return (len(times) - 1) / max(max(times) - min(times), 1e-9) if len(times) > 1 else 0.0


def busiest(times: list[float]) -> int:
    """Return the most that came within one second."""
    first, most = 0, 0
    for at, now in enumerate(times := sorted(times)):
        while times[first] <= now - 1:
            first += 1
        most = max(most, at - first + 1)
    return most


async def digests(folder: Path, papers: list[Paper], channels: int, *, reset: bool) -> None:
    """Print how quickly the digests of many channels go out; with a `reset`, that each comes once all the same."""
    async with FakeDiscord() as fake:
        rooms = guilds_of(fake, channels)
        prepare(folder, papers, [(one.guild.id if one.guild else "", "channel", one.id) for one in rooms])
        came = await deliver(folder, fake, channels, cut if reset else None)
        counts = Counter(min(len(one.said), 2) for one in rooms)
    rate = rate_of(came.messages)
    share = against(rate / EVERY_SECOND, 0.95, least=not reset) if not reset else "-"
    print(
        "digests   once    twice   none   seconds   a second (of 50: 0.95)   most in a second   429   memory",
        flush=True,
    )
    print(
        f"{channels:<10}{counts[1]:<8}{counts[2]:<8}{counts[0]:<7}{max(came.messages) - min(came.messages):<10.1f}"
        f"{rate:<11.1f}{share:<14}{busiest(came.messages):<19}{came.early:<6}{came.memory:.0f} MB"
    )
    print(f"states {came.states}; digests by their number of papers {dict(sorted(sizes(folder).items()))}", flush=True)


def cut(fake: FakeDiscord) -> None:
    """Reset every connection, in the midst of whatever is done; then let six calls be reset, three of them taken."""
    runner = fake.server._runner
    for one in runner.server.connections if runner and runner.server else ():
        transport = one.transport
        if isinstance(transport, asyncio.Transport):
            raw = transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
    for taken in (True, False):
        fake.fail("POST", "/channels/*/messages", how="reset", taken=taken, times=3)


async def direct(folder: Path, papers: list[Paper], people: int) -> None:
    """Print how quickly personal digests go out, of which each needs a direct message that is opened first."""
    async with FakeDiscord() as fake:
        guild, users = fake.guild("Lab"), [fake.user(f"user{number}") for number in range(people)]
        for one in users:
            guild.join(one)
        prepare(folder, papers, [("@me", "person", one.id) for one in users])
        came = await deliver(folder, fake, people)
    print("direct messages   sent   opened   opened a second   429", flush=True)
    print(
        f"{people:<18}{len(came.messages):<7}{len(came.opened):<9}{rate_of(came.opened):<18.2f}{came.early}", flush=True
    )


def main() -> None:
    """Print the tables."""
    reader = argparse.ArgumentParser(description="How digests go out on Discord.")
    reader.add_argument("--papers", type=int, default=2000)
    reader.add_argument("--channels", type=int, default=10_000)
    reader.add_argument("--reset", type=int, default=1000, help="channels whose digests go out through a reset")
    reader.add_argument("--direct", type=int, default=60, help="people who have a digest")
    reader.add_argument("--only", choices=("digests", "reset", "direct"), default="")
    options = reader.parse_args()
    papers = papers_of(options.papers)
    with tempfile.TemporaryDirectory(prefix="paperround-bench-") as name:
        folder = Path(name)
        if options.only in ("", "digests"):
            asyncio.run(digests(folder / "digests", papers, options.channels, reset=False))
        if options.only in ("", "reset"):
            asyncio.run(digests(folder / "reset", papers, options.reset, reset=True))
        if options.only in ("", "direct"):
            asyncio.run(direct(folder / "direct", papers, options.direct))


if __name__ == "__main__":
    main()
