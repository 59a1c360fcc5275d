"""Whatever number, name or action is forged, nobody reads or changes what is another person's or another server's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from sqlalchemy import or_, select

from bot.core.message import Message
from bot.store import tables
from tests.fakes.guilds import DIRECT, Town, make_town

SECRET = "zebrafish"  # stands in all that bob and his server follow, and in nothing else
KEPT = ("interests", "subscriptions", "marks", "saved", "wishes", "workspaces")
NOTES = 24


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    """Bob follows things for himself and for the channel `c` of his server; ada manages another one, with a `c` too."""
    made = make_town()
    for text in (
        f"subscribe {SECRET} soup name={SECRET}",
        f"subscribe {SECRET} in=here name={SECRET}s",
        f"search {SECRET} soup",
        "save x:1",
        f"mute {SECRET}",
        f"less x:2 because={SECRET}",
        "workspace tz=Asia/Tokyo",
        "pause 2",
        "forget",
    ):
        await made.ask(text, "b", user="bob")
    await made.ask("help")
    yield made
    made.bot.app.close()


def rows(town: Town) -> dict[str, Sequence[Any]]:
    """Return all that is kept but what is ada's, eve's or their server's."""
    with town.bot.app.store.reading() as conn:
        here = or_(tables.owners.c.external.in_(("ada", "eve")), tables.owners.c.workspace == "a")
        own = set(conn.execute(select(tables.owners.c.id).where(here)).scalars())
        return {
            name: [
                dict(row)
                for row in conn.execute(select(getattr(tables, name))).mappings()
                if not {row.get(column) for column in ("owner_id", "asked_by", "person_id")} & own
            ]
            for name in KEPT
        }


def keeps_still(town: Town, before: dict[str, Sequence[Any]], said: Sequence[Message], what: object) -> None:
    assert rows(town) == before, what
    assert SECRET not in repr(said), (what, said)


@pytest.mark.parametrize("at", ["a", DIRECT])
async def test_forged_actions(town: Town, at: str) -> None:
    before = rows(town)
    assert all(before.values()), "there is something of each kind to find"
    with town.bot.app.store.reading() as conn:
        assert max(conn.execute(select(tables.notes.c.id)).scalars()) < NOTES
    for head in (*town.bot.app.commands, "run", "form"):
        for note in range(1, NOTES):
            action = f"{head}:{note:x}:0"
            keeps_still(town, before, await town.all(at=at, action=action, forms=True), action)


@pytest.mark.parametrize("at", ["a", DIRECT])
async def test_forged_names_and_numbers(town: Town, at: str) -> None:
    before = rows(town)
    for name in ("sub1", "sub2", "1", "2", "3"):
        for command in town.bot.app.commands.values():
            if command.words and command.name not in ("search", "subscribe"):
                values = {command.words[0].name: name, **({"at": "07:00"} if command.name == "schedule" else {})}
                said = await town.all(at=at, command=command.name, values=values)
                keeps_still(town, before, said, (command.name, name))


@pytest.mark.parametrize("at", ["a", DIRECT])
async def test_nothing_of_it_is_listed_or_offered(town: Town, at: str) -> None:
    before = rows(town)
    for text in ("subscriptions", "topics", "profile", "saved", "workspace", "digest", "", "export"):
        keeps_still(town, before, await town.all(text, at), text)
    for command in town.bot.app.commands.values():
        for arg in command.args:
            found = await town.offers(command.name, arg.name, "", at)
            assert SECRET not in repr(found), (command.name, arg.name)
    for text in ("subscribe soup in=<#c>", "subscribe soup in=c"):
        keeps_still(town, before, await town.all(text, at), text)
