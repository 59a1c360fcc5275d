"""Papers like these."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.commands._pages import listed
from bot.commands._papers import each_meant, entries, meant
from bot.core.card import clip
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import NotFound

MOST = 10  # papers shown
LIKE_AT_MOST = 20  # papers that may be named at once


@command(threads=True, guests=True)
async def similar(
    ctx: Context,
    paper: Annotated[tuple[str, ...], "an id, a link, a title, or numbers of the last list", offers.paper],
    *,
    share: Annotated[bool, "show the answer to the whole channel"] = False,
) -> Message:
    """Find papers like one paper, or like several together."""
    try:
        named = [await meant(ctx, " ".join(paper))]
    except NotFound:
        if len(paper) == 1 or len(paper) > LIKE_AT_MOST:
            raise
        named = await each_meant(ctx, paper)
    picks = await ctx.library.similar([stored.number for stored in named], MOST)
    names = " and ".join(f"“{clip(plain(stored.paper.title), 80)}”" for stored in named[:2])
    rest = f" and {len(named) - 2} more" if len(named) > 2 else ""
    if not picks:
        return Message(text=f"Nothing here comes near {names}{rest}.")
    owner = ctx.place.number if share and ctx.place else 0
    return await listed(ctx, f"Papers like {names}{rest}", await entries(ctx, picks), owner=owner, public=owner > 0)
