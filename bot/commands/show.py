"""One paper in full."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from bot.commands import _offers as offers
from bot.commands._context import Context
from bot.commands._pages import listed
from bot.commands._papers import meant
from bot.core.card import clip, count, paper_card, place_line
from bot.core.command import command
from bot.core.ids import url_of
from bot.core.message import Message
from bot.core.pages import PAPER, Entry
from bot.core.plain import plain
from bot.store import digests, interests, marks
from bot.store.papers import Stored

AUTHORS_SHOWN = 12
ABSTRACT_LIMIT = 2500  # characters


@command(threads=True, guests=True)
async def show(
    ctx: Context,
    paper: Annotated[str, "an id, a link, a title, or its number in the last list", offers.paper],
    *,
    share: Annotated[bool, "show the answer to the whole channel"] = False,
) -> Message:
    """Show one paper in full: abstract, links, ids, and whether it would be picked for you."""
    return await in_full(ctx, await meant(ctx, paper), owner=ctx.place.number if share and ctx.place else 0)


async def in_full(ctx: Context, stored: Stored, owner: int = 0) -> Message:
    """Return the message that shows one paper with all that is known of it."""
    paper = stored.paper
    names = [plain(name) for name in paper.authors]
    more = f", and {len(names) - AUTHORS_SHOWN} more" if len(names) > AUTHORS_SHOWN else ""
    links = [url for id_ in stored.ids if (url := url_of(id_)) and url != paper.url]
    lines = (
        ", ".join(names[:AUTHORS_SHOWN]) + more,
        place_line(paper),
        "no title given: this is the abstract's first sentence" if paper.title_guessed else "",
        clip(plain(paper.abstract), ABSTRACT_LIMIT),
        _line("area", [plain(name) for name in paper.categories]),
        _line("keywords", [plain(word) for word in paper.keywords[:12]]),
        count(paper.votes, "vote") + " on Hugging Face" if paper.votes else "",
        _line("ids", stored.ids),
        _line("links", links),
        "" if owner else await _for_me(ctx, stored),  # what is shared tells nobody's interests
    )
    card = replace(paper_card(paper), lines=tuple(line for line in lines if line))
    kinds = [kind for kind in PAPER if owner or kind[1] != "show"]  # what is shared leaves out why, for each person
    return await listed(ctx, "", [Entry(card, paper.id)], kinds=kinds, owner=owner, public=owner > 0)


def _line(name: str, values: tuple[str, ...] | list[str]) -> str:
    return f"{name}: {', '.join(values)}" if values else ""


async def _for_me(ctx: Context, stored: Stored) -> str:
    """Say, interest by interest, whether this paper would be picked, and why or why not."""
    profile = await ctx.store.read(interests.profile, ctx.me.number)
    if not profile.interests:
        return ""
    mark = (await ctx.store.read(marks.of, ctx.me.number)).get(stored.number)
    if mark:
        return f"for you: you marked it {mark}, so no digest shows it again"
    said = []
    held = await ctx.store.read(interests.of, ctx.me.number)
    asked = [(one.number, ctx.settings.strictness) for one in held]
    bars = await ctx.store.read(digests.bars, asked, await ctx.store.read(ctx.library.everybody.crowd, ctx.now))
    for verdict in await ctx.library.judge(profile, stored.number, bars):
        name = f"“{plain(profile.interests[verdict.interest].name)}”"
        if verdict.muted:
            said.append(f"{name} would not show it: you muted “{plain(verdict.muted)}”")
        elif verdict.picked:
            known = f"{100 * verdict.fits:.0f} %" if verdict.fits is not None else ""
            reasons = ", ".join(part for part in (known, *verdict.why.terms) if part)
            said.append(f"it fits {name}{f' ({reasons})' if reasons else ''}")
        elif verdict.fits is not None:
            said.append(f"it fits {name} {100 * verdict.fits:.0f} %, and {100 * min(verdict.asked, 1):.0f} % is asked")
        else:
            said.append(f"it is not near enough to {name}")
    return "for you: " + "; ".join(said)
