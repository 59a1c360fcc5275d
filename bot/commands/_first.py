"""What is said first: to a bare `/papers`, and to whoever comes for the first time."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._pages import say
from bot.core.card import clip
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.ports import Facts
from bot.store import interests, subscriptions

STARTER = "large language models"  # the topic suggested where nothing better is known
INTRODUCTION = (
    "I pick the few new papers that are worth your time, say why for each, and learn from what you mark.",
    "I store what you follow, mark and save, and nothing else; /papers export and /papers forget are yours.",
)


async def first_steps(ctx: Context) -> Message:
    """Answer a bare `/papers`: the three commands that matter to this person now."""
    mine = await ctx.store.read(interests.of, ctx.me.number)
    marked = any(held.interest.liked or held.interest.disliked for held in mine)
    if not mine:
        topic = await suggested_topic(ctx)
        steps = [f"subscribe {topic}", f"search {topic}", "topics"]
    elif not marked:
        steps = ["digest", "subscriptions", f"search {mine[0].interest.name}"]
    else:
        steps = ["digest", "profile", "saved"]
    lines = [f"/papers {step}\n    {ctx.commands[step.split()[0]].help}" for step in steps]
    text = "\n".join([*(INTRODUCTION if ctx.is_new else ()), *lines])
    return Message(
        text=text, buttons=tuple([await say(ctx, step, step) for step in steps]), footer="all commands: /papers help"
    )


async def introduction(ctx: Context) -> list[str]:
    """Return what is said at first contact: what the bot does, what it stores, and one command to begin with."""
    mine = await ctx.store.read(interests.of, ctx.me.number)
    asked = await ctx.store.read(subscriptions.asked_by, ctx.me.number)
    if mine or asked:
        return list(INTRODUCTION)
    return [*INTRODUCTION, f"To get a digest, type: /papers subscribe {await suggested_topic(ctx)}"]


async def suggested_topic(ctx: Context) -> str:
    """Take a topic from the channel's name or purpose if papers use its words, else one that is stored here."""
    at = ctx.request.address
    facts = await ctx.about(at) if at.room else Facts()
    for words in (facts.purpose, facts.name.replace("-", " ").replace("_", " ")):
        if words and await ctx.library.unknown(words) is None:
            return clip(plain(words), 60)
    starters = await ctx.library.starters(ctx.now, 1)
    return starters[0].name if starters else STARTER
