"""Forms as Discord's modals, and what was filled in, as it would be typed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simcord.components import validate_modal

from bot.core.message import Form
from bot.platforms.discord.form import CHANNELS, LABEL, SELECT, TEXT_INPUT, USERS, modal, values_of
from bot.platforms.discord.text import one_line
from tests.fakes.bot import HOSTILE
from tests.fakes.slack_surfaces import COMMANDS, LESS, SCHEDULE, SUBSCRIBE
from tests.unit.test_discord_render_text import ANY


def opened(form: Form) -> dict[str, Any]:
    """Return a modal that Discord takes."""
    made = modal(form, COMMANDS)
    assert validate_modal(made)
    for label in made["components"]:
        assert label["type"] == LABEL
        assert "label" not in label["component"]
        assert "disabled" not in label["component"]
    return made


def inputs(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the inputs by argument."""
    return {label["component"]["custom_id"]: label["component"] for label in made["components"]}


def submitted(made: dict[str, Any], **changes: str | list[str]) -> dict[str, Any]:
    """Return what Discord sends when somebody fills a modal in; what is not changed stays as it was opened."""
    sent = []
    for number, label in enumerate(made["components"]):
        inner = label["component"]
        first = [one["value"] for one in inner.get("options", []) if one.get("default")]
        first += [one["id"] for one in inner.get("default_values", [])]
        state = changes.get(inner["custom_id"], inner.get("value", "") if inner["type"] == TEXT_INPUT else first)
        kept = {"value": state} if inner["type"] == TEXT_INPUT else {"values": state}
        component = {"type": inner["type"], "id": 2 * number, "custom_id": inner["custom_id"], **kept}
        sent.append({"type": LABEL, "id": 2 * number + 1, "component": component})
    return {"custom_id": made["custom_id"], "components": sent}


def test_subscribe_asks_for_topic_time_days_number_and_zone() -> None:
    made = opened(SUBSCRIBE)
    assert (made["title"], list(inputs(made))) == ("Subscribe to a topic", ["topic", "at", "tz", "on", "max"])
    assert [label["label"] for label in made["components"]] == ["Topic", "Time", "Time zone", "Days", "Papers, at most"]
    assert inputs(made)["topic"] == {
        "custom_id": "topic",
        "required": True,
        "type": TEXT_INPUT,
        "style": 1,
        "max_length": 4000,
        "value": "long context",
    }
    days = inputs(made)["on"]
    assert (days["min_values"], days["max_values"], days["required"]) == (0, 7, False)
    assert [one["value"] for one in days["options"] if one.get("default")] == ["mon", "tue", "wed", "thu", "fri"]


@pytest.mark.parametrize("form", [SUBSCRIBE, SCHEDULE, LESS], ids=lambda form: form.command)
def test_what_nobody_changed_comes_back_and_means_the_same(form: Form) -> None:
    command, values = values_of(submitted(opened(form)))
    assert command == form.command
    for name, value in form.values.items():
        read = next(arg for arg in COMMANDS[command].args if arg.name == name).read
        assert read(values[name]) == read(value)


def test_what_is_filled_in_is_what_would_be_typed() -> None:
    made = opened(SUBSCRIBE)
    sent = submitted(made, topic=" robots \n", at="7am", on=["sat", "sun"], max="", tz="Asia/Tokyo")
    assert values_of(sent) == (
        "subscribe",
        {"topic": "robots", "at": "7am", "on": "sat,sun", "tz": "Asia/Tokyo", "strictness": "normal"},
    )
    assert "on" not in values_of(submitted(made, on=[]))[1]


def test_a_choice_a_flag_a_channel_and_a_person_are_picked() -> None:
    values = {"strictness": "Strict", "in": "<#123456789012345678|reading>", "quiet": "no"}
    picked = opened(Form("subscribe", values, ("topic", "strictness", "in", "quiet")))
    assert [inner["type"] for inner in inputs(picked).values()] == [TEXT_INPUT, SELECT, CHANNELS, SELECT]
    assert inputs(picked)["in"]["default_values"] == [{"id": "123456789012345678", "type": "channel"}]
    sent = submitted(picked, topic="x")
    assert values_of(sent)[1] == {"topic": "x", "strictness": "strict", "in": "<#123456789012345678>", "quiet": "no"}
    assert values_of(submitted(picked, topic="x", quiet=["yes"], **{"in": []}))[1] == {
        "topic": "x",
        "strictness": "strict",
        "quiet": "yes",
    }
    person = opened(Form("schedule", {"to": "<@!123456789012345678>"}, ("to",)))
    assert inputs(person)["to"]["type"] == USERS
    assert values_of(submitted(person))[1] == {"to": "<@123456789012345678>"}


@pytest.mark.parametrize(
    ("name", "value"), [("in", "here"), ("on", "someday"), ("quiet", "maybe"), ("strictness", "very"), ("in", "#read")]
)
def test_what_no_list_can_show_is_typed_and_not_lost(name: str, value: str) -> None:
    made = opened(Form("subscribe", {name: value}, (name,)))
    assert inputs(made)[name]["type"] == TEXT_INPUT
    assert values_of(submitted(made))[1] == {name: value}


def test_what_is_not_shown_is_held_as_far_as_there_is_room_the_words_first() -> None:
    shown = ("at", "on", "tz", "max", "gap")
    long = "&=%+;漢 " * 9
    made = opened(Form("schedule", {"name": long, "quiet": "yes", "to": "<@1>", "which": "sub12"}, shown))
    assert made["custom_id"] == "form:schedule:which=sub12&to=<@1>&quiet=yes"
    assert values_of(submitted(made))[1] == {"which": "sub12", "to": "<@1>", "quiet": "yes"}
    odd = opened(Form("schedule", {"which": "a&b=c%20+;#d: <é>"}, shown))
    assert values_of(submitted(odd))[1] == {"which": "a&b=c%20+;#d: <é>"}


@pytest.mark.parametrize("text", [*HOSTILE, "two\nlines"])
def test_odd_values_are_taken_by_discord(text: str) -> None:
    made = opened(
        Form("subscribe", dict.fromkeys(("topic", "in", "at", "on", "strictness", "quiet"), text), title=text)
    )
    assert values_of(submitted(made))[0] == "subscribe"
    assert opened(Form("less", {"because": text}, ("because",)))["components"][0]["component"]["style"] == 2


@given(st.dictionaries(st.sampled_from([arg.name for arg in COMMANDS["schedule"].args]), ANY), ANY)
def test_any_form_is_one_that_discord_takes_and_loses_nothing_it_has_room_for(
    values: dict[str, str], title: str
) -> None:
    made = opened(Form("schedule", values, ("at", "on", "tz", "max", "strictness", "to"), title))
    command, got = values_of(submitted(made))
    assert command == "schedule"
    assert set(got) <= {name for name, value in values.items() if value.strip()}
    which = one_line(values.get("which", ""))  # what nobody sees is dropped
    if which and len(made["custom_id"]) < 40 and len(which) < 10:
        assert got["which"] == which


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"custom_id": "other"},
        {"custom_id": "form"},
        {"custom_id": "form:"},
        {"custom_id": "more:4f2:0", "components": None},
        {"custom_id": 7, "components": "x"},
    ],
)
def test_what_is_no_form_of_ours_says_nothing(data: dict[str, Any]) -> None:
    assert values_of(data) == ("", {})


def test_a_form_of_another_version_is_read_as_far_as_it_can_be() -> None:
    row = {"type": 1, "components": [{"type": 4, "custom_id": "topic", "value": "robots"}]}
    assert values_of({"custom_id": "form:subscribe", "components": [row, "x", {"type": 10}, {"type": LABEL}]}) == (
        "subscribe",
        {"topic": "robots"},
    )
