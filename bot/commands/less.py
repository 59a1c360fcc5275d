"""Fewer papers like one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.commands._marks import mark
from bot.core.command import SENTENCE, command
from bot.core.message import Form, Message

BECAUSE_LIMIT = 300  # characters


async def form(_ctx: Context, values: Mapping[str, str]) -> Form:
    """Ask why a paper is wrong, and which one if that is not known."""
    paper = values.get("paper", "")
    return Form("less", {"paper": paper}, ("because",) if paper else ("paper", "because"), "Why is it wrong?")


@command(form=form)
async def less(
    ctx: Context,
    paper: Annotated[str, "an id, a link, a title, or its number in the last list", offers.paper],
    *,
    because: Annotated[str, "why, in a few words", SENTENCE] = "",
) -> Message:
    """Show fewer papers like this one."""
    return await mark(ctx, paper, "less", because[:BECAUSE_LIMIT])
