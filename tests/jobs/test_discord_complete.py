"""What is offered while somebody types: at once, 25 at most, and nothing rather than too late or an error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import Any

import pytest
import simcord
from discord.app_commands import Choice
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.command import Arg, Command
from bot.core.message import Message
from bot.core.request import Address, Request
from bot.core.typed import Time, Weekdays, Zone, zones
from bot.platforms.discord import complete as completing
from bot.platforms.discord.complete import choices, complete
from tests.fakes.tree_discord import Bot, Heard, client_of, registry

SCHEDULE, SUBSCRIBE = registry()["schedule"], registry()["subscribe"]
ASKS = Request(Address("discord", "@me", "7", "9"), person="ada", place="reading")
ARGS = {arg.name: arg for arg in SCHEDULE.args}


def answering(*messages: Message, after: float = 0.0, error: Exception | None = None) -> tuple[Any, list[Request]]:
    """Return a core that answers so, and what it is asked."""
    asked: list[Request] = []

    async def invoke(request: Request) -> AsyncGenerator[Message, None]:
        asked.append(request)
        await asyncio.sleep(after)
        if error is not None:
            raise error
        for message in messages:
            yield message

    return invoke, asked


async def offered(name: str, typed: str) -> list[str]:
    """Return the values that are offered for an argument of `schedule` without asking the core."""
    invoke, asked = answering()
    found = await complete(invoke, ASKS, SCHEDULE, ARGS[name], {}, typed)
    assert asked == []
    check(found)
    return [choice.value for choice in found]


def check(found: list[Choice[str]]) -> None:
    """Make sure that Discord takes it."""
    assert len(found) <= 25
    assert len({choice.value for choice in found}) == len(found)
    for choice in found:
        assert 1 <= len(choice.name) <= 100
        assert 1 <= len(choice.value) <= 100


@pytest.mark.parametrize(
    ("typed", "first", "among"),
    [
        ("", "06:00", "09:00"),
        ("9", "09:00", "09:30"),
        ("9am", "09:00", "09:00"),
        ("9:15 pm", "21:15", "21:15"),
        ("1", "01:00", "13:00"),
        ("noon", "12:00", "12:00"),
        ("07:3", "07:30", "07:30"),
    ],
)
async def test_times_are_read_and_gone_on_with(typed: str, first: str, among: str) -> None:
    values = await offered("at", typed)
    assert values[0] == first
    assert among in values


@pytest.mark.parametrize(
    ("typed", "among"),
    [
        ("", "weekdays"),
        ("w", "weekend"),
        ("fr", "Fri"),
        ("mon,", "Mon, Tue"),
        ("mon, t", "Mon, Thu"),
        ("1-4", "Mon–Thu"),
        ("mon–wed", "Mon–Wed"),
    ],
)
async def test_days_are_read_and_gone_on_with(typed: str, among: str) -> None:
    assert among in await offered("on", typed)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("berlin", "Europe/Berlin"),
        ("Europe/B", "Europe/Belfast"),
        ("zür", "Europe/Zurich"),
        ("são p", "America/Sao_Paulo"),
        ("new y", "America/New_York"),
        ("utc", "UTC"),
        ("tok", "Asia/Tokyo"),
    ],
)
async def test_time_zones_are_found_by_city_and_by_name(typed: str, first: str) -> None:
    assert (await offered("tz", typed))[0] == first


async def test_usual_time_zones_are_all_known_and_fill_an_answer() -> None:
    values = await offered("tz", "")
    assert len(values) == 25
    assert set(values) <= zones()


@pytest.mark.parametrize(
    ("name", "typed"),
    [("at", "25:99"), ("on", "someday"), ("tz", "Mars/Olympus"), ("tz", "x" * 6000), ("on", "," * 6000)],
)
async def test_nothing_is_offered_for_what_is_nothing(name: str, typed: str) -> None:
    assert await offered(name, typed) == []


READERS: dict[str, Callable[[str], Any]] = {"at": Time.read, "on": Weekdays.read, "tz": Zone.read}


@settings(max_examples=30, deadline=None)
@given(name=st.sampled_from(sorted(READERS)), typed=st.text(max_size=30) | st.sampled_from(["mo", "1", "eu", "a", ","]))
async def test_whatever_is_typed_what_is_offered_can_be_read(name: str, typed: str) -> None:
    for value in await offered(name, typed):
        READERS[name](value)


async def test_many_values_of_an_argument_are_found_by_what_they_hold() -> None:
    many = replace(ARGS["strictness"], choices=tuple(f"value{n}" for n in range(60)))
    invoke, _ = answering()
    found = await complete(invoke, ASKS, SCHEDULE, many, {}, "VALUE5")
    assert [choice.value for choice in found] == ["value5", *(f"value5{n}" for n in range(10))]


async def test_all_else_the_core_is_asked_with_what_stands_in_the_other_arguments() -> None:
    invoke, asked = answering(Message(choices=(("sparse attention", "sparse attention"), ("mine: 2", "2"))))
    found = await complete(invoke, ASKS, SUBSCRIBE, SUBSCRIBE.args[0], {"max": "3"}, "spa")
    assert [(choice.name, choice.value) for choice in found] == [("sparse attention",) * 2, ("mine: 2", "2")]
    values = {"max": "3", "topic": "spa"}
    assert asked == [replace(ASKS, event="complete", command="subscribe", text="topic", values=values)]


@pytest.mark.parametrize("core", [answering(), answering(Message()), answering(error=RuntimeError("boom"))])
async def test_a_core_that_fails_or_says_nothing_is_an_empty_answer(core: tuple[Any, list[Request]]) -> None:
    assert await complete(core[0], ASKS, SUBSCRIBE, SUBSCRIBE.args[0], {}, "x") == []


async def test_a_slow_core_is_an_empty_answer_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert completing.PATIENCE < 3
    monkeypatch.setattr(completing, "PATIENCE", 0.05)
    invoke, _ = answering(Message(choices=(("late", "late"),)), after=30)
    began = time.monotonic()
    assert await complete(invoke, ASKS, SUBSCRIBE, SUBSCRIBE.args[0], {}, "x") == []
    assert time.monotonic() - began < 3


def test_labels_are_cut_values_never_and_empty_ones_are_left_out() -> None:
    long = "x" * 101
    pairs = [("a\nb", "1"), (long, "2"), ("too long a value", long), ("", "4"), ("blank", " "), ("again", "1")]
    pairs += [("unseen", "\u202e"), ("\u200b", "5")]
    found = choices([*pairs, *((f"n{n}", f"n{n}") for n in range(40))])
    check(found)
    assert [(choice.name, choice.value) for choice in found[:3]] == [("a b", "1"), ("x" * 99 + "…", "2"), ("n0", "n0")]
    assert len(found) == 25


class Completing(Heard):
    """Answers what is typed as the platform will."""

    core: Any = None

    async def complete(
        self, interaction: Any, command: Command, arg: Arg, values: dict[str, str], typed: str
    ) -> list[Choice[str]]:
        return await complete(self.core, ASKS, command, arg, values, typed)


@pytest.fixture
def simcord_bot() -> Bot:
    """The bot of the stand-in, with a topic to be completed."""

    async def known(*_: object) -> list[tuple[str, str]]:
        return []

    topic = replace(SUBSCRIBE.args[0], complete=known)
    subscribe = replace(SUBSCRIBE, args=(topic, *SUBSCRIBE.args[1:]))
    return client_of({"subscribe": subscribe, "schedule": SCHEDULE}, Completing())


@pytest.mark.parametrize(
    ("core", "topics"),
    [(answering(Message(choices=(("robots", "robots"),))), ["robots"]), (answering(error=ValueError("boom")), [])],
)
async def test_it_arrives_through_discord(
    simcord_env: simcord.Env, simcord_bot: Bot, core: tuple[Any, list[Request]], topics: list[str]
) -> None:
    assert isinstance(simcord_bot.heard, Completing)
    simcord_bot.heard.core = core[0]
    await simcord_bot.tree.sync()
    guild = simcord_env.create_guild("Lab")
    channel = guild.create_text_channel("reading")
    ada = guild.add_member(simcord_env.create_user("ada"))
    found = await ada.autocomplete(channel, "papers subscribe", "topic", "rob", max=4)
    assert [choice["value"] for choice in found] == topics
    assert core[1][0].values == {"max": "4", "topic": "rob"}
    zones_found = await ada.autocomplete(channel, "papers schedule", "tz", "berl")
    assert zones_found == [{"name": "Europe/Berlin", "value": "Europe/Berlin"}]
