"""Areas: the categories that sources put papers in, and how people name them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, case, func, select

from bot.store.tables import categories, papers
from bot.store.text import key

_LIVE = papers.c.merged_into.is_(None)


@dataclass(frozen=True, slots=True)
class Area:
    """An area: how many papers it has, and how many of them are new."""

    name: str
    total: int
    new: int


def areas(conn: Connection, since: datetime) -> list[Area]:
    """Return all areas, the biggest first; `new` counts the papers first seen at or after `since`."""
    name, total = func.min(categories.c.name), func.count()
    new = func.sum(case((papers.c.first_seen >= since, 1), else_=0))
    query = (
        select(name, total, new)
        .join(papers, papers.c.id == categories.c.paper_id)
        .where(_LIVE)
        .group_by(categories.c.name_key)
        .order_by(total.desc(), categories.c.name_key)
    )
    return [Area(*row) for row in conn.execute(query)]


def in_area(conn: Connection, name: str) -> set[int]:
    """Return the papers of the area of that name, or of the only one with these words in its name; else none."""
    found = _key_of(conn, name)
    query = select(categories.c.paper_id).join(papers, papers.c.id == categories.c.paper_id)
    return set(conn.execute(query.where(_LIVE, categories.c.name_key == found)).scalars())


def area_of(conn: Connection, text: str) -> str | None:
    """Return the area's name as sources write it if the text is one, case and accents aside."""
    query = select(func.min(categories.c.name)).where(categories.c.name_key == key(text, 200))
    found: str | None = conn.execute(query).scalar()
    return found


def _key_of(conn: Connection, name: str) -> str | None:
    """Return the key of the area meant: the exact one, else the only one that starts with, or holds, these words."""
    wanted = key(name, 200)
    known = sorted(conn.execute(select(categories.c.name_key).distinct()).scalars())
    if wanted in known:
        return wanted
    if not wanted:
        return None
    for near in ([each for each in known if each.startswith(wanted)], [each for each in known if _holds(each, wanted)]):
        if near:
            return near[0] if len(near) == 1 else None
    return None


def _holds(name: str, words: str) -> bool:
    return f" {words} " in f" {name} ".replace(",", " ").replace("/", " ")
