"""Which paper is meant, and its card: by number on the screen, by id, by link or by title."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands._context import Context
from bot.commands._pages import Entry
from bot.core.card import clip, paper_card
from bot.core.ids import normalise
from bot.core.plain import plain
from bot.errors import NotFound
from bot.store import notes, papers
from bot.store.library import Pick
from bot.store.papers import Stored


async def meant(ctx: Context, text: str) -> Stored:
    """Return the one paper that `text` names. Raises NotFound, with what to try next."""
    number = await _number(ctx, text.strip())
    found = await ctx.store.read(papers.get, [number])
    return next(iter(found.values()))


async def _number(ctx: Context, text: str) -> int:
    if text.isdecimal() and len(text) <= 3:
        text = await _on_screen(ctx, int(text))
    known = await ctx.store.read(papers.by_id, text)
    if known is not None:
        return known
    id_ = normalise(text)
    if id_ is not None:
        known = await ctx.store.read(papers.by_id, id_)
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


async def _on_screen(ctx: Context, number: int) -> str:
    latest = await ctx.store.read(notes.latest, ctx.me.number, "list")
    items = [item for item in latest[1]["items"] if item["paper"]] if latest else []
    if not 1 <= number <= len(items):
        raise NotFound(f"The last list has no paper number {number}. Name the paper by its title, id or link.")
    return str(items[number - 1]["say"])


async def entries(
    ctx: Context, picks: Sequence[Pick], interests: Sequence[int] = (), *, reasons: bool = True
) -> list[Entry]:
    """Make the cards of picked papers, in their order. `interests` are the numbers that `Pick.interest` counts in."""
    near = [int(pick.why.near) for pick in picks if pick.why.near.isdecimal()]
    stored = await ctx.store.read(papers.get, [pick.number for pick in picks] + near)
    made = []
    for pick in picks:
        if pick.number not in stored:
            continue
        paper = stored[pick.number].paper
        near_title = stored[int(pick.why.near)].paper.title if pick.why.near.isdecimal() else ""
        card = paper_card(paper, why=pick.why if reasons else None, near_title=near_title)
        interest = interests[pick.interest] if 0 <= pick.interest < len(interests) else 0
        made.append(Entry(card, paper.id, interest))
    return made
