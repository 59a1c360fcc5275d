"""What one can subscribe to here."""

from __future__ import annotations

from datetime import timedelta

from bot.commands._context import Context
from bot.commands._pages import listed
from bot.core.card import count
from bot.core.command import command
from bot.core.message import Card, Message
from bot.core.pages import Entry
from bot.core.plain import plain
from bot.store import areas, subscriptions

AREAS = 25
STARTERS = 5
KINDS = (("Follow", "subscribe", False), ("Search", "search", False))


@command(threads=True, guests=True)
async def topics(ctx: Context) -> Message:
    """List what can be followed here: areas, starter topics, and what this channel follows."""
    week = ctx.now - timedelta(days=7)
    known = await ctx.store.read(areas.areas, week)
    followed = await ctx.store.read(subscriptions.of, ctx.place.number) if ctx.place else []
    made = [_entry(area.name, f"area · {count(area.total, 'paper')}, {area.new:,} this week") for area in known[:AREAS]]
    made += [
        _entry(one.name, f"starter topic · {count(one.total, 'paper')}, {one.new:,} this week")
        for one in await ctx.library.starters(week, STARTERS)
    ]
    made += [_entry(sub.name, "followed in this channel") for sub in followed[:AREAS]]
    if not made:
        return Message(text="No papers are stored yet, so there is nothing to choose from. Any words can be followed.")
    owner = ctx.place.number if ctx.in_the_open and ctx.place else 0
    return await listed(
        ctx, "These can be followed, as can any words of your own.", made, kinds=KINDS, owner=owner, public=owner > 0
    )


def _entry(name: str, line: str) -> Entry:
    return Entry(Card(paper="", title=plain(name), lines=(line,)), name)
