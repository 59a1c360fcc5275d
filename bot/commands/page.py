"""The page buttons of a list."""

from __future__ import annotations

from bot.commands._context import Context
from bot.core.command import command
from bot.core.message import Message
from bot.core.pages import page_of
from bot.errors import Expired


@command(hidden=True, edits=True, guests=True)
async def page(ctx: Context) -> Message:
    """Turn to another page of a list."""
    if ctx.pressed is None:
        raise Expired("This list has expired: run it again.")
    return page_of(ctx.pressed.note, ctx.pressed.content, ctx.pressed.index)
