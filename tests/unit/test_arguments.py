"""A command is its function's signature."""

from collections.abc import Mapping
from typing import Annotated, Any

import pytest

from bot.core.command import Command, command, read_flag, read_int
from bot.core.message import Form, Message
from bot.core.typed import Count, Time
from bot.errors import UsageError


async def areas() -> list[str]:
    return ["vision"]


async def blank(ctx: object, values: Mapping[str, str]) -> Form:
    return Form("follow", dict(values))


@command(personal=True, form=blank)
async def follow_(
    ctx: object,
    who: Annotated[str, "the author's name"],
    papers: Annotated[tuple[str, ...], "papers to look at"] = (),
    *,
    in_: Annotated[str, "a channel"] = "",
    at: Annotated[Time | None, "a time"] = None,
    max_: Annotated[Count, "papers"] = Count(5),  # noqa: B008 - an int
    days: Annotated[int, "days back"] = 30,
    area: Annotated[str, "an area", areas] = "",
    share: Annotated[bool, "for all"] = False,
) -> Message:
    """Follow an author.

    More is not shown.
    """
    return Message()


@command
async def plain(ctx: object) -> Message:
    return Message()


@command
async def strict(ctx: object, *, on: Annotated[str, "a day"]) -> Message:
    """Need an option."""
    return Message()


cmd: Command = follow_


def test_the_signature_is_the_command() -> None:
    assert cmd.name == "follow"
    assert cmd.help == "Follow an author."
    assert (cmd.personal, cmd.opens_form, cmd.hidden) == (True, True, False)
    assert [arg.name for arg in cmd.words] == ["who", "papers"]
    assert list(cmd.options) == ["in", "at", "max", "days", "area", "share"]
    assert cmd.options["in"].parameter == "in_"
    assert cmd.options["share"].flag
    assert getattr(cmd.options["area"].complete, "__name__", "") == "areas"
    assert cmd.options["days"].complete is None
    assert cmd.args[0].help == "the author's name"
    assert cmd.args[0].required
    assert not cmd.args[1].required


def test_a_command_without_anything() -> None:
    assert (plain.name, plain.help, plain.args) == ("plain", "", ())
    assert plain.usage == "plain"
    assert plain.bind([], {}) == {}


def test_usage() -> None:
    assert cmd.usage == "follow WHO [PAPERS…] [in=…] [at=…] [max=5] [days=30] [area=…] [share]"


@pytest.mark.parametrize(
    ("words", "options", "values"),
    [
        (["Beck"], {}, {"who": "Beck"}),
        (["Beck", "a", "b"], {}, {"who": "Beck", "papers": ("a", "b")}),
        (["Beck"], {"in": "x", "at": "9am"}, {"who": "Beck", "in_": "x", "at": "09:00"}),
        (["Beck"], {"max": "7", "share": "yes"}, {"who": "Beck", "max_": 7, "share": True}),
        (["Beck"], {"unknown": "1"}, {"who": "Beck"}),
    ],
)
def test_bind(words: list[str], options: dict[str, str], values: dict[str, Any]) -> None:
    assert cmd.bind(words, options) == values


@pytest.mark.parametrize(
    ("words", "options", "reason"),
    [
        (["x"], {"at": "25:00"}, "at: “25:00” is no time of day"),
        (["x"], {"max": "0"}, "max: “0” is too few"),
        (["x"], {"days": "soon"}, "days: “soon” is not a whole number"),
        (["x"], {"share": "perhaps"}, "share: say yes or no"),
    ],
)
def test_what_does_not_fit_is_named(words: list[str], options: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=r"All that it takes: /papers help follow$") as caught:
        cmd.bind(words, options)
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize("words", [[], ["", " "]])
def test_what_is_missing_is_named(words: list[str]) -> None:
    with pytest.raises(UsageError, match=r"^WHO is missing: the author's name\. Type: /papers follow WHO"):
        cmd.bind(words, {})


def test_words_after_a_command_that_takes_none() -> None:
    with pytest.raises(UsageError, match=r"“plain” takes no words after it\. Type: /papers plain"):
        plain.bind(["tokens"], {})


def test_an_option_that_must_be_given() -> None:
    with pytest.raises(UsageError, match=r"on= is missing: a day\. Type: /papers strict on=…"):
        strict.bind([], {})
    assert strict.bind([], {"on": "mon"}) == {"on": "mon"}


@pytest.mark.parametrize(("typed", "value"), [("3", 3), ("-1", -1), (" 12 ", 12), ("٣", 3)])
def test_whole_numbers(typed: str, value: int) -> None:
    assert read_int(typed) == value


@pytest.mark.parametrize("typed", ["", "x", "1.5", "1_000", "NaN", "1e3", "9" * 5000, "²"])
def test_no_whole_numbers(typed: str) -> None:
    with pytest.raises(ValueError, match="is not a whole number"):
        read_int(typed)


def test_flags() -> None:
    assert [read_flag(word) for word in ("yes", "TRUE", " on ", "1", "no", "False", "off", "0")] == [True] * 4 + [
        False
    ] * 4
    with pytest.raises(ValueError, match="say yes or no"):
        read_flag("NaN")
