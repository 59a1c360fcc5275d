"""The dense vectors of one process, kept up with the database."""

from __future__ import annotations

from threading import Lock

import structlog

from bot.core.ports import Embedder
from bot.errors import EmbedderError
from bot.store import embeddings
from bot.store.engine import Store
from recommender.dense import Dense, key_of

log = structlog.get_logger()


class Vectors:
    """What is stored of an embedder's model. While it cannot tell its name, there is nothing.

    Once papers have left a tenth of the rows, all are read anew.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.embedder = embedder
        self._store = store
        self._lock = Lock()
        self._dense: Dense | None = None
        self._marks = (0, 0)

    @property
    def dense(self) -> Dense:
        """Return the vectors as they were last read; the first time they are read. Raises StoreError."""
        return self._dense if self._dense is not None else self.update()

    def update(self) -> Dense:
        """Bring them up to the database, which may take a second the first time. Raises StoreError."""
        with self._lock:
            try:
                model = self.embedder.name()
            except EmbedderError as error:
                if self._dense is None:
                    log.warning("papers are ranked without dense vectors", reason=str(error))
                self._dense = self._dense or Dense()
                return self._dense
            self._dense = self._read(model, self._dense or Dense())
            return self._dense

    def told(self) -> tuple[int, str, str]:
        """Return how many papers have a vector, and since when (ISO 8601) and why there are no more, if it fails.

        Raises StoreError.
        """
        with self._store.reading() as conn:
            since, why = embeddings.trouble_of(conn)
            try:
                return embeddings.count(conn, self.embedder.name()), since, why
            except EmbedderError as error:
                return 0, since or "now", str(error)

    def _read(self, model: str, old: Dense) -> Dense:
        if len(old.matrix) > 1.1 * len(old.places) + 1000:
            old, self._marks = Dense(), (0, 0)
        with self._store.reading() as conn:
            news = embeddings.news(conn, model, *self._marks)
            wanted = {key_of(topic): topic for topic in embeddings.topics(conn)}
            keys = [key for key, topic in wanted.items() if topic not in old.topics]
            topics = {wanted[key]: one for key, one in embeddings.known(conn, model, keys).items()}
        self._marks = (news.last, news.changed)
        if not news.numbers and not topics:
            return old
        return old.joined([str(number) for number in news.numbers], news.vectors, topics)
