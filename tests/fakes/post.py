"""A platform in memory that does to each message what its script says, and keeps its own log of what arrived."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.core.message import Message
from bot.core.ports import Facts, Invoke, Limits, Route
from bot.core.request import Address, Receipt

Step = Callable[["Post", str], Any]


async def hang(post: Post, key: str) -> None:
    """Never answer."""
    await asyncio.Event().wait()


async def take_and_hang(post: Post, key: str) -> None:
    """Take the message and never answer."""
    post.take(key)
    await asyncio.Event().wait()


def fail(error: Exception) -> Step:
    """Do not take the message, and raise."""

    async def step(post: Post, key: str) -> None:
        raise error

    return step


def drop(error: Exception) -> Step:
    """Take the message, and raise all the same."""

    async def step(post: Post, key: str) -> None:
        post.take(key)
        raise error

    return step


@dataclass
class Post:
    """`script` holds what the next sends of a key do; then they arrive. `lag`: how late the history shows a message."""

    name: str = "post"
    limits: Limits = field(default_factory=lambda: Limits(a_second=2000, to_one=2000))
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    script: defaultdict[str, list[Step]] = field(default_factory=lambda: defaultdict(list))
    always: Step | None = None
    blind: Exception | None = None
    lag: timedelta = timedelta()
    latency: float = 0.0
    arrived: list[tuple[str, datetime]] = field(default_factory=list)
    sends: list[tuple[str, float]] = field(default_factory=list)
    looks: list[tuple[str, datetime]] = field(default_factory=list)
    places: dict[str, Address] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    receipt: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, setup: Any) -> Post:
        return cls()

    def take(self, key: str) -> None:
        """Let a message arrive."""
        self.arrived.append((key, self.now()))

    @property
    def counts(self) -> Counter[str]:
        """How often each key arrived."""
        return Counter(key for key, _ in self.arrived)

    async def run(self, invoke: Invoke) -> None:
        """Listen to nothing."""

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Do as the script says."""
        self.sends.append((key, asyncio.get_running_loop().time()))
        self.places[key], self.messages[key] = to, message
        step = self.script[key].pop(0) if self.script[key] else self.always
        if step is not None:
            await step(self, key)
        await asyncio.sleep(self.latency)
        self.take(key)
        return Receipt(f"id of {key}", self.now(), **self.receipt)

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Look into the history."""
        self.looks.append((key, since))
        if self.blind is not None:
            raise self.blind
        seen = [at for name, at in self.arrived if name == key and at + self.lag <= self.now()]
        return Receipt(f"id of {key}", seen[0]) if seen and self.places[key] == to else None

    async def about(self, address: Address) -> Facts:
        """Whoever asks manages."""
        return Facts(manages=True)

    def routes(self) -> Sequence[Route]:
        """None."""
        return ()
