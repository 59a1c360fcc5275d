"""All of a person's data gone, after a confirmation that names what goes."""

from __future__ import annotations

from datetime import timedelta

from bot.commands._context import Context
from bot.core.card import count
from bot.core.command import command
from bot.core.message import Button, Message
from bot.errors import Expired
from bot.store import notes, owners

CONFIRM_WITHIN = timedelta(minutes=30)


@command(personal=True)
async def forget(ctx: Context) -> Message:
    """Delete everything that is stored about you."""
    if ctx.pressed is None:
        return await _ask(ctx)
    asked = await ctx.store.read(notes.get, ctx.pressed.note, [ctx.me.number], ["forget"], ctx.now, CONFIRM_WITHIN)
    if not asked:
        raise Expired("This question has expired. Nothing was deleted. Type: /papers forget")
    await ctx.store.write(owners.forget, ctx.me.number)
    return Message(text="Everything that was stored about you is deleted. Whatever you type next starts afresh.")


async def _ask(ctx: Context) -> Message:
    held = await ctx.store.read(owners.summary, ctx.me.number)
    kinds = [count(number, name.removesuffix("s"), name) for name, number in held.items() if number]
    named = ", ".join(kinds) or "your name alone"
    note = await ctx.store.write(notes.add, ctx.me.number, "forget", {"items": [{"forget": "everything"}]}, ctx.now)
    return Message(
        text=f"This deletes, for good: {named}. Papers themselves stay. To keep a copy first, type: /papers export",
        buttons=(Button("Delete all of it", f"forget:{note:x}:0"),),
    )
