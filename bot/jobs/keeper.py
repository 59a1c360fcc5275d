"""What somebody looked up is kept: in the store, and in the index. It is no news; see `bot.store.records.add`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from bot.store import papers, records
from bot.store.engine import Store
from bot.store.library import Library
from recommender.types import Paper

CHANGES = 300  # papers that one lookup brings into the index, at most

Keep = Callable[[str, Sequence[Paper]], Awaitable[list[int]]]


def keeper(store: Store, library: Library) -> Keep:
    """Return what stores papers as a source tells them, brings them into the index, and returns their numbers."""

    def stored(source: str, given: Sequence[Paper]) -> list[int]:
        with store.writing() as conn:
            records.add(conn, given, source, store.clock(conn), asked=True)
            numbers = [papers.by_id(conn, paper.id) for paper in given]
        library.update(most=CHANGES)
        return list(dict.fromkeys(number for number in numbers if number is not None))

    async def keep(source: str, given: Sequence[Paper]) -> list[int]:
        return await asyncio.to_thread(stored, source, given)

    return keep
