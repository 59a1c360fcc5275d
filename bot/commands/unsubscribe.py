"""Follow something no longer."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._pages import undo
from bot.core.card import clip, count
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.request import Address
from bot.errors import NotAllowed, NotFound
from bot.store import frozen, interests, subscriptions
from bot.store.interests import Held


@command
async def unsubscribe(ctx: Context, name: Annotated[str, "its name, or its number in the list"]) -> Message:
    """Follow something no longer, and drop what was learnt for it."""
    held, place = await _held(ctx, name)
    content = await ctx.store.read(frozen.freeze, held.number)
    await ctx.store.write(interests.remove, held.number)
    learnt = len(held.interest.liked) + len(held.interest.disliked)
    whose = f"#{plain(place)} follows" if place else "You follow"
    dropped = f" {count(learnt, 'mark')} on papers went with it." if learnt else ""
    back = await undo(ctx, {"do": "subscribe", "content": content})
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
            await _may_manage(ctx, one.number)
            return one, owner.name
        return one, ""
    near = await ctx.store.read(interests.suggest, ctx.me.number, name)
    hint = f" You follow: {', '.join(f'“{plain(one)}”' for one in near)}." if near else ""
    raise NotFound(f"You follow nothing called “{clip(plain(name), 60)}”.{hint}")


async def _may_manage(ctx: Context, interest: int) -> None:
    """The one who asked for a subscription and those who manage the channel may end it. Raises NotAllowed."""
    asked = {sub.interest for sub in await ctx.store.read(subscriptions.asked_by, ctx.me.number)}
    here = ctx.request.address
    facts = await ctx.about(Address(here.platform, here.workspace, here.user, here.channel))
    if interest not in asked and not facts.manages:
        raise NotAllowed("Only whoever subscribed this channel, and those who manage it, can end this.")
