"""Who may end, change or bring back an interest: whose it is, who asked for it, and who manages the place."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands._context import Context
from bot.core.card import clip
from bot.core.plain import plain
from bot.core.ports import Facts
from bot.core.request import Address
from bot.errors import Expired, NotAllowed, UsageError
from bot.store import interests, owners, subscriptions, workspaces
from bot.store.owners import Owner
from bot.store.workspaces import Workspace


async def may_manage(ctx: Context, interest: int) -> None:
    """Let those pass who may change an interest. Raises NotAllowed, and Expired if there is none."""
    number = await ctx.store.read(interests.owner_of, interest)
    if number is None:
        raise Expired("This is gone for good.")
    if number == ctx.me.number:
        return
    owner = await ctx.store.read(owners.by_number, number)
    reached = reaches(ctx, owner.platform, owner.workspace)
    if reached and owner.kind == "channel":
        if await ctx.store.read(subscriptions.asker_of, interest) == ctx.me.number and await is_member(ctx, owner):
            return
        if await may_subscribe(ctx, owner.external, owner.workspace):
            return
    if reached and owner.workspace != ctx.people and await manages_workspace(ctx, owner.workspace):
        return
    if owner.kind == "channel":
        raise NotAllowed("Only whoever subscribed this channel, and those who manage it, can do this.")
    raise NotAllowed("Only the person whose it is, and those who manage this workspace, can do this.")


def reaches(ctx: Context, platform: str, workspace: str) -> bool:
    """Say whether something of a workspace can be meant here: it is this one, or I write to the bot directly.

    Where people are the same in all workspaces, their direct message with the bot is in none of them.
    """
    return (platform, workspace) == ctx.here or (platform == ctx.here[0] and ctx.here[1] == ctx.people)


async def is_member(ctx: Context, owner: Owner) -> bool:
    """Say whether I am still in the workspace of a channel; in this one I am."""
    if owner.workspace == ctx.here[1]:
        return True
    return bool((await ctx.about(Address(owner.platform, owner.workspace, ctx.me.external))).name)


async def may_subscribe(ctx: Context, channel: str, workspace: str = "") -> bool:
    """Say whether I may subscribe a channel, of this workspace if no other is named.

    I may if I manage it; if I have the role that may; or if everyone may and I am in it, since I type there.
    """
    facts = await _about(ctx, channel, workspace)
    if facts.manages:
        return True
    chosen = await chosen_in(ctx, workspace)
    if chosen.role and chosen.role in facts.roles:
        return True
    if ctx.place is None or ctx.place.external != channel or workspace not in ("", ctx.place.workspace):
        return False
    return who_subscribes(ctx, chosen) == "everyone"


async def chosen_in(ctx: Context, workspace: str = "") -> Workspace:
    """Return what was chosen for a workspace, for this one if none is named."""
    platform, here = ctx.here
    return await ctx.store.read(workspaces.get, platform, workspace or here)


def who_subscribes(ctx: Context, chosen: Workspace) -> str:
    """Return who may subscribe channels in a workspace: "managers" or "everyone"."""
    return chosen.channels or ctx.settings.channels


async def manages_workspace(ctx: Context, workspace: str = "") -> bool:
    """Say whether I manage a workspace, this one if none is named. That of direct messages is nobody's."""
    if (workspace or ctx.here[1]) == ctx.people:
        return False
    return (await _about(ctx, "", workspace)).manages


async def channel_to_subscribe(
    ctx: Context, channel: str, topics: Sequence[str] = (), *, exists: bool = False
) -> Owner:
    """Return the channel that shall follow these topics; the bot joins it. Raises NotAllowed and UsageError.

    `exists`: it was picked, or is the one here, so if nothing is known of it, the bot has to be brought in first.
    """
    facts = await _about(ctx, channel)
    here = ctx.request.address
    there = Address(here.platform, here.workspace, here.user, channel)
    if not facts.name:
        if exists:
            await ctx.join(there, topics)
        pick = "Choose it in the option “in” of /papers subscribe" if ctx.people else "Type # and pick it from the list"
        raise UsageError(
            f"in: I see no channel “{clip(plain(channel), 60)}”. {pick}, or type there: "
            "/papers subscribe TOPIC in=here. If it is private, add me to it first."
        )
    name = facts.name or channel
    if not await may_subscribe(ctx, channel):
        chosen = await chosen_in(ctx)
        if who_subscribes(ctx, chosen) == "everyone":
            raise NotAllowed(f"To subscribe #{plain(name)}, type this in #{plain(name)} itself, with in=here.")
        role = f", and those with the role {role_of(chosen)}," if chosen.role else ""
        raise NotAllowed(
            f"Only those who manage #{plain(name)}{role} can subscribe it. Ask one of them, or leave in= out."
        )
    await ctx.join(there, topics)
    return await ctx.store.write(owners.get, here.platform, here.workspace, "channel", channel, name, ctx.now)


def role_of(chosen: Workspace) -> str:
    """Name the role whose members may subscribe channels."""
    return f"@{plain(chosen.role_name)}" if chosen.role_name else plain(chosen.role)


async def _about(ctx: Context, channel: str, workspace: str = "") -> Facts:
    here = ctx.request.address
    return await ctx.about(Address(here.platform, workspace or here.workspace, here.user, channel))
