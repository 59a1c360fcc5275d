"""Where the promise of a subscription's strictness stands."""

from __future__ import annotations

from bot.commands._context import Context
from bot.core.promised import promised
from bot.store import promises
from bot.store.subscriptions import Subscription
from recommender.calibrate import TOLD


async def standing(ctx: Context, sub: Subscription) -> str:
    """Say what the strictness promises, and where that stands with what was pressed up to now."""
    everybody = await ctx.store.read(ctx.library.everybody.crowd, ctx.now)
    one = (await ctx.store.read(promises.read, [sub.number], everybody))[sub.number]
    begun = sub.strictness in everybody.enough and one.tau >= everybody.starts[sub.strictness]
    guess = everybody.calibration.n < TOLD
    return promised(sub.strictness, one.tau, one.counted, one.wasted, begun=begun, guess=guess)
