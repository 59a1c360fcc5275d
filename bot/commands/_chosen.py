"""Which subscription is meant: as the interest that is named, as all that comes in one digest, or as all of mine."""

from __future__ import annotations

import re

from bot.commands._context import Context
from bot.commands._interests import followed, named
from bot.commands._manage import may_manage, reaches
from bot.core.plain import plain
from bot.errors import NotFound
from bot.store import subscriptions
from bot.store.owners import Owner
from bot.store.subscriptions import Subscription
from bot.store.text import key

_NUMBERED = re.compile(r"sub[\s#-]*(\d{1,9})", re.IGNORECASE)
WHICH = "its name or number in your list, or sub12 from the list of all"


async def chosen(ctx: Context, name: str, first: Owner | None = None) -> list[Subscription]:
    """Return the subscription meant, as the interest that is named, or as all of them for `sub12`.

    Raises NotFound, Expired, and NotAllowed for `sub12` of somebody else.
    """
    if (number := await numbered(ctx, name)) is not None:
        rows = await ctx.store.read(subscriptions.of_number, number)
        mine = bool(rows) and rows[0].owner == ctx.me.number
        theirs = bool(rows) and rows[0].workspace == ctx.people and not mine  # nobody manages it for them
        if not rows or theirs or not (mine or reaches(ctx, rows[0].platform, rows[0].workspace)):
            raise NotFound(f"There is no subscription sub{number} here. Those who manage it see all: /papers workspace")
        await may_manage(ctx, rows[0].interest)
        return rows
    held, owner = await named(ctx, name, first)
    rows = [sub for sub in await ctx.store.read(subscriptions.of, owner.number) if sub.interest == held.number]
    if not rows:
        called = plain(held.interest.name)
        raise NotFound(f"“{called}” has no schedule yet. To get digests of it: /papers subscribe {called}")
    return rows


async def numbered(ctx: Context, name: str) -> int | None:
    """Return the number that `sub12` says, if no interest here is called so."""
    match = _NUMBERED.fullmatch(name.strip())
    if match is None:
        return None
    if ctx.pressed is None and any(key(sub.name) == key(name) for sub in await followed(ctx)):
        return None
    return int(match[1])


async def mine_or_here(ctx: Context) -> list[Subscription]:
    """Return my own subscriptions, or where I have none this channel's."""
    rows = await ctx.store.read(subscriptions.of, ctx.me.number)
    return rows or (await ctx.store.read(subscriptions.of, ctx.place.number) if ctx.place else [])


async def digests_meant(ctx: Context, name: str) -> list[list[Subscription]]:
    """Return the digests that are named and may be managed, each as its interests, the named one first.

    Without a name, or for "all", all of mine, or where I have none all of this channel's. Raises NotFound, Expired and
    NotAllowed.
    """
    if key(name) == "all" and not any(key(sub.name) == "all" for sub in await followed(ctx)):
        name = ""
    rows = await chosen(ctx, name) if name else await mine_or_here(ctx)
    found = {sub.number: sub for sub in reversed(rows)}
    for sub in found.values():
        await may_manage(ctx, sub.interest)
    return [await together(ctx, sub) for sub in reversed(found.values())]


async def together(ctx: Context, sub: Subscription) -> list[Subscription]:
    """Return what comes in one digest with an interest, as it is now and that one first."""
    rows = await ctx.store.read(subscriptions.of_number, sub.number)
    return sorted(rows, key=lambda one: one.interest != sub.interest)
