"""Help, made from the commands themselves."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.commands._pages import say
from bot.core.card import clip
from bot.core.command import Command, command
from bot.core.drawn import ASK, ASK_HELP, ASKED
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.ports import Facts
from bot.errors import NotFound
from bot.store import interests, subscriptions

STARTER = "large language models"  # the topic suggested where nothing better is known


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


async def first_steps(ctx: Context) -> Message:
    """Answer a bare `/papers`: the three commands that matter to this person now."""
    mine = await ctx.store.read(interests.of, ctx.me.number)
    marked = any(held.interest.liked or held.interest.disliked for held in mine)
    if not mine:
        topic = await suggested_topic(ctx)
        steps = [f"subscribe {topic}", f"search {topic}", "topics"]
    elif not marked:
        steps = ["digest", "subscriptions", f"search {mine[0].interest.name}"]
    else:
        steps = ["digest", "profile", "saved"]
    lines = [f"/papers {step}\n    {ctx.commands[step.split()[0]].help}" for step in steps]
    text = "\n".join([*(INTRODUCTION if ctx.is_new else ()), *lines])
    return Message(
        text=text, buttons=tuple([await say(ctx, step, step) for step in steps]), footer="all commands: /papers help"
    )


INTRODUCTION = (
    "I pick the few new papers that are worth your time, say why for each, and learn from what you mark.",
    "I store what you follow, mark and save, and nothing else; /papers export and /papers forget are yours.",
)


async def introduction(ctx: Context) -> list[str]:
    """Return what is said at first contact: what the bot does, what it stores, and one command to begin with."""
    mine = await ctx.store.read(interests.of, ctx.me.number)
    asked = await ctx.store.read(subscriptions.asked_by, ctx.me.number)
    if mine or asked:
        return list(INTRODUCTION)
    return [*INTRODUCTION, f"To get a digest, type: /papers subscribe {await suggested_topic(ctx)}"]


async def suggested_topic(ctx: Context) -> str:
    """Take a topic from the channel's name or purpose if papers use its words, else one that is stored here."""
    at = ctx.request.address
    facts = await ctx.about(at) if at.room else Facts()
    for words in (facts.purpose, facts.name.replace("-", " ").replace("_", " ")):
        if words and await ctx.library.unknown(words) is None:
            return clip(plain(words), 60)
    starters = await ctx.library.starters(ctx.now, 1)
    return starters[0].name if starters else STARTER
