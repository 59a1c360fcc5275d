"""A rig for the source `semanticscholar`: a standing search that finds a few papers, good and hostile."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.semanticscholar import SemanticScholar
from tests.fakes.scholar_server import Direct, Scholars


def entry(title: str, day: str = "2026-11-30", **more: Any) -> dict[str, Any]:
    """Return one paper as the Graph API tells it."""
    own = hashlib.sha1(title.encode(errors="replace")).hexdigest()
    paper = {
        "paperId": own,
        "externalIds": {"CorpusId": int(own[:8], 16)},
        "title": title,
        "abstract": title * 2,
        "year": int(day[:4]),
        "publicationDate": day,
        "venue": title,
        "journal": {"name": title},
        "authors": [{"authorId": "1", "name": title}],
    }
    return paper | more


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the client that it needs."""
    known = Scholars(s2=[entry(title, f"2026-11-{at + 10}") for at, title in enumerate(titles)])
    return SemanticScholar(words="some words"), Direct(known)


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    refusal = {"message": "Too Many Requests. Please wait\nand try again", "code": "429"}
    return SemanticScholar(words="some words"), Direct(Scholars(first=[(200, refusal)]))
