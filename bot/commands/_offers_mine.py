"""What is offered while somebody types an argument that is about what is theirs, or this channel's."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands._context import Context
from bot.commands._interests import within
from bot.commands._offers import LONGEST, Pairs
from bot.core.card import clip
from bot.core.plain import plain
from bot.store import interests, subscriptions, wishes
from bot.store.subscriptions import Subscription
from bot.store.text import key
from bot.store.titles import fits, matching


async def which(ctx: Context, typed: str) -> Pairs:
    """Offer the list that `subscriptions` shows, by name; where two have one name, by the number in the list."""
    rows = await ctx.offered.read(subscriptions.listed, ctx.owners, within(ctx))
    return [
        (_label(place, sub), _named(place, sub, rows))
        for place, sub in enumerate(rows, 1)
        if str(place) == typed.strip().lstrip("#") or fits(typed, f"{sub.name} {sub.place}")
    ]


async def interest(ctx: Context, typed: str) -> Pairs:
    """Offer my own interests, by name."""
    names = [held.interest.name for held in await ctx.offered.read(interests.of, ctx.me.number)]
    return [(plain(name), name) for name in matching(typed, names)]


async def followed_author(ctx: Context, typed: str) -> Pairs:
    """Offer the authors that I follow."""
    return await _wishes(ctx, "follow", typed)


async def muted(ctx: Context, typed: str) -> Pairs:
    """Offer the words and authors that I muted."""
    return await _wishes(ctx, "mute", typed)


async def _wishes(ctx: Context, kind: str, typed: str) -> Pairs:
    have = await ctx.offered.read(wishes.of, ctx.me.number, kind)
    return [(plain(name), name) for name in matching(typed, have)]


def _label(place: int, sub: Subscription) -> str:
    where = f" · #{plain(sub.place)}" if sub.place_kind == "channel" else ""
    return f"{place} · {clip(plain(sub.name), LONGEST - 40)}{clip(where, 30)}"


def _named(place: int, sub: Subscription, rows: Sequence[Subscription]) -> str:
    """Return how a subscription is said: by its name, or by its place in the list where that says more."""
    same = sum(key(one.name) == key(sub.name) for one in rows)
    return sub.name if same == 1 and len(sub.name) <= LONGEST else str(place)
