"""Follow an author no longer."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._context import Context
from bot.commands._wishes import unwish
from bot.core.command import command
from bot.core.message import Message


@command(personal=True)
async def unfollow(ctx: Context, author: Annotated[str, "an author's name", mine.followed_author]) -> Message:
    """Follow an author no longer."""
    return await unwish(ctx, "follow", author)
