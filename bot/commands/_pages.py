"""Lists with buttons: frozen in the store, so that pages and presses work after a restart and for months."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.commands._context import Context
from bot.core.message import CARDS_PER_PAGE, Button, Card, Message
from bot.store import notes

Kinds = Sequence[tuple[str, str, bool]]  # label, command, whether it goes into a menu
PAPER: Kinds = (
    ("More like this", "more", False),
    ("Less", "less", False),
    ("Save", "save", False),
    ("Similar papers", "similar", True),
    ("Show in full", "show", True),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One card of a list. `say` is what a button of it says to its command; `interest` is the one that showed it."""

    card: Card
    say: str
    interest: int = 0


async def listed(
    ctx: Context,
    text: str,
    entries: Sequence[Entry],
    *,
    footer: str = "",
    kinds: Kinds = PAPER,
    buttons: Sequence[Button] = (),
    owner: int = 0,
    public: bool = False,
) -> Message:
    """Store a list and return its first page. Its buttons are for `owner`, by default the one who asked.

    `public`: everybody in the channel sees it, so a number that anybody types there may mean one of its papers.
    """
    if not entries:
        return Message(text=text, footer=footer, buttons=tuple(buttons))
    content = {
        "shown_to": 0 if public else ctx.me.number,
        "text": text,
        "footer": footer,
        "kinds": [list(kind) for kind in kinds],
        "buttons": [[button.label, button.action, button.url] for button in buttons],
        "items": [
            {"say": entry.say, "interest": entry.interest, "title": entry.card.title, "url": entry.card.url}
            | {"paper": entry.card.paper, "lines": list(entry.card.lines), "why": entry.card.why}
            for entry in entries
        ],
    }
    note = await ctx.store.write(notes.add, owner or ctx.me.number, "list", content, ctx.now)
    return page_of(note, content, 0)


def page_of(note: int, content: Mapping[str, Any], page: int) -> Message:
    """Build one page of a stored list. Pages count from 0; one that does not exist becomes the nearest."""
    items = content["items"]
    last = (len(items) - 1) // CARDS_PER_PAGE
    page = min(max(page, 0), last)
    start = page * CARDS_PER_PAGE
    cards = tuple(
        Card(
            paper=item["paper"],
            title=item["title"],
            url=item["url"],
            number=start + offset + 1,
            lines=tuple(item["lines"]),
            why=item.get("why", ""),
            buttons=tuple(
                Button(label, f"{command}:{note:x}:{start + offset:x}", menu=menu)
                for label, command, menu in content["kinds"]
            ),
        )
        for offset, item in enumerate(items[start : start + CARDS_PER_PAGE])
    )
    turns = []
    if page > 0:
        turns.append(Button("◂ Previous", f"page:{note:x}:{page - 1:x}"))
    if page < last:
        turns.append(Button("Next ▸", f"page:{note:x}:{page + 1:x}"))
    own = [Button(label, action, url) for label, action, url in content["buttons"]]
    where = f"page {page + 1} of {last + 1}" if last else ""
    footer = " · ".join(part for part in (where, content["footer"]) if part)
    return Message(text=content["text"], cards=cards, buttons=(*turns, *own), footer=footer)


async def say(ctx: Context, label: str, line: str) -> Button:
    """Make a button that types `line` for the person who presses it."""
    note = await ctx.store.write(notes.add, ctx.me.number, "run", {"items": [{"line": line}]}, ctx.now)
    return Button(label, f"run:{note:x}:0")


async def undo(ctx: Context, content: Mapping[str, Any]) -> Button:
    """Make a button that takes back what was just done, as `content` tells it."""
    note = await ctx.store.write(notes.add, ctx.me.number, "undo", {"items": [dict(content)]}, ctx.now)
    return Button("Undo", f"undo:{note:x}:0")
