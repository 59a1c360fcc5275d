"""What every command keeps to, whoever wrote it: it runs over whatever plugins load."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

from bot.core.command import Command
from bot.core.message import ACTION_LIMIT, CARDS_PER_PAGE, Message
from bot.plugins import load
from tests.fakes.bot import HOSTILE, Bot, button, make_bot

COMMANDS: dict[str, Command] = load("bot.commands")
SHOWN = {name: known for name, known in COMMANDS.items() if not known.hidden}
NEEDED = (
    *("search", "show", "similar", "subscribe", "subscriptions", "unsubscribe", "topics", "digest", "more", "less"),
    *("save", "saved", "follow", "mute", "unfollow", "unmute", "profile", "export", "forget", "help"),
    *("schedule", "pause", "resume", "workspace"),
)


@pytest.fixture(scope="module")
def bot() -> Iterator[Bot]:
    made = make_bot()
    yield made
    made.app.close()


@pytest.fixture(scope="module")
def empty() -> Iterator[Bot]:
    made = make_bot([])
    yield made
    made.app.close()


def sound(message: Message) -> None:
    """A message that any platform can show."""
    assert message.text or message.cards
    assert len(message.cards) <= CARDS_PER_PAGE
    said = [message.text, message.footer, *(line for card in message.cards for line in (card.title, *card.lines))]
    for text in said:
        assert "None" not in text
        assert not any(ord(letter) < 32 and letter != "\n" for letter in text)
    for card in message.cards:
        assert card.title
        assert card.url.startswith(("https://", "http://", "")), card.url
        assert sum(len(line) for line in (card.title, *card.lines)) <= 4000
    for pressed in [*message.buttons, *(one for card in message.cards for one in card.buttons)]:
        assert pressed.label
        assert len(pressed.action) <= ACTION_LIMIT
        assert bool(pressed.action) != bool(pressed.url)


def test_all_that_is_promised_is_there() -> None:
    assert set(NEEDED) <= set(SHOWN)
    assert len(SHOWN) <= 25, "Discord takes 25 subcommands"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_its_words(command: Command) -> None:
    """Name, help and arguments are what help, manifests and forms are made of."""
    assert command.name.isidentifier()
    assert command.name == command.name.lower()
    assert command.help[:1].isupper()
    assert command.help.endswith(".")
    assert len(command.help) <= 100, "Discord shows 100 characters"
    assert command.usage.startswith(command.name)
    assert inspect.iscoroutinefunction(command.run)
    assert len([arg for arg in command.words if arg.many]) <= 1
    for arg in command.args:
        assert arg.help, f"{command.name}: {arg.name} is not explained"
        assert len(arg.help) <= 100


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("name", SHOWN)
async def test_hostile_words_get_an_answer(bot: Bot, name: str, text: str) -> None:
    for line in (f"{name} {text}", f"/papers {name} {text} --share"):
        await bot.ask(line, user="eve", channel="reading")
        for message in bot.last:
            sound(message)


@pytest.mark.parametrize("name", SHOWN)
async def test_alone_it_answers_or_says_how_it_is_typed(bot: Bot, name: str) -> None:
    answer = await bot.ask(name, user="bare")
    sound(answer)
    if any(arg.required for arg in SHOWN[name].args):
        assert f"/papers {SHOWN[name].usage}" in answer.text


@pytest.mark.parametrize("name", SHOWN)
async def test_it_works_before_there_is_any_paper(empty: Bot, name: str) -> None:
    sound(await empty.ask(name))
    sound(await empty.ask(f"{name} attention"))


@pytest.mark.parametrize("name", [name for name in SHOWN if SHOWN[name].personal])
async def test_personal_ones_are_never_public(bot: Bot, name: str) -> None:
    await bot.ask(f"{name} attention --share", channel="reading")
    assert not any(message.public for message in bot.last)


@pytest.mark.parametrize("name", [name for name in SHOWN if "share" in SHOWN[name].options])
async def test_shared_ones_stand_in_the_channel_once(bot: Bot, name: str) -> None:
    await bot.ask(
        f"{name} Rex-Thinker: Grounded Object Referring via Chain-of-Thought Reasoning share", channel="reading"
    )
    assert [message.public for message in bot.last] == [False, True]
    anyone = await bot.press(button(bot.last[1], "Why, in full", card=0), user="grace", channel="reading")
    assert anyone.cards


@pytest.mark.parametrize(
    "action",
    ["more:1:1", "page:fff:0", "run:1:0", "undo:zz", "forget:1", "nope:1:2", ":::", "more:" + "f" * 90, "show:-1:0"],
)
async def test_buttons_that_lead_nowhere_say_so(bot: Bot, action: str) -> None:
    answer = await bot.ask(action=action, user="stranger")
    assert "expired" in answer.text


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_form_is_the_same_as_the_line(bot: Bot, name: str) -> None:
    from bot.core.request import Address, Request

    values = {arg.name: "attention" for arg in COMMANDS[name].words}
    request = Request(Address("test", "lab", "form"), command=name, values=values, person="form")
    for message in [message async for message in bot.app.invoke(request)]:
        assert "the fault is here" not in message.text
