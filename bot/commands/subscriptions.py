"""What is followed here."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands._context import Context
from bot.commands._interests import followed
from bot.commands._pages import listed
from bot.commands._when import nothing, schedule, state
from bot.core.card import count
from bot.core.command import command
from bot.core.digest import called
from bot.core.message import Card, Message
from bot.core.pages import Entry, Kinds
from bot.core.plain import plain
from bot.store.subscriptions import Subscription


@command
async def subscriptions(ctx: Context) -> Message:
    """List what you and this channel follow, with when it comes."""
    rows = await followed(ctx)
    if not rows:
        return await nothing(ctx)
    return await listed(ctx, count(len(rows), "subscription"), [entry_of(ctx, sub, rows) for sub in rows])


def _kinds(sub: Subscription) -> Kinds:
    going = ("Resume", "resume", False) if sub.paused_at else ("Pause", "pause", False)
    return (
        ("Digest now", "digest", False),
        going,
        ("Schedule", "schedule", False),
        ("Unsubscribe", "unsubscribe", True),
    )


def entry_of(ctx: Context, sub: Subscription, rows: Sequence[Subscription]) -> Entry:
    """Make the card of one subscription. `rows` are all of the list: some may come in one digest."""
    name = plain(sub.name)
    topics = ", ".join(plain(topic) for topic in sub.topics)
    others = [row.name for row in rows if row.number == sub.number and row.interest != sub.interest]
    asker = "you" if sub.asked_by == ctx.me.number else plain(sub.asker)
    lines = (
        f"for #{plain(sub.place)}, asked for by {asker}" if sub.place_kind == "channel" else "",
        f"topics: {topics}" if topics != name else "",
        f"{schedule(sub)} · {sub.strictness}",
        f"in one digest with {called(others)}" if others else "",
        state(sub, ctx.now),
    )
    card = Card(paper="", title=name, lines=tuple(line for line in lines if line))
    return Entry(card, sub.name, sub.interest, _kinds(sub))
