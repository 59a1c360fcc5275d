"""What the real commands answer, as Slack's blocks: each is one that Slack takes, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from slack_sdk.models.blocks import Block

from bot.core.message import Message
from bot.platforms.slack.render import TOTAL, blocks_of, fallback
from tests.fakes.bot import HOSTILE, Bot, make_bot
from tests.fakes.slack import blocks as slack

LINES = [
    "",
    "help",
    "help subscribe",
    "search attention",
    "search zzzz",
    "show 1",
    "similar 1",
    "subscribe long context",
    "subscribe robots; graph neural networks at=9 on=daily",
    "subscriptions",
    "schedule 1",
    "schedule tz=Mars",
    "pause 1",
    "digest",
    "save 1",
    "saved",
    "less 1 because=it is old",
    "follow M. Beck",
    "mute diffusion",
    "profile",
    "topics",
    "sources",
    "export",
    "forget",
    *(f"search {text}" for text in HOSTILE),
]


@pytest.fixture(scope="module")
def bot() -> Iterator[Bot]:
    made = make_bot()
    yield made
    made.app.close()


def said(value: Any) -> Iterator[str]:
    """Yield the texts and links of blocks."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from said(inner)
    if isinstance(value, dict):
        yield from (value[key] for key in ("text", "url", "value") if isinstance(value.get(key), str))


def taken(message: Message) -> None:
    """Look at a message as Slack does, and at what a person has of it."""
    blocks = blocks_of(message)
    for block in Block.parse_all(blocks):
        block.to_dict()
    texts = list(said(blocks))
    assert not slack.faults_of_blocks(blocks)
    assert slack.weight(blocks) <= TOTAL
    for card in message.cards:
        assert any(card.title[:50] in text for text in texts)
        assert not card.url or card.url in texts
        assert {button.action for button in card.buttons if button.action} <= set(texts)
    assert {button.action for button in message.buttons if button.action} <= set(texts)
    assert fallback(message)


async def test_every_answer_is_one_that_slack_takes(bot: Bot) -> None:
    for line in LINES:
        await bot.ask(line)
        for message in bot.last:
            taken(message)
