"""Follow something no longer."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._interests import named
from bot.commands._manage import may_manage
from bot.commands._pages import undo
from bot.core.card import count
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.store import interests


@command
async def unsubscribe(ctx: Context, name: Annotated[str, "its name, or its number in the list"]) -> Message:
    """Follow something no longer, and drop what was learnt for it."""
    held, owner = await named(ctx, name)
    await may_manage(ctx, held.number)
    await ctx.store.write(interests.remove, held.number, ctx.now)
    learnt = len(held.interest.liked) + len(held.interest.disliked)
    whose = f"#{plain(owner.name)} follows" if owner.kind == "channel" else "You follow"
    dropped = f" {count(learnt, 'mark')} on papers went with it." if learnt else ""
    back = await undo(ctx, {"do": "subscribe", "interest": held.number})
    return Message(text=f"{whose} “{plain(held.interest.name)}” no longer.{dropped}", buttons=(back,))
