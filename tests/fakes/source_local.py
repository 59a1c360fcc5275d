"""A rig for the source `local`: files with a few papers, good and hostile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.local import Local


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the HTTP client that it needs (none)."""
    path = folder / "papers.jsonl"
    entries = [
        {"title": title, "abstract": title * 2, "authors": [title], "venue": title, "keywords": title, "area": title}
        for title in titles
    ]
    path.write_text("{broken\n" + "".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return Local(files=(path,)), None


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return Local(files=(folder / "missing.jsonl",)), None
