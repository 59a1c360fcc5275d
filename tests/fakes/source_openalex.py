"""A rig for the source `openalex`: a standing search that finds a few papers, good and hostile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.openalex import OpenAlex
from tests.fakes.scholar_server import Direct, Scholars


def entry(title: str, number: int = 1, day: str = "2026-11-30", **more: Any) -> dict[str, Any]:
    """Return one work as the API tells it."""
    work = {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.1234/work.{number}",
        "ids": {"openalex": f"https://openalex.org/W{number}"},
        "display_name": title,
        "publication_date": day,
        "publication_year": int(day[:4]),
        "authorships": [{"author": {"display_name": title}}],
        "primary_location": {"source": {"display_name": title}},
        "abstract_inverted_index": {title: [0, 2], "and": [1]},
        "keywords": [{"display_name": title, "score": 0.5}],
        "is_retracted": False,
    }
    return work | more


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the client that it needs."""
    works = [entry(title, at + 1, f"2026-11-{at + 10}") for at, title in enumerate(titles)]
    return OpenAlex(words="some words"), Direct(Scholars(openalex=works))


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return OpenAlex(words="some words"), Direct(Scholars(first=[(200, "<!doctype html><title>Sorry</title>")]))
