"""The [Undo] of an answer: it restores what was there before, once or ten times alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.commands._context import Context
from bot.commands._interests import of_number
from bot.commands._manage import manages_workspace, may_manage
from bot.core.command import command
from bot.core.message import Message
from bot.errors import Expired, NotAllowed
from bot.store import interests, marks, notice, saved, schedules, subscriptions, wishes, workspaces


@command(hidden=True, personal=True, edits=True)
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
            await _restore(ctx, item.get("before", []))
            return "Undone: this is followed no longer."
        case "subscribe":
            await _follow_again(ctx, item.get("interests") or [item["interest"]])
            return "Undone: it is followed as before, with what was learnt for it."
        case "schedule":
            if not await _restore(ctx, item["before"]):
                raise Expired("This is followed no longer, so there is nothing to change back.")
            await _tell(ctx, [kept["interest"] for kept in item["before"]], "changed back")
            return "Undone: it is scheduled as before."
        case "workspace":
            return await _workspace(ctx, item)
        case "follow" | "mute":
            await write(wishes.add, me, item["do"], item["words"], ctx.now)
            return "Undone."
        case kind:
            await write(wishes.remove, me, kind.removeprefix("un"), item["words"])
            return "Undone."


async def _follow_again(ctx: Context, numbers: list[int]) -> None:
    for number in numbers:
        await may_manage(ctx, number)
    if not all([await ctx.store.write(interests.restore, number) for number in numbers]):
        raise Expired("This is followed anew already: what was learnt before cannot be added to it.")
    await _tell(ctx, numbers, "brought back")


async def _restore(ctx: Context, before: list[dict[str, Any]]) -> bool:
    """Bring back what subscriptions were; say False if none of them is left."""
    for kept in before:
        await may_manage(ctx, kept["interest"])
    return any([await ctx.store.write(schedules.restore, kept, ctx.now) for kept in before])


async def _tell(ctx: Context, numbers: list[int], done: str) -> None:
    """Tell those who asked for these interests, if it was not me, what I took back."""
    owner = await ctx.store.read(interests.owner_of, numbers[0])
    rows = await ctx.store.read(subscriptions.of, owner) if owner is not None else []
    await ctx.store.write(notice.changed, [sub for sub in rows if sub.interest in numbers], ctx.me, done, ctx.now)


async def _workspace(ctx: Context, item: Mapping[str, Any]) -> str:
    platform, here = ctx.here
    if item.get("workspace", here) != here or not await manages_workspace(ctx):
        raise NotAllowed("Only those who manage this workspace can do this, in it.")
    await ctx.store.write(workspaces.set_zone, platform, here, item["time_zone"])
    await ctx.store.write(workspaces.set_channels, platform, here, item["channels"])
    await ctx.store.write(workspaces.set_role, platform, here, *item.get("role", ("", "")))
    return "Undone: what holds here is as before."
