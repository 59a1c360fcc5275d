"""An argument as an option of a slash command, and what Discord resolved it to, as it would be typed."""

from __future__ import annotations

import re
from typing import Any

import discord
from discord import AppCommandOptionType as OptionType
from discord import app_commands
from discord.app_commands import Choice

from bot.core.command import Arg
from bot.core.grammar import TEXT_LIMIT
from bot.core.message import fit
from bot.core.typed import COUNT_LIMIT, GAP_LIMIT, Count, Gap

CHOICES = 25  # of an option, and of an answer while somebody types
SHORT = 100  # characters of a description, and of a choice's name and its value
_TYPES = {
    "count": OptionType.integer,
    "flag": OptionType.boolean,
    "channel": OptionType.channel,
    "person": OptionType.user,
    "role": OptionType.role,
}
_NAMED = ("role", "person")  # what goes by its name too: an id tells people nothing
_MARKS = {OptionType.channel: "#", OptionType.user: "@", OptionType.role: "@&"}
_RANGES: dict[Any, tuple[int, int]] = {Count.read: (1, COUNT_LIMIT), Gap.read: (0, GAP_LIMIT)}
_CHANNELS = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.public_thread,
    discord.ChannelType.private_thread,
    discord.ChannelType.news_thread,
    discord.ChannelType.forum,
]
_READ_LOCALLY = frozenset({"time", "zone", "days", "choice"})  # what fits is known without asking the core


class Option(app_commands.Transformer):
    """How Discord asks for an argument; what it resolves becomes text as `Arg.read` takes it."""

    def __init__(self, arg: Arg) -> None:
        self.arg = arg

    @property
    def type(self) -> OptionType:
        """What Discord lets people enter."""
        return _TYPES.get(self.arg.kind, OptionType.string)

    @property
    def channel_types(self) -> list[discord.ChannelType]:
        """The channels that can be picked: those that a digest can be posted to."""
        return _CHANNELS

    @property
    def min_value(self) -> int | None:
        """The least number; of texts there is no least length."""
        return _RANGES.get(self.arg.read, (None, None))[0] if self.type is OptionType.integer else None

    @property
    def max_value(self) -> int | None:
        """The greatest number, or the greatest length of a text in characters."""
        if self.type is OptionType.string:
            return None if self.choices else TEXT_LIMIT
        return _RANGES.get(self.arg.read, (None, None))[1]

    @property
    def choices(self) -> list[Choice[str | int | float]] | None:
        """All values that it takes, if they are few and short enough for Discord."""
        if not self.arg.choices or not few(self.arg):
            return None
        return [Choice(name=value, value=value) for value in self.arg.choices]

    async def transform(self, _interaction: discord.Interaction, value: Any, /) -> str:
        """Return the value as it would be typed."""
        return text_of(self.arg, value)


class Completed(Option):
    """An option whose values are offered while somebody types: discord.py tells Discord so for one with this method."""

    async def autocomplete(self, _interaction: discord.Interaction, _value: Any, /) -> list[Choice[Any]]:
        """Offer nothing: the tree answers before this is asked."""
        return []


def option_of(arg: Arg) -> Option:
    """Return the option of an argument."""
    option = Option(arg)
    known = arg.kind in _READ_LOCALLY or arg.complete is not None
    return Completed(arg) if known and option.type is OptionType.string and not option.choices else option


def text_of(arg: Arg, value: Any) -> str:
    """Return what Discord resolved an option to, as it would be typed; a channel, person or role by its id."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    mark = _MARKS.get(_TYPES.get(arg.kind, OptionType.string))
    if mark is None or not hasattr(value, "id"):
        return str(value)
    name = re.sub(r"[<>|]", "", getattr(value, "name", "")) if arg.kind in _NAMED else ""
    return f"<{mark}{value.id}|{name}>" if name else f"<{mark}{value.id}>"


def few(arg: Arg) -> bool:
    """Say whether an argument's values can all be shown at once."""
    return len(arg.choices) <= CHOICES and all(0 < len(value) <= SHORT for value in arg.choices)


def described(text: str, otherwise: str) -> str:
    """Return a description of 1 to 100 characters on one line: what was written or, if that is nothing, a name."""
    return fit(" ".join(text.split()) or otherwise, SHORT)
