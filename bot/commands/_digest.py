"""Today's papers for a person's or a channel's interests, or the reason why there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from bot.commands._context import Context
from bot.commands._pages import listed, say
from bot.core.digest import because, head, troubles
from bot.core.message import Button, Message
from bot.store import digests
from bot.store.digests import Draft
from bot.store.interests import Held


@dataclass(frozen=True, slots=True)
class Wanted:
    """One interest with how many papers it may bring, and how strict it is."""

    held: Held
    at_most: int
    strictness: str


async def digest_of(ctx: Context, owner: int, wanted: Sequence[Wanted], *, lead: str = "", footer: str = "") -> Message:
    """Rank what is new for these interests and return the digest. Nothing counts as sent by this.

    Papers that were marked or saved are left out. If nothing new came, the whole store is ranked, and a line says so.
    """
    draft = await _draft(ctx, owner, wanted)
    zone = str(ctx.zone)
    if not draft.entries:
        text, buttons = await _nothing(ctx, draft)
        return Message(text="\n".join(part for part in (lead, text) if part), buttons=buttons, footer=footer)
    why_all = (
        f"Nothing new came in the last {ctx.settings.fresh_days} days: these are from all that is stored."
        if draft.order.everything
        else ""
    )
    text = "\n".join(part for part in (lead, head(draft.came, zone), why_all) if part)
    below = " · ".join(part for part in (troubles(draft.came, zone), footer) if part)
    return await listed(ctx, text, draft.entries, footer=below, owner=owner if owner in ctx.owners else ctx.me.number)


async def _draft(ctx: Context, owner: int, wanted: Sequence[Wanted]) -> Draft:
    days = ctx.settings.fresh_days
    fresh = await ctx.library.fresh(ctx.now, days)
    chosen = [(want.held, want.at_most, want.strictness) for want in wanted]

    since = ctx.now - timedelta(days=days)
    everybody = await ctx.store.read(ctx.library.everybody.crowd, ctx.now)
    order, known = await ctx.store.read(digests.on_demand, owner, chosen, fresh, since, ctx.now, everybody)
    (made,) = await asyncio.to_thread(digests.draft, ctx.store, ctx.library, [order], known, loose=True)
    return made


async def _nothing(ctx: Context, draft: Draft) -> tuple[str, tuple[Button, ...]]:
    came = draft.came
    if came.everything and came.anything and not came.unseen:
        return f"Nothing for {came.name}: you have marked every paper that is stored.", ()
    text = because(came, str(ctx.zone))
    if draft.closest is None:
        return text, ()
    return text, (await say(ctx, "Show it", f"show {draft.closest.paper.id}"),)
