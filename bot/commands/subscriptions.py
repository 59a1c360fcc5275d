"""What is followed here."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._pages import listed, say
from bot.core.card import count
from bot.core.command import command
from bot.core.message import Card, Message
from bot.core.pages import Entry
from bot.core.plain import plain
from bot.core.typed import short_zone, words_for_weekdays
from bot.store import subscriptions as table
from bot.store.subscriptions import Subscription

KINDS = (("Digest now", "digest", False), ("Unsubscribe", "unsubscribe", False))


@command
async def subscriptions(ctx: Context) -> Message:
    """List what you and this channel follow, with when it comes."""
    mine = await ctx.store.read(table.of, ctx.me.number)
    here = await ctx.store.read(table.of, ctx.place.number) if ctx.place else []
    made = [_entry(sub, "") for sub in mine]
    made += [_entry(sub, f"for #{plain(ctx.place.name)}") for sub in here if ctx.place]
    if not made:
        return Message(
            text="You follow nothing yet. Try: /papers subscribe speculative decoding",
            buttons=(await say(ctx, "What can I follow?", "topics"),),
        )
    return await listed(ctx, count(len(made), "subscription"), made, kinds=KINDS)


def schedule(sub: Subscription) -> str:
    """Say when a digest comes and how long it is."""
    days = words_for_weekdays(sub.weekdays)
    return f"{sub.at} {short_zone(sub.time_zone)}, {days}, up to {count(sub.at_most, 'paper')}"


def _entry(sub: Subscription, whose: str) -> Entry:
    name = plain(sub.name)
    topics = ", ".join(plain(topic) for topic in sub.topics)
    lines = (
        whose,
        f"topics: {topics}" if topics != name else "",
        f"{schedule(sub)} · {sub.strictness}",
    )
    card = Card(paper="", title=name, lines=tuple(line for line in lines if line))
    return Entry(card, sub.name, sub.interest)
