"""The answer to "complete": what can stand in the argument that somebody is typing."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._offers import MOST
from bot.core.message import Message

TYPED = 200  # characters of what was typed that are looked at


async def choices(ctx: Context) -> Message:
    """Return what can stand in the argument, `Request.text`, of a command; nothing where there is nothing to offer.

    Raises StoreError.
    """
    asked = ctx.request
    command = ctx.commands.get(asked.command)
    arg = next((one for one in command.args if one.name == asked.text), None) if command else None
    if command is None or arg is None or arg.complete is None or command.hidden:
        return Message()
    if asked.guest and not command.guests:
        return Message()
    offered: dict[str, tuple[str, str]] = {}
    for label, value in await arg.complete(ctx, asked.values.get(arg.name, "")[:TYPED]):
        offered.setdefault(value, (label, value))
    return Message(choices=tuple(offered.values())[:MOST])
