"""Lists with buttons, as plain JSON that can be stored, and their pages: the same after months. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.core.message import CARDS_PER_PAGE, Button, Card, Message

Kinds = Sequence[tuple[str, str, bool]]  # label, command, whether it goes into a menu
PAPER: Kinds = (
    ("More like this", "more", False),
    ("Less", "less", False),
    ("Save", "save", False),
    ("Similar papers", "similar", True),
    ("Why, in full", "show", True),
    ("BibTeX", "bibtex", True),
    ("Mute an author", "mute_author", True),
)
OPEN = "Open"  # below the others, where there is a link and a menu has room for it


@dataclass(frozen=True, slots=True)
class Entry:
    """One card of a list. `say` is what a button of it says to its command; `interest` is the one that showed it.

    `kinds` are its own buttons, where they are not those of the list.
    """

    card: Card
    say: str
    interest: int = 0
    kinds: Kinds = ()


def content_of(
    text: str,
    entries: Sequence[Entry],
    *,
    footer: str = "",
    kinds: Kinds = PAPER,
    buttons: Sequence[Button] = (),
    shown_to: int = 0,
) -> dict[str, Any]:
    """Return a list as plain JSON. `shown_to` is the person who alone sees it; 0 is everybody in the place."""
    return {
        "shown_to": shown_to,
        "text": text,
        "footer": footer,
        "kinds": [list(kind) for kind in kinds],
        "buttons": [[button.label, button.action, button.url] for button in buttons],
        "items": [
            {"say": entry.say, "interest": entry.interest, "title": entry.card.title, "url": entry.card.url}
            | {"paper": entry.card.paper, "lines": list(entry.card.lines), "why": entry.card.why}
            | ({"kinds": [list(kind) for kind in entry.kinds]} if entry.kinds else {})
            | ({"head": entry.card.head} if entry.card.head else {})
            for entry in entries
        ],
    }


def page_of(note: int, content: Mapping[str, Any], page: int) -> Message:
    """Build one page of a stored list. Pages count from 0; one that does not exist becomes the nearest."""
    items = content["items"]
    last = max(len(items) - 1, 0) // CARDS_PER_PAGE
    page = min(max(page, 0), last)
    start = page * CARDS_PER_PAGE
    cards = cards_of(note, content, start, start + CARDS_PER_PAGE)
    turns = []
    if page > 0:
        turns.append(Button("◂ Previous", f"page:{note:x}:{page - 1:x}"))
    if page < last:
        turns.append(Button("Next ▸", f"page:{note:x}:{page + 1:x}"))
    own = [Button(label, action, url) for label, action, url in content["buttons"]]
    where = f"page {page + 1} of {last + 1}" if last else ""
    footer = " · ".join(part for part in (where, content["footer"]) if part)
    return Message(text=content["text"], cards=cards, buttons=(*turns, *own), footer=footer)


def cards_of(note: int, content: Mapping[str, Any], start: int, end: int) -> tuple[Card, ...]:
    """Build the cards of a stored list from `start` up to, not with, `end`."""
    return tuple(
        Card(
            paper=item["paper"],
            title=item["title"],
            url=item["url"],
            number=start + offset + 1,
            lines=tuple(item["lines"]),
            why=item.get("why", ""),
            head=item.get("head", ""),
            buttons=_buttons(item, content["kinds"], note, start + offset),
        )
        for offset, item in enumerate(content["items"][start:end])
    )


def _buttons(item: Mapping[str, Any], kinds: Sequence[Any], note: int, index: int) -> tuple[Button, ...]:
    """Return the buttons of one card. With a menu of papers goes a way to open the link."""
    made = [
        Button(label, f"{command}:{note:x}:{index:x}", menu=menu) for label, command, menu in item.get("kinds", kinds)
    ]
    if item["url"] and any(button.menu for button in made):
        made.append(Button(OPEN, url=item["url"], menu=True))
    return tuple(made)
