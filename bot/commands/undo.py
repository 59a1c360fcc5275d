"""The [Undo] of an answer: it restores what was there before, once or ten times alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.commands._context import Context
from bot.commands._interests import of_number
from bot.commands._manage import may_manage
from bot.core.command import command
from bot.core.message import Message
from bot.errors import Expired
from bot.store import interests, marks, saved, wishes


@command(hidden=True, personal=True)
async def undo(ctx: Context) -> Message:
    """Take back what a button or a command has just done."""
    if ctx.pressed is None:
        raise Expired("This can be undone no longer.")
    return Message(text=await _back(ctx, ctx.pressed.item))


async def _back(ctx: Context, item: Mapping[str, Any]) -> str:
    me, write = ctx.me.number, ctx.store.write
    match item["do"]:
        case "mark":
            kind, because = item["before"]
            _, owner = await of_number(ctx, item["interest"])
            if owner.number not in ctx.owners:
                await may_manage(ctx, item["interest"])
            await write(marks.set_, item["interest"], item["paper"], me, kind, ctx.now, because=because)
            return "Undone: the paper is marked as before."
        case "unsave":
            await write(saved.remove, me, item["paper"])
            return "Undone: the paper is not saved."
        case "unsubscribe":
            await may_manage(ctx, item["interest"])
            await write(interests.remove, item["interest"], ctx.now)
            return "Undone: this is followed no longer."
        case "subscribe":
            await may_manage(ctx, item["interest"])
            if not await write(interests.restore, item["interest"]):
                raise Expired("This is followed anew already: what was learnt before cannot be added to it.")
            return "Undone: it is followed as before, with what was learnt for it."
        case "follow" | "mute":
            await write(wishes.add, me, item["do"], item["words"], ctx.now)
            return "Undone."
        case kind:
            await write(wishes.remove, me, kind.removeprefix("un"), item["words"])
            return "Undone."
