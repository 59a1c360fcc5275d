"""Small writes of many tasks in one transaction: each has its own result, or its own error."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection

from bot.errors import UserError
from bot.store import deliveries
from bot.store.engine import Store

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)


def refuse(conn: Connection, key: str) -> bool:
    """Write, and then raise: it is undone."""
    deliveries.fresh(conn, key, NOW)
    raise UserError("no")


async def test_each_write_has_its_own_result(store: Store) -> None:
    keys = [f"key{number % 150}" for number in range(300)]

    news = await asyncio.gather(*(store.together(deliveries.fresh, key, NOW) for key in keys))

    assert news == [True] * 150 + [False] * 150


async def test_one_that_is_refused_leaves_the_others(store: Store) -> None:
    tried = await asyncio.gather(
        store.together(deliveries.fresh, "before", NOW),
        store.together(refuse, "between"),
        store.together(deliveries.fresh, "after", NOW),
        return_exceptions=True,
    )

    again = [await store.together(deliveries.fresh, key, NOW) for key in ("before", "between", "after")]
    assert [tried[0], type(tried[1]), tried[2]] == [True, UserError, True]
    assert again == [False, True, False]


async def test_one_that_nobody_waits_for_is_not_done(store: Store) -> None:
    waiting = [asyncio.create_task(store.together(deliveries.fresh, key, NOW)) for key in ("given up", "kept")]
    await asyncio.sleep(0)
    waiting[0].cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting[0]
    assert await waiting[1]
    assert await store.together(deliveries.fresh, "given up", NOW)


def test_each_event_loop_has_its_own_turn(store: Store) -> None:
    for number in range(3):
        assert asyncio.run(store.together(deliveries.fresh, f"loop {number}", NOW))
