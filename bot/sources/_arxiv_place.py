"""How far arXiv was read, as its cursor tells it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime

from bot.core.ports import Cursor
from bot.sources._arxiv_categories import KNOWN

_LONGEST = 1900  # characters of a cursor


@dataclass(frozen=True, slots=True)
class Fill:
    """A stretch to be read by the API: what was submitted from `start` to `end` (UTC), from entry `at` on."""

    start: datetime
    end: datetime
    at: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """How far arXiv was read.

    `day`: the last daily list that was read; `newest`: its highest new id, as `order` writes it; `usual`: how many new
    papers it had. `categories`: for which all this holds. `fill`: what is still to be read by the API. `again`: from
    when on the API is to be asked again with each daily list up to that of the date `until`.
    """

    categories: tuple[str, ...] = ()
    day: date | None = None
    newest: str = ""
    usual: int = 0
    fill: Fill | None = None
    again: datetime | None = None
    until: date | None = None

    def cursor(self) -> Cursor:
        """Write it down. Of more categories than a cursor holds, those that are left out are read anew some time."""
        said = {name: value for name, value in asdict(self).items() if value}
        said["categories"] = list(self.categories)
        text = json.dumps(said, default=str, separators=(",", ":"))
        while len(text) > _LONGEST and said["categories"]:
            said["categories"] = said["categories"][:-10]
            text = json.dumps(said, default=str, separators=(",", ":"))
        return Cursor(text)


def place_of(text: str) -> Place:
    """Read what `cursor` wrote. Anything else is the beginning."""
    try:
        said = json.loads(text) if text else {}
        fill = said.get("fill")
        again, until = said.get("again"), said.get("until")
        return Place(
            categories=tuple(name for name in said.get("categories", ()) if name in KNOWN.values()),
            day=date.fromisoformat(said["day"]) if said.get("day") else None,
            newest=str(said.get("newest", "")),
            usual=int(said.get("usual", 0)),
            fill=Fill(_instant(fill["start"]), _instant(fill["end"]), int(fill["at"])) if fill else None,
            again=_instant(again) if again else None,
            until=date.fromisoformat(until) if until else None,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Place()


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(text)
    return found.astimezone(UTC)
