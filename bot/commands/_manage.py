"""Who may end, change or bring back an interest: whose it is, who asked for it, and who manages the place."""

from __future__ import annotations

from bot.commands._context import Context
from bot.core.card import clip
from bot.core.plain import plain
from bot.core.ports import Facts
from bot.core.request import Address
from bot.errors import Expired, NotAllowed, UsageError
from bot.store import interests, owners, subscriptions, workspaces
from bot.store.owners import Owner


async def may_manage(ctx: Context, interest: int) -> None:
    """Let those pass who may change an interest. Raises NotAllowed, and Expired if there is none."""
    number = await ctx.store.read(interests.owner_of, interest)
    if number is None:
        raise Expired("This is gone for good.")
    if number == ctx.me.number:
        return
    owner = await ctx.store.read(owners.by_number, number)
    here = (owner.platform, owner.workspace) == (ctx.me.platform, ctx.me.workspace)
    if here and owner.kind == "channel":
        if await ctx.store.read(subscriptions.asker_of, interest) == ctx.me.number:
            return
        if await may_subscribe(ctx, owner.external):
            return
    if here and await manages_workspace(ctx):
        return
    if owner.kind == "channel":
        raise NotAllowed("Only whoever subscribed this channel, and those who manage it, can do this.")
    raise NotAllowed("Only the person whose it is, and those who manage this workspace, can do this.")


async def may_subscribe(ctx: Context, channel: str) -> bool:
    """Say whether I may subscribe this channel: I manage it; or everyone may, and I am in it, since I type there."""
    if (await _about(ctx, channel)).manages:
        return True
    if ctx.place is None or ctx.place.external != channel:
        return False
    return await who_subscribes(ctx) == "everyone"


async def who_subscribes(ctx: Context) -> str:
    """Return who may subscribe channels in this workspace: "managers" or "everyone"."""
    chosen = await ctx.store.read(workspaces.get, ctx.me.platform, ctx.me.workspace)
    return chosen.channels or ctx.settings.channels


async def manages_workspace(ctx: Context) -> bool:
    """Say whether I manage the workspace that I am in."""
    return (await _about(ctx, "")).manages


async def channel_to_subscribe(ctx: Context, channel: str, *, exists: bool = False) -> Owner:
    """Return the channel that shall follow something; the bot joins it. Raises NotAllowed and UsageError.

    `exists`: it was picked, or is the one here, so if nothing is known of it, the bot has to be brought in first.
    """
    facts = await _about(ctx, channel)
    here = ctx.request.address
    there = Address(here.platform, here.workspace, here.user, channel)
    if not facts.name:
        if exists:
            await ctx.join(there)
        raise UsageError(
            f"in: I see no channel “{clip(plain(channel), 60)}”. Type # and pick it from the list, or in=here. "
            "If it is private, invite me into it first."
        )
    name = facts.name or channel
    if not await may_subscribe(ctx, channel):
        if await who_subscribes(ctx) == "everyone":
            raise NotAllowed(f"To subscribe #{plain(name)}, type this in #{plain(name)} itself, with in=here.")
        raise NotAllowed(f"Only those who manage #{plain(name)} can subscribe it. Ask one of them, or leave in= out.")
    await ctx.join(there)
    return await ctx.store.write(owners.get, here.platform, here.workspace, "channel", channel, name, ctx.now)


async def _about(ctx: Context, channel: str) -> Facts:
    here = ctx.request.address
    return await ctx.about(Address(here.platform, here.workspace, here.user, channel))
