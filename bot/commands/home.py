"""The bot's own page: what a person follows and saved, with buttons for all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.commands._context import Context
from bot.commands._first import introduction
from bot.commands._interests import followed
from bot.commands._papers import entries
from bot.commands.saved import KINDS
from bot.commands.subscriptions import entry_of
from bot.core.card import count, greeting
from bot.core.command import command
from bot.core.message import Button, Message
from bot.core.pages import Entry, cards_of, content_of
from bot.store import notes, saved
from bot.store.library import Pick
from recommender.types import Why

MOST = 10  # subscriptions, and saved papers, that are shown
LINES = (("Topics", "topics"), ("My profile", "profile"), ("Export my data", "export"), ("Help", "help"))


@command(hidden=True, personal=True)
async def home(ctx: Context) -> Message:
    """Show what you follow and what you saved, with buttons for all of it."""
    rows = await followed(ctx)
    kept = await ctx.store.read(saved.of, ctx.me.number)
    follows = [entry_of(ctx, sub, rows) for sub in rows[:MOST]]
    picks = [Pick(number, 0, 0.0, Why()) for number, _ in kept[:MOST]]
    papers = [replace(one, kinds=KINDS) for one in await entries(ctx, picks, reasons=False)]
    shown = [*_headed("What you follow", follows, len(rows)), *_headed("What you saved", papers, len(kept))]
    text = f"{greeting(ctx.local_now)}. Change what you follow here, or add to it."
    if not rows:
        text = "\n".join(await introduction(ctx))
    lines = [
        *([("All that I follow", "subscriptions")] if len(rows) > MOST else []),
        *([("All that I saved", "saved")] if len(kept) > MOST else []),
        *LINES,
    ]
    content = content_of(text, shown, shown_to=ctx.me.number)
    content["items"] += [{"form": "subscribe"}, *({"line": line} for _, line in lines)]
    content["month"] = f"{ctx.now:%Y-%m}"  # a page that stays the same is kept anew before its buttons expire
    note = await _kept(ctx, content)
    labels = (("form", "Subscribe"), *(("run", label) for label, _ in lines))
    buttons = [Button(label, f"{head}:{note:x}:{len(shown) + at:x}") for at, (head, label) in enumerate(labels)]
    cards = tuple(replace(card, number=0) for card in cards_of(note, content, 0, len(shown)))  # nothing is typed here
    return Message(text=text, cards=cards, buttons=tuple(buttons))


def _headed(head: str, shown: Sequence[Entry], number: int) -> list[Entry]:
    """Put a heading above the first one; it says how many there are if not all are shown."""
    if number > len(shown):
        head += f": {len(shown)} of {count(number, 'entry', 'entries')}"
    return [replace(one, card=replace(one.card, head=head if at == 0 else "")) for at, one in enumerate(shown)]


async def _kept(ctx: Context, content: dict[str, Any]) -> int:
    """Keep the page and return its number: the same number as long as nothing on it changes."""
    latest = await ctx.store.read(notes.latest, ctx.me.number, "home")
    if latest is not None and latest[1] == content:
        return latest[0]
    return await ctx.store.write(notes.add, ctx.me.number, "home", content, ctx.now)
