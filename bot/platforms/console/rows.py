"""A message as rows of clean text, for a terminal and for plain text alike. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlsplit

from bot.core.message import Button, Card, Message, fit

TITLE_LIMIT = 500  # characters
LINE_LIMIT = 4000  # characters, of each line
LINES_LIMIT = 500  # lines of one text
UNTITLED = "(untitled)"
NUMBERED = 5  # buttons of each card in a list: a terminal has no menus; a card that stands alone shows all of them
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences
    r"|(?:\x1b[\]P^_X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)"  # strings: titles, links
    r"|\x1b[ -/]*[0-~]?"  # the rest, and what has no end
)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")

Kind = Literal["head", "rule", "text", "title", "line", "why", "buttons", "footer"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line before it is wrapped. `lead` stands before it; `parts` are the buttons of a row of buttons."""

    kind: Kind
    text: str = ""
    lead: str = ""
    url: str = ""
    parts: tuple[str, ...] = ()


def blocks(
    message: Message, *, first: int = 1, head: str = "", rule: str = "", notes: Sequence[str] = ()
) -> list[list[Row]]:
    """Lay a message out in blocks with a blank line between them. Buttons are counted from `first`."""
    count = _numbers(first)
    found = [
        [Row("rule", line) for line in lines(rule)],
        [Row("head", line) for line in lines(head)],
        _text(message.text, "text"),
        *(_card(card, pressable(message, card), count) for card in message.cards),
        _buttons(message.buttons, "", count),
        [Row("text", line) for note in notes for line in lines(note)],
        _text(message.footer, "footer"),
    ]
    return [block for block in found if block]


def actions(message: Message) -> list[str]:
    """Return what the numbered buttons do, in the order of their numbers."""
    buttons = [button for card in message.cards for button in pressable(message, card)] + list(message.buttons)
    return [button.action for button in buttons if button.action]


def pressable(message: Message, card: Card) -> list[Button]:
    """Return the buttons that a card shows. One that opens the card's own link does not: the link stands there."""
    useful = [button for button in card.buttons if button.action or button.url != card.url]
    return useful if len(message.cards) == 1 else useful[:NUMBERED]


def clean(text: str) -> str:
    """Drop what a terminal would obey or a reader cannot see. Line breaks stay, and joiners, which emoji need."""
    text = _UNSEEN.sub("", _ESCAPES.sub("", _BREAKS.sub("\n", text))).replace("\t", "    ")
    return _SURROGATES.sub("\ufffd", text)


def lines(text: str) -> list[str]:
    """Return a text's lines, clean and clipped, without blank ones around it."""
    found = [fit(line.rstrip(), LINE_LIMIT) for line in clean(text).strip("\n").split("\n", LINES_LIMIT)]
    return found[:LINES_LIMIT] if any(found) else []


def one_line(text: str, limit: int = LINE_LIMIT) -> str:
    """Return a text as one clean line of at most `limit` characters."""
    return fit(" ".join(clean(text).split()), limit)


def web(url: str) -> str:
    """Return a link that a terminal may be told to open: http and https only, as printable ASCII; or nothing."""
    try:
        good = urlsplit(url).scheme in ("http", "https") and bool(urlsplit(url).netloc)
    except ValueError:
        return ""
    safe = "".join(chr(code) for code in range(0x21, 0x7F))
    return quote(url, safe=safe) if good and url.isprintable() and " " not in url else ""


def _numbers(first: int) -> Iterator[int]:
    while True:
        yield first
        first += 1


def _text(text: str, kind: Kind) -> list[Row]:
    """Rows of a text of our own, whose indents count."""
    return [Row(kind, line.lstrip(), lead=line[: len(line) - len(line.lstrip())]) for line in lines(text)]


def _card(card: Card, buttons: Sequence[Button], count: Iterator[int]) -> list[Row]:
    lead = f"{card.number}".ljust(2) + " " if card.number else ""
    indent = " " * len(lead)
    said = [line for raw in card.lines if (line := one_line(raw))]
    return [
        Row("title", one_line(card.title, TITLE_LIMIT) or UNTITLED, lead, web(card.url)),
        *(Row("why" if line.startswith("why:") else "line", line, indent) for line in said),
        *_buttons(buttons, indent, count),
    ]


def _buttons(buttons: Sequence[Button], lead: str, count: Iterator[int]) -> list[Row]:
    """One row of numbered buttons, and a row for each that opens a link."""
    pressed = tuple(f"[{next(count)}] {one_line(b.label, 80) or '…'}" for b in buttons if b.action)
    opened = [(one_line(b.label, 80) or "Open", web(b.url)) for b in buttons if not b.action]
    rows = [Row("buttons", lead=lead, parts=pressed)] if pressed else []
    return rows + [Row("line", f"{label}: {url}", lead, url) for label, url in opened if url]
