"""A rig for the source `arxiv`: a daily list of a few papers, good and hostile."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.arxiv import Arxiv
from tests.fakes.arxiv_server import HTML, ArxivWorld, Made, MemoryHttp

WEDNESDAY = datetime(2026, 4, 29, 12, tzinfo=UTC)


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the HTTP client that it needs."""
    papers = [
        Made(f"2604.{20000 + number}", date(2026, 4, 29), title, abstract=title * 2, authors=(title,))
        for number, title in enumerate(titles)
    ]
    # The index of the API has none of them yet.
    return Arxiv(("cs.CL",), now=lambda: WEDNESDAY), MemoryHttp(
        ArxivWorld(papers, lambda: WEDNESDAY, lag=WEDNESDAY - datetime(2026, 1, 1, tzinfo=UTC))
    )


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    world = ArxivWorld(faults=[("/", 200, {}, HTML) for _ in range(9)], now=lambda: WEDNESDAY)
    return Arxiv(("cs.CL",), now=lambda: WEDNESDAY), MemoryHttp(world)
