"""Today's digest, now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._context import Context
from bot.commands._digest import Wanted, digest_of
from bot.commands._interests import named
from bot.commands._pages import say
from bot.core.command import command
from bot.core.message import Message
from bot.store import interests, subscriptions
from bot.store.interests import Held
from bot.store.subscriptions import Subscription


@command
async def digest(
    ctx: Context, name: Annotated[str, "the name or number of one interest; all of them if left out", mine.which] = ""
) -> Message:
    """Show today's digest now; it does not count as sent."""
    owner, held = await _owner_and_interests(ctx, name)
    if not held:
        return Message(
            text="You follow nothing yet. Subscribe to a topic, and the digest is ranked for it.",
            buttons=(await say(ctx, "What can I follow?", "topics"),),
        )
    scheduled = {sub.interest: sub for sub in await ctx.store.read(subscriptions.of, owner)}
    return await digest_of(ctx, owner, [wanted(ctx, one, scheduled.get(one.number)) for one in held])


def wanted(ctx: Context, held: Held, sub: Subscription | None) -> Wanted:
    """Say how many papers an interest may bring and how strict it is: as subscribed, else as the settings say."""
    if sub is None:
        return Wanted(held, ctx.settings.digest_max, ctx.settings.strictness)
    return Wanted(held, sub.at_most, sub.strictness)


async def _owner_and_interests(ctx: Context, name: str) -> tuple[int, Sequence[Held]]:
    """Return one interest that is named, or all of mine, or, where I have none, all of this channel's."""
    if name:
        held, owner = await named(ctx, name)
        return owner.number, [held]
    for owner in [ctx.me, *([ctx.place] if ctx.place else [])]:
        if all_of_them := await ctx.store.read(interests.of, owner.number):
            return owner.number, all_of_them
    return ctx.me.number, []
