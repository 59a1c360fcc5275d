"""Give texts their dense vectors, a few at a time and the newest first. Nothing else waits for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from bot.errors import EmbedderError
from bot.store import embeddings
from bot.store.engine import Store
from bot.store.vectors import Vectors

BATCH, TURN = 16, 256  # texts that are stored at once, and in one turn
LONGEST = 30.0  # seconds after which no batch of a turn is begun
WAITS = (60.0, 3600.0)  # seconds after a failure, twice as many each time: first, most


class Embedding:
    """What a process does for it. `clock` gives seconds that only rise."""

    def __init__(self, store: Store, vectors: Vectors, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._vectors, self._clock = store, vectors, clock
        self._embedder = vectors.embedder
        self._failed: EmbedderError | None = None
        self._failures = 0
        self._wait = self._until = 0.0
        self._tidy = False

    async def tick(self) -> int:
        """Embed what has no vector yet, for one turn, and return how many texts that were.

        Raises EmbedderError; then nothing is asked for a while, and the same is raised again meanwhile.
        """
        if self._failed is not None and self._clock() < self._until:
            raise self._failed
        try:
            made = await self._turn()
        except EmbedderError as error:
            self._wait = min(max(self._wait * 2, WAITS[0]), WAITS[1])
            self._until = self._clock() + max(self._wait, error.after)
            self._failed, self._failures = error, self._failures + 1
            await self._say(str(error))
            raise
        if self._failed is not None or self._wait == 0:  # the first turn, too: another process may have failed
            await self._say("")
        self._failed, self._wait = None, WAITS[0] / 2
        return made

    async def _turn(self) -> int:
        began, made = self._clock(), 0
        model = await asyncio.to_thread(self._embedder.name)
        found = list((await self._store.read(embeddings.lacking, model, TURN)).items())
        # After a failure one by one, from another one on: a text that cannot be embedded keeps no other waiting.
        first, size = (self._failures % (len(found) or 1), 1) if self._failed else (0, BATCH)
        wanted = found[first:] + found[:first]
        width = await self._store.read(embeddings.width, model) if wanted else 0
        for at in range(0, len(wanted), size):
            if self._clock() - began > LONGEST:
                break
            some = wanted[at : at + size]
            vectors = await self._embedder.embed([text for _, text in some])
            if width and vectors.shape[1] != width:
                raise EmbedderError(
                    f"{model} gives vectors of {vectors.shape[1]} numbers now, and gave {width} before. "
                    "A model that was exchanged has to have another name."
                )
            width = vectors.shape[1]
            named = {key: vector for (key, _), vector in zip(some, vectors, strict=True)}
            await self._store.write(embeddings.keep, model, named)
            made += len(some)
        if not wanted and not self._tidy:
            self._tidy = True
            await self._store.write(embeddings.forget_others, model)
        await asyncio.to_thread(self._vectors.update)
        return made

    async def _say(self, trouble: str) -> None:
        store = self._store
        await store.write(lambda conn: embeddings.say(conn, trouble, store.clock(conn)))
