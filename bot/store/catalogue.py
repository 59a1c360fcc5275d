"""The stored papers as a whole: how far changes go, what is fresh, which keywords are common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, or_, select

from bot.store.tables import counters, papers
from bot.store.text import key
from recommender.select import fresh as is_fresh
from recommender.types import Paper

_LIVE = papers.c.merged_into.is_(None)
_LAST = select(counters.c.value).where(counters.c.name == "papers")


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of the papers: how many have it, and how many of these are new."""

    name: str
    total: int
    new: int


def last_change(conn: Connection) -> int:
    """Return the number of the latest change of any paper."""
    return int(conn.execute(_LAST).scalar_one())


def numbers(conn: Connection) -> list[int]:
    """Return the numbers of all papers."""
    return list(conn.execute(select(papers.c.id).where(_LIVE)).scalars())


def fresh(conn: Connection, now: datetime, days: int) -> list[int]:
    """Return the papers that are news within the last `days`, as `recommender.select.fresh` says."""
    since = now - timedelta(days=days)
    query = select(papers.c.id, papers.c.published, papers.c.year, papers.c.first_seen).where(
        _LIVE, or_(papers.c.published >= since, papers.c.first_seen >= since)
    )
    return [
        number
        for number, published, year, first_seen in conn.execute(query)
        if is_fresh(Paper("", "", published=published, year=year), first_seen, now, days)
    ]


class News:
    """Papers in the order in which they were stored, of which some are new for each reader."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = rows
        self._fresh: dict[tuple[datetime, int], NDArray[np.bool_]] = {}
        self._numbers = np.array([row.id for row in rows], np.int64)
        self._cross = np.array([row.cross_listed for row in rows], np.bool_)

    @property
    def last(self) -> int:
        """The number of the last paper; 0 if there is none."""
        return int(self._numbers[-1]) if self._numbers.size else 0

    def after(self, number: int, now: datetime, days: int, *, cross_lists: bool) -> NDArray[np.int64]:
        """Return the numbers, (n,), of those stored after paper `number` and published within `days`.

        Those that were announced as cross-lists only come with `cross_lists`.
        """
        key = (now, days)
        if key not in self._fresh:
            self._fresh[key] = np.array([_is_fresh(row, now, days) for row in self._rows], np.bool_)
        chosen = self._fresh[key] & (self._numbers > number)
        return self._numbers[chosen if cross_lists else chosen & ~self._cross]


def _is_fresh(row: Any, now: datetime, days: int) -> bool:
    return is_fresh(Paper("", "", published=row.published, year=row.year), row.first_seen, now, days)


def news(conn: Connection, after: int) -> News:
    """Return what was stored after paper `after`. Numbers follow the order of commits, so that nothing is left out."""
    columns = (papers.c.id, papers.c.published, papers.c.year, papers.c.first_seen, papers.c.cross_listed)
    return News(conn.execute(select(*columns).where(_LIVE, papers.c.id > after).order_by(papers.c.id)).all())


def keywords(conn: Connection, since: datetime, most: int) -> list[Keyword]:
    """Return the commonest keywords, the most used first; `new` counts papers first seen at or after `since`."""
    names: dict[str, str] = {}
    total: Counter[str] = Counter()
    new: Counter[str] = Counter()
    for words, first_seen in conn.execute(select(papers.c.keywords, papers.c.first_seen).where(_LIVE)):
        for word in words:
            folded = key(word, 200)
            names.setdefault(folded, word)
            total[folded] += 1
            new[folded] += first_seen >= since
    return [Keyword(names[folded], count, new[folded]) for folded, count in total.most_common(most) if folded]
