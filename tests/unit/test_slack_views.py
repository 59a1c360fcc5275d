"""Slack's surfaces: each as its Block Kit JSON in surfaces/ says, and one that Slack's own models take."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.core.command import Command
from bot.core.message import Form, Message
from bot.platforms.slack.form import errors_of, values_of
from bot.platforms.slack.views import GONE, answer_view, form_view, home_view, loading_view
from bot.plugins import load
from tests.fakes.slack_surfaces import COMMANDS, ERROR, LESS, SCHEDULE, SUBSCRIBE, rendered

SURFACES = rendered()
FOLDER = Path(__file__).parent / "surfaces"


def checked(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view that Slack's own models take: they look at lengths."""
    made: dict[str, Any] = View(**view).to_dict()
    blocks = Block.parse_all(view["blocks"])
    assert None not in blocks
    for block in blocks:
        block.to_dict()
    json.dumps(view).encode()
    return made


def submitted(view: Mapping[str, Any], **filled: Any) -> dict[str, Any]:
    """Return what Slack sends when a form is submitted as it stands, but for what was filled in."""
    states = {}
    for block in view["blocks"]:
        name = block["block_id"].removeprefix("arg:")
        element = block["element"]
        said = {key.replace("initial_", ""): value for key, value in element.items() if key.startswith("initial_")}
        state: dict[str, Any] = {"type": element["type"]}
        for key, value in said.items():
            state[key if key == "value" else f"selected_{key}"] = value
        if element["type"] in ("checkboxes", "multi_static_select"):
            state.setdefault("selected_options", [])
        state |= filled.get(name.replace("in", "in_") if name == "in" else name, {})
        states[block["block_id"]] = {"value": state}
    return {**view, "id": "V1", "state": {"values": states}}


def elements(view: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {block["block_id"].removeprefix("arg:"): block["element"] for block in view["blocks"]}


@pytest.mark.parametrize("name", SURFACES)
def test_each_surface_is_as_its_json_says(name: str) -> None:
    expected = json.loads((FOLDER / f"{name}.json").read_text())
    assert SURFACES[name] == expected


def test_there_is_no_json_without_its_surface() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(SURFACES)


@pytest.mark.parametrize("name", SURFACES)
def test_slacks_own_models_take_each_surface(name: str) -> None:
    surface = SURFACES[name]
    if isinstance(surface, dict):
        checked(surface)
    else:
        blocks = Block.parse_all(surface)
        assert None not in blocks
        assert [block.to_dict()["type"] for block in blocks] == [block["type"] for block in surface]


def test_the_text_of_others_is_nowhere_read_as_markup() -> None:
    def objects(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            yield value
            value = list(value.values())
        for inner in value if isinstance(value, list) else []:
            yield from objects(inner)

    for one in objects(list(SURFACES.values())):
        assert one.get("type") != "mrkdwn"
        assert one.get("type") != "plain_text" or one["emoji"] is False


def test_a_schedule_has_a_time_picker_the_persons_zone_and_days_to_choose() -> None:
    found = elements(form_view(SCHEDULE, COMMANDS))
    assert (found["at"]["type"], found["at"]["initial_time"]) == ("timepicker", "09:00")
    assert (found["tz"]["type"], found["tz"]["initial_value"]) == ("plain_text_input", "Europe/Berlin")
    assert [one["value"] for one in found["on"]["initial_options"]] == ["mon", "thu"]
    assert (found["max"]["type"], found["max"]["initial_value"]) == ("number_input", "5")
    assert (found["quiet"]["type"], len(found["quiet"]["initial_options"])) == ("checkboxes", 1)
    assert (found["to"]["type"], "initial_user" in found["to"]) == ("users_select", False)


def test_a_form_that_is_submitted_as_it_stands_says_what_stood_in_it() -> None:
    values = values_of(submitted(form_view(SCHEDULE, COMMANDS)))
    assert values == {
        "which": "2",
        "at": "09:00",
        "tz": "Europe/Berlin",
        "on": "mon,thu",
        "max": "5",
        "quiet": "yes",
    }
    assert COMMANDS["schedule"].bind([values.pop("which")], values)["on"] == "14"


def test_what_is_filled_in_comes_back_as_it_would_be_typed() -> None:
    view = form_view(SUBSCRIBE, COMMANDS, channel="C0123456789")
    filled = {
        "topic": {"value": "  robots & <arms>  "},
        "in_": {"selected_conversation": "C777"},
        "at": {"selected_time": "23:45"},
        "on": {"selected_options": [{"value": "sat"}, {"value": "sun"}]},
        "max": {"value": "7"},
        "strictness": {"selected_option": {"value": "strict"}},
    }
    assert values_of(submitted(view, **filled)) == {
        "topic": "robots & <arms>",
        "in": "<#C777>",
        "at": "23:45",
        "tz": "Europe/Berlin",
        "on": "sat,sun",
        "max": "7",
        "strictness": "strict",
    }


def test_a_person_comes_back_as_a_mention() -> None:
    view = form_view(Form("schedule", {"to": "<@U777|ada>"}, ("to",)), COMMANDS)
    assert elements(view)["to"]["initial_user"] == "U777"
    assert values_of(submitted(view)) == {"to": "<@U777>"}
    typed = form_view(Form("schedule", {"to": "@ada"}, ("to",)), COMMANDS)
    assert values_of(submitted(typed)) == {"to": "@ada"}


def test_an_emptied_field_is_left_out_and_a_hidden_value_is_sent_along() -> None:
    view = form_view(SCHEDULE, COMMANDS)
    filled = {"at": {"selected_time": None}, "on": {"selected_options": []}, "tz": {"value": None}}
    values = values_of(submitted(view, **filled))
    assert values.keys() == {"which", "max", "quiet"}
    assert values_of(submitted(form_view(LESS, COMMANDS), because={"value": "too old"})) == {
        "paper": "openreview:02NbD16OnA",
        "because": "too old",
    }


@pytest.mark.parametrize(
    ("first", "checked_now", "said"),
    [("yes", True, "yes"), ("yes", False, "no"), ("no", False, "no"), ("no", True, "yes"), ("", False, None)],
)
def test_an_empty_box_says_no_only_where_something_was_said(first: str, checked_now: bool, said: str | None) -> None:
    view = form_view(Form("schedule", {"quiet": first}, ("quiet",)), COMMANDS)
    state = {"selected_options": [{"value": "yes"}] if checked_now else []}
    assert values_of(submitted(view, quiet=state)).get("quiet") == said


def test_the_channel_called_here_is_the_one_that_the_form_was_opened_from() -> None:
    here = form_view(Form("subscribe", {"in": "here"}, ("in",)), COMMANDS, channel="C0123456789")
    assert elements(here)["in"]["initial_conversation"] == "C0123456789"
    link = form_view(Form("subscribe", {"in": "<#C42|x>"}, ("in",)), COMMANDS)
    assert elements(link)["in"]["initial_conversation"] == "C42"
    name = form_view(Form("subscribe", {"in": "reading-group"}, ("in",)), COMMANDS)
    assert elements(name)["in"]["initial_value"] == "reading-group"
    direct = form_view(Form("subscribe", {"in": "here"}, ("in",)), COMMANDS)
    assert values_of(submitted(direct)) == {"in": "here"}


def test_what_does_not_fit_is_said_below_its_field() -> None:
    filled = {"tz": {"value": "Mars"}, "max": {"value": "0"}, "topic": {"value": "  "}}
    errors = errors_of(submitted(form_view(SUBSCRIBE, COMMANDS), **filled), COMMANDS)
    assert errors.keys() == {"arg:tz", "arg:max", "arg:topic"}
    assert errors["arg:max"] == "“0” is too few; type a number from 1 to 50."
    assert errors["arg:topic"].startswith("This is needed: what to follow")
    assert errors_of(submitted(form_view(SUBSCRIBE, COMMANDS)), COMMANDS) == {}
    assert errors_of({"private_metadata": "broken", "state": 1}, COMMANDS) == {}


def test_a_command_that_is_gone_has_a_line_instead_of_a_form() -> None:
    view = checked(form_view(Form("unknown"), COMMANDS))
    assert "submit" not in view
    assert GONE in json.dumps(view)


def test_values_too_long_to_be_held_are_shown_so_that_none_is_lost() -> None:
    name = "n" * 2950
    view = form_view(Form("schedule", {"name": name, "which": "2"}, ("at",)), COMMANDS)
    checked(view)
    assert values_of(submitted(view)) == {"name": name, "which": "2"}


def test_a_title_of_another_length_is_fitted() -> None:
    view = checked(loading_view("T" * 25))
    assert view["title"]["text"] == "T" * 23 + "…"
    assert checked(loading_view(""))["title"]["text"] == "Paperround"
    assert checked(answer_view(ERROR, channel="C1"))["close"]["text"] == "Close"


def test_an_empty_page_says_so() -> None:
    assert "There is nothing to show here." in json.dumps(checked(home_view(Message())))


ANY = st.text(st.characters(exclude_categories=()), max_size=60)


@given(st.dictionaries(st.sampled_from(["topic", "in", "at", "tz", "on", "max", "strictness", "quiet"]), ANY), ANY)
def test_a_form_of_any_values_is_one_that_slack_takes(values: dict[str, str], title: str) -> None:
    view = form_view(Form("subscribe", values, (), title), COMMANDS, channel="C1")
    checked(view)
    assert values_of(submitted(view)).keys() <= {arg.name for arg in COMMANDS["subscribe"].args}
    errors_of(submitted(view), COMMANDS)


REAL: dict[str, Command] = load("bot.commands")


@pytest.mark.parametrize("name", REAL)
def test_each_command_can_be_a_form(name: str) -> None:
    checked(form_view(Form(name), REAL))


def test_a_form_asks_as_a_form_does_and_not_as_a_line_is_typed() -> None:
    said = json.dumps([form_view(form, COMMANDS) for form in (SUBSCRIBE, SCHEDULE, LESS)], ensure_ascii=False)
    for typed in ("yes or no", "or here", "or none", "relaxed, normal or strict", '"Max"', '"Gap"', '"Because"'):
        assert typed not in said
