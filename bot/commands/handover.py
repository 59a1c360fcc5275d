"""The button [Hand over] of the workspace's list."""

from __future__ import annotations

from typing import Annotated

from bot.commands._chosen import chosen
from bot.commands._context import Context
from bot.commands._manage import may_manage
from bot.commands._pages import say
from bot.commands._when import names
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import Expired


@command(hidden=True, personal=True)
async def handover(ctx: Context, name: Annotated[str, "the subscription, such as sub12"]) -> Message:
    """Ask who shall have a channel's subscription from now on."""
    if ctx.pressed is None:
        raise Expired("This list has expired: run it again.")
    rows = await chosen(ctx, name)
    sub = rows[0]
    await may_manage(ctx, sub.interest)
    if sub.place_kind != "channel":
        return Message(
            text=f"{names(rows)} is {plain(sub.asker)}'s own: it comes in a direct message. Pause or remove it."
        )
    line = f"schedule sub{sub.number} to="
    return Message(
        text=f"Whose shall {names(rows)} be? It is {plain(sub.asker)}'s. Type: /papers {line}@NAME",
        buttons=(await say(ctx, "Mine", f"{line}me"),),
    )
