"""A workspace of the fake Slack, with a channel that the bot is in, and what sends to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.core.message import Message
from bot.core.request import Address
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.facts import Places
from bot.platforms.slack.send import Post
from tests.fakes.known_tokens import KnownTokens
from tests.fakes.slack.slack import FakeSlack

HELLO = Message("Good morning.")


@dataclass
class Lab:
    """A workspace, and the parts of the platform that the bot calls it with."""

    slack: FakeSlack
    team: Any
    channel: Any
    ada: Any
    tokens: KnownTokens
    calls: Calls
    post: Post
    places: Places

    def here(self, channel: Any = None) -> Address:
        """Return the address of a channel."""
        return Address("slack", self.team.id, self.ada.id, (channel or self.channel).id)

    @property
    def direct(self) -> Address:
        """The address of Ada alone."""
        return Address("slack", self.team.id, self.ada.id)

    def called(self, method: str) -> list[Any]:
        """Return the calls of a method."""
        return [call for call in self.slack.calls if call.method == method]


@asynccontextmanager
async def opened() -> AsyncIterator[Lab]:
    """Open a workspace."""
    async with FakeSlack() as slack:
        team = slack.team("Lab")
        ada = team.user("ada")
        channel = team.channel("reading", members=[ada, team.bot_user])
        tokens = KnownTokens([team])
        calls = Calls(tokens, slack.api_url, deadline=5.0)
        places = Places(calls)
        try:
            yield Lab(slack, team, channel, ada, tokens, calls, Post(calls, shared=0.0), places)
        finally:
            await places.close()
            await calls.close()
