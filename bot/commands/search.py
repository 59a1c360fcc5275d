"""Look papers up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

from bot.commands import _offers as offers
from bot.commands import _reach as elsewhere
from bot.commands._context import Context
from bot.commands._pages import listed, say
from bot.commands._papers import meant
from bot.commands.show import in_full
from bot.core.card import clip, count
from bot.core.command import command
from bot.core.ids import normalise
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.reached import Wish, asked_too
from bot.errors import NotFound, UsageError
from bot.store import areas, digests, papers
from bot.store.library import Pick
from bot.store.papers import Stored
from bot.store.text import title_key
from recommender.types import Why

MOST = 25  # papers that one search lists
FUSION = 60  # the constant of reciprocal rank fusion: the greater, the less the first ranks stand out


@command(threads=True, guests=True)
async def search(
    ctx: Context,
    words: Annotated[str, "words to look for, a title, an author, an id or a link", offers.words],
    *,
    days: Annotated[int, "only papers of the last so many days"] = 0,
    area: Annotated[str, "only papers of this area", offers.area] = "",
    source: Annotated[str, "only papers of this source", offers.source] = "",
    everywhere: Annotated[bool, "ask arXiv and other sources too"] = False,
    share: Annotated[bool, "show the answer to the whole channel"] = False,
) -> Message:
    """Find papers by words, title, author, id or link."""
    owner = ctx.place.number if share and ctx.place else 0
    if normalise(words) is not None:
        return await in_full(ctx, await meant(ctx, words), owner)
    if days < 0:
        raise UsageError(f"days: {days} is no number of days; say 1 or more.")
    reached = elsewhere.by_words(ctx, words) if everywhere else None
    among = await _among(ctx, days, area, source)
    looked = await ctx.library.look_up(words, MOST, among)
    if looked.by_id is not None:
        return await in_full(ctx, await meant(ctx, words), owner)
    found, exact = looked.found, bool(looked.found) and looked.found[0].exact
    numbers, stored, footer = [hit.number for hit in found], looked.papers, ""
    if everywhere:
        footer = asked_too(reached) if reached else "No source can be asked for words here."
    if reached is not None:
        numbers, stored = await _together(ctx, [numbers, *reached.lists], numbers[:exact], among)
    if not numbers:
        return replace(await _nothing(ctx, words, limited=among is not None, everywhere=everywhere), footer=footer)
    made = digests.entries(stored, [Pick(number, 0, 0.0, Why()) for number in numbers], reasons=False)
    asked = clip(plain(words), 80)
    head = "The paper of this title, and what comes near" if exact else f"{_counted(len(made))} for “{asked}”"
    return await listed(ctx, head, made, footer=footer, owner=owner, public=owner > 0)


async def _nothing(ctx: Context, words: str, *, limited: bool, everywhere: bool) -> Message:
    """Say that nothing was found, and where else could be looked."""
    buttons = [await say(ctx, "Search in everything", f"search {words}")] if limited else []
    if not everywhere and ctx.reach is not None and ctx.reach.can(Wish("look", words)):
        buttons.append(await say(ctx, "Search everywhere", f"search {words} --everywhere"))
    return Message(
        text=f"Nothing here for “{clip(plain(words), 80)}”. "
        "Other words, an author's name or a part of the title may find it.",
        buttons=tuple(buttons),
    )


async def _together(
    ctx: Context, lists: Sequence[Sequence[int]], first: Sequence[int], among: Collection[int] | None
) -> tuple[list[int], Mapping[int, Stored]]:
    """Make one list of several, each with the best first, and return it with its papers, by number.

    By reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009); what shall stand `first` does. Papers of one
    title are shown once.
    """
    worth = defaultdict[int, float](float, dict.fromkeys(first, 1.0))
    for ranked in lists:
        for rank, number in enumerate(dict.fromkeys(ranked), 1):
            worth[number] += 1 / (FUSION + rank)
    found = await ctx.store.read(papers.get, list(worth))
    titles: dict[str, int] = {}
    numbers: dict[int, None] = {}
    for number in sorted(worth, key=lambda each: -worth[each]):
        one = found.get(number)
        if one is not None and (among is None or one.number in among):
            title = title_key(one.paper.title) or str(number)
            numbers.setdefault(titles.setdefault(title, one.number))
    return list(numbers)[:MOST], {one.number: one for one in found.values()}


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
