"""The registry as slash commands: within Discord's limits whatever plug-ins there are, and values as they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Annotated, Any

import discord
import pytest
import simcord
from discord import AppCommandOptionType as OptionType

from bot.core.command import Arg, Command, command
from bot.core.drawn import ASK
from bot.core.grammar import parse
from bot.core.message import Message
from bot.core.typed import Count, Gap, Strictness, Time, Weekdays, Zone
from bot.platforms.discord.options import Option, option_of, text_of
from bot.platforms.discord.tree import CHARACTERS, SIMILAR, SUBCOMMANDS, payload_of, size_of
from tests.fakes.tree_discord import Bot, Heard, client_of, plug_ins, registry

pytestmark = pytest.mark.simcord(check_errors=False)
BUILT_IN = registry()
LEGAL = re.compile(r"[-_\w]{1,32}")


def subcommands(commands: dict[str, Command]) -> dict[str, dict[str, Any]]:
    """Return what Discord is sent of each subcommand, by name."""
    tree = client_of(commands, Heard()).tree
    assert size_of(tree) <= CHARACTERS
    (root,) = (one for one in payload_of(tree) if one["name"] == "papers")
    assert len(root["options"]) <= SUBCOMMANDS
    assert all(one["type"] == OptionType.subcommand.value for one in root["options"])
    return {one["name"]: one for one in root["options"]}


def parts(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a command and all that is in it, choices excepted."""
    yield payload
    for option in payload.get("options", ()):
        yield from parts(option)


def with_args(name: str, number: int, help_: str = "something") -> Command:
    """Return a command of so many options."""
    arg = Arg("a", "a", help_, str, default="", option=True)
    return replace(
        plug_ins(1)["extra0"],
        name=name,
        args=tuple(replace(arg, name=f"a{n}", parameter=f"a{n}") for n in range(number)),
    )


async def test_built_in_commands_are_all_there_natively_within_the_limits() -> None:
    made = subcommands(BUILT_IN)
    visible = {one.name for one in BUILT_IN.values() if not one.hidden}
    assert visible - made.keys() <= {"sources"}
    assert made.keys() - visible == {ASK}


@pytest.mark.parametrize("number", [0, 1, 30])
async def test_every_visible_command_is_reached_and_plug_ins_push_nothing_out(number: int) -> None:
    commands = BUILT_IN | plug_ins(number)
    made = subcommands(commands)
    assert made.keys() >= subcommands(BUILT_IN).keys()
    for name, one in commands.items():
        assert one.hidden == (one.name not in made and parse(f"{name} words", commands).command is not one)


async def test_every_name_is_legal_and_every_description_has_1_to_100_characters() -> None:
    tree = client_of(BUILT_IN | plug_ins(30), Heard()).tree
    root, menu = payload_of(tree)
    for part in parts(root):
        assert LEGAL.fullmatch(part["name"])
        assert part["name"] == part["name"].lower()
        assert 1 <= len(part["description"]) <= 100
        assert len(part.get("options", ())) <= 25
        for choice in part.get("choices", ()):
            assert 1 <= len(choice["name"]) <= 100
            assert 1 <= len(choice["value"]) <= 100
    assert menu["name"] == SIMILAR
    for payload in (root, menu):
        assert payload["contexts"] == [0, 1, 2]
        assert payload["integration_types"] == [0, 1]


async def test_required_options_come_first_and_words_of_a_form_may_be_left_out() -> None:
    made = subcommands(BUILT_IN)
    for one in made.values():
        needed = [option["required"] for option in one["options"]]
        assert needed == sorted(needed, reverse=True)
    assert made["search"]["options"][0]["required"]
    assert not made["subscribe"]["options"][0]["required"]
    assert [option["name"] for option in made["subscribe"]["options"]] == [
        one.name for one in BUILT_IN["subscribe"].args
    ]


async def test_what_can_be_completed_is_offered_while_one_types() -> None:
    for name, one in subcommands(BUILT_IN).items():
        offered = {option["name"] for option in one["options"] if option.get("autocomplete")}
        args = () if name == ASK else BUILT_IN[name].args
        assert offered == {arg.name for arg in args if arg.complete is not None or arg.kind in ("time", "days", "zone")}


@pytest.mark.parametrize(
    "odd",
    [
        replace(plug_ins(1)["extra0"], name="Upper"),
        replace(plug_ins(1)["extra0"], name="x" * 33),
        replace(plug_ins(1)["extra0"], name=ASK),
        with_args("many", 26),
        replace(with_args("twins", 1), args=with_args("twins", 1).args * 2),
        replace(with_args("capital", 1), args=(replace(with_args("capital", 1).args[0], name="A"),)),
    ],
    ids=lambda one: one.name[:10],
)
async def test_what_discord_cannot_show_goes_through_ask(odd: Command) -> None:
    made = subcommands({"search": BUILT_IN["search"], odd.name: odd})
    assert made.keys() == {ASK, "search"}
    assert len(made[ASK]["options"]) == 1


@pytest.mark.parametrize("name", ["_", "interaction", "self", "client"])
async def test_an_argument_may_have_any_name(name: str) -> None:
    one = with_args("odd", 1)
    odd = replace(one, args=(replace(one.args[0], parameter=name),))
    assert subcommands({"odd": odd}).keys() <= {ASK, "odd"}


async def test_descriptions_that_are_too_long_or_missing_are_mended() -> None:
    made = subcommands({"long": replace(with_args("long", 3, "very " * 90), help=""), "none": with_args("none", 2, "")})
    assert made["long"]["description"] == "long"
    assert made["long"]["options"][0]["description"].endswith("…")
    assert made["none"]["options"][1]["description"] == "a1"


async def test_what_would_be_too_large_together_is_left_to_ask_and_smaller_ones_come_in() -> None:
    large = {f"large{n}": with_args(f"large{n}", 25, "x" * 100) for n in range(20)}
    made = subcommands(BUILT_IN | large)
    assert made.keys() == subcommands(BUILT_IN).keys()
    made = subcommands(large | {"search": BUILT_IN["search"]})
    assert made.keys() == {ASK, "large0", "large1", "search"}


async def test_names_descriptions_and_values_are_counted() -> None:
    async def pick(ctx: object, *, how: Annotated[Strictness, "how"] = Strictness.NORMAL) -> Message:
        """Pick."""
        return Message()

    empty = client_of({}, Heard()).tree
    tree = client_of({"pick": command(pick)}, Heard()).tree
    assert size_of(tree) - size_of(empty) == len("pickPick.howhow") + 2 * len("relaxednormalstrict")


def arg_of(kind: Any, type_: Any = str) -> Arg:
    """Return an argument of a kind, or of a type."""

    async def one(ctx: object, *, value: Any = None) -> Message:
        """Do."""
        return Message()

    one.__annotations__["value"] = type_
    arg = command(one).args[0]
    return replace(arg, kind=kind) if kind else arg


def test_each_kind_has_its_own_type_of_option() -> None:
    types = {
        "text": OptionType.string,
        "time": OptionType.string,
        "zone": OptionType.string,
        "days": OptionType.string,
        "sentence": OptionType.string,
        "choice": OptionType.string,
        "count": OptionType.integer,
        "flag": OptionType.boolean,
        "channel": OptionType.channel,
        "person": OptionType.user,
        "role": OptionType.role,
    }
    for kind, type_ in types.items():
        assert option_of(arg_of(kind)).type is type_


def test_numbers_have_the_range_of_their_type() -> None:
    count, gap, free = (option_of(arg_of(None, type_)) for type_ in (Count, Gap, int))
    assert (count.min_value, count.max_value) == (1, 50)
    assert (gap.min_value, gap.max_value) == (0, 31)
    assert (free.min_value, free.max_value) == (None, None)


def test_few_values_are_choices_and_many_are_offered_while_one_types() -> None:
    few = arg_of(None, Strictness)
    choices = option_of(few).choices
    assert choices is not None
    assert [choice.value for choice in choices] == ["relaxed", "normal", "strict"]
    many = option_of(replace(few, choices=tuple(f"v{n}" for n in range(26))))
    assert many.choices is None
    assert type(many) is not Option


@pytest.mark.parametrize(
    ("arg", "resolved", "value"),
    [
        (arg_of(None, Count), 7, 7),
        (arg_of(None, Gap), 0, 0),
        (arg_of(None, int), 12, 12),
        (arg_of(None, bool), True, True),
        (arg_of(None, bool), False, False),
        (arg_of(None, Time), "9am", "09:00"),
        (arg_of(None, Weekdays), "Mon–Thu", "1234"),
        (arg_of(None, Zone), "Europe/Berlin", "Europe/Berlin"),
        (arg_of(None, Strictness), "strict", Strictness.STRICT),
        (arg_of("sentence"), "x" * 6000, "x" * 6000),
        (arg_of("channel"), SimpleNamespace(id=42, name="reading"), "<#42>"),
        (arg_of("channel"), discord.Object(42), "<#42>"),
        (arg_of("person"), SimpleNamespace(id=42, name="ada"), "<@42|ada>"),
        (arg_of("person"), discord.Object(42), "<@42>"),
        (arg_of("role"), SimpleNamespace(id=42, name="read>|<ers"), "<@&42|readers>"),
        (arg_of("role"), SimpleNamespace(id=42, name="<>"), "<@&42>"),
        (arg_of("role"), discord.Object(42), "<@&42>"),
        (arg_of("text"), "@every@everyone", "@every@everyone"),
    ],
)
def test_a_value_becomes_the_text_that_its_argument_reads(arg: Arg, resolved: object, value: object) -> None:
    assert arg.read(text_of(arg, resolved)) == value


@pytest.fixture
def simcord_bot() -> Bot:
    """The bot of the stand-in."""
    return client_of(with_role(BUILT_IN) | plug_ins(30), Heard())


def with_role(commands: dict[str, Command]) -> dict[str, Command]:
    """Return the commands with a `role=` for `digest`."""
    arg = replace(arg_of("role"), name="role", parameter="role")
    return commands | {"digest": replace(commands["digest"], args=(arg,))}


@pytest.fixture
async def lab(simcord_env: simcord.Env, simcord_bot: Bot) -> SimpleNamespace:
    """A server with the bot in it, whose commands were told."""
    await simcord_bot.tree.sync()
    guild = simcord_env.create_guild("Lab")
    channel = guild.create_text_channel("reading")
    ada = guild.add_member(simcord_env.create_user("ada"))
    return SimpleNamespace(
        env=simcord_env, tree=simcord_bot.tree, heard=simcord_bot.heard, guild=guild, channel=channel, ada=ada
    )


async def test_values_arrive_as_they_would_be_typed(lab: Any) -> None:
    forum = lab.guild.create_forum_channel("posts")
    said = {"topic": "sparse attention", "in": forum, "at": "9am", "max": 7, "quiet": True, "crosslists": False}
    seen = await lab.ada.slash(lab.channel, "papers subscribe", **said)
    assert seen.response.content == "done"
    values = {"topic": "sparse attention", "in": f"<#{forum.id}>", "at": "9am", "max": "7", "quiet": "yes"}
    assert lab.heard.commands == [("subscribe", {**values, "crosslists": "no"})]
    assert BUILT_IN["subscribe"].bind([values["topic"]], {"max": "7", "crosslists": "no"})["max_"] == 7


async def test_a_person_arrives_by_id_and_what_was_not_given_is_left_out(lab: Any) -> None:
    await lab.ada.slash(lab.channel, "papers schedule", which="2", to=lab.ada)
    await lab.ada.slash(lab.channel, "papers subscribe")
    assert lab.heard.commands == [("schedule", {"which": "2", "to": f"<@{lab.ada.id}|ada>"}), ("subscribe", {})]


async def test_a_role_arrives_by_id_and_name(lab: Any) -> None:
    role = lab.guild.create_role("Readers")
    await lab.ada.slash(lab.channel, "papers digest", role=role)
    assert lab.heard.commands == [("digest", {"role": f"<@&{role.id}|Readers>"})]


async def test_a_channel_that_takes_messages_can_be_picked_and_another_cannot(lab: Any) -> None:
    news, voice = lab.guild.create_news_channel("news"), lab.guild.create_voice_channel("talk")
    with pytest.raises(simcord.OptionError):
        await lab.ada.slash(lab.channel, "papers subscribe", topic="x", **{"in": voice})
    await lab.ada.slash(lab.channel, "papers subscribe", topic="x", **{"in": news})
    assert lab.heard.commands == [("subscribe", {"topic": "x", "in": f"<#{news.id}>"})]
    (place,) = (one for one in subcommands(BUILT_IN)["subscribe"]["options"] if one["name"] == "in")
    kinds = {discord.ChannelType.public_thread, discord.ChannelType.private_thread, discord.ChannelType.forum}
    assert {kind.value for kind in kinds} <= set(place["channel_types"])


async def test_own_words_and_the_menu_of_a_message_arrive(lab: Any) -> None:
    await lab.ada.slash(lab.channel, "papers ask", text="extra29 some words often=2")
    message = await lab.ada.send(lab.channel, "see https://arxiv.org/abs/2401.01234")
    await lab.ada.context_menu(lab.channel, SIMILAR, message)
    assert lab.heard.asked == ["extra29 some words often=2"]
    assert len(lab.heard.similar_to) == 1


async def test_a_command_that_fails_is_answered_kindly(lab: Any) -> None:
    lab.heard.fails = RuntimeError("boom")
    seen = await lab.ada.slash(lab.channel, "papers export")
    assert seen.response.ephemeral
    assert "try again" in seen.response.content
    assert "boom" not in seen.response.content


async def test_commands_of_another_version_are_answered_kindly_and_told_again_once(lab: Any) -> None:
    renewed: list[int] = []

    async def renew() -> None:
        renewed.append(1)

    lab.tree.renew = renew
    group = lab.tree.get_command("papers")
    group.remove_command("export")
    for _ in range(2):
        seen = await lab.ada.slash(lab.channel, "papers export")
        assert seen.response.ephemeral
        assert "another version" in seen.response.content
        assert "/papers ask" in seen.response.content
    assert renewed == [1]


async def test_a_signature_of_another_version_and_a_menu_that_is_gone_are_answered_kindly(lab: Any) -> None:
    group = lab.tree.get_command("papers")
    mute = group.get_command("mute")
    unsubscribe = group.get_command("unsubscribe")
    mute._params, unsubscribe._params = unsubscribe._params, mute._params
    lab.tree.remove_command(SIMILAR, type=discord.AppCommandType.message)
    message = await lab.ada.send(lab.channel, "x")
    for seen in (
        await lab.ada.slash(lab.channel, "papers mute", words="x"),
        await lab.ada.context_menu(lab.channel, SIMILAR, message),
    ):
        assert "another version" in seen.response.content
    assert await lab.ada.autocomplete(lab.channel, "papers subscribe", "at", "9") == []
    assert lab.heard.commands == []


async def test_nothing_is_raised_where_the_kind_line_cannot_be_said(lab: Any) -> None:
    lab.tree.get_command("papers").remove_command("export")
    lab.env.inject_error("POST", "/interactions/*/callback", status=404, code=10062)
    await lab.ada.slash(lab.channel, "papers export")
    assert lab.env.errors == [] or all(isinstance(one, discord.app_commands.AppCommandError) for one in lab.env.errors)


async def test_what_stands_in_the_other_options_goes_along_while_one_types(lab: Any) -> None:
    lab.heard.offers = [discord.app_commands.Choice(name="09:00", value="09:00")]
    found = await lab.ada.autocomplete(lab.channel, "papers subscribe", "at", "9", topic="robots", max=3, quiet=True)
    assert found == [{"name": "09:00", "value": "09:00"}]
    assert lab.heard.typed == [("subscribe", "at", {"topic": "robots", "max": "3", "quiet": "yes"}, "9")]


async def test_while_one_types_nothing_fails_and_an_old_command_offers_nothing(
    lab: Any, caplog: pytest.LogCaptureFixture
) -> None:
    lab.env.inject_error("POST", "/interactions/*/callback", status=404, code=10062)
    assert await lab.ada.autocomplete(lab.channel, "papers subscribe", "at", "9") == []
    assert len(lab.heard.typed) == 1
    subscribe = lab.tree.get_command("papers").get_command("subscribe")
    subscribe.extras["command"] = replace(BUILT_IN["subscribe"], args=())
    assert await lab.ada.autocomplete(lab.channel, "papers subscribe", "at", "9") == []
    lab.tree.get_command("papers").remove_command("subscribe")
    assert await lab.ada.autocomplete(lab.channel, "papers subscribe", "at", "9") == []
    assert await lab.ada.autocomplete(lab.channel, "papers workspace", "tz", "9") == []
    assert len(lab.heard.typed) == 2
    lab.heard.fails = RuntimeError("boom")
    assert await lab.ada.autocomplete(lab.channel, "papers workspace", "tz", "9") == []
    assert caplog.records == []


async def test_in_a_direct_message_the_same_commands_are_there(lab: Any) -> None:
    user = lab.env.create_user("bo")
    await user.send_dm("hello")
    await user.slash("papers saved")
    assert lab.heard.commands == [("saved", {})]
