"""Follow something no longer."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._manage import may_manage
from bot.commands._pages import undo
from bot.core.card import clip, count
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import NotFound
from bot.store import interests
from bot.store.interests import Held


@command
async def unsubscribe(ctx: Context, name: Annotated[str, "its name, or its number in the list"]) -> Message:
    """Follow something no longer, and drop what was learnt for it."""
    held, place = await _held(ctx, name)
    await ctx.store.write(interests.remove, held.number, ctx.now)
    learnt = len(held.interest.liked) + len(held.interest.disliked)
    whose = f"#{plain(place)} follows" if place else "You follow"
    dropped = f" {count(learnt, 'mark')} on papers went with it." if learnt else ""
    back = await undo(ctx, {"do": "subscribe", "interest": held.number})
    return Message(text=f"{whose} “{plain(held.interest.name)}” no longer.{dropped}", buttons=(back,))


async def _held(ctx: Context, name: str) -> tuple[Held, str]:
    """Find the interest among mine, then among this channel's. Raises NotFound and NotAllowed."""
    wanted = int(ctx.pressed.item.get("interest", 0)) if ctx.pressed else 0
    for owner in [ctx.me] + ([ctx.place] if ctx.place else []):
        held = await ctx.store.read(interests.of, owner.number)
        one = next((one for one in held if one.number == wanted), None)
        if one is None and not wanted:
            one = await ctx.store.read(interests.by_name, owner.number, name)
        if one is None:
            continue
        if owner.kind == "channel":
            await may_manage(ctx, one.number)
            return one, owner.name
        return one, ""
    near = await ctx.store.read(interests.suggest, ctx.me.number, name)
    hint = f" You follow: {', '.join(f'“{plain(one)}”' for one in near)}." if near else ""
    raise NotFound(f"You follow nothing called “{clip(plain(name), 60)}”.{hint}")
