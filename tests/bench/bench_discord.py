"""What people on Discord wait for, and what servers cost in memory. Prints tables. By hand.

    python tests/bench/bench_discord.py                           40,000 papers, all tables; some four minutes
    python tests/bench/bench_discord.py --papers 2000 --only typing

A real `paperround run` with the real discord.py; the stand-in for Discord is in this process. Papers are of the shared
corpora where they are beside the project, else made up. Deferred: from the delivery to the first answer that Discord
took. Answered: from the delivery to the answer in full. Offered: from what was typed to the choices that are shown.
What misses its bar is marked with *. Digests are measured by bench_discord_digests.py.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


from tests.bench.bench_slack import fill, papers_of
from tests.fakes.discord_wire.fake import FakeDiscord
from tests.fakes.discord_wire.state import Channel, Guild, User
from tests.fakes.fleet import PROGRAM, ROOT

MESSAGES, OPEN = "/messages", "/users/@me/channels"  # how paths end
A_GUILD = 100  # channels of a server that has digests
PATIENCE = 30.0  # seconds for an answer: later it is lost
Place = tuple[str, str, str]  # workspace, "channel" or "person", id


def against(value: float, bar: float, *, least: bool = False) -> str:
    """Return a value, marked if it misses its bar: the most that it may be, or the `least`."""
    return f"{value:.3f}{'*' if (value < bar if least else value > bar) else ' '}"


def memory(pid: int, what: str = "VmRSS") -> float:
    """Return a process's memory in MB: what it has, or (VmHWM) had at most."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) * 1024 / 1e6


@asynccontextmanager
async def bot(folder: Path, fake: FakeDiscord, **more: str) -> AsyncIterator[int]:
    """Run the bot at a stand-in for Discord; give its process id. It is asked to end afterwards."""
    own = {"DATA_DIR": str(folder), "METRICS_ADDRESS": "off", "LOG_FORMAT": "json"}
    own |= {"DISCORD_TOKEN": fake.token, "DISCORD_API_URL": fake.api_url, **more}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAPERROUND_")}
    environment |= {f"PAPERROUND_{name}": value for name, value in own.items()}
    environment |= {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[:1]])}
    file = folder / "run.log"
    with file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM, "run", env=environment, cwd=folder, stdout=log, stderr=log
        )
    try:
        end = time.monotonic() + 60
        while '"event": "running"' not in (said := file.read_text()) or not fake.gateway.connected:
            if process.returncode is not None or time.monotonic() > end:
                raise SystemExit(f"it does not start:\n{said[-3000:]}")
            await asyncio.sleep(0.1)
        yield process.pid
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        lines = [line for line in file.read_text().splitlines() if '"level": "info"' not in line]
        if lines:
            print(f"{len(lines)} lines of its log are no information; the last: {lines[-1][:300]}", file=sys.stderr)


# -- commands, and what is offered while people type


@dataclass
class Asked:
    """What came of many at once: seconds to the first answers and to the full ones."""

    deferred: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    lost: int = 0


async def rush(fake: FakeDiscord, lines: list[str], people: list[User], rooms: list[Channel]) -> Asked:
    """Type all lines at once, each by somebody else, and wait for the answers."""
    asked = Asked()

    async def one(at: int, line: str) -> None:
        seen = await fake.slash(people[at], rooms[at % len(rooms)], "search", {"words": line})
        try:
            await seen.until(within=PATIENCE)
            asked.answered.append(fake.world.now() - seen.sent_at)
        except TimeoutError:
            asked.lost += 1
        asked.deferred.append(PATIENCE if seen.acked_in is None else seen.acked_in)

    await asyncio.gather(*(one(at, line) for at, line in enumerate(lines)))
    return asked


def lines_of(titles: list[str], many: int, draw: random.Random) -> list[str]:
    """Return titles, and words of titles."""
    chosen = draw.choices(titles, k=many)
    return [draw.choice([title, " ".join(draw.sample(w := title.split(), min(3, len(w))))])[:300] for title in chosen]


async def commands(fake: FakeDiscord, titles: list[str], many: int, room: Guild) -> list[User]:
    """Print what many commands at once cost; return those who typed them."""
    print("people   deferred: median   most   (1 s)  answered: median   most  (1.5 s in the median)   lost", flush=True)
    draw, rooms = random.Random(1), [room.channel(f"room-{number}") for number in range(20)]
    people = [fake.user(f"user{number}") for number in range(many)]
    for one in people:
        room.join(one)
    for known in ("new", "known", "known"):
        asked = await rush(fake, lines_of(titles, many, draw), people, rooms)
        deferred, answered = asked.deferred, asked.answered or [PATIENCE]
        print(
            f"{known:<9}{statistics.median(deferred):>15.3f} {against(max(deferred), 1.0):>8}"
            f"{against(statistics.median(answered), 1.5):>25}{max(answered):>8.3f}{asked.lost:>29}",
            flush=True,
        )
    return people


async def type_on(fake: FakeDiscord, people: list[User], room: Channel, titles: list[str], many: int) -> list[float]:
    """Type titles, topics and names, one after another; return the seconds until something was offered."""
    draw, taken = random.Random(2), []
    for at in range(many):
        words = draw.choice(titles)[: draw.randint(1, 25)]
        command, option = (("similar", "paper"), ("subscribe", "topic"), ("pause", "name"), ("search", "words"))[at % 4]
        began = fake.world.now()
        try:
            await fake.autocomplete(draw.choice(people), room, command, option, words, within=PATIENCE)
        except TimeoutError:
            print("nothing was offered", file=sys.stderr)
        taken.append(fake.world.now() - began)
    return taken


async def offers(fake: FakeDiscord, titles: list[str], people: list[User], room: Channel, many: int) -> None:
    """Print how soon something is offered: alone, and while commands work."""
    print("offered             times   median  (50 ms)   most  (0.5 s)", flush=True)
    alone = await type_on(fake, people, room, titles, many)
    working = asyncio.Event()

    async def work() -> None:
        draw = random.Random(3)
        for _ in range(3):
            await rush(fake, lines_of(titles, len(people), draw), people, [room])
        working.set()

    job, meanwhile = asyncio.create_task(work()), list[float]()
    while not working.is_set():
        meanwhile += await type_on(fake, people, room, titles, 4)
    await job
    for name, taken in (("alone", alone), ("beside commands", meanwhile)):
        median, most = against(statistics.median(taken), 0.05), against(max(taken), 0.5)
        print(f"{name:<20}{len(taken):>5}{median:>9}{most:>16}", flush=True)


async def typing(folder: Path, titles: list[str], many: int) -> None:
    """Print the tables of commands and of what is offered."""
    async with FakeDiscord() as fake:
        room = fake.guild("Lab")
        async with bot(folder, fake):
            await asyncio.sleep(5)  # its first look at the index and the heartbeat are over
            people = await commands(fake, titles, many, room)
            await offers(fake, titles, people, next(iter(room.channels.values())), 400)


# -- memory


def furnish(fake: FakeDiscord, number: int) -> None:
    """Make a server as they are: 20 roles, 30 channels, half of them with a topic, one in five private."""
    guild = fake.guild(f"A server with a name {number}")
    roles = [guild.role(f"role number {at}", ["view_channel", "send_messages"]) for at in range(18)]
    for at in range(30):
        kind = ("text", "text", "text", "text", "voice", "news" if at == 5 else "text")[at % 6]
        made = guild.channel(f"channel-{at}", kind, topic="What this channel is for, in a line of words." * (at % 2))
        if at % 5 == 0:
            made.overwrite(None, deny=["view_channel"])
            for role in roles[:3]:
                made.overwrite(role, allow=["view_channel"])


async def servers(folder: Path, many: int) -> None:
    """Print what servers cost in memory: 30 channels and 20 roles each."""
    print("servers   memory   a thousand", flush=True)
    first = 0.0
    for count in (0, many // 2, many):
        async with FakeDiscord() as fake:
            for number in range(count):
                furnish(fake, number)
            place = folder / f"memory-{count}"
            place.mkdir()
            async with bot(place, fake) as pid:
                await asyncio.sleep(20 + count / 100)  # it has read all, and its first looks are over
                now = memory(pid)
        first = first or now
        print(f"{count:<10}{now:>4.0f} MB{1000 * (now - first) / max(count, 1):>10.0f} MB", flush=True)


def main() -> None:
    """Print the tables."""
    reader = argparse.ArgumentParser(description="What people on Discord wait for, and what servers cost.")
    reader.add_argument("--papers", type=int, default=40_000)
    reader.add_argument("--commands", type=int, default=200, help="at once")
    reader.add_argument("--guilds", type=int, default=1000, help="for the memory")
    reader.add_argument("--only", choices=("typing", "memory"), default="")
    options = reader.parse_args()
    with tempfile.TemporaryDirectory(prefix="paperround-bench-") as name:
        folder = Path(name)
        if options.only != "memory":
            papers = papers_of(options.papers)
            fill(folder, papers)
            titles = [paper.title for paper in papers[:5000] if paper.title.strip()]
            asyncio.run(typing(folder, titles, options.commands))
        if options.only in ("", "memory"):
            asyncio.run(servers(folder, options.guilds))


if __name__ == "__main__":
    main()
