"""The database is away, or the process ends, while Slack delivers: what is told, done later, or refused."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from bot.core.message import Message
from bot.core.request import Request
from bot.platforms._serve import AWAY
from bot.platforms.slack import listen
from bot.platforms.slack.answer import Private
from bot.store import installs
from bot.store.installs import Install
from tests.fakes.rig_slack import Rig, shown


@pytest.fixture(params=["socket", "http"])
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    made = Rig(request.param)
    made.answers = lambda _request: (Message("Answer."),)
    yield await made.open()
    await made.close()


@contextmanager
def away(rig: Rig) -> Iterator[None]:
    """Let the database answer nothing."""

    def refuse(_conn: Any) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    event.listen(rig.store.engine, "begin", refuse)
    try:
        yield
    finally:
        event.remove(rig.store.engine, "begin", refuse)


async def test_a_window_that_is_open_gets_its_answer_all_the_same(rig: Rig) -> None:
    with away(rig):
        await rig.town.command("subscribe")
        await rig.town.until(lambda: rig.town.views)
        await rig.town.until(lambda: any("Answer." in str(view) for view in rig.town.views.values()))


async def test_a_command_is_told_that_nothing_works(rig: Rig) -> None:
    with away(rig):
        await rig.town.command("search x")
        await rig.town.until(lambda: rig.town.replies)
    told = shown(rig.town.replies[0].body["blocks"]).text
    assert told == AWAY  # and nothing of where the database is
    assert not rig.requests


async def test_an_end_that_could_not_be_noted_is_noted_later(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen, "END_AGAIN", (0.05,) * 100)

    def row() -> Install | None:
        with rig.store.reading() as conn:
            return installs.get(conn, "slack", "T1")

    await rig.slack._tokens.single()
    with away(rig):
        await rig.town.event({"type": "app_uninstalled"}, event_time=4_000_000_000)
        await asyncio.sleep(0.1)
    assert row() is None
    await rig.town.until(lambda: (found := row()) is not None and found.removed)


async def test_what_is_at_work_ends_and_no_more_is_taken(rig: Rig) -> None:
    go = asyncio.Event()

    async def slow(request: Request) -> AsyncGenerator[Message, None]:
        await go.wait()
        yield Message(f"Answer to {request.text}.")

    rig.slack._server.invoke = slow
    await rig.town.command("search x")
    closing = asyncio.create_task(rig.slack._server.close())
    await asyncio.sleep(0.02)
    if rig.mode == "http":
        status, _ = await rig.town.post(b"{}", {"Content-Type": "application/json"})
        assert status == 503
    late = Private(rig.slack._server.desk, rig.address, "")
    rig.slack._server.start(rig.slack._server.serve(Request(rig.address), late))
    go.set()
    await closing
    assert len(rig.town.replies) == 1
    assert not rig.slack._server._tasks
