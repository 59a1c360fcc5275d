"""What Discord tells, as requests. Pure; what cannot be read is None, and is never an error.

People are the same on all servers, and in the direct message with the bot, which is in the workspace "@me". So is
everything where the bot is not, but somebody brought it along as an app of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import discord

from bot.core.ids import normalise
from bot.core.request import Address, Request
from bot.platforms.discord.form import values_of
from bot.platforms.discord.marks import action_of

PLATFORM, PEOPLE = "discord", "@me"
BUTTON = 2  # the type of a component
_SPOKEN = (discord.MessageType.default, discord.MessageType.reply)
_BARE = re.compile(r"<(?:(https?://[^\s<>]+)|a?(:\w+:)\d+)>")  # a link without its preview, an emoji of a server
_WORD = re.compile(r"[^\s<>|\[\]]+")
_ESCAPE = re.compile(r"\\([^\w\s])")
_AROUND = "()*_~`.,;:!?\"'“”‘’"
_SAYS = frozenset({"content", "title", "description", "url", "value", "label", "placeholder"})
_ABOUT_PEOPLE = frozenset({"author", "mentions", "member", "interaction", "interaction_metadata", "emoji"})


def at(interaction: discord.Interaction) -> Address:
    """Return who did something, and where: on a server that the bot is on, alone with it, or anywhere else."""
    user, channel = str(interaction.user.id), str(interaction.channel_id or "")
    if is_member(interaction):
        return Address(PLATFORM, str(interaction.guild_id), user, channel)
    return Address(PLATFORM, PEOPLE, user, "" if is_alone(interaction) else channel)


def is_member(interaction: discord.Interaction) -> bool:
    """Say whether it happened on a server that the bot is on: of some it has the commands only, and hears no more."""
    return interaction.is_guild_integration() and interaction.client.get_guild(interaction.guild_id or 0) is not None


def is_alone(interaction: discord.Interaction) -> bool:
    """Say whether it happened in the direct message with the bot."""
    return interaction.guild_id is None and interaction.context.dm_channel is True


def is_visitor(interaction: discord.Interaction) -> bool:
    """Say whether the bot itself is not there: somebody brought it along, and may answer five times at most."""
    return not (interaction.is_guild_integration() or is_alone(interaction))


def is_private(interaction: discord.Interaction) -> bool:
    """Say whether the message that was pressed is seen by nobody else."""
    message = interaction.message
    return is_alone(interaction) or (message is not None and message.flags.ephemeral)


def command(interaction: discord.Interaction, name: str, values: Mapping[str, str]) -> Request:
    """Read a slash command with what was said of its arguments."""
    return _request(interaction, command=name, values=dict(values), forms=True)


def asked(interaction: discord.Interaction, text: str) -> Request:
    """Read what somebody typed in their own words."""
    return _request(interaction, text=text, forms=True)


def similar(interaction: discord.Interaction) -> Request | None:
    """Read "Find similar papers" on a message; None if no paper stands in it."""
    data: Mapping[str, Any] = interaction.data or {}
    messages = _dict(_dict(data, "resolved"), "messages")
    paper = paper_in(_dict(messages, str(data.get("target_id", ""))))
    return _request(interaction, text=f"similar {paper}") if paper else None


def press(interaction: discord.Interaction) -> Request | None:
    """Read the press of a button; None for what is none of ours."""
    data: Mapping[str, Any] = interaction.data or {}
    action = action_of(str(data.get("custom_id") or ""))
    if data.get("component_type") != BUTTON or not action:
        return None
    return _request(interaction, action=action, forms=True)


def submission(interaction: discord.Interaction) -> Request | None:
    """Read a form that was filled in; None for what is none of ours."""
    name, values = values_of(interaction.data or {})
    return _request(interaction, command=name, values=values) if name else None


def so_far(interaction: discord.Interaction) -> Request:
    """Say who is typing, and where; of what, nothing."""
    return _request(interaction)


def message(said: discord.Message, me: int) -> Request | None:
    """Read a direct message or a mention; None for those of bots, for edited ones, and for what is not for us.

    An answer to one of our messages is a mention only if it says so. The answer goes below what mentions.
    """
    mention = re.compile(rf"<@!?{me}>")
    machine = said.author.bot or said.webhook_id is not None or said.edited_at is not None
    if machine or said.type not in _SPOKEN:
        return None
    user = str(said.author.id)
    if isinstance(said.channel, discord.DMChannel):
        here = Address(PLATFORM, PEOPLE, user)
    elif said.guild is not None and mention.search(said.content):
        here = Address(PLATFORM, str(said.guild.id), user, str(said.channel.id), str(said.id))
    else:
        return None
    text, name = typed(mention.sub(" ", said.content)), _name(said.author)
    return Request(here, text, key=f"{PLATFORM}:message:{said.id}", person=name, place=_place(said.channel))


def typed(text: str) -> str:
    """Return a text as it was typed: links without the marks that hide their preview, emoji by name.

    `<@1>`, `<@&1>` and `<#1>` stay: they name a person, a role and a channel.
    """
    return _BARE.sub(lambda match: match[1] or match[2], text).strip()


def paper_in(raw: Mapping[str, Any]) -> str:
    """Return the id of the first paper that a message, as Discord sends it, has a link to or names; or nothing."""
    return next((found for one in _candidates(raw) if (found := normalise(one))), "")


def _request(interaction: discord.Interaction, **said: Any) -> Request:
    return Request(
        at(interaction),
        key=f"{PLATFORM}:{interaction.id}",
        person=_name(interaction.user),
        place="" if is_alone(interaction) else _place(interaction.channel),
        **said,
    )


def _name(user: discord.User | discord.Member) -> str:
    """Return the name that a person has everywhere."""
    return user.global_name or user.name


def _place(channel: Any) -> str:
    return str(getattr(channel, "name", None) or "")


def _candidates(value: Any) -> Iterator[str]:
    """Yield what may be a paper, in the order of the message."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in _SAYS and isinstance(inner, str):
                yield from _words(inner)
            elif key not in _ABOUT_PEOPLE:
                yield from _candidates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _candidates(inner)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(_ESCAPE.sub(r"\1", text)):
        yield word
        yield word.strip(_AROUND)


def _dict(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = body.get(key)
    return found if isinstance(found, Mapping) else {}
