"""A rig for the source `crossref`: a standing search that finds a few papers, good and hostile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.crossref import Crossref
from tests.fakes.scholar_server import Direct, Scholars


def entry(title: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """Return one work as the API tells it."""
    work = {
        "DOI": f"10.1234/Work.{number}",
        "type": "posted-content",
        "title": [title],
        "subtitle": [],
        "abstract": f"<jats:title>Abstract</jats:title><jats:p>{title}</jats:p>",
        "author": [{"given": title, "family": "Roe", "sequence": "first"}],
        "container-title": [title],
        "group-title": title,
        "posted": {"date-parts": [[2026, 11, 30]]},
    }
    return work | more


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the client that it needs."""
    works = [entry(title, at + 1) for at, title in enumerate(titles)]
    return Crossref(words="some words"), Direct(Scholars(crossref=works))


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return Crossref(words="some words"), Direct(Scholars(first=[(200, {"status": "failed", "message": "down"})]))
