"""Which paper is meant, and its card: by number on the screen, by id, by link or by title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.commands import _reach as elsewhere
from bot.commands._context import Context
from bot.core.card import clip
from bot.core.ids import normalise
from bot.core.pages import Entry
from bot.core.plain import plain
from bot.core.reached import Wish
from bot.errors import NotFound
from bot.store import digests, notes, papers
from bot.store.library import Pick
from bot.store.papers import Stored


async def meant(ctx: Context, text: str) -> Stored:
    """Return the one paper that `text` names. Raises NotFound, with what to try next, and Elsewhere before."""
    number = await _number(ctx, text.strip())
    found = await ctx.store.read(papers.get, [number])
    return next(iter(found.values()))


async def each_meant(ctx: Context, texts: Sequence[str]) -> list[Stored]:
    """Return the papers that these texts name. Raises as `meant` does; what is not here is asked for all at once."""
    found: list[Stored] = []
    wishes: list[Wish] = []
    for text in texts:
        try:
            found.append(await meant(ctx, text))
        except elsewhere.Elsewhere as missing:
            wishes += missing.wishes
    if wishes:
        raise elsewhere.Elsewhere(wishes)
    return found


async def _number(ctx: Context, text: str) -> int:
    item = await on_screen(ctx, text)
    if item is not None:
        text = str(item["say"])
    known = await ctx.store.read(papers.by_id, text)
    if known is not None:
        return known
    id_ = normalise(text)
    if id_ is not None:
        known = await ctx.store.read(papers.by_id, id_) or elsewhere.by_id(ctx, id_)
        if known is None:
            raise NotFound(
                f"I do not have {clip(id_, 80)} here. An administrator can bring it in: paperround import FILE."
            )
        return known
    by_title = await ctx.library.by_title(text)
    if by_title is None:
        raise NotFound(
            f"“{clip(plain(text), 80)}” is not a paper that I know by id, link or title. "
            "A number from the last list, such as 2, works too."
        )
    return by_title


async def on_screen(ctx: Context, text: str) -> Mapping[str, Any] | None:
    """Return the item of the last list shown to me here that a number means; None if it is no number.

    Raises NotFound for a number that the list does not have.
    """
    text = text.strip()
    if not text.isdecimal() or len(text) > 3:
        return None
    found = [await ctx.store.read(notes.latest, owner, "list") for owner in ctx.owners]
    lists = [one for one in found if one and one[1]["shown_to"] in (0, ctx.me.number)]
    latest = max(lists, key=lambda one: one[0], default=None)
    items = [item for item in latest[1]["items"] if item["paper"]] if latest else []
    if not 1 <= int(text) <= len(items):
        raise NotFound(f"The last list has no paper number {int(text)}. Name the paper by its title, id or link.")
    chosen: Mapping[str, Any] = items[int(text) - 1]
    return chosen


async def entries(
    ctx: Context, picks: Sequence[Pick], interests: Sequence[int] = (), *, reasons: bool = True
) -> list[Entry]:
    """Make the cards of picked papers, in their order. `interests` are the numbers that `Pick.interest` counts in."""
    near = [int(pick.why.near) for pick in picks if pick.why.near.isdecimal()]
    stored = await ctx.store.read(papers.get, [pick.number for pick in picks] + near)
    return digests.entries(stored, picks, interests, reasons=reasons)
