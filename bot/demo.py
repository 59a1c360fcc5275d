"""The terminal chat, and the demo: an interactive chat at a terminal, a short tour otherwise."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from bot import config
from bot.app import App
from bot.core.request import Address
from bot.jobs.ingest import ingest
from bot.sources import local
from bot.store import owners

SEED = "iclr2026-abstracts.txt"
TOUR = (
    ("Follow a topic. A preview comes at once.", "/papers subscribe language models max=4"),
    ("Mark two papers: more like the first, less like the second.", "/papers more 1"),
    ("", "/papers less 2 because=too far from what I do"),
    (
        "The next digest follows the marks: what you marked is gone, and what is near a liked paper says so.",
        "/papers digest",
    ),
    ("Look a paper up, with a slip of the pen.", "/papers search shrot window atention"),
    ("Find papers like it.", "/papers similar 1"),
    ("See what the bot believes of you.", "/papers profile"),
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
    """Read lines and answer them until the input ends."""
    await app.library.refresh()
    console = app.console(stdin=stdin, stdout=stdout, memory=Menu(app), user=user, channel=channel, as_json=as_json)
    await console.run(app.invoke)


def seeds_folder() -> Path:
    """Return the folder of the seed document: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "seeds"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "seeds"


def play(stdin: TextIO, stdout: TextIO) -> None:
    """Import the seeds into a store of its own; then chat at a terminal, or play the tour."""
    with tempfile.TemporaryDirectory(prefix="paperround-demo-") as folder:
        own = {"data_dir": Path(folder), "database_url": "", "ranker": "default"}
        app = App.open(config.load().model_copy(update=own))
        try:
            report = ingest(app.store, local.read(seeds_folder() / SEED), "local", app.now())
            app.library.update(learn=True)
            if stdin.isatty():
                stdout.write(WELCOME)
                asyncio.run(talk(app, stdin, stdout))
            else:
                stdout.write(f"Imported {report.new} papers from seeds/{SEED}.\n")
                asyncio.run(tour(app, stdout, TOUR))
        finally:
            app.close()


async def tour(app: App, stdout: TextIO, lines: Sequence[tuple[str, str]]) -> None:
    """Type some lines for the reader, each with a word on what it shows."""
    for remark, line in lines:
        stdout.write(f"\n# {remark}\n> {line}\n" if remark else f"\n> {line}\n")
        await talk(app, io.StringIO(line + "\n"), stdout)
    stdout.write("\nThat was the tour. Run the same at a terminal, and it is a chat.\n")
