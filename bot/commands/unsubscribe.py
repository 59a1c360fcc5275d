"""Follow something no longer."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._chosen import WHICH, chosen, numbered
from bot.commands._context import Context
from bot.commands._interests import named, of_number
from bot.commands._manage import may_manage
from bot.commands._pages import undo
from bot.core.card import count
from bot.core.command import command
from bot.core.digest import called
from bot.core.message import Message
from bot.core.notices import REMOVED
from bot.core.plain import plain
from bot.store import interests, notice, subscriptions


@command
async def unsubscribe(ctx: Context, name: Annotated[str, WHICH, mine.which]) -> Message:
    """Follow something no longer, and drop what was learnt for it."""
    if await numbered(ctx, name) is not None:
        found = [await of_number(ctx, sub.interest) for sub in await chosen(ctx, name)]
    else:
        found = [await named(ctx, name)]
    for held, _ in found:
        await may_manage(ctx, held.number)
    owner, numbers = found[0][1], [held.number for held, _ in found]
    subs = [sub for sub in await ctx.store.read(subscriptions.of, owner.number) if sub.interest in numbers]
    for number in numbers:
        await ctx.store.write(interests.remove, number, ctx.now)
    await ctx.store.write(notice.changed, subs, ctx.me, REMOVED, ctx.now)
    learnt = sum(len(held.interest.liked) + len(held.interest.disliked) for held, _ in found)
    who = plain(owner.name)
    others = f"#{who} follows" if owner.kind == "channel" else f"{who} follows"
    whose = "You follow" if owner.number == ctx.me.number else others
    dropped = f" {count(learnt, 'mark')} on papers went with it." if learnt else ""
    back = await undo(ctx, {"do": "subscribe", "interests": numbers})
    gone = called([held.interest.name for held, _ in found])
    return Message(text=f"{whose} {gone} no longer.{dropped}", buttons=(back,), lasts=True)
