"""More and less: a press sets and never toggles; the last word wins; the answer carries [Undo]."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._pages import undo
from bot.commands._papers import meant
from bot.core.card import clip
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import Expired
from bot.store import interests, marks
from bot.store.interests import Held

LIKES = "what I liked"  # the interest of those who like papers and follow no topic yet


async def mark(ctx: Context, paper: str, kind: str, because: str = "") -> Message:
    """Set one mark, for the interest that showed the paper, or else for the nearest of mine."""
    stored = await meant(ctx, paper)
    held, whose = await _interest(ctx, stored.number)
    before = await ctx.store.write(
        marks.set_, held.number, stored.number, ctx.me.number, kind, ctx.now, because=because
    )
    back = {"do": "mark", "interest": held.number, "paper": stored.number, "before": list(before or ("", ""))}
    said = {"more": "More", "less": "Less"}[kind]
    noted = f" Noted why: {clip(plain(because), 80)}." if because else ""
    title = clip(plain(stored.paper.title), 80)
    return Message(
        text=f"{said} like “{title}” for {whose}“{plain(held.interest.name)}”.{noted} The next digest follows it.",
        buttons=(await undo(ctx, back),),
    )


async def _interest(ctx: Context, paper: int) -> tuple[Held, str]:
    """Return the interest that a press counts for. Only one that is mine or this channel's can be meant."""
    shown = int(ctx.pressed.item.get("interest", 0)) if ctx.pressed else 0
    mine = await ctx.store.read(interests.of, ctx.me.number)
    here = await ctx.store.read(interests.of, ctx.place.number) if ctx.place else []
    for held in mine:
        if held.number == shown:
            return held, ""
    for held in here:
        if held.number == shown and ctx.place:
            return held, f"#{plain(ctx.place.name)}: "
    if shown:
        raise Expired("What showed this paper is followed no longer, so the mark would count for nothing.")
    if not mine:
        number = await ctx.store.write(interests.add, ctx.me.number, LIKES, [], ctx.now)
        mine = [held for held in await ctx.store.read(interests.of, ctx.me.number) if held.number == number]
    nearest = await ctx.library.nearest([held.interest for held in mine], paper)
    return mine[nearest], ""
