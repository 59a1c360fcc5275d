"""Never show papers with these words, or of this author."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._wishes import wish
from bot.core.command import command
from bot.core.message import Message


@command(personal=True)
async def mute(ctx: Context, words: Annotated[str, "words, or an author's name"]) -> Message:
    """Never show papers with these words, or of this author."""
    return await wish(ctx, "mute", words)
