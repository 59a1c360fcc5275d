"""A rig for the source `openreview`: a venue with a few papers, good and hostile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.core.ports import Source
from bot.sources.openreview import OpenReview
from tests.fakes.openreview_server import VENUE, MemoryHttp, OpenReviewWorld, note


def make(folder: Path, titles: list[str]) -> tuple[Source, Any]:
    """Return the source with one paper a title to give, and the HTTP client that it needs."""
    notes = []
    for number, title in enumerate(titles):
        content = {"abstract": title * 2, "authors": [title], "keywords": [title], "primary_area": title, "TLDR": title}
        notes.append(note(number, title, said=f"ICLR 2026 {title[:50]}", content=content))
    for number, ending in enumerate(("Rejected_Submission", "Withdrawn_Submission", "Submission"), 900):
        notes.append(note(number, venue=f"{VENUE}/{ending}"))
    return OpenReview(venue=VENUE), MemoryHttp(
        OpenReviewWorld(notes=notes, groups={VENUE: {"id": VENUE, "domain": VENUE}})
    )


def broken(folder: Path) -> tuple[Source, Any]:
    """Return the source where it cannot answer."""
    return OpenReview(venue=VENUE), MemoryHttp(OpenReviewWorld(closed=True))
