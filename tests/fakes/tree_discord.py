"""A client of the real discord.py that has nothing but the tree: what arrives is written down, and answered simply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import discord
from discord.app_commands import Choice

from bot.core.command import Arg, Command, command
from bot.core.message import Message
from bot.platforms.discord.tree import Tree, make_tree
from bot.plugins import load


@dataclass
class Heard:
    """A `Serve` that writes down what it is asked for."""

    commands: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    similar_to: list[str] = field(default_factory=list)
    typed: list[tuple[str, str, dict[str, str], str]] = field(default_factory=list)
    offers: list[Choice[str]] = field(default_factory=list)
    fails: Exception | None = None

    async def command(self, interaction: discord.Interaction, command: Command, values: dict[str, str]) -> None:
        self.commands.append((command.name, values))
        if self.fails is not None:
            raise self.fails
        await interaction.response.send_message("done", ephemeral=True)

    async def ask(self, interaction: discord.Interaction, text: str) -> None:
        self.asked.append(text)
        await interaction.response.send_message("done", ephemeral=True)

    async def similar(self, interaction: discord.Interaction, message: discord.Message) -> None:
        self.similar_to.append(message.content)
        await interaction.response.send_message("done", ephemeral=True)

    async def complete(
        self, interaction: discord.Interaction, command: Command, arg: Arg, values: dict[str, str], typed: str
    ) -> list[Choice[str]]:
        self.typed.append((command.name, arg.name, values, typed))
        if self.fails is not None:
            raise self.fails
        return self.offers


def registry() -> dict[str, Command]:
    """Return the built-in commands."""
    return dict(load("bot.commands"))


class Bot(discord.Client):
    """A client with a tree, which the stand-in of Discord looks for by this name."""

    tree: Tree
    heard: Heard


def client_of(commands: Mapping[str, Command], heard: Heard) -> Bot:
    """Return a client whose tree answers by `heard`."""
    client = Bot(intents=discord.Intents(guilds=True, guild_messages=True))
    client.heard = heard
    client.tree = make_tree(client, commands, "papers", heard)
    return client


def plug_ins(number: int) -> dict[str, Command]:
    """Return commands of outsiders, each with an argument and an option."""

    def made(name: str) -> Command:
        async def plug_in(
            ctx: object, words: Annotated[str, "words"], *, often: Annotated[int, "how often"] = 1
        ) -> Message:
            """Do what only this plug-in does."""
            return Message()

        plug_in.__name__ = name
        return command(plug_in)

    return {f"extra{at}": made(f"extra{at}") for at in range(number)}
