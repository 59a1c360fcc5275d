"""A rig for the source `medrxiv`, which answers as bioRxiv does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources import medrxiv
from tests.fakes import source_biorxiv


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the client that it needs."""
    return source_biorxiv.make(folder, titles, medrxiv.source)


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return source_biorxiv.broken(folder, medrxiv.source)
