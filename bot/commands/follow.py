"""Get every paper of an author."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._wishes import wish
from bot.core.command import command
from bot.core.message import Message


@command(personal=True)
async def follow(ctx: Context, author: Annotated[str, "an author's name"]) -> Message:
    """Get every paper of an author."""
    return await wish(ctx, "follow", author)
