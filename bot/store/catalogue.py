"""The stored papers as a whole: how far changes go, what is fresh, which keywords are common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select

from bot.store.tables import counters, papers
from bot.store.text import key
from recommender.select import fresh as is_fresh
from recommender.types import Paper

_LIVE = papers.c.merged_into.is_(None)


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of the papers: how many have it, and how many of these are new."""

    name: str
    total: int
    new: int


def last_change(conn: Connection) -> int:
    """Return the number of the latest change of any paper."""
    query = select(counters.c.value).where(counters.c.name == "papers")
    return int(conn.execute(query).scalar_one())


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
