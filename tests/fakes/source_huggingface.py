"""A rig for the source `huggingface`: a day with a few papers, good and hostile, and days without any."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.huggingface import source
from tests.fakes.feeds_server import Feeds, daily

TODAY = date(2026, 12, 2)


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the client that it needs."""
    papers = [daily(title, at + 1) for at, title in enumerate(titles)]
    return (
        replace(source, picked=True, today=lambda: TODAY),
        Feeds(lambda _path, params, _headers: (200, papers if params["date"] == "2026-12-01" else [])),
    )


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return replace(source, picked=True, today=lambda: TODAY), Feeds(lambda *_: (200, {"error": "down\nfor a while"}))
