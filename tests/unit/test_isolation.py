"""Whoever is in one workspace never reads or changes what belongs to another, whatever action or number they forge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select

from bot.core.message import Message, to_json
from bot.core.request import HOME, Address, Request
from bot.store import tables
from recommender.types import Paper
from tests.fakes.bot import FAULT, Bot, make_bot

PAPERS = [Paper(f"x:{n}", f"Robots and soup {n}", f"A robot cooks soup number {n}.", ("Ada",)) for n in range(8)]
SECRET = "zebrafish"  # stands in whatever the other workspace follows, and in nothing else
NOTES = 40
OWN = ("owners", "interests", "subscriptions", "marks", "saved", "wishes", "notes", "outbox", "workspaces")


async def said(bot: Bot, workspace: str, user: str, channel: str = "", **parts: Any) -> list[Message]:
    request = Request(Address("test", workspace, user, channel), person=user, place=channel, **parts)
    found = [message async for message in bot.app.invoke(request)]
    for message in found:
        assert FAULT not in message.text, (parts, message.text)
    return found


@pytest.fixture
async def bot() -> Bot:
    """Both workspaces have an ada who manages them, and a channel `lunch`."""
    made = make_bot(PAPERS)
    for text in (
        f"subscribe {SECRET} soup; soup name={SECRET}",
        f"subscribe soup in=here name={SECRET}s",
        "search soup",
        "save x:1",
        "mute bread",
        f"less x:2 because={SECRET}",
        "forget",
        "pause",
        "workspace tz=Asia/Tokyo",
    ):
        await said(made, "theirs", "ada", "lunch", text=text)
    await said(made, "theirs", "ada", HOME, event="home", forms=True)
    await said(made, "mine", "ada", "lunch", text="subscribe soup")
    return made


def theirs(bot: Bot) -> dict[str, Sequence[Any]]:
    """All rows of the other workspace."""
    with bot.app.store.reading() as conn:
        known = tables.owners
        ours = set(conn.execute(select(known.c.id).where(known.c.workspace == "theirs")).scalars())
        kept: dict[str, Sequence[Any]] = {}
        for name in OWN:
            table = getattr(tables, name)
            rows = [dict(row) for row in conn.execute(select(table)).mappings()]
            kept[name] = [
                row
                for row in rows
                if row.get("workspace") == "theirs"
                or {row.get(column) for column in ("owner_id", "asked_by", "person_id")} & ours
            ]
        return kept


def keeps_its_own(bot: Bot, before: dict[str, Sequence[Any]], answers: Sequence[Message], what: object) -> None:
    assert theirs(bot) == before, what
    for message in answers:
        shown = json.dumps(to_json(message)) if not message.files and message.form is None else repr(message)
        assert SECRET not in shown, (what, shown)


async def test_forged_actions(bot: Bot) -> None:
    before = theirs(bot)
    assert all(before[name] for name in OWN if name not in ("outbox",)), "there is something of each kind to find"
    assert max(note["id"] for note in before["notes"]) < NOTES
    for head in (*bot.app.commands, "run", "form", "list", "home"):
        for note in range(1, NOTES):
            notes = (
                (f"{head}:{note:x}:0", f"{head}:{note:x}:1")
                if head in ("run", "form", "undo")
                else (f"{head}:{note:x}:0",)
            )
            for action in notes:
                answers = await said(bot, "mine", "eve", "lunch", action=action, forms=True)
                keeps_its_own(bot, before, answers, action)


@pytest.mark.parametrize("user", ["ada", "eve"])
async def test_forged_names_and_numbers(bot: Bot, user: str) -> None:
    """`ada` manages her own workspace, and has the same id as theirs."""
    before = theirs(bot)
    names = [SECRET, f"{SECRET}s", *(f"sub{number}" for number in range(1, 6)), "sub#1", "1", "2", "3"]
    for name in names:
        for command in bot.app.commands.values():
            if not command.words or command.name == "search":
                continue
            word = command.words[0].name
            await _try(bot, before, user, {"command": command.name, "values": {word: name}}, repeats=SECRET in name)
            await _try(bot, before, user, {"text": f"{command.name} {name}"}, repeats=SECRET in name)


async def _try(bot: Bot, before: dict[str, Sequence[Any]], user: str, way: dict[str, Any], *, repeats: bool) -> None:
    """Ask, and look at both; `repeats`: an answer may say again what was typed."""
    answers = await said(bot, "mine", user, "lunch", forms=True, **way)
    keeps_its_own(bot, before, [] if repeats else answers, way)


@pytest.mark.parametrize("channel", ["lunch", "<#lunch|lunch>"])
async def test_a_channel_of_the_same_name_is_another_channel(bot: Bot, channel: str) -> None:
    before = theirs(bot)
    answers = await said(bot, "mine", "ada", text=f"subscribe soup in={channel}")
    keeps_its_own(bot, before, answers, channel)
    for text in ("digest", "subscriptions", "topics", "profile", "saved", "workspace", "pause", "resume", "schedule"):
        keeps_its_own(bot, before, await said(bot, "mine", "ada", "lunch", text=text), text)
    handed = await said(bot, "mine", "ada", "lunch", text="schedule soup to=<@bob>")
    assert "not met" in handed[0].text or "to:" in handed[0].text
