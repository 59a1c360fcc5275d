"""What the bot believes of a person."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._context import Context
from bot.commands._pages import say
from bot.commands._promised import standing
from bot.core.card import clip, count
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import NotFound
from bot.store import interests, papers, subscriptions, wishes
from bot.store.interests import Held
from bot.store.subscriptions import Subscription
from recommender.types import Mark

TITLES = 5  # marked papers named of each kind
TERMS = 8


@command(personal=True)
async def profile(
    ctx: Context, name: Annotated[str, "the name or number of one interest; all if left out", mine.interest] = ""
) -> Message:
    """Show what I believe of you, from what, and how to change each part."""
    held = await ctx.store.read(interests.of, ctx.me.number)
    if name:
        one = await ctx.store.read(interests.by_name, ctx.me.number, name)
        if one is None:
            raise NotFound(f"You have no interest called “{clip(plain(name), 60)}”. See all: /papers profile")
        held = [one]
    scheduled = {sub.interest: sub for sub in await ctx.store.read(subscriptions.of, ctx.me.number)}
    parts = [await _interest(ctx, one, scheduled.get(one.number)) for one in held]
    for kind, words in (("follow", "Authors you follow"), ("mute", "Muted")):
        have = await ctx.store.read(wishes.of, ctx.me.number, kind)
        if have:
            usage = ctx.commands[f"un{kind}"].usage
            parts.append(f"{words}: {', '.join(plain(one) for one in have)}. Change it: /papers {usage}")
    if not parts:
        return Message(
            text="I know nothing of you yet. Follow a topic, or press [More like this] under a paper.",
            buttons=(await say(ctx, "What can I follow?", "topics"),),
        )
    return Message(
        text="\n\n".join(parts), footer="/papers export gives all of it as a file; /papers forget deletes it"
    )


async def _interest(ctx: Context, held: Held, sub: Subscription | None) -> str:
    interest = held.interest
    lines = [f"“{plain(interest.name)}”"]
    if interest.topics:
        named = ", ".join(plain(topic) for topic in interest.topics)
        lines.append(f"    from your topics: {named} (each as much as three liked papers)")
    weights = await ctx.library.weights(interest, TERMS)
    if weights:
        most = max(weight for _, weight in weights)
        lines.append("    I look for: " + ", ".join(f"{term} {weight / most:.0%}" for term, weight in weights))
    for marks, word in ((interest.liked, "more"), (interest.disliked, "less")):
        if marks:
            lines.append(f"    {word} like {count(len(marks), 'paper')}: {await _titles(ctx, marks)}")
    if sub is not None:
        lines.append(f"    {await standing(ctx, sub)}")
    lines.append(f"    change it: /papers more PAPER, /papers less PAPER, /papers unsubscribe {plain(interest.name)}")
    return "\n".join(lines)


async def _titles(ctx: Context, marks: tuple[Mark, ...]) -> str:
    newest = sorted(marks, key=lambda mark: mark.at, reverse=True)[:TITLES]
    stored = await ctx.store.read(papers.get, [int(mark.paper) for mark in newest])
    names = [f"“{clip(plain(one.paper.title), 60)}”" for one in stored.values()]
    return ", ".join(names) + (", …" if len(marks) > TITLES else "")
