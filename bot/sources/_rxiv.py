"""The API that bioRxiv and medRxiv share: pages of what was posted in some days, and one paper by its DOI.

https://api.biorxiv.org
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import Any

from bot.core.fold import folded, named
from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError
from bot.sources._entry import columns, paper_of
from bot.sources._said import count, line, member, several
from recommender.types import Paper

FIRST = timedelta(days=7)  # that are read at the first time
OVERLAP = timedelta(days=2)  # days that are read again: papers are posted to the day before, too
PAGES = 500  # of one reading, at most
_PLACE = re.compile(r"(\d{4}-\d\d-\d\d) (\d{4}-\d\d-\d\d) (\d{1,6})")
_DATED = re.compile(r"doi:10\.(?:1101|64898)/(\d{4})\.(\d\d)\.(\d\d)\.")
_OURS = ("doi:10.1101/", "doi:10.64898/")


@dataclass(frozen=True, slots=True)
class Page:
    """Papers of one page; `entries` are those it held, `total` those that there are, of all categories."""

    papers: tuple[Paper, ...]
    entries: int
    total: int


def _today() -> date:
    return datetime.now(UTC).date()


@dataclass(slots=True)
class Rxiv:
    """One of the two servers; of it some `categories`, as it calls them, or none for all."""

    name: str
    title: str
    known: tuple[str, ...]
    categories: tuple[str, ...] = ()
    picked: bool = False
    every: timedelta = timedelta(hours=6)
    base: str = "https://api.biorxiv.org"
    today: Callable[[], date] = _today
    about: str = ""
    needs: str = "nothing"
    finds: frozenset[str] = frozenset({"doi"})

    def pick(self, chosen: Sequence[str], settings: Any) -> list[Rxiv]:  # noqa: ARG002 - it needs none
        """Return one source of all that was chosen. Raises SettingsError for a category that there is not."""
        names = tuple(dict.fromkeys(self._category(one) for one in chosen if one))
        return [replace(self, categories=() if "" in chosen else names, picked=True)] if chosen else []

    async def check(self, chosen: str, http: Any) -> str:
        """Say how a category is called. Raises SettingsError if there is none of this name, and SourceError."""
        name = self._category(chosen) if chosen else ""
        today = self.today()
        await self._page(http, today - timedelta(days=1), today, 0)
        return f"{self.title} {name}".strip()

    async def fetch(self, since: datetime | None, http: Any, cursor: str = "") -> AsyncIterator[Paper | Cursor]:
        """Yield what was posted since it was last read, with a cursor behind each page. Raises SourceError.

        A revision has the day of the first version, so that it is no news.
        """
        if not self.picked:
            return
        today = self.today()
        first, last, at = self._place(since, cursor, today)
        total = 0
        for _ in range(PAGES):
            page = await self._page(http, first, last, at)
            if not page.entries and at < max(page.total, total):
                raise SourceError(
                    f"{self.title} gave an empty page where there should be {max(page.total, total) - at} more papers."
                )
            if not page.entries and _expected(first, today):
                raise SourceError(f"{self.title} has no papers from {first} to {last}, where there should be some.")
            total = page.total
            for paper in page.papers:
                if self._wanted(paper):
                    yield paper
            at += page.entries
            if at >= page.total:
                yield Cursor(f"{last} {last} 0")
                return
            yield Cursor(f"{first} {last} {at}")

    async def find(self, id: str, http: Any) -> Paper | None:  # noqa: A002 - as the port calls it
        """Return one paper by its DOI, as its last version has it; None if it is not of this server."""
        if not id.startswith(_OURS):
            return None
        doi = id.partition(":")[2]
        answer = await http.get(f"{self.base}/details/{self.name}/{doi}/na/json", missing=(404,))
        if answer.status == 404:
            return None
        found = await self._read(answer)
        return next((paper for paper in found.papers if paper.id == id), None)

    async def _page(self, http: Any, first: date, last: date, at: int) -> Page:
        answer = await http.get(f"{self.base}/details/{self.name}/{first}/{last}/{at}/json")
        return await self._read(answer)

    async def _read(self, answer: Any) -> Page:
        return await asyncio.to_thread(lambda: parse_page(answer.json(), self.name, self.title))

    def _place(self, since: datetime | None, cursor: str, today: date) -> tuple[date, date, int]:
        """Return the days to read, and how many of their papers were read already."""
        if found := _PLACE.fullmatch(cursor):
            try:
                first, last = date.fromisoformat(found[1]), date.fromisoformat(found[2])
            except ValueError:
                pass
            else:
                if int(found[3]) and first <= last <= today:  # in the midst of it
                    return first, last, int(found[3])
                return min(last, today) - OVERLAP, today, 0
        return (since.date() - OVERLAP if since else today - FIRST), today, 0

    def _wanted(self, paper: Paper) -> bool:
        return not self.categories or any(folded(one) in self.categories for one in paper.categories)

    def _category(self, text: str) -> str:
        name = folded(text.replace("_", " ").replace("-", " "))
        if name in self.known:
            return name
        near = get_close_matches(name, self.known, 1)
        hint = f"Did you mean {near[0]}?" if near else "For example: " + ", ".join(self.known[:5])
        raise SettingsError(f"{self.name}: {named(text)} is none of its categories. {hint}")


def _expected(first: date, today: date) -> bool:
    """Say whether a working day is over in the days that begin with `first`: each brings papers of some category."""
    return any((first + timedelta(days=past)).weekday() < 5 for past in range(min((today - first).days, 7)))


def parse_page(said: Any, name: str, title: str) -> Page:
    """Return the papers of one answer. Raises SourceError for what is no answer of this API."""
    told = next(iter(several(member(said, "messages"))), None)
    entries = several(member(said, "collection"))
    status = line(member(told, "status")).casefold()
    if not entries and status.startswith("no posts found"):
        return Page((), 0, 0)
    if status != "ok":
        raise SourceError(f"{title} answered: {status[:150] or 'nothing that can be read'}.")
    total = member(told, "total")
    total = int(total) if isinstance(total, str) and total.isdecimal() and len(total) < 10 else count(total)
    papers = {paper.id: paper for one in entries if (paper := _paper(one, name)) is not None}  # the last version stays
    return Page(tuple(papers.values()), len(entries), max(total, len(entries)))


def _paper(said: Any, name: str) -> Paper | None:
    """Return one paper, or None if it has no DOI or no words."""
    if not isinstance(said, dict):
        return None
    kept = ("title", "authors", "doi", "date", "category", "abstract")
    paper = paper_of(columns({key: line(said.get(key)) for key in kept}))
    if isinstance(paper, str) or not paper.id.startswith("doi:"):
        return None
    published, version = paper.published, line(said.get("version"))
    if version not in ("", "1"):  # the day of the first version stands in the DOI, where one does
        begun = _DATED.match(paper.id)
        published = _day(begun) if begun else None
    other = paper_of(columns({"doi": line(said.get("published")), "title": "x"}))
    named = [] if isinstance(other, str) or not other.id.startswith("doi:") else [other.id]
    ids = tuple(one for one in named if one != paper.id)
    return replace(paper, published=published, ids=ids, source=name, year=published.year if published else paper.year)


def _day(found: re.Match[str]) -> datetime | None:
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
    except ValueError:
        return None
