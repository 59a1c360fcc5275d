"""After the index was learnt anew, what people rated is scored again, in the background and bit by bit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from bot.store import replay
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.replay import Stale

EVERY = 600.0  # seconds from one look to the next: what is pressed later on an older digest is found too
BATCH = 50  # digests at a time: about a tenth of a second

log = structlog.get_logger()


class Replay:
    """Scores rated papers again where they have scores of an earlier generation; any number of processes may."""

    def __init__(self, store: Store, library: Library) -> None:
        self._store = store
        self._library = library

    async def tick(self) -> int:
        """Score all of it, and return how many papers that were. Can be ended between two batches.

        Raises RankerError while the chosen ranker fails: what another one gave would be of another scale.
        """
        picker = self._library.picker()
        generation = picker.generation
        found = await self._store.read(replay.stale, generation)
        for start in range(0, len(found), BATCH):
            await asyncio.to_thread(self._again, found[start : start + BATCH], generation)
        papers = sum(len(one.papers) for one in found)
        if found:
            self._library.everybody.forget()
            log.info("what was rated is scored again", papers=papers, generation=generation)
        return papers

    def _again(self, some: Sequence[Stale], generation: int) -> None:
        with self._store.reading() as conn:
            then = replay.as_they_were(conn, some)
        picker = self._library.picker()
        if picker.generation != generation:  # it was learnt anew meanwhile: the next look begins again
            return
        scored: dict[tuple[int, int], float | None] = {}
        for one, interest in zip(some, then, strict=True):
            scores = picker.scores(interest, [now for _, now in one.papers])
            for (before, _), score in zip(one.papers, scores, strict=True):
                scored[one.message, before] = score
        with self._store.writing() as conn:
            replay.keep(conn, scored, generation)
