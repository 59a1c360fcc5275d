"""Lists with buttons, kept in the store, and buttons that stand below an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.commands._context import Context
from bot.core.message import Button, Message
from bot.core.pages import PAPER, Entry, Kinds, content_of, page_of
from bot.store import notes


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
    shown_to = 0 if public else ctx.me.number
    content = content_of(text, entries, footer=footer, kinds=kinds, buttons=buttons, shown_to=shown_to)
    note = await ctx.store.together(notes.add, owner or ctx.me.number, "list", content, ctx.now)
    return page_of(note, content, 0)


async def say(ctx: Context, label: str, line: str) -> Button:
    """Make a button that types `line` for the person who presses it; in the open, for anybody in the channel."""
    owner = ctx.place if ctx.in_the_open and ctx.place else ctx.me
    note = await ctx.store.together(notes.add, owner.number, "run", {"items": [{"line": line}]}, ctx.now)
    return Button(label, f"run:{note:x}:0")


async def undo(ctx: Context, content: Mapping[str, Any]) -> Button:
    """Make a button that takes back what was just done, as `content` tells it."""
    note = await ctx.store.together(notes.add, ctx.me.number, "undo", {"items": [dict(content)]}, ctx.now)
    return Button("Undo", f"undo:{note:x}:0")
