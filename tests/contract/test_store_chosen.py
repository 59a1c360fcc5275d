"""Choosing sources at a terminal, on each kind of database, and a person who asks how they do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.config import Settings
from bot.errors import SettingsError, SourceError, UsageError
from bot.jobs.choose import Choices, choose, specs_of
from bot.store import chosen, sources
from bot.store.engine import Store
from tests.fakes.bot import make_bot
from tests.fakes.choosing import KINDS

NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Line:
    """A client that is not used, and is closed."""

    closed = False

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def choices(store: Store) -> Choices:
    store.clock = lambda conn: NOW
    return Choices(store, KINDS, Settings(sources="lists:s"), Line())


def specs(choices: Choices) -> list[str]:
    with choices.store.reading() as conn:
        return specs_of(conn, choices.settings)


def fail(store: Store, name: str) -> None:
    with store.writing() as conn:
        held = sources.claim(conn, name, NOW, HOUR)
        assert held is not None
        sources.failed(conn, held, NOW, "HTTP 503.", lambda _: HOUR)


async def test_what_is_added_is_kept_and_told(choices: Choices) -> None:
    assert await choose("add", ["lists:b", "feed:x", "lists:s"], choices) == [
        "List B: added",
        "feed x: added",
        "lists:s: it is chosen already",
    ]
    assert choices.http.closed
    assert specs(choices) == ["lists:s", "feed:x", "lists:b"]
    assert await choose("add", [" Lists : b "], choices) == ["lists:b: it is chosen already"]
    with choices.store.reading() as conn:
        assert chosen.all(conn)[1] == chosen.Chosen("lists:b", "List B", NOW)


@pytest.mark.parametrize(
    ("spec", "error", "said"),
    [
        ("lists:missing", UsageError, "lists:missing: There is no such list."),
        ("lists:away", SettingsError, "lists:away: lists.example answered 503. Nothing was added."),
        ("lists:bad", SettingsError, "lists:bad has a bad name."),
        ("list:a", SettingsError, "“list” is no kind of source. Did you mean lists?"),
        ("lists:", UsageError, "“lists:” names no source; type a kind, such as huggingface, or arxiv:cs.CL."),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_is_kept(
    choices: Choices, spec: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        await choose("add", ["feed:x", spec], choices)
    assert (str(caught.value), specs(choices)) == (said, ["lists:s"])
    assert not isinstance(caught.value, SourceError)


async def test_what_is_removed_does_not_fail_any_more(choices: Choices) -> None:
    await choose("add", ["lists:b", "feed:x"], choices)
    for name in ("feed:x", "lists"):
        fail(choices.store, name)
    assert await choose("remove", ["feed:x", "lists:b"], choices) == [
        "feed:x: removed. Its papers stay.",
        "lists:b: removed. Its papers stay.",
    ]
    with choices.store.reading() as conn:
        assert [state.name for state in sources.all(conn) if state.failing_since] == ["lists"], "lists:s is asked still"
    for spec, why in (("lists:s", "PAPERROUND_SOURCES"), ("feed:x", "not chosen. Nothing is")):
        with pytest.raises(UsageError, match=why):
            await choose("remove", [spec], choices)


async def test_more_of_a_source_makes_it_due_unless_it_fails(choices: Choices) -> None:
    with choices.store.writing() as conn:
        held = sources.claim(conn, "lists", NOW, HOUR)
        assert held is not None
        sources.answered(conn, held, NOW, NOW + HOUR)
    await choose("add", ["lists:b"], choices)
    with choices.store.reading() as conn:
        assert sources.get(conn, "lists").next_at is None
    fail(choices.store, "lists")
    await choose("add", ["lists:c"], choices)
    with choices.store.reading() as conn:
        assert sources.get(conn, "lists").next_at == NOW + HOUR


async def test_how_they_do_is_listed(choices: Choices) -> None:
    fail(choices.store, "lists")
    with choices.store.writing() as conn:
        for spec in ("feed:x", "gone:y"):
            chosen.add(conn, spec, spec, NOW)
    assert await choose("", [], choices) == [
        "lists s: failing since 09:00 (HTTP 503); next try 10:00",
        "feed:x: not asked yet",
        "gone:y: it cannot be asked: “gone” is no kind of source. There are: feed, lists",
    ]
    with pytest.raises(UsageError, match="sources add or remove"):
        await choose("delete", ["feed:x"], choices)


async def test_where_nothing_is_chosen_it_says_how(store: Store) -> None:
    said = await choose("", [], Choices(store, KINDS, Settings(), Line()))
    assert said[0] == "No source is chosen. Choose one: paperround sources add arxiv:cs.CL"
    assert "  lists: lists of papers: lists:a" in said


async def test_people_see_how_they_do(store: Store) -> None:
    bot: Any = make_bot([], store)
    assert "paperround sources add arxiv:cs.CL" in (await bot.ask("sources")).text
    with store.writing() as conn:
        for spec in ("arxiv:cs.CL", "feed:x?key=secret"):
            chosen.add(conn, spec, spec, NOW)
        held = sources.claim(conn, "arxiv", NOW, HOUR)
        assert held is not None
        sources.answered(conn, held, NOW, NOW + HOUR)
    bot.at = NOW
    assert (await bot.ask("sources")).text == "arXiv cs.CL: fresh, 09:00; next 10:00\nfeed x: not asked yet"
