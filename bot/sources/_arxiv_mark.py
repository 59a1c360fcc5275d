"""How far a list of arXiv's OAI-PMH was read, as its cursor tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date

from bot.core.ports import Cursor
from bot.sources._arxiv_categories import set_of
from bot.sources._arxiv_oai import Harvest
from recommender.types import Paper

_FIRST = date(2005, 9, 16)  # before which no record changed: what asks for an earlier day is refused


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the list of what was submitted from `first` to `last`.

    `read`: the day of change up to which all was read, itself not; None at the beginning, or if the list is not
    `ordered`. `token` asks for the next part. `lost`: the place was lost, and no later day was reached since.
    """

    first: date | None = None
    last: date | None = None
    read: date | None = None
    token: str = ""
    ordered: bool = True
    lost: bool = False

    def after(self, found: Harvest) -> Mark:
        """Return the place behind a part of the list."""
        ordered = self.ordered and not (self.read and found.first and found.first < self.read)
        read = (found.last or self.read) if ordered else None
        return replace(self, token=found.token, read=read, ordered=ordered, lost=self.lost and read == self.read)

    def asked(self, category: str) -> dict[str, str]:
        """Return the question for the next part."""
        if self.token:
            return {"verb": "ListRecords", "resumptionToken": self.token}
        start = self.read or self.first
        since = {"from": start.isoformat()} if start and start > _FIRST else {}
        return {"verb": "ListRecords", "metadataPrefix": "arXiv", "set": set_of(category), **since}

    def spans(self, paper: Paper) -> bool:
        """Say whether a paper was submitted in the days that are asked for, as far as it tells."""
        day = paper.published.date() if paper.published else None
        return day is None or ((self.first is None or self.first <= day) and (self.last is None or day <= self.last))

    def cursor(self) -> Cursor:
        """Write it down, but for the token.

        Tokens die, and count how many records of a day were read: those of which some have changed since.
        """
        days = (self.first, self.last, self.read)
        return Cursor(json.dumps([day and day.isoformat() for day in days]))


def mark_of(text: str, first: date | None, last: date | None) -> Mark:
    """Read what `cursor` wrote, if it is of the same days. Anything else is the beginning."""
    try:
        days = [date.fromisoformat(day) if day else None for day in json.loads(text)] if text else []
    except (ValueError, TypeError, RecursionError):
        days = []
    return Mark(first, last, days[2] if len(days) == 3 and days[:2] == [first, last] else None)
