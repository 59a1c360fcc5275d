"""Digests go on."""

from __future__ import annotations

from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._chosen import WHICH, digests_meant, together
from bot.commands._context import Context
from bot.commands._pages import undo
from bot.commands._when import CLOSED, covers, date_words, local_date, names, nothing, several
from bot.core.command import command
from bot.core.digest import moment, upcoming
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.typed import short_zone
from bot.store import notice, schedules, subscriptions
from bot.store.subscriptions import Subscription


@command
async def resume(ctx: Context, name: Annotated[str, f"{WHICH}; all of yours if left out", mine.which] = "") -> Message:
    """Go on with digests that are paused; the next one covers what came meanwhile."""
    digests = await digests_meant(ctx, name)
    if not digests:
        return await nothing(ctx)
    paused = [rows for rows in digests if rows[0].paused_at is not None]
    if not paused:
        lines = [f"{names(rows)} {_be(rows)} not paused. {_next(rows[0])}" for rows in digests]
        return Message(text=several(lines))
    before = [schedules.before(rows[0], ["pause"]) for rows in paused]
    lines = []
    for old in paused:
        await ctx.store.write(subscriptions.resume, old[0].number, ctx.now)
        rows = await together(ctx, old[0])
        lines.append(_line(ctx, old[0], rows))
    await ctx.store.write(notice.changed, [sub for rows in paused for sub in rows], ctx.me, "resumed", ctx.now)
    back = await undo(ctx, {"do": "schedule", "interest": paused[0][0].interest, "before": before})
    own = any(rows[0].place_kind == "person" for rows in paused)
    return Message(text=several(lines), buttons=(back,), lasts=True, if_closed=CLOSED if own else "")


def _next(sub: Subscription) -> str:
    return upcoming(sub.next_due_at, sub.time_zone).replace("next:", "The next digest comes", 1) + "."


def _be(rows: list[Subscription]) -> str:
    return "is" if len(rows) == 1 else "are"


def _line(ctx: Context, old: Subscription, rows: list[Subscription]) -> str:
    sub = rows[0]
    due = f", {moment(sub.next_due_at, sub.time_zone)} {short_zone(sub.time_zone)}," if sub.next_due_at else ""
    said = f"{names(rows)} {'goes' if len(rows) == 1 else 'go'} on. The next digest{due} {covers(sub)}."
    if not old.paused_why or old.paused_at is None:
        return said
    since = date_words(local_date(old, old.paused_at), local_date(old, ctx.now))
    return f"{said} The pause since {since} was because: {plain(old.paused_why).rstrip('. ')}."
