"""The bot itself on Slack, nothing of it stood in for: forms, the bot's own page, why a paper was wrong, a thread."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from recommender.types import Paper
from tests.fakes.bot import Bot, make_bot
from tests.fakes.rig_slack import Rig, buttons, shown

PAPERS = [Paper(f"x:{n}", f"Robots and soup {n}", f"A robot cooks soup number {n}.", ("Ada",)) for n in range(8)]
HOME = {"id": "VHOME", "type": "home", "callback_id": "home", "app_installed_team_id": "T1"}
Json = dict[str, Any]


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    made = make_bot(PAPERS)
    yield made
    made.app.close()


@pytest.fixture
async def rig(bot: Bot) -> AsyncIterator[Rig]:
    made = await Rig("socket").open(bot.app.invoke)
    bot.app.platforms["slack"] = made.slack
    yield made
    await made.close()


def state_of(view: Json, **changed: Json) -> Json:
    """What Slack sends of a view in which only this was changed."""
    kinds = {"initial_value": "value", "initial_time": "selected_time", "initial_option": "selected_option"}
    kinds |= {"initial_options": "selected_options", "initial_conversation": "selected_conversation"}
    found = {}
    for block in view["blocks"]:
        element = block.get("element", {})
        name = block["block_id"].removeprefix("arg:")
        first = {kinds[key]: value for key, value in element.items() if key in kinds}
        found[name] = {"type": element.get("type"), **first, **changed.get(name, {})}
    return found


def form_of(rig: Rig) -> Json:
    """The form that stands open."""
    (view,) = [one for one in rig.town.views.values() if one["callback_id"] == "form"]
    return {**view, "type": "modal"}


def action_of(blocks: Any, label: str) -> str:
    return next(value for name, value in buttons(blocks) if name == label)


async def opened(rig: Rig) -> Json:
    await rig.town.until(lambda: any(one["callback_id"] == "form" for one in rig.town.views.values()))
    return form_of(rig)


async def test_from_a_form_to_the_page_and_to_another_time(rig: Rig) -> None:
    await rig.town.command("subscribe")
    view = await opened(rig)
    assert {block["element"]["type"] for block in view["blocks"] if "element" in block} >= {
        "timepicker",
        "number_input",
    }
    said = await rig.town.submit(view, state_of(view, topic={"value": "soup"}, at={"selected_time": "07:30"}))
    assert said["response_action"] == "update"
    await rig.town.until(lambda: rig.town.homes and rig.town.posted["DUADA"])
    assert "You follow “soup” now" in shown(rig.town.views[view["id"]]["blocks"]).text
    assert "You follow “soup” now" in shown(rig.town.posted["DUADA"][0]["blocks"]).text, "a preview lasts"
    page = rig.town.homes["UADA"]["blocks"]
    assert "What you follow" in shown(page).text
    assert "07:30 Berlin" in shown(page).text

    rig.town.homes.clear()
    await rig.town.press(action_of(page, "Schedule"), channel=None, container={"type": "view"}, view=HOME)
    view = await opened(rig)
    states = state_of(view)
    assert states["at"]["selected_time"] == "07:30"
    rig.town.homes.clear()
    await rig.town.submit(view, state_of(view, at={"selected_time": "18:00"}))
    await rig.town.until(lambda: "18:00 Berlin" in shown(rig.town.homes.get("UADA", {}).get("blocks", [])).text)
    assert "time: 07:30 → 18:00" in shown(rig.town.views[view["id"]]["blocks"]).text


async def test_why_a_paper_was_wrong(rig: Rig) -> None:
    await rig.town.command("subscribe soup")
    await rig.town.until(lambda: rig.town.replies)
    await rig.town.press(action_of(rig.town.replies[0].body["blocks"], "Less"))
    await rig.town.until(lambda: len(rig.town.replies) == 2)
    await rig.town.press(action_of(rig.town.replies[1].body["blocks"], "Say why"))
    view = await opened(rig)
    assert [block["block_id"] for block in view["blocks"]] == ["arg:because"]
    await rig.town.submit(view, state_of(view, because={"value": "too salty"}))
    await rig.town.until(lambda: "too salty" in shown(rig.town.views[view["id"]]["blocks"]).text)
    assert "for “soup”" in shown(rig.town.views[view["id"]]["blocks"]).text


async def test_a_channel_is_joined_and_one_that_is_not_there_is_named(rig: Rig) -> None:
    await rig.town.command("subscribe soup in=<#C7|lunch>")
    await rig.town.until(lambda: rig.town.replies)
    assert "#reading follows “soup” now" in shown(rig.town.replies[0].body["blocks"]).text
    rig.town.faults["conversations.info"] = ["channel_not_found"] * 3
    await rig.town.command("subscribe soup in=#lunch")
    await rig.town.until(lambda: len(rig.town.replies) == 2)
    assert "I see no channel “lunch”" in shown(rig.town.replies[1].body["blocks"]).text


async def test_whoever_brings_the_bot_is_told_what_it_does(rig: Rig) -> None:
    await rig.town.event({"type": "member_joined_channel", "user": "UBOT", "inviter": "UADA", "channel": "C1"})
    await rig.town.until(lambda: rig.town.whispers)
    assert "in=here" in shown(rig.town.whispers[0]["blocks"]).text
    assert not rig.town.posted["C1"]


async def test_in_a_thread_stands_nothing_personal(rig: Rig) -> None:
    await rig.town.command("subscribe soup")
    await rig.town.until(lambda: rig.town.replies)
    await rig.town.event(
        {"type": "app_mention", "user": "UADA", "channel": "C1", "ts": "9.1", "text": "<@UBOT> show x:1"}
    )
    await rig.town.until(lambda: rig.town.posted["C1"])
    text = shown(rig.town.posted["C1"][0]["blocks"]).text
    assert "A robot cooks soup number 1." in text
    assert "for you" not in text
