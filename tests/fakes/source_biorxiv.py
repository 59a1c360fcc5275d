"""A rig for the source `biorxiv`: one page with a few preprints, good and hostile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources import biorxiv
from tests.fakes.feeds_server import Feeds, rxiv_entry, rxiv_page


def make(folder: Path, titles: list[str], kind: Any = biorxiv.source) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the client that it needs."""
    entries = [rxiv_entry(title, at + 1) for at, title in enumerate(titles)]
    return replace(kind, picked=True), Feeds(lambda *_: (200, rxiv_page(entries)))


def broken(folder: Path, kind: Any = biorxiv.source) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return replace(kind, picked=True), Feeds(lambda *_: (200, {"messages": [{"status": "error:\ndown"}]}))
