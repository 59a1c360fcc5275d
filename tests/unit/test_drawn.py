"""Commands as they are said where a platform draws their arguments."""

from __future__ import annotations

import pytest

from bot.core.drawn import drawn
from bot.core.message import Card, Message
from bot.plugins import load

COMMANDS = load("bot.commands")


def said(text: str, name: str = "papers") -> str:
    """Return a text as it is said there."""
    return drawn(Message(text), name, COMMANDS).text


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (
            "/papers schedule language models tz=Europe/Berlin",
            "/papers schedule which:language models tz:Europe/Berlin",
        ),
        ("Try: /papers subscribe speculative decoding", "Try: /papers subscribe topic:speculative decoding"),
        ("/papers more PAPER, /papers less PAPER", "/papers more paper:PAPER, /papers less paper:PAPER"),
        ("/papers subscribe robots in=here", "/papers ask text:subscribe robots in:here"),
        ("/papers workspace role=none", "/papers ask text:workspace role:none"),
        ('/papers schedule "max 5" at=08:00', '/papers ask text:schedule "max 5" at:08:00'),
        ("/papers WORDS", "/papers ask text:WORDS"),
        ("/papers workspace tz=UTC channels=managers", "/papers workspace tz:UTC channels:managers"),
        ("/papers schedule at=08:00", "/papers schedule at:08:00"),
        ("subscribe TOPIC [in=…] [at=…]", "subscribe TOPIC [in:…] [at:…]"),
        ("/papers subscribe TOPIC [in=…]", "/papers subscribe topic:TOPIC [in:…]"),
        ("Ask one of them, or leave in= out.", "Ask one of them, or leave in: out."),
        ("Only those who manage this workspace can do this.", "Only those who manage this server can do this."),
        ("“this workspace” in the workspace: /papers workspace", "“this workspace” in the server: /papers workspace"),
    ],
)
def test_arguments_have_their_names(typed: str, shown: str) -> None:
    assert said(typed) == shown


@pytest.mark.parametrize(
    "text",
    [
        "5 papers for “Attention in=here”",
        "/papers export gives all of it as a file; /papers forget deletes it",
        "See all: /papers subscriptions",
        "Type /papers there once.",
        "Type: /papers digest",
        "/papers digest [NAME]",
        "https://example.org/?name=x&tz=y",
        "a\n/papers schedule\nb c",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert said(text) == text


def test_the_root_may_have_another_name_and_cards_stay() -> None:
    card = Card("x:1", "at=1 /lab more PAPER", lines=("at=1",))
    message = drawn(Message("/lab more 1", (card,), footer="/lab help x", if_closed="/lab show 1"), "lab", COMMANDS)
    assert (message.text, message.footer, message.if_closed) == (
        "/lab more paper:1",
        "/lab help name:x",
        "/lab show paper:1",
    )
    assert message.cards == (card,)
