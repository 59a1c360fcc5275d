"""The ledger: writes of many tasks in few transactions, a fault by itself, and a database that is away for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial

import pytest
from sqlalchemy import Connection, func, select
from structlog.testing import capture_logs

from bot.errors import StoreError
from bot.store import heartbeats
from bot.store import tables as t
from bot.store.engine import Store
from bot.store.ledger import Ledger, Outage


def beats(store: Store) -> list[str]:
    with store.reading() as conn:
        return list(conn.execute(select(t.heartbeats.c.process).order_by(t.heartbeats.c.process)).scalars())


def beat(conn: Connection, now: datetime, name: str) -> str:
    heartbeats.beat(conn, name, now, now)
    return name


def count_transactions(store: Store) -> list[int]:
    """Count the writing transactions from here on."""
    counted, writing = [0], store.writing

    @contextmanager
    def counting() -> Iterator[Connection]:
        counted[0] += 1
        with writing() as conn:
            yield conn

    store.writing = counting  # type: ignore[method-assign]
    return counted


async def test_what_comes_together_is_committed_together(store: Store) -> None:
    ledger, counted = Ledger(store, Outage()), count_transactions(store)
    names = [f"p{number:02}" for number in range(50)]
    written = await asyncio.gather(*(ledger.write(partial(beat, name=name)) for name in names))
    assert (written, beats(store)) == (names, names)
    assert counted[0] <= 2
    assert await ledger.write(lambda conn, now: beat(conn, now, "later")) == "later"
    await ledger.close()


async def test_now_is_the_databases_time(store: Store) -> None:
    at = datetime.fromisoformat("2026-12-02T08:30:00+00:00")
    store.clock = lambda conn: at
    assert await Ledger(store, Outage()).write(lambda conn, now: now) == at


async def test_a_write_at_fault_fails_by_itself(store: Store) -> None:
    ledger = Ledger(store, Outage())

    def wrong(conn: Connection, now: datetime) -> str:
        beat(conn, now, "half")
        raise ValueError("wrong")

    writes = [lambda conn, now: beat(conn, now, "a"), wrong, lambda conn, now: beat(conn, now, "b")]
    results = await asyncio.gather(*(ledger.write(write) for write in writes), return_exceptions=True)
    assert [results[0], results[2]] == ["a", "b"]
    assert isinstance(results[1], ValueError)
    assert beats(store) == ["a", "b"]


async def test_a_database_that_is_away_is_waited_for(store: Store) -> None:
    writing, away = store.writing, 3

    @contextmanager
    def failing() -> Iterator[Connection]:
        nonlocal away
        away -= 1
        if away >= 0:
            raise StoreError("The database cannot be reached.")
        with writing() as conn:
            yield conn

    store.writing = failing  # type: ignore[method-assign]
    ledger = Ledger(store, Outage())
    with capture_logs() as logs:
        names = await asyncio.gather(*(ledger.write(partial(beat, name=name)) for name in "ab"))
    assert (names, beats(store)) == (["a", "b"], ["a", "b"])
    assert [line["event"] for line in logs] == [
        "the database is away: what is on its way waits",
        "the database is back",
    ]


async def test_closing_cancels_what_waits(store: Store) -> None:
    @contextmanager
    def failing() -> Iterator[Connection]:
        raise StoreError("The database cannot be reached.")
        yield

    store.writing = failing  # type: ignore[method-assign]
    ledger = Ledger(store, Outage())
    waiting = asyncio.create_task(ledger.write(lambda conn, now: beat(conn, now, "a")))
    await asyncio.sleep(0.02)
    await ledger.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert beats(store) == []


async def test_who_gave_up_is_not_written_for(store: Store) -> None:
    ledger = Ledger(store, Outage())
    first = asyncio.create_task(ledger.write(lambda conn, now: beat(conn, now, "a")))
    second = asyncio.create_task(ledger.write(lambda conn, now: beat(conn, now, "b")))
    await asyncio.sleep(0)
    second.cancel()
    assert await first == "a"
    await asyncio.gather(second, return_exceptions=True)
    await ledger.write(lambda conn, now: conn.execute(select(func.count()).select_from(t.heartbeats)).scalar_one())
    assert beats(store)[0] == "a"
    await ledger.close()
