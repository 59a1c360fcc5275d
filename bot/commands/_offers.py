"""What is offered while somebody types an argument: each a label, and the value that it stands for. Of the papers.

All of it is in memory, or is one short look into the store that waits for no request.
"""

from __future__ import annotations

from datetime import timedelta

from bot.commands._context import Context
from bot.core.card import clip
from bot.core.ids import normalise
from bot.core.plain import plain
from bot.store import saved, subscriptions
from bot.store.offer import Offer
from bot.store.titles import fits, folded, matching

Pairs = list[tuple[str, str]]
MOST = 25  # offers: as many as a platform shows
SAVED = 100  # papers that somebody saved last, among which is looked
LONGEST = 100  # characters of a value, as a platform takes it


async def topic(ctx: Context, typed: str) -> Pairs:
    """Offer topics: what was typed, what this channel follows, areas, and keywords that many papers have."""
    before, mark, last = typed.rpartition(";")
    offer = await _offer(ctx)
    here = await ctx.offered.read(subscriptions.of, ctx.place.number) if ctx.place else []
    follows = [one for sub in here for one in sub.topics]
    names = matching(last, [*follows, *offer.areas, *offer.keywords])
    lead = f"{before}{mark} " if mark else ""
    return [*_as_typed(typed), *((f"{lead}{plain(name)}", f"{lead}{name}") for name in names)]


async def words(ctx: Context, typed: str) -> Pairs:
    """Offer what to search for: what was typed, and titles that go on so."""
    titles = (await _offer(ctx)).titles
    found = titles.find(typed, MOST) if len(folded(typed)) > 2 else []
    return [*_as_typed(typed), *(_paper(id_, title) for id_, title in found)]


async def paper(ctx: Context, typed: str) -> Pairs:
    """Offer papers: those that I saved first, then those whose titles go on as is typed, the newest first."""
    offer = await _offer(ctx)
    kept = await ctx.offered.read(saved.titles, ctx.me.number, SAVED) if ctx.me.number else []
    named = typed.strip().isdecimal() or normalise(typed) is not None  # by number or by id: that is what is meant
    mine = [one for one in kept if fits(typed, one[1])]
    return [*(_as_typed(typed) if named else []), *(_paper(*one) for one in [*mine, *offer.titles.find(typed, MOST)])]


async def area(ctx: Context, typed: str) -> Pairs:
    """Offer the areas that papers are in, the biggest first."""
    return [(plain(name), name) for name in matching(typed, (await _offer(ctx)).areas)]


async def source(ctx: Context, typed: str) -> Pairs:
    """Offer the sources that papers come from."""
    return [(plain(name), name) for name in matching(typed, (await _offer(ctx)).sources)]


async def command_name(ctx: Context, typed: str) -> Pairs:
    """Offer the commands, with what each is for."""
    shown = {one.name: one for one in ctx.commands.values() if not one.hidden}
    return [(f"{name}: {plain(shown[name].help)}", name) for name in matching(typed, sorted(shown))]


async def _offer(ctx: Context) -> Offer:
    return await ctx.offered.now(ctx.newest, ctx.now - timedelta(days=7))


def _as_typed(typed: str) -> Pairs:
    """Offer what was typed, first of all: whoever means just that shall not send the next best."""
    words = " ".join(typed.split())
    return [(words, words)] if words else []


def _paper(id_: str, title: str) -> tuple[str, str]:
    name = clip(plain(title), LONGEST)
    return name, id_ if len(id_) <= LONGEST else title
