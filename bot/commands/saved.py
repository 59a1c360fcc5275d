"""The papers that were kept."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._pages import listed
from bot.commands._papers import entries
from bot.core.card import count
from bot.core.command import command
from bot.core.message import Message
from bot.store import saved as table
from bot.store.library import Pick
from recommender.types import Why

MOST = 100  # papers listed
KINDS = (("More like this", "more", False), ("Similar papers", "similar", False), ("Show in full", "show", False))


@command(personal=True)
async def saved(ctx: Context) -> Message:
    """List the papers that you saved, newest first."""
    kept = await ctx.store.read(table.of, ctx.me.number)
    if not kept:
        return Message(text="You have saved nothing yet. Press [Save] under a paper, or type: /papers save PAPER")
    made = await entries(ctx, [Pick(number, 0, 0.0, Why()) for number, _ in kept[:MOST]], reasons=False)
    return await listed(ctx, f"{count(len(kept), 'saved paper')}, newest first", made, kinds=KINDS)
