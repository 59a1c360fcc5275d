"""Mute one of a paper's authors."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._pages import say
from bot.commands._papers import meant
from bot.commands._wishes import wish
from bot.core.card import clip
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import NotFound

MOST = 10  # authors among whom one can choose by a button


@command(hidden=True, personal=True)
async def mute_author(ctx: Context, paper: Annotated[str, "an id, a link or a title"]) -> Message:
    """Mute the paper's author; of several, ask which."""
    stored = await meant(ctx, paper)
    names = [name for raw in stored.paper.authors if (name := " ".join(plain(raw).split()))]
    if not names:
        raise NotFound("No author of this paper is known here. To mute one, type: /papers mute NAME")
    if len(names) == 1:
        return await wish(ctx, "mute", names[0])
    more = f" Of the {len(names) - MOST} others, type the name: /papers mute NAME" if len(names) > MOST else ""
    buttons = tuple([await say(ctx, f"Mute {clip(name, 40)}", f"mute {name}") for name in names[:MOST]])
    return Message(text=f"Whose papers shall no digest show?{more}", buttons=buttons)
