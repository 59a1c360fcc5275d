"""The terminal chat, and the demo: an interactive chat at a terminal, a short tour otherwise."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from bot import config
from bot.app import App, utc_now
from bot.core.ports import Bad
from bot.core.request import Address
from bot.jobs.ingest import ingest
from bot.sources import local
from bot.store import owners, subscriptions
from recommender.types import Paper

SEED = "iclr2026-abstracts.txt"
LATE = 6  # papers that come in the course of the tour; the others are there when it begins


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the tour: a line that is typed, or, without one, time that goes by until the next digest is due.

    `brings`: more papers come meanwhile.
    """

    remark: str
    line: str = ""
    brings: bool = False


TOUR = (
    Step("Follow a topic. A preview comes at once, then one digest a day.", "/papers subscribe language models max=4"),
    Step("Change when it comes, and how much of it.", "/papers schedule 1 at=08:00 on=daily max=3"),
    Step("Mark two papers of a digest: more like the first, less like the second.", "/papers digest"),
    Step("", "/papers more 1"),
    Step("", "/papers less 2 because=too far from what I do"),
    Step("Time goes by until the next digest; six papers come meanwhile. It follows the marks.", brings=True),
    Step("A day later there is nothing, and it says why."),
    Step(
        "Nothing for the holidays; what comes meanwhile is in the first digest after them.", "/papers pause until=4 Jan"
    ),
    Step("Look a paper up, with a slip of the pen.", "/papers search shrot window atention"),
    Step("Find papers like it.", "/papers similar 1"),
    Step("See what the bot believes of you.", "/papers profile"),
)
WELCOME = (
    "Paperround, with 19 papers of ICLR 2026: it picks, says why, and learns.\n"
    "Type /papers lines, or the number of a button. exit ends it; nothing is kept.\n\n"
    "Try first: /papers subscribe language models\n"
)


class Menu:
    """What the console would have to remember, in the store: the actions of the last message in a place."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def remember(self, address: Address, actions: list[str]) -> None:
        """Keep the actions of the message that was shown last."""
        await self._app.store.write(owners.remember_menu, await self._owner(address), actions)

    async def recall(self, address: Address) -> list[str]:
        """Return the actions of the message that was shown last."""
        return await self._app.store.read(owners.menu, await self._owner(address))

    async def _owner(self, at: Address) -> int:
        now = self._app.now()
        owner = await self._app.store.write(owners.get, at.platform, at.workspace, "person", at.user, at.user, now)
        return owner.number


async def talk(
    app: App, stdin: TextIO, stdout: TextIO, *, user: str = "me", channel: str = "", as_json: bool = False
) -> None:
    """Read lines and answer them until the input ends. At a terminal, digests come by themselves meanwhile."""
    await app.library.refresh()
    console = app.console(stdin=stdin, stdout=stdout, memory=Menu(app), user=user, channel=channel, as_json=as_json)
    if not stdin.isatty():
        await console.run(app.invoke)
        await app.hang_up()
        return
    courier = app.courier(console, user, channel.strip().lstrip("#"))
    bringing = asyncio.create_task(courier.keep_bringing())
    try:
        await console.run(app.invoke)
    finally:
        bringing.cancel()
        await asyncio.gather(bringing, return_exceptions=True)
        await courier.close()
        await app.hang_up()


def seeds_folder() -> Path:
    """Return the folder of the seed document: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "seeds"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "seeds"


def play(stdin: TextIO, stdout: TextIO) -> None:
    """Import the seeds into a store of its own; then chat at a terminal, or play the tour."""
    with tempfile.TemporaryDirectory(prefix="paperround-demo-") as folder:
        own = {"data_dir": Path(folder), "database_url": "", "ranker": "default", "allowed": "", "command": "papers"}
        app = App.open(config.load().model_copy(update=own))
        papers = list(local.read(seeds_folder() / SEED))
        try:
            if stdin.isatty():
                _bring(app, papers)
                stdout.write(WELCOME)
                asyncio.run(talk(app, stdin, stdout))
            else:
                _bring(app, papers[LATE:])
                stdout.write(f"Imported {len(papers) - LATE} papers from seeds/{SEED}; {LATE} more come later.\n")
                asyncio.run(tour(app, stdout, TOUR, papers[:LATE]))
        finally:
            app.close()


def _bring(app: App, papers: Sequence[Paper | Bad]) -> None:
    ingest(app.store, papers, "local", app.now())
    app.library.update(learn=True)


async def tour(app: App, stdout: TextIO, steps: Sequence[Step], later: Sequence[Paper | Bad]) -> None:
    """Type some lines for the reader, and let days go by, each with a word on what it shows."""
    for step in steps:
        said = f"\n# {step.remark}\n" if step.remark else "\n"
        stdout.write(f"{said}> {step.line}\n" if step.line else said)
        if step.line:
            await talk(app, io.StringIO(step.line + "\n"), stdout)
        else:
            await _sleep(app, stdout, later if step.brings else ())
    stdout.write("\nThat was the tour. Run the same at a terminal, and it is a chat.\n")


async def _sleep(app: App, stdout: TextIO, papers: Sequence[Paper | Bad]) -> None:
    """Let it be the time at which the next digest is due, and bring it. `papers` come just before."""
    with app.store.reading() as conn:
        due = min(sub.next_due_at for sub in subscriptions.everywhere(conn) if sub.next_due_at is not None)
    ahead = due - utc_now()
    app.now = lambda: utc_now() + ahead
    app.store.clock = lambda conn: app.now()  # noqa: ARG005 - the demo's own time is the database's
    if papers:
        await asyncio.to_thread(_bring, app, papers)
    console = app.console(stdin=io.StringIO(), stdout=stdout, memory=Menu(app), user="me")
    courier = app.courier(console, "me")
    await courier.bring()
    await courier.close()
