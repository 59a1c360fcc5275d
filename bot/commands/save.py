"""Keep a paper."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.commands._pages import say, undo
from bot.commands._papers import meant
from bot.core.card import clip
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.store import saved


@command
async def save(
    ctx: Context, paper: Annotated[str, "an id, a link, a title, or its number in the last list", offers.paper]
) -> Message:
    """Keep a paper to read later."""
    stored = await meant(ctx, paper)
    added = await ctx.store.write(saved.add, ctx.me.number, stored.number, ctx.now)
    title = clip(plain(stored.paper.title), 80)
    shown = await say(ctx, "Show what I saved", "saved")
    if not added:
        return Message(text=f"“{title}” is among your saved papers already.", buttons=(shown,))
    back = await undo(ctx, {"do": "unsave", "paper": stored.number})
    return Message(text=f"Saved “{title}”.", buttons=(back, shown))
