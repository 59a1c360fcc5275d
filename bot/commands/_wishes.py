"""Follow and mute, and their opposites: words that hold for all interests of a person."""

from __future__ import annotations

from bot.commands._context import Context
from bot.commands._pages import undo
from bot.core.card import clip
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import NotFound, UsageError
from bot.store import papers, wishes
from recommender.select import by
from recommender.text import words as telling

LIMIT = 120  # characters
DONE = {"follow": "You follow", "mute": "You mute"}


async def wish(ctx: Context, kind: str, words: str) -> Message:
    """Add one wish. Raises UsageError for words that are too long or say nothing."""
    clean = " ".join(plain(words).split()).strip("\"'“”")
    if len(clean) > LIMIT:
        raise UsageError(f"“{clip(clean, 40)}” has {len(clean)} characters; up to {LIMIT} are possible.")
    if not any(character.isalnum() for character in clean):
        raise UsageError(f"“{clip(clean, 40)}” has no letters to {kind}.")
    if kind == "mute" and not telling(clean):
        raise UsageError(f"“{clean}” stands in nearly every paper: muting it would leave you none.")
    added = await ctx.store.write(wishes.add, ctx.me.number, kind, clean, ctx.now)
    effect = {
        "follow": "New papers by this author get up to half of a digest's places, whatever their topic, and say so.",
        "mute": "No digest shows a paper with these words or this author.",
    }[kind]
    if not added:
        return Message(text=f"{DONE[kind]} “{clean}” already. {effect}")
    if kind == "follow" and not await _writes(ctx, clean):
        effect += " No paper here is by this name yet."
    back = await undo(ctx, {"do": f"un{kind}", "words": clean})
    return Message(text=f"{DONE[kind]} “{clean}” now. {effect}", buttons=(back,))


async def _writes(ctx: Context, name: str) -> bool:
    """Say whether any stored paper is by an author of this name."""
    found = await ctx.library.search(name, 50)
    stored = await ctx.store.read(papers.get, [hit.number for hit in found])
    return any(by(one.paper, (name,)) for one in stored.values())


async def unwish(ctx: Context, kind: str, words: str) -> Message:
    """Take one wish back. Raises NotFound, naming those that there are."""
    clean = " ".join(plain(words).split()).strip("\"'“”")
    if not await ctx.store.write(wishes.remove, ctx.me.number, kind, clean):
        have = await ctx.store.read(wishes.of, ctx.me.number, kind)
        listed = ", ".join(f"“{one}”" for one in have[:10]) or "nothing"
        raise NotFound(f"{DONE[kind]} no “{clip(clean, 60)}”. {DONE[kind]}: {listed}.")
    back = await undo(ctx, {"do": kind, "words": clean})
    return Message(text=f"{DONE[kind]} “{clean}” no longer.", buttons=(back,))
