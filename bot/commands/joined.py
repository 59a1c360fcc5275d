"""First contact with a channel: told to whoever brought the bot into it, and to nobody else."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._first import INTRODUCTION, suggested_topic
from bot.commands._forms import opens
from bot.commands._manage import may_subscribe
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import Expired


@command(hidden=True, personal=True)
async def joined(ctx: Context) -> Message:
    """Say what the bot does for a channel, and what it stores."""
    if ctx.place is None:
        raise Expired("This is about a channel. Type: /papers")
    place = f"#{plain((await ctx.about(ctx.request.address)).name or ctx.place.name)}"
    topic = await suggested_topic(ctx)
    does, stores = INTRODUCTION
    may = await may_subscribe(ctx, ctx.place.external)
    who = "To give" if may else f"Those who manage {place} can give"
    text = f"{does} {who} {place} a digest{', type there' if may else ' by'}: /papers subscribe {topic} in=here"
    button = (
        await opens(ctx, "Subscribe this channel", "subscribe", {"topic": topic, "in": ctx.place.external})
        if may
        else None
    )
    return Message(text=f"{text}\n{stores} I post nowhere unasked.", buttons=(button,) if button else (), private=True)
