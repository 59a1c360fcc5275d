"""Who may end, change or bring back an interest: whose it is, who asked for it, and who manages its channel."""

from __future__ import annotations

from bot.commands._context import Context
from bot.core.request import Address
from bot.errors import Expired, NotAllowed
from bot.store import interests, owners, subscriptions


async def may_manage(ctx: Context, interest: int) -> None:
    """Let those pass who may change an interest. Raises NotAllowed, and Expired if there is none."""
    number = await ctx.store.read(interests.owner_of, interest)
    if number is None:
        raise Expired("This is gone for good.")
    if number == ctx.me.number:
        return
    owner = await ctx.store.read(owners.by_number, number)
    here = ctx.request.address
    if (owner.platform, owner.workspace, owner.kind) == (here.platform, here.workspace, "channel"):
        if await ctx.store.read(subscriptions.asker_of, interest) == ctx.me.number:
            return
        facts = await ctx.about(Address(here.platform, here.workspace, here.user, owner.external))
        if facts.manages:
            return
    raise NotAllowed("Only whoever subscribed this channel, and those who manage it, can do this.")
