"""The event loop keeps turning while a source reads what is long: nothing of it is read in the loop's own thread."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bot.sources.arxiv import source as arxiv
from recommender.types import Paper
from tests.fakes.arxiv_server import ArxivWorld, Made, MemoryHttp
from tests.fakes.source_rss import URL

FAKES = Path(__file__).parents[1] / "fakes"
KINDS = sorted(file.stem.removeprefix("source_") for file in FAKES.glob("source_*.py") if file.stem != "source_local")
CHOSEN = {
    "arxiv": "cs.CL",
    "acl": "2025.acl",
    "rss": URL,
    "biorxiv": "neuroscience",
    "medrxiv": "anesthesia",
    "huggingface": "",
}
TITLES = [f"Windows that slide over long texts, part {number}" * 4 for number in range(8)]


class Watch:
    """What was read in the loop's thread, and how often the loop turned."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.turns = 0

    def seen(self, frame: FrameType, event: str, arg: Any) -> None:
        """Note the calls of all that reads bodies."""
        code = frame.f_code
        if event == "call" and (
            (code.co_name.startswith("parse_") and "bot/sources" in code.co_filename)
            or (code.co_name == "json" and code.co_filename.endswith(("_http_answer.py", "_server.py")))
        ):
            self.read.add(code.co_name)

    async def tick(self) -> None:
        """Turn with the loop."""
        while True:
            self.turns += 1
            await asyncio.sleep(0)


@contextmanager
def watched() -> Iterator[Watch]:
    """Look at this thread."""
    watch, before = Watch(), sys.getprofile()
    ticking = asyncio.create_task(watch.tick())
    sys.setprofile(watch.seen)
    try:
        yield watch
    finally:
        sys.setprofile(before)
        ticking.cancel()


async def all_of(found: AsyncIterator[Any]) -> list[Paper]:
    """Return the papers of what a source yields."""
    return [item async for item in found if isinstance(item, Paper)]


@pytest.mark.parametrize("name", KINDS)
async def test_what_a_source_gives_is_read_beside_the_loop(name: str, tmp_path: Path) -> None:
    source, http = importlib.import_module(f"tests.fakes.source_{name}").make(tmp_path, TITLES)
    kind: Any = source
    with watched() as watch:
        papers = await all_of(source.fetch(None, http))
        assert len(papers) == len(TITLES)
        assert watch.turns
        if hasattr(kind, "find"):
            await kind.find(papers[0].id, http)
        if hasattr(kind, "look"):
            await kind.look("windows", 50, http)
        if hasattr(kind, "check"):
            await kind.check(CHOSEN.get(name, "ICLR.cc/2026/Conference"), http)
    assert watch.read == set()


async def test_bulk_is_read_beside_the_loop() -> None:
    world = ArxivWorld([Made(f"2604.{10000 + n}", date(2026, 4, 27), title) for n, title in enumerate(TITLES)], batch=8)
    with watched() as watch:
        assert len(await all_of(arxiv.whole("cs.CL", None, None).fetch(None, MemoryHttp(world)))) == len(TITLES)
        assert watch.turns
    assert watch.read == set()
