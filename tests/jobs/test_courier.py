"""Digests at a terminal: they come while it is open, to whoever sits at it and to the channel that is open."""

from __future__ import annotations

import asyncio
import io
import os
import pty
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from bot.demo import Menu, talk
from bot.jobs.courier import Courier
from bot.jobs.ingest import ingest
from bot.platforms.console import Console
from bot.store import tables
from bot.store.engine import Store
from tests.fakes.bot import Bot, make_bot
from tests.jobs.test_plan import COOKING, papers

TOPIC = "memory of language models"


@pytest.fixture
async def bot(store: Store) -> Bot:
    """A bot with digests on the terminal for ada, bob and a channel, all due, and two papers that came."""
    made = make_bot(papers(*range(10), about=COOKING), store)
    store.clock = lambda conn: made.at
    for user in ("ada", "bob"):
        await type_(made, user, f"subscribe {TOPIC} at=07:00 tz=UTC on=daily")
    await type_(made, "ada", f"subscribe {TOPIC} at=07:00 tz=UTC on=daily in=reading")
    ingest(store, papers(60, 61), "arxiv", made.at)
    made.at = datetime(2026, 12, 3, 7, tzinfo=UTC)
    return made


async def type_(bot: Bot, user: str, line: str) -> str:
    """Type a line at the terminal of a user, and return what is shown."""
    out = io.StringIO()
    await talk(bot.app, io.StringIO(line + "\n"), out, user=user)
    return out.getvalue()


def terminal(bot: Bot, user: str) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return bot.app.console(stdin=io.StringIO(), stdout=out, memory=Menu(bot.app), user=user), out


async def bring(courier: Courier) -> None:
    await courier.bring()
    await courier.close()


def states(store: Store) -> dict[str, str]:
    """Return the state of each message by whom it is for."""
    with store.reading() as conn:
        rows = conn.execute(select(tables.outbox.c.user, tables.outbox.c.channel, tables.outbox.c.state))
        return {user or f"#{channel}": state for user, channel, state in rows}


async def test_a_terminal_shows_the_digests_of_whoever_sits_at_it(bot: Bot) -> None:
    console, out = terminal(bot, "ada")
    await bring(bot.app.courier(console, "ada"))
    assert out.getvalue().count("new papers for") == 1
    assert states(bot.app.store) == {"ada": "sent", "bob": "pending", "#reading": "pending"}
    console, out = terminal(bot, "bob")
    await bring(bot.app.courier(console, "bob", "reading"))
    assert out.getvalue().count("new papers for") == 2
    assert "#reading" in out.getvalue()
    assert "asked for by ada" in out.getvalue()
    assert set(states(bot.app.store).values()) == {"sent"}
    console, out = terminal(bot, "bob")
    await bring(bot.app.courier(console, "bob", "reading"))
    assert out.getvalue() == ""


async def test_an_open_chat_brings_them_by_itself(bot: Bot) -> None:
    leader, follower = pty.openpty()
    out = io.StringIO()
    with os.fdopen(follower, "r") as stdin:
        chat = asyncio.create_task(talk(bot.app, stdin, out, user="ada"))
        async with asyncio.timeout(20):
            while "new papers for" not in out.getvalue():  # noqa: ASYNC110 - a terminal has no event to wait for
                await asyncio.sleep(0.05)
        os.write(leader, b"exit\n")
        async with asyncio.timeout(20):
            await chat
    os.close(leader)
    assert states(bot.app.store)["ada"] == "sent"
