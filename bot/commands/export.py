"""All that is stored about a person, as a file."""

from __future__ import annotations

import json

from bot.commands._context import Context
from bot.core.command import command
from bot.core.message import File, Message
from bot.store import owners


@command(personal=True)
async def export(ctx: Context) -> Message:
    """Get all your data as a file."""
    data = await ctx.store.read(owners.export, ctx.me.number)
    content = json.dumps(data, ensure_ascii=False, indent=1).encode()
    return Message(
        text="Here is all that is stored about you. To have it all deleted, type: /papers forget",
        files=(File("paperround-export.json", content),),
    )
