"""A whole bot without a disk: a store in memory, the seeds in it, a clock that the test sets, and people who type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.app import App
from bot.config import Settings
from bot.core.message import Button, Message
from bot.core.ports import Facts
from bot.core.request import Address, Request
from bot.demo import SEED, seeds_folder
from bot.jobs.ingest import ingest
from bot.sources import local
from bot.store.engine import Store
from bot.store.library import Library
from recommender.rankers.default import ranker
from recommender.types import Paper
from tests.fakes.stores import in_memory

START = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)  # a Wednesday
FAULT = "the fault is here"  # what a person reads when the program failed
HOSTILE = (
    "A<B & C>D <!channel> <@U012ABC>",
    "@everyone now <@&1234567890123456789>",
    r"$O(n\log n)$ \textbf{x} \%",
    "*only* _x_ `code` ~~gone~~ || # head > quote",
    "“quoted” don't -- —",
    "\u202eabc\u202c \u200b\u200d zero",
    "🙂🙃👩‍👩‍👧",
    "注意力机制 アテンション",
    "the of and",
    "x" * 5000,
    "\x00\x1b[31m\ud800",
    "1:2:3",
    "' OR 1=1; --",
    "zzz",
)


@dataclass
class Bot:
    """An app with a clock, and a memory of what was said last, so that a test can press what a person sees."""

    app: App
    at: datetime = START
    managers: set[str] = field(default_factory=lambda: {"ada"})
    last: list[Message] = field(default_factory=list)

    async def ask(self, text: str = "", *, user: str = "ada", channel: str = "", action: str = "") -> Message:
        """Type a line or press a button, and return the answer; `last` has every message."""
        address = Address("test", "lab", user, channel)
        request = Request(address, text="" if action else text, action=action, person=user, place=channel)
        self.last = [message async for message in self.app.invoke(request)]
        assert self.last, "every request has an answer"
        for message in self.last:
            assert FAULT not in message.text, message.text
        return self.last[0]

    async def press(self, button: Button, *, user: str = "ada", channel: str = "") -> Message:
        """Press a button that was shown."""
        return await self.ask(action=button.action, user=user, channel=channel)

    def pass_(self, **time: float) -> None:
        """Let time go by."""
        self.at += timedelta(**time)


@dataclass
class TestPlatform:
    """Knows who manages channels; nothing else of a platform is needed to ask and answer."""

    bot: Bot
    name: str = "test"
    purpose: str = ""

    async def about(self, address: Address) -> Facts:
        return Facts(name=address.channel, purpose=self.purpose, manages=address.user in self.bot.managers)


def make_bot(papers: Sequence[Paper] | None = None, store: Store | None = None) -> Bot:
    """Make a bot with the seeds in it, or with these papers."""
    kept = store or in_memory()
    settings = Settings(data_dir=Path("/nonexistent"), database_url="sqlite://")
    app = App(settings, kept, Library(kept, None, ranker))
    bot = Bot(app)
    app.now = lambda: bot.at
    app.platforms["test"] = TestPlatform(bot)  # type: ignore[assignment]
    ingest(kept, local.read(seeds_folder() / SEED) if papers is None else papers, "local", bot.at)
    app.library.update(learn=papers is None)
    return bot


def labels(message: Message) -> list[str]:
    """Return what stands on the buttons below a message."""
    return [button.label for button in message.buttons]


def button(message: Message, label: str, card: int | None = None) -> Button:
    """Return a button by its label: below the message, or under a card (from 0)."""
    buttons = message.buttons if card is None else message.cards[card].buttons
    return next(one for one in buttons if one.label == label)


def titles(message: Message) -> list[str]:
    """Return the titles of the cards."""
    return [card.title for card in message.cards]
