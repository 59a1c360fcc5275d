"""A digest, a search and a subscription say the same on Slack, on Discord and on the console: word for word, in order.

Made by the whole core on a small store. Only limits may cut, and then from the end of a line, or the last lines.
"""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from bot.core.message import Card, Message, from_json
from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.platforms.console import render as console
from bot.platforms.discord import render as discord
from bot.platforms.slack import render as slack
from bot.store import tables
from bot.store.engine import Store
from recommender.types import Paper
from tests.fakes.bot import HOSTILE, Bot, make_bot
from tests.fakes.markdown_discord import read

ABSTRACT = "We study how attention keeps facts{0}, in kitchens{0} and gardens{0}; we measure tools{0} and tables{0}. "
ODD = [
    Paper(
        f"x:{n}",
        f"{text} and attention",
        f"{text}. " + ABSTRACT.format(n) * 40,
        ("Ada *Lovelace*", "@everyone"),
        source="local",
    )
    for n, text in enumerate(HOSTILE)
]
_NUMBERED = re.compile(r" *\[\d+\] ")  # a button on the console


def on_slack(message: Message) -> list[str]:
    """Return the lines that Slack shows, without buttons."""
    found: list[str] = []
    for block in slack.blocks_of(message):
        if block["type"] == "rich_text":
            said = [
                "".join(part.get("text", part.get("url", "")) for part in one["elements"]) for one in block["elements"]
            ]
            found += [line for text in said for line in text.split("\n")]
        elif block["type"] == "header":
            found.append(block["text"]["text"])
        elif block["type"] == "context":
            found += [line for one in block["elements"] for line in one["text"].split("\n")]
    return _folded(found)


def on_discord(message: Message) -> list[str]:
    """Return the lines that Discord shows, without buttons and without the word of a link beside a title."""
    found: list[str] = []
    for one in discord.components_of(message, key="digest:1:2026-12-02"):
        if "content" in one:
            spans = read(one["content"])
            shown = [span.text for span in spans if (span.text, "bold" in span.looks) != (discord.OPEN, False)]
            found += [line.removesuffix(" · ") for line in "".join(shown).split("\n")]
    return _folded(found)


def on_console(message: Message) -> list[str]:
    """Return the lines that the console prints, without buttons and without the links below titles."""
    links = {card.url for card in message.cards}
    found = [line for line in console.plain(message).split("\n") if line.strip() not in links]
    return _folded([line for line in found if not _NUMBERED.match(line)])


def _folded(found: list[str]) -> list[str]:
    """Return lines with single spaces, without blank ones and without the mark of a quotation."""
    return [folded for line in found if (folded := " ".join(line.removeprefix("› ").split()).removeprefix("› "))]


def is_cut(short: str, whole: str) -> bool:
    """Say whether a limit cut a line, at its end."""
    return short.endswith("…") and whole.startswith(short.removesuffix("…"))


def same(message: Message) -> list[str]:
    """Compare what the three say, line by line, and what they offer; return the lines."""
    lines = on_console(message)
    for other in (on_slack(message), on_discord(message)):
        assert len(other) == len(lines)
        assert all(there == here or is_cut(there, here) for there, here in zip(other, lines, strict=True))
    assert offered(message) == [label for card in message.cards for label in most_useful(card, len(message.cards))] + [
        button.label for button in message.buttons
    ]
    return lines


def offered(message: Message) -> list[str]:
    """Return what stands on Discord's buttons."""
    rows = [block["components"] for block in discord.components_of(message) if "components" in block]
    return [one["label"] for row in rows for one in row]


def most_useful(card: Card, cards: int) -> list[str]:
    """Return what the buttons of a card say that stay where there is no menu: those of no menu, then others."""
    first = [one.label for one in card.buttons if not one.menu]
    rest = [one.label for one in card.buttons if one.menu and (one.action or one.url != card.url)]
    return [*first, *rest][: 4 if cards > 4 else 5]


@pytest.fixture
def bot() -> Bot:
    """A bot with the seeds."""
    return make_bot()


async def test_a_search_says_the_same(bot: Bot) -> None:
    lines = same(await bot.ask("search sliding window attention"))
    assert lines[:3] == [
        "5 papers for “sliding window attention”",
        "1 Short Window Attention Enables Long-Term Memorization",
        "L. Cabannes, M. Beck, +7 · ICLR 2026 · openreview",
    ]
    assert len(lines) == 14


async def test_a_subscription_with_its_preview_says_the_same(bot: Bot) -> None:
    lines = same(await bot.ask("subscribe long context at=09:00 on=weekdays"))
    assert lines[0] == "You follow “long context” now."
    assert "why: long-context" in lines
    assert "schedule: 09:00 UTC, weekdays, up to 5 papers, normal · next: Wed 2 Dec 09:00 UTC" in lines
    for words in (
        "subscriptions",
        "schedule long context",
        "topics",
        "help",
        "profile",
        "workspace",
        "show 1",
        "saved",
    ):
        same(await bot.ask(words))


async def test_a_planned_digest_says_the_same(memory_store: Store) -> None:
    bot = make_bot(store=memory_store)
    memory_store.clock = lambda conn: bot.at
    await bot.ask("subscribe attention; language models at=09:00 strictness=relaxed")
    bot.pass_(days=1)
    ingest(memory_store, ODD, "arxiv", bot.at)
    bot.app.library.update(learn=False)
    bot.pass_(hours=1)
    await Planner(memory_store, bot.app.library, bot.app.settings, ["test"]).tick()
    with memory_store.reading() as conn:
        planned = [from_json(content) for content in conn.execute(select(tables.outbox.c.message)).scalars()]
    assert planned
    for message in planned:
        assert len(message.cards) == 5
        lines = same(message)
        assert sum(line.startswith("why: ") for line in lines) == 5


async def test_odd_titles_and_long_texts_say_the_same_until_they_are_cut() -> None:
    bot = make_bot(ODD)
    found = 0
    for text in HOSTILE[:8]:
        message = await bot.ask(f"search {text} attention"[:200])
        found += len(message.cards)
        same(message)
    assert found > 20
    for number in range(1, 6):
        same(await bot.ask(f"show {number}"))
