"""Standing searches: words that are asked for day after day, and how far each of them was read.

Indexes lag: a paper may come in weeks after the date it bears. So each reading begins `lag` before the day up to which
everything was read, and the store drops what it knows. A reading that broke off goes on from the last whole page.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from bot.core.plain import visible
from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError
from recommender.types import Paper

LONGEST_WORDS = 60  # characters: the names of sources in the store have 80, and no search needs more
LAG = timedelta(days=30)
_ON = "on "  # before the day in which a reading broke off


@dataclass(frozen=True, slots=True)
class Page:
    """One page of an answer: its papers, how many entries there were, and how to ask for the next page ("": none).

    `total` is how many the source says there are in all; `day` is the latest that an entry bears.
    """

    papers: tuple[Paper, ...] = ()
    entries: int = 0
    total: int = 0
    following: str = ""
    day: date | None = None


def words_of(kind: str, chosen: Sequence[str]) -> list[str]:
    """Return what was chosen, tidied, each once. Raises SettingsError, naming what cannot be searched for."""
    found: dict[str, str] = {}
    for given in chosen:
        words = visible(given)
        if not re.search(r"\w\w", words):
            raise SettingsError(f"{kind} needs words to search for: write {kind}:graph neural networks, for example.")
        if len(words) > LONGEST_WORDS:
            raise SettingsError(f"{kind}:{words[:20]}… is too long: use at most {LONGEST_WORDS} characters.")
        found.setdefault(words.casefold(), words)
    return list(found.values())


def first_day(since: datetime | None, cursor: str, now: datetime, lag: timedelta = LAG) -> date:
    """Return the day to read from: where it broke off, else `lag` before what was read whole, else before now.

    `since` (aware) counts if there is no cursor that can be read. It is never later than today.
    """
    today = now.astimezone(UTC).date()
    try:
        if cursor.startswith(_ON):
            return min(date.fromisoformat(cursor.removeprefix(_ON)), today)
        read = date.fromisoformat(cursor)
    except ValueError:
        read = since.astimezone(UTC).date() if since else today
    return max(min(read, today), date(1900, 1, 1)) - lag


def whole(now: datetime) -> Cursor:
    """Return the cursor of a search that was read to its end at `now` (aware)."""
    return Cursor(now.astimezone(UTC).date().isoformat())


async def read(
    ask: Callable[[str], Awaitable[Page]], name: str, now: datetime, most: int
) -> AsyncIterator[Paper | Cursor]:
    """Yield the papers of all pages in order of their days, with a cursor behind each page; `ask("")` gives the first.

    After `most` pages it stops; the cursor says where to go on. An empty page before the last is asked for once more.
    Raises SourceError if it stays empty, or if the pages go round in a circle.
    """
    asked: set[str] = set()
    following = ""
    while len(asked) < most:
        asked.add(following)
        page = await ask(following)
        if _broken(page, following):
            page = await ask(following)
        if _broken(page, following):
            raise SourceError(f"{name} gave an empty page where there should be more papers.")
        for paper in page.papers:
            yield paper
        if not page.following:
            yield whole(now)
            return
        if page.day is not None:
            yield Cursor(_ON + min(page.day, now.astimezone(UTC).date()).isoformat())
        if page.following in asked:
            raise SourceError(f"{name} gave the same page twice.")
        following = page.following


def _broken(page: Page, following: str) -> bool:
    """Tell an empty page that should not be: more are announced, behind it or, of a first one, in all."""
    return not page.entries and (bool(page.following) or (not following and page.total > 0))


def setting(settings: object, name: str) -> str:
    """Return a setting as text, hidden or not; empty if there is none of that name."""
    value = getattr(settings, name, "")
    reveal = getattr(value, "get_secret_value", None)
    value = reveal() if reveal else value
    return value.strip() if isinstance(value, str) else ""


def mail(contact: str) -> str:
    """Return the mail address of a contact, or an empty string if it is a link or nothing."""
    address = contact.strip().removeprefix("mailto:")
    return address if re.fullmatch(r"[^@\s/<>]{1,100}@[^@\s/<>]{1,150}", address) else ""
