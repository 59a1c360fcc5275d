"""A paper for a list of references."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._papers import meant
from bot.core.bibtex import entry
from bot.core.command import command
from bot.core.message import Message


@command(hidden=True, guests=True)
async def bibtex(ctx: Context, paper: Annotated[str, "an id, a link or a title"]) -> Message:
    """Return the paper's BibTeX entry."""
    stored = await meant(ctx, paper)
    return Message(text=entry(stored.paper, stored.ids))
