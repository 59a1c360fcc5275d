"""Rankers that fail: noted in the database since when and why, and logged once, not for every digest."""

from __future__ import annotations

import json
from threading import Lock

import structlog
from sqlalchemy import Connection, delete, insert, select

from bot.errors import RankerError
from bot.store.engine import Store
from bot.store.tables import meta
from bot.store.text import storable

LONGEST = 300  # characters of a reason
_NAME = "rankers failing"

log = structlog.get_logger()


class Failing:
    """What one process knows of rankers that fail. A run of digests in which one does not fail ends it.

    Where some digests fail and others do not, that is one line in the log a run at most.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._run: set[str] = set()
        self._logged: set[str] = set()
        self._asked = False

    def note(self, error: RankerError) -> None:
        """Note that a ranker fails, and log it the first time. Raises StoreError."""
        with self._lock:
            self._run.add(error.ranker)
            known = error.ranker in self._logged
            self._logged.add(error.ranker)
        if known:
            return
        why = storable(" ".join(str(error).split()))[:LONGEST]
        log.error("a ranker fails; another one ranks for it", ranker=error.ranker, reason=why, exc_info=error)
        with self._store.writing() as conn:
            now, held = self._store.clock(conn).isoformat(timespec="seconds"), of(conn)
            since, _ = held.get(error.ranker, (now, ""))
            _keep(conn, {**held, error.ranker: (since, why)})

    def begin(self) -> None:
        """Begin a run of digests."""
        with self._lock:
            self._run.clear()

    def end(self) -> None:
        """End a run of digests: what did not fail in it works again. Raises StoreError."""
        with self._lock:
            if self._asked and not self._logged - self._run:
                return
            self._asked = True  # once, since an earlier process may have noted what passed meanwhile
            run = set(self._run)
            self._logged &= run
        with self._store.reading() as conn:
            passed = of(conn).keys() - run
        if passed:
            log.info("a ranker works again", rankers=sorted(passed))
            with self._store.writing() as conn:
                _keep(conn, {name: held for name, held in of(conn).items() if name not in passed})


def of(conn: Connection) -> dict[str, tuple[str, str]]:
    """Return the rankers that fail, by name, with since when (ISO 8601, UTC) and why."""
    kept = conn.execute(select(meta.c.value).where(meta.c.name == _NAME)).scalar()
    return {str(name): (str(since), str(why)) for name, (since, why) in json.loads(kept or "{}").items()}


def _keep(conn: Connection, failing: dict[str, tuple[str, str]]) -> None:
    conn.execute(delete(meta).where(meta.c.name == _NAME))
    if failing:
        conn.execute(insert(meta).values(name=_NAME, value=json.dumps(failing)))
