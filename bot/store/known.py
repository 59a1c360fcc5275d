"""What owners know already: papers that they marked or saved, read for many of them at once."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from bot.store.papers import resolve_all
from bot.store.statements import chunks
from bot.store.tables import interests, marks, saved


def known_to(conn: Connection, owners: Collection[int]) -> dict[int, set[int]]:
    """Return the papers that each of these owners marked, in an interest that is kept, or saved.

    A paper that was merged counts as the one it is now.
    """
    marked = select(interests.c.owner_id, marks.c.paper_id).join(marks, marks.c.interest_id == interests.c.id)
    marked = marked.where(interests.c.removed_at.is_(None))
    rows: list[tuple[int, int]] = []
    for some in chunks(owners):
        rows += [(owner, paper) for owner, paper in conn.execute(marked.where(interests.c.owner_id.in_(some)))]
        kept = select(saved.c.owner_id, saved.c.paper_id).where(saved.c.owner_id.in_(some))
        rows += [(owner, paper) for owner, paper in conn.execute(kept)]
    moved = resolve_all(conn, {paper for _, paper in rows})
    found: dict[int, set[int]] = {owner: set() for owner in owners}
    for owner, paper in rows:
        found[owner].add(moved.get(paper, paper))
    return found
