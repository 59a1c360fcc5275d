"""One day's list of Hugging Face's daily papers. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.errors import SourceError
from bot.sources._entry import columns, paper_of
from bot.sources._said import known_id, line, member, several
from recommender.types import Paper

NAME = "Hugging Face"


MOST_VOTES = 1_000_000


def parse_day(said: Any, *, voted: bool = True) -> list[Paper]:
    """Return the papers of one day's list, with their votes if the day's are `voted`. Raises SourceError."""
    if not isinstance(said, list):
        reason = line(member(said, "error"))[:150]
        raise SourceError(f"{NAME} answered: {reason or 'no list of papers'}.")
    return [paper for one in said if (paper := _paper(member(one, "paper"), voted)) is not None]


def _paper(said: Any, voted: bool) -> Paper | None:
    arxiv = known_id("arxiv", member(said, "id"))
    if arxiv is None:
        return None
    names = [line(member(one, "name")) for one in several(member(said, "authors")) if member(one, "hidden") is not True]
    entry = {
        "arxiv": arxiv,
        "title": line(member(said, "title")),
        "abstract": line(member(said, "summary")),
        "authors": [name for name in names if name],
        "published": line(member(said, "publishedAt")),
        "keywords": [word for one in several(member(said, "ai_keywords")) if (word := line(one))],
    }
    paper = paper_of(columns(entry))
    if isinstance(paper, str):
        return None
    votes = member(said, "upvotes") if voted else 0
    known = isinstance(votes, int) and not isinstance(votes, bool) and 0 < votes <= MOST_VOTES
    return replace(paper, source="huggingface", votes=votes if known else 0)
