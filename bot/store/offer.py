"""What the stored papers offer to somebody who types: titles, areas, keywords and sources, read at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, select

from bot.store import areas, catalogue
from bot.store.tables import papers
from bot.store.titles import Titles

KEYWORDS = 200  # of the commonest
_LIVE = papers.c.merged_into.is_(None)


@dataclass(frozen=True, slots=True)
class Offer:
    """What was read of the papers up to change `last`: the names of areas and sources, keywords, and titles."""

    last: int = -1
    areas: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    titles: Titles = field(default_factory=Titles)


def read(conn: Connection, since: datetime) -> Offer:
    """Read all that can be offered; the newest papers first, and areas and keywords by how many papers have them."""
    last = catalogue.last_change(conn)
    newest = select(papers.c.key, papers.c.title).where(_LIVE).order_by(papers.c.first_seen.desc(), papers.c.id)
    sources = select(papers.c.source).where(_LIVE, papers.c.source != "").distinct().order_by(papers.c.source)
    return Offer(
        last,
        tuple(area.name for area in areas.areas(conn, since)),
        tuple(keyword.name for keyword in catalogue.keywords(conn, since, KEYWORDS)),
        tuple(conn.execute(sources).scalars()),
        Titles((row.key, row.title) for row in conn.execute(newest)),
    )
