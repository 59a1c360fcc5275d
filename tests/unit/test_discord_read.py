"""What Discord tells, as discord.py reads it, becomes requests; what is not for us becomes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import discord
import pytest

from bot.config import Settings
from bot.core.request import Address
from bot.platforms.discord import read
from bot.platforms.discord.client import Client

ME, ADA, GUILD, CHANNEL = 111111111111111111, 222222222222222222, 333333333333333333, 444444444444444444
USER = {"id": str(ADA), "username": "ada", "global_name": "Ada Lovelace", "avatar": None, "discriminator": "0"}
MEMBER = {
    "user": USER,
    "nick": "Countess",
    "roles": [],
    "flags": 0,
    "joined_at": "2026-01-01T00:00:00Z",
    "permissions": "0",
}


@pytest.fixture
def client() -> Client:
    made = Client(Settings(data_dir=Path("/nonexistent"), database_url="sqlite://"))
    me: Any = {**USER, "id": str(ME), "username": "paperround", "bot": True}
    made._connection.user = discord.ClientUser(state=made._connection, data=me)
    guild: Any = {"id": str(GUILD), "unavailable": True}
    made._connection._add_guild_from_data(guild)
    return made


def interaction(client: Client, kind: int, data: dict[str, Any], **more: Any) -> discord.Interaction:
    """Return an interaction on a server that the bot is on."""
    payload = {
        "id": "999",
        "type": kind,
        "application_id": str(ME),
        "token": "t",
        "version": 1,
        "attachment_size_limit": 1,
        "guild_id": str(GUILD),
        "guild": {"id": str(GUILD), "features": [], "locale": "en-US"},
        "channel": {"id": str(CHANNEL), "type": 0, "name": "reading", "position": 0},
        "member": MEMBER,
        "context": 0,
        "authorizing_integration_owners": {"0": str(GUILD)},
        "data": data,
    } | more
    left = {name: value for name, value in payload.items() if value is not None}
    return discord.Interaction(data=left, state=client._connection)  # type: ignore[arg-type]


ALONE: dict[str, Any] = {
    "guild_id": None,
    "guild": None,
    "member": None,
    "user": USER,
    "channel": {"id": "777", "type": 1, "recipients": []},
    "context": 1,
}


def written(**more: Any) -> dict[str, Any]:
    """Return a message as Discord sends it."""
    return {
        "id": "555",
        "channel_id": str(CHANNEL),
        "author": USER,
        "content": "",
        "timestamp": "2026-12-02T08:30:00Z",
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
    } | more


def message(client: Client, *, direct: bool = False, **more: Any) -> discord.Message:
    """Return a message on a server, or in the direct message with the bot."""
    state, raw = client._connection, written(**more)
    if direct:
        channel: Any = discord.DMChannel._from_message(state, 777)
    else:
        guild = state._get_or_create_unavailable_guild(GUILD)
        given: Any = {"id": str(CHANNEL), "type": 0, "name": "reading", "position": 0}
        channel = discord.TextChannel(state=state, guild=guild, data=given)
    return discord.Message(state=state, channel=channel, data=raw)  # type: ignore[arg-type]


def test_a_command_on_a_server(client: Client) -> None:
    request = read.command(interaction(client, 2, {"name": "papers"}), "search", {"words": "attention"})
    assert request.address == Address("discord", str(GUILD), str(ADA), str(CHANNEL))
    assert (request.command, request.values, request.forms) == ("search", {"words": "attention"}, True)
    assert (request.key, request.person, request.place) == ("discord:999", "Ada Lovelace", "reading")


def test_a_server_that_has_only_the_commands_is_no_server_of_ours(client: Client) -> None:
    client._connection._guilds.clear()
    request = read.command(interaction(client, 2, {"name": "papers"}), "search", {"words": "attention"})
    assert request.address == Address("discord", "@me", str(ADA), str(CHANNEL))


def test_a_command_alone_with_the_bot(client: Client) -> None:
    for owners in ({"0": "0"}, {"1": str(ADA)}):
        here = interaction(client, 2, {}, **ALONE, authorizing_integration_owners=owners)
        request = read.asked(here, "attention")
        assert request.address == Address("discord", "@me", str(ADA), "")
        assert (request.text, request.place) == ("attention", "")
        assert not read.is_visitor(here)


@pytest.mark.parametrize(
    "where",
    [{}, ALONE | {"context": 2, "channel": {"id": str(CHANNEL), "type": 3, "recipients": [USER], "name": None}}],
)
def test_an_app_that_somebody_brought_along_is_in_no_server(client: Client, where: dict[str, Any]) -> None:
    here = interaction(client, 2, {}, **where, authorizing_integration_owners={"1": str(ADA)})
    assert read.at(here) == Address("discord", "@me", str(ADA), str(CHANNEL))
    assert read.is_visitor(here)


def test_a_button(client: Client) -> None:
    pressed = interaction(client, 3, {"component_type": 2, "custom_id": "more:4f2:17"}, message=written(flags=64))
    request = read.press(pressed)
    assert request is not None
    assert (request.action, request.text, request.command) == ("more:4f2:17", "", "")
    assert read.is_private(pressed)
    seen = interaction(client, 3, {"component_type": 2, "custom_id": "more:4f2:17"}, message=written())
    assert not read.is_private(seen)


@pytest.mark.parametrize("data", [{"component_type": 3, "custom_id": "x:1"}, {"component_type": 2, "custom_id": ""}])
def test_what_is_no_button_of_ours_is_none(client: Client, data: dict[str, Any]) -> None:
    assert read.press(interaction(client, 3, data, message=written())) is None


def test_a_form_of_another_version_is_none(client: Client) -> None:
    for name in ("", "hello", "form:", "more:1:2"):
        assert read.submission(interaction(client, 5, {"custom_id": name, "components": []})) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://arxiv.org/abs/2504.08385v2, it is new", "arxiv:2504.08385"),
        ("see [this](https://arxiv.org/abs/2504.08385)", "arxiv:2504.08385"),
        ("**arXiv:2504\\.08385**", "arxiv:2504.08385"),
        ("<https://arxiv.org/pdf/2504.08385v2.pdf>", "arxiv:2504.08385"),
        ("https://openreview.net/forum?id=02NbD16OnA", "openreview:02NbD16OnA"),
        ("nothing here, 12 of 13", ""),
    ],
)
def test_the_paper_of_a_message(client: Client, text: str, found: str) -> None:
    for raw in (
        written(content=text),
        written(embeds=[{"title": "A", "description": text}]),
        written(components=[{"type": 17, "components": [{"type": 10, "content": text}]}]),
        written(message_snapshots=[{"message": {"content": text}}]),
    ):
        data = {"type": 3, "target_id": "555", "resolved": {"messages": {"555": raw}}}
        request = read.similar(interaction(client, 2, data))
        assert (request.text if request else "") == (f"similar {found}" if found else "")


def test_a_link_of_a_button_or_an_embed_counts_and_whoever_wrote_it_does_not() -> None:
    link = "https://arxiv.org/abs/2504.08385"
    assert read.paper_in(written(components=[{"type": 1, "components": [{"type": 2, "url": link}]}]))
    assert read.paper_in(written(embeds=[{"url": link}]))
    assert not read.paper_in(written(author={**USER, "global_name": "2504.08385"}))


@pytest.mark.parametrize("raw", [{}, {"content": None}, {"embeds": None}, {"embeds": [None, 3]}, {"components": {}}])
def test_no_message_stops_it(raw: dict[str, Any]) -> None:
    assert read.paper_in(raw) == ""


def test_a_direct_message(client: Client) -> None:
    request = read.message(message(client, direct=True, content=" search don't <:cat:123> <https://a.example/x> "), ME)
    assert request is not None
    assert request.address == Address("discord", "@me", str(ADA))
    assert request.text == "search don't :cat: https://a.example/x"
    assert (request.key, request.person, request.place) == ("discord:message:555", "Ada Lovelace", "")
    assert not request.forms


@pytest.mark.parametrize("mention", [f"<@{ME}>", f"<@!{ME}>"])
def test_a_mention(client: Client, mention: str) -> None:
    request = read.message(message(client, content=f"{mention} similar <#12> <@34>"), ME)
    assert request is not None
    assert request.address == Address("discord", str(GUILD), str(ADA), str(CHANNEL), "555")
    assert request.text == "similar <#12> <@34>"
    assert request.place == "reading"


@pytest.mark.parametrize(
    "more",
    [
        {"content": "hello there"},
        {"content": f"<@{ADA}> hello"},
        {"content": f"<@{ME}> x", "author": {**USER, "bot": True}},
        {"content": f"<@{ME}> x", "webhook_id": "12"},
        {"content": f"<@{ME}> x", "edited_timestamp": "2026-12-02T08:31:00Z"},
        {"content": f"<@{ME}> x", "type": 7},
        {"content": "thanks", "mentions": [{**USER, "id": str(ME)}], "type": 19},  # an answer to a message of ours
        {"content": "@everyone", "mention_everyone": True},
    ],
)
def test_what_is_not_for_us_is_none(client: Client, more: dict[str, Any]) -> None:
    assert read.message(message(client, **more), ME) is None


def test_a_message_of_a_server_that_is_not_known_is_no_direct_message(client: Client) -> None:
    channel = discord.PartialMessageable(state=client._connection, id=CHANNEL, guild_id=987)
    raw: Any = written(content=f"<@{ME}> profile", guild_id="987")
    said = discord.Message(state=client._connection, channel=channel, data=raw)
    assert read.message(said, ME) is None
