"""Help, made from the commands themselves."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.core.card import clip
from bot.core.command import Command, command
from bot.core.drawn import ASK, ASK_HELP, ASKED
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import NotFound


@command(threads=True, guests=True)
async def help_(
    ctx: Context, name: Annotated[str, "a command; all of them if left out", offers.command_name] = ""
) -> Message:
    """Say what can be typed, and what each command takes."""
    shown = {known.name: known for known in ctx.commands.values() if not known.hidden}
    draws = bool(ctx.people)  # such a platform draws each argument, and takes a whole line by a command of its own
    if name:
        wanted = name.split()[0].casefold().lstrip("/")
        if draws and wanted == ASK:
            return Message(text=f"/papers {ASKED}TEXT\n{ASK_HELP}")
        if wanted not in shown:
            near = get_close_matches(wanted, shown, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise NotFound(f"There is no command “{clip(plain(wanted), 40)}”.{hint} See all: /papers help")
        return Message(text=about(shown[wanted]))
    useful = [shown[key] for key in sorted(shown) if shown[key].guests or not ctx.request.guest]
    lines = [f"{known.usage}\n    {known.help}" for known in useful]
    lines = sorted([*lines, f"{ASK} TEXT\n    {ASK_HELP}"]) if draws else lines
    text = "Type /papers and then one of these. Other words are searched for: /papers WORDS\n\n" + "\n".join(lines)
    return Message(text=text, footer="more of one: /papers help COMMAND")


def about(known: Command) -> str:
    """Explain one command: its line, and what each argument means."""
    lines = [f"/papers {known.usage}", known.help]
    for arg in known.args:
        default = "" if arg.required or arg.default in (None, "", 0, False) else f" (otherwise {arg.default})"
        lines.append(f"    {arg.name if arg.option else arg.name.upper()}: {arg.help}{default}")
    return "\n".join(lines)
