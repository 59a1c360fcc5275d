"""The two ports of the bot. The third, Ranker, is the recommender's."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from bot.core.message import Message
from bot.core.request import Address, Receipt, Request
from recommender.types import Paper

Invoke = Callable[[Request], AsyncGenerator[Message, None]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a platform knows of an address.

    `manages`: the person there may change what the channel gets; of an address without a channel, what anybody in the
    workspace gets.
    """

    name: str = ""
    purpose: str = ""
    time_zone: str = ""
    manages: bool = False
    missing_permissions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """One HTTP route that a platform wants mounted on the bot's server."""

    method: str
    path: str
    handler: Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many messages a second a platform takes from the bot, and of those to one destination.

    `per_workspace`: the first counts for each workspace by itself. For a short while up to 1.4 times as many are sent.
    """

    a_second: float = 20.0
    to_one: float = 1.0
    per_workspace: bool = False


@dataclass(frozen=True, slots=True)
class Bad:
    """One entry of a file that could not be taken: the line it begins in, counted from 1, and why, in a few words."""

    line: int
    reason: str


class Source(Protocol):
    """A place that papers come from. It is asked every `every`."""

    name: str
    every: timedelta

    def fetch(self, since: datetime | None, http: Any) -> AsyncIterator[Paper]:
        """Yield papers that came after `since` (aware, UTC; None: all). Raises SourceError."""


class Platform(Protocol):
    """A place where people read and type.

    It may have an attribute `limits: Limits`; without it the usual ones hold.
    """

    name: str

    async def run(self, invoke: Invoke) -> None:
        """Listen until cancelled or closed. Of each answer the first message is posted, and later ones replace it."""

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Deliver one message that nobody asked for just now. Raises Retry, Refused or Uncertain."""

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Say whether the message of `key` is there. Raises Unknown if it cannot look."""

    async def about(self, address: Address) -> Facts:
        """Tell what is known of a place and of what the person may do in it."""

    def routes(self) -> Sequence[Route]:
        """HTTP routes (sign-in, events); empty if the platform calls out by itself."""
