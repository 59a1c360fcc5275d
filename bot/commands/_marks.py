"""More and less: a press sets and never toggles; the last word wins; the answer carries [Undo]."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._forms import opens
from bot.commands._interests import of_number
from bot.commands._manage import may_manage
from bot.commands._pages import undo
from bot.commands._papers import meant, on_screen
from bot.core.card import clip
from bot.core.message import Message
from bot.core.plain import plain
from bot.store import interests, marks
from bot.store.interests import Held
from bot.store.owners import Owner

LIKES = "what I liked"  # the interest of those who like papers and follow no topic yet


async def mark(ctx: Context, paper: str, kind: str, because: str = "") -> Message:
    """Set one mark, for the interest that showed the paper, or else for the nearest of mine."""
    stored = await meant(ctx, paper)
    held, whose = await _interest(ctx, paper, stored.number, kind if because else "")
    before = await ctx.store.write(
        marks.set_, held.number, stored.number, ctx.me.number, kind, ctx.now, because=because
    )
    back = {"do": "mark", "interest": held.number, "paper": stored.number, "before": list(before or ("", ""))}
    said = {"more": "More", "less": "Less"}[kind]
    noted = f" Noted why: {clip(plain(because), 80)}." if because else ""
    title = clip(plain(stored.paper.title), 80)
    buttons = [await undo(ctx, back)]
    if kind == "less" and not because:
        buttons.append(await opens(ctx, "Say why", "less", {"paper": stored.paper.id}))
    return Message(
        text=f"{said} like “{title}” for {whose}“{plain(held.interest.name)}”.{noted} The next digest follows it.",
        buttons=tuple(buttons),
    )


async def _interest(ctx: Context, paper: str, number: int, again: str) -> tuple[Held, str]:
    """Return the interest that a mark counts for: the one that showed the paper, or else the nearest of mine.

    `again`: where I marked it so before, a reason is added to that mark.
    In a channel everybody has a voice for its own interests; for another channel's, only those who manage it.
    """
    item = ctx.pressed.item if ctx.pressed else await on_screen(ctx, paper)
    shown = int(item.get("interest", 0)) if item else 0
    if not shown and again:
        marked = await ctx.store.read(marks.interest_of, number, ctx.me.number, again)
        if marked is not None:
            held, owner = await of_number(ctx, marked)
            return held, _of(ctx, owner)
    if shown:
        held, owner = await of_number(ctx, shown)
        if owner.number not in ctx.owners:
            await may_manage(ctx, shown)
        return held, _of(ctx, owner)
    mine = await ctx.store.read(interests.of, ctx.me.number)
    if not mine:
        await ctx.store.write(interests.ensure, ctx.me.number, LIKES, [], ctx.now)
        mine = await ctx.store.read(interests.of, ctx.me.number)
    nearest = await ctx.library.nearest([held.interest for held in mine], number)
    return mine[nearest], ""


def _of(ctx: Context, owner: Owner) -> str:
    return "" if owner.number == ctx.me.number else f"#{plain(owner.name)}: "
