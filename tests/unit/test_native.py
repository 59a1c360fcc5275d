"""Commands that the platform knows: run with what was given, answered with a form where nothing was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.core.asked import opens_form
from bot.core.message import Message
from bot.core.request import Address, Request
from tests.fakes.bot import titles
from tests.fakes.guilds import Town, make_town


@pytest.fixture
def town() -> Iterator[Town]:
    made = make_town()
    yield made
    made.bot.app.close()


async def run(town: Town, name: str, user: str = "ada", **values: str) -> list[Message]:
    return await town.all(user=user, command=name, values=values, forms=True)


@pytest.mark.parametrize(
    ("name", "values", "forms"),
    [
        ("subscribe", {}, True),
        ("subscribe", {"topic": " "}, True),
        ("subscribe", {"topic": "soup"}, False),
        ("subscribe", {"in": "<#1>"}, False),
        ("schedule", {}, True),
        ("schedule", {"which": "1"}, True),
        ("schedule", {"which": "1", "at": "9"}, False),
        ("less", {"paper": "x:1"}, False),
        ("search", {}, False),
        ("home", {}, False),
        ("nonsense", {}, False),
    ],
)
def test_a_form_is_for_a_command_with_nothing_to_do(town: Town, name: str, values: dict[str, str], forms: bool) -> None:
    request = Request(Address("guilds", "a", "ada"), command=name, values=values, forms=True)
    assert opens_form(request, town.bot.app.commands) is forms
    submitted = Request(Address("guilds", "a", "ada"), command=name, values=values)
    assert not opens_form(submitted, town.bot.app.commands), "what was filled in is not asked for again"


async def test_a_form_is_opened_and_its_values_come_back(town: Town) -> None:
    (asked,) = await run(town, "subscribe")
    assert asked.form is not None
    (done,) = await town.all(command="subscribe", values={**asked.form.values, "topic": "soup"})
    assert "“soup” now" in done.text
    (asked,) = await run(town, "schedule", which="1")
    assert asked.form is not None
    assert asked.form.values["which"].startswith("sub")


async def test_what_is_shared_is_shown_to_the_channel_too(town: Town) -> None:
    mine, all_ = await run(town, "search", words="soup", share="yes")
    assert not mine.public
    assert all_.public
    assert all_.cards == mine.cards
    assert len(await run(town, "search", words="soup", share="no")) == 1
    assert len(await run(town, "saved", share="yes")) == 1
    direct = await town.all(at="@me", command="search", values={"words": "soup", "share": "yes"}, forms=True)
    assert len(direct) == 1, "there is nobody else"


async def test_first_contact_is_said_as_for_a_typed_line(town: Town) -> None:
    (first,) = await run(town, "search", "eve", words="soup")
    assert "To get a digest, type: /papers subscribe" in first.footer
    (second,) = await run(town, "search", "eve", words="soup")
    assert "To get a digest" not in second.footer


@pytest.mark.parametrize("values", [{}, {"in": "here"}])
async def test_who_has_just_subscribed_is_not_told_how(town: Town, values: dict[str, str]) -> None:
    (first,) = await run(town, "subscribe", "ada", topic="soup", **values)
    assert "I store what you follow" in first.footer
    assert "To get a digest" not in first.footer


async def test_several_papers_in_one_argument(town: Town) -> None:
    await run(town, "search", words="soup")
    (answer,) = await run(town, "similar", paper="1 2")
    assert " and " in answer.text
    (answer,) = await run(town, "similar", paper="Robots and soup 3")
    assert "“Robots and soup 3”" in answer.text


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("search", {}, "WORDS is missing"),
        ("search", {"words": "x" * 6000}, "words: it has 6,000 characters"),
        ("search", {"words": "soup", "days": "many"}, "days: “many” is not a whole number"),
        ("subscribe", {"topic": "soup", "tz": "Mars"}, "tz: “Mars”"),
        ("page", {}, "another version"),
        ("nonsense", {"words": "soup"}, "another version"),
    ],
)
async def test_what_cannot_be_done_is_said_kindly(town: Town, name: str, values: dict[str, Any], said: str) -> None:
    (answer,) = await run(town, name, **values)
    assert said in answer.text
    assert answer.private


async def test_words_that_look_like_options_stay_words(town: Town) -> None:
    (answer,) = await run(town, "search", words="soup share")
    assert titles(answer)
    (answer,) = await run(town, "subscribe", topic="soup at=9")
    assert "“soup at=9” now" in answer.text
