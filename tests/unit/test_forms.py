"""Forms: what opens one, what stands in it at first, and what to do where there are none."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.message import Form, Message
from bot.core.request import Address, Request
from recommender.types import Paper
from tests.fakes.bot import Bot, button, labels, make_bot

PAPERS = [Paper(f"x:{n}", f"Robots and soup {n}", f"A robot cooks soup number {n}.", ("Ada",)) for n in range(8)]


@pytest.fixture
def bot() -> Bot:
    return make_bot(PAPERS)


async def asked(bot: Bot, *, user: str = "ada", channel: str = "", forms: bool = True, **parts: Any) -> Message:
    request = Request(Address("test", "lab", user, channel), person=user, place=channel, forms=forms, **parts)
    (first,) = [message async for message in bot.app.invoke(request)]
    return first


async def form_of(bot: Bot, **parts: Any) -> Form:
    form = (await asked(bot, **parts)).form
    assert form is not None
    command = bot.app.commands[form.command]
    assert set(form.fields) | set(form.values) <= {arg.name for arg in command.args}
    for name, value in form.values.items():
        if value and name in command.options:
            command.options[name].read(value)  # what stands in a form can be sent as it is
    return form


async def test_subscribe_alone_opens_its_form_with_what_is_usual(bot: Bot) -> None:
    await bot.ask("subscribe bread tz=Asia/Tokyo")
    form = await form_of(bot, text="subscribe")
    assert form.fields[0] == "topic"
    wanted = {"at": "09:00", "on": "weekdays", "max": "5", "tz": "Asia/Tokyo", "strictness": "normal"}
    assert form.values == wanted
    answer = await asked(bot, command="subscribe", values={**form.values, "topic": "soup", "on": "1,2,3"})
    assert answer.text.startswith("You follow “soup” now")
    assert "09:00 Tokyo, Mon–Wed" in answer.footer


async def test_with_a_topic_it_subscribes_at_once(bot: Bot) -> None:
    assert (await asked(bot, text="subscribe soup")).text.startswith("You follow “soup” now")


async def test_a_zone_that_nobody_told_stays_empty(bot: Bot) -> None:
    assert (await form_of(bot, text="subscribe")).values["tz"] == ""


async def test_schedule_opens_a_form_with_what_it_is(bot: Bot) -> None:
    await bot.ask("subscribe soup at=7am on=daily max=3 gap=3 quiet=yes")
    for text in ("schedule soup", "schedule", "schedule 1"):
        form = await form_of(bot, text=text)
        assert {"at": "07:00", "on": "every day", "max": "3", "gap": "3", "quiet": "yes"}.items() <= form.values.items()
    same = await asked(bot, command="schedule", values=form.values)
    assert "nothing changed" in same.text
    later = await asked(bot, command="schedule", values={**form.values, "at": "18:00"})
    assert "time: 07:00 → 18:00" in later.text
    assert later.lasts


async def test_a_button_opens_the_same_form(bot: Bot) -> None:
    preview = await bot.ask("subscribe soup at=7am")
    listed = await bot.ask("subscriptions")
    for pressed in (button(preview, "Schedule"), button(listed, "Schedule", card=0)):
        assert (await form_of(bot, action=pressed.action)).values["at"] == "07:00"
        typed = await bot.press(pressed)
        assert typed.form is None
        assert "Change any of it: /papers schedule soup" in typed.text


async def test_of_several_it_asks_which(bot: Bot) -> None:
    await bot.ask("subscribe soup")
    await bot.ask("subscribe robots")
    assert (await asked(bot, text="schedule")).form is None
    assert (await asked(bot, text="schedule at=8am")).form is None


async def test_somebody_who_may_not_change_it_sees_what_it_is(bot: Bot) -> None:
    await bot.ask("subscribe soup in=here", channel="lunch")
    seen = await asked(bot, user="bob", channel="lunch", text="schedule soup")
    assert seen.form is None
    assert "schedule: 09:00" in seen.text
    refused = await asked(bot, user="bob", channel="lunch", command="schedule", values={"which": "sub1", "at": "18:00"})
    assert "Only" in refused.text
    assert refused.private


async def test_less_asks_why_for_the_interest_that_showed_the_paper(bot: Bot) -> None:
    await bot.ask("subscribe robots")
    digest = await bot.ask("subscribe soup in=here", channel="lunch")
    answer = await bot.press(button(digest, "Less", card=0), channel="lunch")
    assert labels(answer) == ["Undo", "Say why"]
    why = button(answer, "Say why")
    form = await form_of(bot, action=why.action)
    assert form.fields == ("because",)
    paper = digest.cards[0].paper
    assert form.values == {"paper": paper}
    assert "Type: /papers less" in (await bot.press(why)).text
    said = await asked(bot, channel="lunch", command="less", values={**form.values, "because": "too salty"})
    assert "for #lunch: “soup”" in said.text
    assert "Noted why: too salty" in said.text
    assert labels(said) == ["Undo"]


async def test_a_line_with_all_that_is_needed_opens_no_form(bot: Bot) -> None:
    assert (await asked(bot, text="less x:1")).form is None
    assert (await form_of(bot, text="less")).fields == ("paper", "because")


@pytest.mark.parametrize(
    ("values", "field"),
    [({"topic": "soup", "at": "25"}, "at:"), ({"topic": "soup", "tz": "Mars"}, "tz:"), ({"at": "9"}, "TOPIC")],
)
async def test_what_is_wrong_in_a_form_is_named(bot: Bot, values: dict[str, str], field: str) -> None:
    answer = await asked(bot, command="subscribe", values=values)
    assert answer.text.startswith(field)
    assert answer.private
    assert "nothing yet" in (await bot.ask("subscriptions")).text


@pytest.mark.parametrize("command", ["undo", "home", "joined", "page", "bibtex", "nope"])
async def test_forms_of_hidden_commands_do_nothing(bot: Bot, command: str) -> None:
    assert "another version" in (await asked(bot, command=command, values={"paper": "x:1"})).text
