"""What is not here is asked for elsewhere: a command says what it misses, sources are asked, and it begins anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from bot.commands._context import Context
from bot.core.message import Message
from bot.core.reached import Reached, Wish, not_found
from bot.errors import NotFound, UserError

LOOKING = Message(text="Still looking …")  # is shown until the answer takes its place
NO_ANSWER = "This could not be looked up. Please ask once more."

Answers = AsyncGenerator[Message, None]


class Elsewhere(Exception):  # noqa: N818 - read as a sentence: raise Elsewhere(…)
    """It is not here, and sources may have it. A command raises it before it has done anything."""

    def __init__(self, wishes: Sequence[Wish]) -> None:
        super().__init__(", ".join(wish.text for wish in wishes))
        self.wishes = wishes


def by_id(ctx: Context, id_: str) -> int | None:
    """Return the number of the paper that sources gave for an id; None if they cannot be asked.

    Raises Elsewhere if they were not asked yet, and NotFound if they have none.
    """
    wish = Wish("find", id_)
    reached = ctx.reached.get(wish)
    if reached is None:
        if ctx.reach is None or not ctx.reach.can(wish):
            return None
        raise Elsewhere([wish])
    if not reached.lists:
        raise NotFound(not_found(wish, reached))
    return reached.lists[0][0]


def by_words(ctx: Context, words: str) -> Reached | None:
    """Return what sources have for some words; None if they cannot be asked. Raises Elsewhere."""
    wish = Wish("look", words)
    if wish in ctx.reached:
        return ctx.reached[wish]
    if ctx.reach is None or not ctx.reach.can(wish):
        return None
    raise Elsewhere([wish])


async def reaching(ctx: Context, work: Callable[[Context], Answers]) -> Answers:
    """Give what `work` gives; what is not here is asked for meanwhile, and `LOOKING` stands there if that takes long.

    Raises what `work` raises.
    """
    waited = False
    until = asyncio.get_running_loop().time() + (ctx.reach.soon if ctx.reach else 0.0)
    while True:
        try:
            async with aclosing(work(ctx)) as answers:
                async for message in answers:
                    yield message
            return
        except Elsewhere as missing:
            wishes = missing.wishes
        except UserError as error:
            if waited and ctx.in_the_open:  # an error is private, and would leave what all read as it is
                yield Message(text=str(error))
                return
            raise
        except Exception:
            if waited and ctx.in_the_open:
                yield Message(text=NO_ANSWER)
            raise
        asking = asyncio.ensure_future(_ask(ctx, wishes))
        try:
            if not waited:
                async with ctx.aside():
                    await asyncio.wait({asking}, timeout=max(0.0, until - asyncio.get_running_loop().time()))
            if not waited and not asking.done():
                waited = True
                yield LOOKING
            ctx = replace(ctx, reached={**ctx.reached, **await asking})
        finally:
            asking.cancel()


async def _ask(ctx: Context, wishes: Sequence[Wish]) -> dict[Wish, Reached]:
    """Ask for all that is wished. Raises StoreError."""
    if ctx.reach is None:
        return {wish: Reached() for wish in wishes}
    return dict(zip(wishes, await asyncio.gather(*map(ctx.reach.ask, wishes)), strict=True))
