"""A platform on which people are the same in all workspaces: who is a member of a server, manages it, has a role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.core.message import Message
from bot.core.ports import Facts
from bot.core.request import Address, Request
from bot.errors import Refused
from recommender.types import Paper
from tests.fakes.bot import FAULT, Bot, make_bot

DIRECT = "@me"
PAPERS = [Paper(f"x:{n}", f"Robots and soup {n}", f"A robot cooks soup number {n}.", ("Ada",)) for n in range(8)]


@dataclass
class Guilds:
    """Members, managers and roles by server; `asked` are the addresses that were asked about, `joined` those joined."""

    members: dict[str, set[str]] = field(default_factory=dict)
    managers: dict[str, set[str]] = field(default_factory=dict)
    roles: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    asked: list[Address] = field(default_factory=list)
    joined: list[tuple[Address, tuple[str, ...]]] = field(default_factory=list)
    name: str = "guilds"
    people: str = DIRECT
    zones: bool = False

    async def about(self, address: Address) -> Facts:
        """Tell what is known to members: of a channel its name, of a person without a channel theirs."""
        self.asked.append(address)
        guild, user = address.workspace, address.user
        if user not in self.members.get(guild, ()):
            return Facts()
        roles = self.roles.get((guild, user), ())
        return Facts(address.channel or user, manages=user in self.managers.get(guild, ()), roles=roles)

    async def join(self, address: Address, topics: Sequence[str] = ()) -> None:
        """Refuse where it is no server's channel."""
        if address.workspace == DIRECT:
            raise Refused("Invite me first: https://discord.example/invite")
        self.joined.append((address, tuple(topics)))


@dataclass
class Town:
    """A bot with two servers, `a` and `b`; ada is in both and manages `a`, bob manages `b`, eve is a member of `a`."""

    bot: Bot
    guilds: Guilds

    async def all(
        self, text: str = "", at: str = "a", *, user: str = "ada", channel: str = "c", **more: Any
    ) -> list[Message]:
        """Ask something and return every message."""
        where = "" if at == DIRECT and channel == "c" else channel
        request = Request(Address("guilds", at, user, where), text, person=user, place=where, **more)
        found = [message async for message in self.bot.app.invoke(request)]
        for message in found:
            assert FAULT not in message.text, message.text
        return found

    async def ask(self, text: str = "", at: str = "a", **more: Any) -> Message:
        """Ask something and return the first message."""
        return (await self.all(text, at, **more))[0]

    async def offers(
        self, command: str, name: str, typed: str = "", at: str = "a", **more: Any
    ) -> list[tuple[str, str]]:
        """Return what is offered for an argument."""
        values = more.pop("values", {}) | {name: typed}
        (message,) = await self.all(name, at, event="complete", command=command, values=values, **more)
        assert message == Message(choices=message.choices)
        return list(message.choices)


def make_town(papers: Sequence[Paper] = PAPERS) -> Town:
    """Make a bot with the two servers."""
    bot = make_bot(papers)
    guilds = Guilds({"a": {"ada", "eve"}, "b": {"ada", "bob"}}, {"a": {"ada"}, "b": {"bob"}})
    bot.app.platforms["guilds"] = guilds  # type: ignore[assignment]
    return Town(bot, guilds)
