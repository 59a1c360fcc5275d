"""Look papers up."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.commands._pages import listed, say
from bot.commands._papers import meant
from bot.commands.show import in_full
from bot.core.card import clip, count
from bot.core.command import command
from bot.core.ids import normalise
from bot.core.message import Message
from bot.core.plain import plain
from bot.errors import NotFound, UsageError
from bot.store import areas, digests, papers
from bot.store.library import Pick
from recommender.types import Why

MOST = 25  # papers that one search lists


@command(threads=True, guests=True)
async def search(
    ctx: Context,
    words: Annotated[str, "words to look for, a title, an author, an id or a link", offers.words],
    *,
    days: Annotated[int, "only papers of the last so many days"] = 0,
    area: Annotated[str, "only papers of this area", offers.area] = "",
    source: Annotated[str, "only papers of this source", offers.source] = "",
    share: Annotated[bool, "show the answer to the whole channel"] = False,
) -> Message:
    """Find papers by words, title, author, id or link."""
    owner = ctx.place.number if share and ctx.place else 0
    if normalise(words) is not None:
        return await in_full(ctx, await meant(ctx, words), owner)
    if days < 0:
        raise UsageError(f"days: {days} is no number of days; say 1 or more.")
    among = await _among(ctx, days, area, source)
    looked = await ctx.library.look_up(words, MOST, among)
    if looked.by_id is not None:
        return await in_full(ctx, await meant(ctx, words), owner)
    found, asked = looked.found, clip(plain(words), 80)
    if not found:
        return Message(
            text=f"Nothing here for “{asked}”. Other words, an author's name or a part of the title may find it.",
            buttons=() if among is None else (await say(ctx, "Search in everything", f"search {words}"),),
        )
    if found[0].exact:
        found = [hit for at, hit in enumerate(found) if not at or not hit.exact or hit.score >= found[0].score]
    picks = [Pick(hit.number, 0, hit.score, Why()) for hit in found]
    made = digests.entries(looked.papers, picks, reasons=False)
    head = "The paper of this title, and what comes near" if found[0].exact else f"{_counted(len(made))} for “{asked}”"
    return await listed(ctx, head, made, owner=owner, public=owner > 0)


def _counted(number: int) -> str:
    return f"The best {MOST} papers" if number == MOST else count(number, "paper")


async def _among(ctx: Context, days: int, area: str, source: str) -> set[int] | None:
    """Return the numbers that the options leave, or None for all. Raises NotFound if an option names nothing."""
    among: set[int] | None = None
    if area:
        among = await ctx.store.read(areas.in_area, area)
        if not among:
            raise NotFound(
                f"No paper is in an area called “{clip(plain(area), 60)}”. See the areas with: /papers topics"
            )
    if source:
        ours = await ctx.store.read(papers.from_source, source)
        if not ours:
            raise NotFound(f"No paper comes from a source called “{clip(plain(source), 60)}”.")
        among = ours if among is None else among & ours
    if days > 0:
        recent = set(await ctx.store.read(papers.seen_since, ctx.now - timedelta(days=min(days, 36500))))
        among = recent if among is None else among & recent
    return among
