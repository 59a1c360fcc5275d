"""What Slack asks of a busy hour: many commands at once, and many digests of many workspaces. Prints tables. By hand.

    python tests/bench/bench_slack.py                     40,000 papers, both tables; some five minutes
    python tests/bench/bench_slack.py --papers 2000 --only commands

A real `paperround run` with the real slack-bolt; the stand-in for Slack is in this process. Papers are of the shared
corpora where they are beside the project, else made up. Acknowledged: from the delivery to its acknowledgement.
Answered: from the delivery to the answer at its response_url. Commands search for titles and for words of titles, come
from 200 people, and all at once; people whom the bot meets for the first time and known ones. Digests: one a channel.
The rate is that of the messages that arrived, from the first to the last, against 240 a minute a workspace.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import socket
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cryptography.fernet import Fernet
from sqlalchemy import select

from bot.app import DATABASE
from bot.jobs.ingest import ingest
from bot.store import installs, interests, owners, subscriptions
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.secret import Box
from bot.store.tables import outbox
from recommender.rankers.default import ranker
from recommender.types import Paper
from tests.fakes.fleet import PROGRAM, ROOT
from tests.fakes.slack_town import APP_TOKEN, BOT, BOT_ID, SECRET, Town
from tests.fakes.worlds import corpus, world

A_MINUTE = 240  # messages that a workspace may get
KEY = Fernet.generate_key().decode()


def papers_of(most: int) -> list[Paper]:
    """Return papers of the corpora, filled up with made ones."""
    try:
        known = corpus("iclr2026", "conferences")[:most]
    except FileNotFoundError:
        known = []
    return known + world(most - len(known))


def fill(folder: Path, papers: list[Paper]) -> None:
    """Store the papers and learn from them."""
    store = Store.open(sqlite_url(folder / DATABASE))
    ingest(store, papers, "local", datetime.now(UTC) - timedelta(hours=12))
    Library(store, folder / f"index-{store.id[:12]}", ranker).update(learn=True)
    store.close()


def subscribe(folder: Path, papers: list[Paper], workspaces: int, channels: int, due: datetime) -> None:
    """Install the app in workspaces, and subscribe channels: ten papers each, due at one minute."""
    counts = Counter(word.strip().lower() for paper in papers for word in paper.keywords if 3 < len(word) < 60)
    topics = [word for word, _ in counts.most_common(200)] or ["vision models"]
    values = {"at": f"{due:%H:%M}", "time_zone": "UTC", "weekdays": "1234567", "at_most": 10, "strictness": "relaxed"}
    before, draw, box = due - timedelta(days=2), random.Random(0), Box([KEY])
    store = Store.open(sqlite_url(folder / DATABASE))
    with store.writing() as conn:
        for at in range(workspaces):
            team = f"T{at}"
            app = installs.Install(team, box.close(f"xoxb-{team}"), BOT, BOT_ID, "A1", team, (), "U1", before)
            installs.keep(conn, "slack", app, before)
            for number in range(channels):
                place = owners.get(conn, "slack", team, "channel", f"C{at}x{number}", f"c{number}", before).number
                person = owners.get(conn, "slack", team, "person", "UADA", "ada", before).number
                topic = draw.choice(topics)
                interest = interests.add(conn, place, topic, [topic], before)
                subscriptions.add(conn, place, interest, person, values, before)
    store.close()


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def bot(folder: Path, town: Town, **more: str) -> AsyncIterator[Path]:
    """Run the bot at a stand-in for Slack; give its log. It is asked to end afterwards."""
    port = free_port()
    town.events_url = f"http://127.0.0.1:{port}/slack/events"
    own = {
        "DATA_DIR": str(folder),
        "METRICS_ADDRESS": "off",
        "LOG_FORMAT": "json",
        "HTTP_ADDRESS": f"127.0.0.1:{port}",
        "SLACK_API_URL": town.api_url,
        "SLACK_APP_TOKEN": APP_TOKEN,
        "SLACK_SIGNING_SECRET": SECRET,
        **more,
    }
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
        while '"event": "running"' not in (said := file.read_text()) or not (
            town.sockets or more.get("SLACK_MODE") == "http"
        ):
            if process.returncode is not None or time.monotonic() > end:
                raise SystemExit(f"it does not start:\n{said[-3000:]}")
            await asyncio.sleep(0.1)
        yield file
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def rush(town: Town, lines: list[str], people: list[str]) -> tuple[list[float], list[float], int]:
    """Type all lines at once; return the seconds to each acknowledgement, to each answer, and how many were lost."""
    town.acks.clear()
    town.replies.clear()
    started = time.perf_counter()
    typing = asyncio.gather(
        *(
            town.command(line, user=person, channel=f"C{at % 20}")
            for at, (line, person) in enumerate(zip(lines, people, strict=True))
        )
    )
    answered: dict[str, float] = {}
    while len(answered) < len(people) and time.perf_counter() - started < 30:
        await asyncio.sleep(0.003)
        for reply in town.replies[len(answered) :]:
            answered[reply.user] = time.perf_counter() - started
    await typing
    return list(town.acks), list(answered.values()), len(people) - len(answered)


async def commands(folder: Path, titles: list[str], many: int) -> None:
    """Print what many commands at once cost, in both modes."""
    print("mode    people   acknowledged: median   most    answered: median   most    lost", flush=True)
    draw = random.Random(1)
    for mode in ("socket", "http"):
        async with (
            Town(_count=itertools.count(time.time_ns())) as town,
            bot(folder, town, SLACK_MODE=mode, SLACK_BOT_TOKEN="xoxb-T1"),
        ):
            await asyncio.sleep(5)  # its first look at the index and the heartbeat are over
            people = [f"U{mode}{number}".upper() for number in range(many)]
            for known in ("new", "known", "known"):
                lines = []
                for _ in people:
                    title = draw.choice(titles)
                    few = " ".join(draw.sample(words := title.split(), min(3, len(words))))
                    lines.append(f"search {draw.choice([title, few])}")
                acks, answers, lost = await rush(town, lines, people)
                row = (statistics.median(acks), max(acks), statistics.median(answers), max(answers))
                print(
                    f"{mode:<8}{known:<9}{row[0]:>18.2f} s{row[1]:>6.2f} s{row[2]:>17.2f} s{row[3]:>6.2f} s{lost:>6}",
                    flush=True,
                )


def sizes(folder: Path) -> Counter[int]:
    """Return how many digests have how many papers."""
    store = Store.open(sqlite_url(folder / DATABASE))
    with store.reading() as conn:
        messages = conn.execute(select(outbox.c.message).where(outbox.c.kind == "digest")).scalars().all()
    store.close()
    return Counter(len(message["cards"]) for message in messages)


async def digests(folder: Path, papers: list[Paper], workspaces: int, channels: int) -> None:
    """Print how quickly the digests of many channels go out."""
    due = datetime.now(UTC) - timedelta(minutes=10)
    fill(folder, papers[::2])
    subscribe(folder, papers, workspaces, channels, due)
    fill(folder, papers[1::2])  # after the subscriptions: these are news
    total = workspaces * channels
    many = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "c" * 32, "SECRET_KEYS": KEY}
    async with Town(teams={f"T{at}" for at in range(workspaces)}) as town:
        town.checks.limits.messages = town.checks.limits.tiers = True
        async with bot(folder, town, PUBLIC_URL="https://papers.example.org", **many):
            end = time.monotonic() + 600
            while (sent := sum(map(len, town.posted.values()))) < total and time.monotonic() < end:
                print(f"\r{sent} sent", end="", file=sys.stderr)
                await asyncio.sleep(1)
        posts = {channel: [float(one["ts"]) for one in some] for channel, some in town.posted.items()}
    times = sorted(at for some in posts.values() for at in some)
    rates = []
    for workspace in range(workspaces):
        mine = sorted(at for name, some in posts.items() if name.startswith(f"C{workspace}x") for at in some)
        if len(mine) > 1:
            rates.append(60 * (len(mine) - 1) / max(mine[-1] - mine[0], 1e-9))
    span = times[-1] - times[0] if times else 0.0
    print("digests   sent   twice   seconds   a second   a minute a workspace: median   least   of what is allowed")
    doubled = sum(len(some) - 1 for some in posts.values())
    print(
        f"{total:<10}{len(times):<7}{doubled:<8}{span:<10.1f}{len(times) / max(span, 1e-9):<11.1f}"
        f"{statistics.median(rates):>23.0f}{min(rates):>14.0f}{100 * statistics.median(rates) / A_MINUTE:>18.0f} %"
    )
    print("refused because they came too early:", town.checks.limits.refused)
    print("digests by their number of papers:", dict(sorted(sizes(folder).items())))


def main() -> None:
    """Print the tables."""
    reader = argparse.ArgumentParser(description="What Slack asks of a busy hour.")
    reader.add_argument("--papers", type=int, default=40_000)
    reader.add_argument("--commands", type=int, default=200)
    reader.add_argument("--workspaces", type=int, default=50)
    reader.add_argument("--channels", type=int, default=20, help="of each workspace")
    reader.add_argument("--only", choices=("commands", "digests"), default="")
    options = reader.parse_args()
    papers = papers_of(options.papers)
    with tempfile.TemporaryDirectory(prefix="paperround-bench-") as name:
        folder = Path(name)
        if options.only != "digests":
            fill(folder, papers)
            titles = [paper.title for paper in papers[:5000] if paper.title.strip()]
            asyncio.run(commands(folder, titles, options.commands))
        if options.only != "commands":
            small = folder / "digests"
            small.mkdir()
            asyncio.run(digests(small, papers[:2000], options.workspaces, options.channels))


if __name__ == "__main__":
    main()
