"""Which interest is meant: by the button's item, by its number in the list of subscriptions, or by name."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands._context import Context
from bot.core.card import clip, count
from bot.core.plain import plain
from bot.errors import Expired, NotFound
from bot.store import interests, owners, subscriptions
from bot.store.interests import Held
from bot.store.owners import Owner
from bot.store.subscriptions import Subscription
from bot.store.text import key


async def followed(ctx: Context) -> list[Subscription]:
    """Return the rows of the list: mine, this channel's, and those that I asked for in other channels."""
    return await ctx.store.read(subscriptions.listed, ctx.owners, within(ctx))


def within(ctx: Context) -> str:
    """Return the workspace that what I asked for has to be in to be listed here; empty where I write directly."""
    return "" if ctx.here[1] == ctx.people else ctx.here[1]


async def named(ctx: Context, name: str, first: Owner | None = None) -> tuple[Held, Owner]:
    """Return an interest of `first`, of mine, of this channel, or one that I asked for, and whose it is.

    Raises NotFound and Expired.
    """
    rows = await followed(ctx)
    pressed = int(ctx.pressed.item.get("interest", 0)) if ctx.pressed else 0
    known: dict[int, str] = {}
    for owner in dict.fromkeys(one.number for one in (first, ctx.me, ctx.place) if one):
        known |= {held.number: held.interest.name for held in await ctx.store.read(interests.of, owner)}
    known |= {sub.interest: sub.name for sub in rows if sub.interest not in known}
    if pressed:
        if pressed not in known:
            raise Expired("This is followed no longer.")
        return await of_number(ctx, pressed)
    number = _by_name(name, known) or _by_place(name, rows) or _by_beginning(name, known, ctx, rows)
    if number:
        return await of_number(ctx, number)
    if name.strip().removeprefix("#").isdecimal():
        held = f"has {count(len(rows), 'entry', 'entries')}" if rows else "is empty"
        typed = clip(name.strip().lstrip("#"), 20)
        raise NotFound(f"Your list {held}: there is no number {typed} in it. See all: /papers subscriptions")
    near = await ctx.store.read(interests.suggest, ctx.me.number, name)
    hint = f" You follow: {', '.join(f'“{plain(one)}”' for one in near)}." if near else ""
    raise NotFound(f"You follow nothing called “{clip(plain(name), 60)}”.{hint} See all: /papers subscriptions")


async def of_number(ctx: Context, number: int) -> tuple[Held, Owner]:
    """Return an interest by its own number, whoever it belongs to. Raises Expired if it is followed no longer."""
    owner = await ctx.store.read(interests.owner_of, number)
    held = await ctx.store.read(interests.of, owner) if owner is not None else []
    for one in held:
        if one.number == number:
            return one, await ctx.store.read(owners.by_number, one.owner)
    raise Expired("What showed this paper is followed no longer, so the mark would count for nothing.")


def _by_name(name: str, known: dict[int, str]) -> int:
    return next((number for number, called in known.items() if key(called) == key(name)), 0)


def _by_place(name: str, rows: Sequence[Subscription]) -> int:
    """Return the interest in this place of the list that `subscriptions` shows; 0 if there is none."""
    digits = name.strip().removeprefix("#")
    if not digits.isdecimal() or len(digits) > 4:
        return 0
    return rows[int(digits) - 1].interest if 1 <= int(digits) <= len(rows) else 0


def _by_beginning(name: str, known: dict[int, str], ctx: Context, rows: Sequence[Subscription]) -> int:
    """Return the only interest whose name begins so; where several do, the only one of mine."""
    wanted = key(name)
    if not wanted or wanted.removeprefix("#").isdecimal():
        return 0
    near = [number for number, called in known.items() if key(called).startswith(wanted)]
    theirs = {sub.interest for sub in rows if sub.owner != ctx.me.number}
    mine = [number for number in near if number not in theirs]
    return near[0] if len(near) == 1 else mine[0] if len(mine) == 1 else 0
