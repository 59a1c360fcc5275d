"""Mute these words or this author no longer."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._context import Context
from bot.commands._wishes import unwish
from bot.core.command import command
from bot.core.message import Message


@command(personal=True)
async def unmute(ctx: Context, words: Annotated[str, "words, or an author's name", mine.muted]) -> Message:
    """Mute these words or this author no longer."""
    return await unwish(ctx, "mute", words)
