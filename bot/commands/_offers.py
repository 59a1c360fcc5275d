"""What can stand in an argument, offered while somebody types it: each a label, and the value that it stands for.

All of it is in memory, or is one short look into the store that waits for no request.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from bot.commands._context import Context
from bot.commands._interests import within
from bot.core.card import clip
from bot.core.ids import normalise
from bot.core.plain import plain
from bot.store import interests, saved, subscriptions, wishes
from bot.store.offered import Offer
from bot.store.subscriptions import Subscription
from bot.store.text import key
from bot.store.titles import folded

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
    names = _matching(last, [*follows, *offer.areas, *offer.keywords])
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
    mine = [one for one in kept if _fits(typed, one[1])]
    return [*(_as_typed(typed) if named else []), *(_paper(*one) for one in [*mine, *offer.titles.find(typed, MOST)])]


async def which(ctx: Context, typed: str) -> Pairs:
    """Offer the list that `subscriptions` shows, by name; where two have one name, by the number in the list."""
    rows = await ctx.offered.read(subscriptions.listed, ctx.owners, within(ctx))
    return [
        (_label(place, sub), _named(place, sub, rows))
        for place, sub in enumerate(rows, 1)
        if str(place) == typed.strip().lstrip("#") or _fits(typed, f"{sub.name} {sub.place}")
    ]


async def interest(ctx: Context, typed: str) -> Pairs:
    """Offer my own interests, by name."""
    names = [held.interest.name for held in await ctx.offered.read(interests.of, ctx.me.number)]
    return [(plain(name), name) for name in _matching(typed, names)]


async def area(ctx: Context, typed: str) -> Pairs:
    """Offer the areas that papers are in, the biggest first."""
    return [(plain(name), name) for name in _matching(typed, (await _offer(ctx)).areas)]


async def source(ctx: Context, typed: str) -> Pairs:
    """Offer the sources that papers come from."""
    return [(plain(name), name) for name in _matching(typed, (await _offer(ctx)).sources)]


async def followed_author(ctx: Context, typed: str) -> Pairs:
    """Offer the authors that I follow."""
    return await _wishes(ctx, "follow", typed)


async def muted(ctx: Context, typed: str) -> Pairs:
    """Offer the words and authors that I muted."""
    return await _wishes(ctx, "mute", typed)


async def command_name(ctx: Context, typed: str) -> Pairs:
    """Offer the commands, with what each is for."""
    shown = {one.name: one for one in ctx.commands.values() if not one.hidden}
    return [(f"{name}: {plain(shown[name].help)}", name) for name in _matching(typed, sorted(shown))]


async def _offer(ctx: Context) -> Offer:
    return await ctx.offered.now(ctx.newest, ctx.now - timedelta(days=7))


async def _wishes(ctx: Context, kind: str, typed: str) -> Pairs:
    have = await ctx.offered.read(wishes.of, ctx.me.number, kind)
    return [(plain(name), name) for name in _matching(typed, have)]


def _as_typed(typed: str) -> Pairs:
    """Offer what was typed, first of all: whoever means just that shall not send the next best."""
    words = " ".join(typed.split())
    return [(words, words)] if words else []


def _paper(id_: str, title: str) -> tuple[str, str]:
    name = clip(plain(title), LONGEST)
    return name, id_ if len(id_) <= LONGEST else title


def _matching(typed: str, names: Iterable[str]) -> list[str]:
    """Return the names that have words that begin so, each once, those that begin so themselves first."""
    once: dict[str, str] = {}
    for name in names:
        once.setdefault(folded(name), name)
    begun = folded(typed)
    return sorted((name for name in once.values() if _fits(typed, name)), key=lambda n: not folded(n).startswith(begun))


def _fits(typed: str, name: str) -> bool:
    text = f" {folded(name)}"
    return all(f" {word}" in text for word in folded(typed).split())


def _label(place: int, sub: Subscription) -> str:
    where = f" · #{plain(sub.place)}" if sub.place_kind == "channel" else ""
    return f"{place} · {clip(plain(sub.name), LONGEST - 40)}{clip(where, 30)}"


def _named(place: int, sub: Subscription, rows: Sequence[Subscription]) -> str:
    """Return how a subscription is said: by its name, or by its place in the list where that says more."""
    same = sum(key(one.name) == key(sub.name) for one in rows)
    return sub.name if same == 1 and len(sub.name) <= LONGEST else str(place)
