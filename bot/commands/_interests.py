"""Which interest is meant: by the button's item, by its number in the list of subscriptions, or by name."""

from __future__ import annotations

from bot.commands._context import Context
from bot.core.card import clip
from bot.core.plain import plain
from bot.errors import Expired, NotFound
from bot.store import interests, owners, subscriptions
from bot.store.interests import Held
from bot.store.owners import Owner
from bot.store.text import key


async def named(ctx: Context, name: str) -> tuple[Held, Owner]:
    """Return an interest of mine or of this channel, mine first, and whose it is. Raises NotFound and Expired."""
    pressed = int(ctx.pressed.item.get("interest", 0)) if ctx.pressed else 0
    wanted = pressed or await _by_number(ctx, name)
    for owner in [ctx.me, *([ctx.place] if ctx.place else [])]:
        held = await ctx.store.read(interests.of, owner.number)
        one = next((one for one in held if one.number == wanted), None)
        if one is None and not wanted:
            one = await ctx.store.read(interests.by_name, owner.number, name)
        if one is not None:
            return one, owner
    if pressed:
        raise Expired("This is followed no longer.")
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


async def _by_number(ctx: Context, name: str) -> int:
    """Return the interest in this place of the list that `subscriptions` shows; 0 if it is a name, or none."""
    digits = name.strip().removeprefix("#")
    if not digits.isdecimal() or len(digits) > 4:
        return 0
    here = [ctx.me.number, *([ctx.place.number] if ctx.place else [])]
    listed = [sub for owner in here for sub in await ctx.store.read(subscriptions.of, owner)]
    if any(key(sub.name) == key(name) for sub in listed):
        return 0
    return listed[int(digits) - 1].interest if 1 <= int(digits) <= len(listed) else 0
