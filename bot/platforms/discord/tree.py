"""The registry as Discord's slash commands: one command with a subcommand each, and `ask TEXT` for all that is left.

Limits are those of Discord's application command reference: 25 subcommands, 25 options each, and 8,000 characters of
names, descriptions and values over a whole command.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from inspect import Parameter, Signature
from typing import Any, Protocol

import aiohttp
import discord
import structlog
from discord import app_commands
from discord.app_commands import AppCommandError, AppInstallationType, Choice, CommandTree

from bot.core.command import Arg, Command
from bot.core.drawn import ASK, ASK_HELP
from bot.core.grammar import TEXT_LIMIT
from bot.platforms.discord.options import described, option_of, text_of

log = structlog.get_logger()

SUBCOMMANDS, OPTIONS, CHARACTERS = 25, 25, 8000
SIMILAR = "Find similar papers"
COMMAND = "command"  # where a subcommand keeps what it was made of
_OF_THREADS = ("owner_id", "member_count", "message_count")  # what discord.py needs of one
_FAULTS = (discord.DiscordException, aiohttp.ClientError, OSError)
_ABOUT = "Look papers up, and choose which come to you or to a channel."
_TEXT = "what to look for, or a command, such as: subscribe robots in=here"
_OUTDATED = (
    "Discord still shows the commands of another version of this bot. Please try again in a minute, after reloading "
    "Discord; what works meanwhile is: /{name} ask"
)
_FAILED = "Something went wrong here, and it is in the log of this bot. Please try again."


class Serve(Protocol):
    """What answers. None of it raises."""

    async def command(self, interaction: discord.Interaction, command: Command, values: dict[str, str]) -> None:
        """Run a command; `values` are those that were given, by argument, as they would be typed."""

    async def ask(self, interaction: discord.Interaction, text: str) -> None:
        """Answer what was typed in one's own words."""

    async def similar(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Find papers like the one in a message."""

    async def complete(
        self, interaction: discord.Interaction, command: Command, arg: Arg, values: dict[str, str], typed: str
    ) -> list[Choice[str]]:
        """Offer what can stand in an argument, 25 at most; `values` is what stands in the others so far."""


class Tree(CommandTree[discord.Client]):
    """The tree of commands. `renew` is called once, when Discord shows the commands of another version."""

    def __init__(self, client: discord.Client, name: str, serve: Serve) -> None:
        everywhere = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True)
        installs = AppInstallationType(guild=True, user=True)
        super().__init__(client, allowed_contexts=everywhere, allowed_installs=installs)
        self.name = name
        self.serve = serve
        self.renew: Callable[[], Awaitable[object]] | None = None

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Answer what somebody is typing here, where one that is too late is a line in the log; let all else pass."""
        _complete_threads(interaction.data)
        if interaction.type is not discord.InteractionType.autocomplete:
            return True
        try:
            await interaction.response.autocomplete(await self._offers(interaction))
        except _FAULTS as error:
            log.info("what was offered came too late", platform="discord", error=str(error) or type(error).__name__)
        except Exception:
            log.exception("nothing could be offered", platform="discord")
        return False

    async def on_error(self, interaction: discord.Interaction, error: AppCommandError, /) -> None:
        """Answer what is of another version, and what failed, with a kind line. Never raises."""
        outdated = isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch)
        if outdated:
            log.warning("a command of another version", platform="discord", error=str(error))
        else:
            log.error("a command failed", platform="discord", exc_info=error)
        with suppress(*_FAULTS):
            await _say(interaction, _OUTDATED.format(name=self.name) if outdated else _FAILED)
        renew, self.renew = (self.renew, None) if outdated else (None, self.renew)
        if renew is not None:
            await renew()

    async def _offers(self, interaction: discord.Interaction) -> list[Choice[str]]:
        """Return what to offer; nothing for a command or an option of another version."""
        command = interaction.command.extras.get(COMMAND) if interaction.command is not None else None
        args = {arg.name: arg for arg in command.args} if isinstance(command, Command) else {}
        data: Any = interaction.data
        focused = _focused(data.get("options", ()))
        arg = args.get(str(focused.get("name")))
        if not isinstance(command, Command) or arg is None:
            return []
        others = ((name, value) for name, value in interaction.namespace if name in args and name != arg.name)
        values = {name: text_of(args[name], value) for name, value in others}
        return await self.serve.complete(interaction, command, arg, values, str(focused.get("value", "")))


def make_tree(client: discord.Client, commands: Mapping[str, Command], name: str, serve: Serve) -> Tree:
    """Make the tree of a registry, whose command is called `name`. A client can have one tree only.

    What comes first in the registry comes first here, but for what is typed seldom. What does not fit, and what Discord
    cannot show, is reached by `ask`. Raises ValueError if Discord allows no such `name`.
    """
    tree = Tree(client, name, serve)
    group = app_commands.Group(name=name, description=_ABOUT)
    group.add_command(_ask(serve))
    for command in sorted(commands.values(), key=lambda command: command.seldom):
        made = None if command.hidden or len(group.commands) == SUBCOMMANDS else _native(command, serve)
        if made is None or group.get_command(made.name) is not None:
            continue
        group.add_command(made)
        if _size(group.to_dict(tree)) > CHARACTERS:
            group.remove_command(made.name)
    tree.add_command(group)
    tree.add_command(_similar(serve))
    return tree


def payload_of(tree: CommandTree[Any]) -> list[dict[str, Any]]:
    """Return the tree as it is sent to Discord."""
    return [command.to_dict(tree) for command in tree.get_commands()]


def size_of(tree: CommandTree[Any]) -> int:
    """Return the characters of the largest command, as Discord counts them: names, descriptions and values."""
    return max((_size(one) for one in payload_of(tree)), default=0)


def _size(part: Mapping[str, Any]) -> int:
    own = sum(len(value) for key in ("name", "description", "value") if isinstance(value := part.get(key), str))
    return own + sum(_size(inner) for key in ("options", "choices") for inner in part.get(key, ()))


def _ask(serve: Serve) -> app_commands.Command[Any, ..., None]:
    async def ask(interaction: discord.Interaction, text: app_commands.Range[str, 1, TEXT_LIMIT]) -> None:
        await serve.ask(interaction, text)

    return app_commands.Command(name=ASK, description=ASK_HELP, callback=app_commands.describe(text=_TEXT)(ask))


def _similar(serve: Serve) -> app_commands.ContextMenu:
    async def similar(interaction: discord.Interaction, message: discord.Message) -> None:
        await serve.similar(interaction, message)

    return app_commands.ContextMenu(name=SIMILAR, callback=similar)


def _native(command: Command, serve: Serve) -> app_commands.Command[Any, ..., None] | None:
    """Return a subcommand, or None if Discord cannot show it: names and numbers are bounded, a plug-in's are not."""
    names = {arg.name for arg in command.args}
    if len(command.args) > OPTIONS or len(names) != len(command.args):
        return None

    async def run(interaction: discord.Interaction, /, **given: str | None) -> None:
        said = {arg.name: given.get(arg.parameter) for arg in command.args}
        await serve.command(interaction, command, {name: text for name, text in said.items() if text})

    try:
        run.__signature__ = Signature(list(_parameters(command)))  # type: ignore[attr-defined]
        app_commands.describe(**{arg.parameter: described(arg.help, arg.name) for arg in command.args})(run)
        app_commands.rename(**{arg.parameter: arg.name for arg in command.args})(run)
        about = described(command.help, command.name)
        return app_commands.Command(name=command.name, description=about, callback=run, extras={COMMAND: command})
    except (ValueError, TypeError) as error:
        log.info("a command is reached by ask only", command=command.name, reason=str(error))
        return None


def _parameters(command: Command) -> Iterator[Parameter]:
    """Yield the parameters of a subcommand. Words of a command that has a form may be left out: then it opens."""
    yield Parameter("_", Parameter.POSITIONAL_ONLY, annotation=discord.Interaction)
    for arg in command.args:
        needed = arg.required and (arg.option or not command.opens_form)
        default = Parameter.empty if needed else None
        yield Parameter(arg.parameter, Parameter.KEYWORD_ONLY, default=default, annotation=option_of(arg))


def _complete_threads(data: Any) -> None:
    """Put into threads that were chosen what discord.py reads and Discord does not promise: it would answer nothing."""
    for channel in (data.get("resolved") or {}).get("channels", {}).values():
        if "thread_metadata" in channel:
            for key in _OF_THREADS:
                channel.setdefault(key, 0)


def _focused(options: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the option that somebody is typing, at any depth; empty if there is none."""
    for option in options:
        found = option if option.get("focused") else _focused(option.get("options", ()))
        if found:
            return found
    return {}


async def _say(interaction: discord.Interaction, text: str) -> None:
    none = discord.AllowedMentions.none()
    if interaction.response.is_done():
        await interaction.followup.send(text, ephemeral=True, allowed_mentions=none)
    else:
        await interaction.response.send_message(text, ephemeral=True, allowed_mentions=none)
