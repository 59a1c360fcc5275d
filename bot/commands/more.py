"""More papers like one."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.commands._marks import mark
from bot.core.command import command
from bot.core.message import Message


@command
async def more(
    ctx: Context, paper: Annotated[str, "an id, a link, a title, or its number in the last list", offers.paper]
) -> Message:
    """Show more papers like this one."""
    return await mark(ctx, paper, "more")
