"""Nothing for a while."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._chosen import WHICH, digests_meant, together
from bot.commands._context import Context
from bot.commands._interests import followed
from bot.commands._pages import say, undo
from bot.commands._when import covers, date_words, local_date, names, nothing, several
from bot.core.command import SENTENCE, command
from bot.core.day import Day
from bot.core.digest import moment
from bot.core.message import Message
from bot.core.typed import short_zone
from bot.errors import UsageError
from bot.store import notice, schedules, subscriptions
from bot.store.subscriptions import Subscription
from bot.store.text import key

_UNTIL = re.compile(r"(?:(.*)\s)?(?:until|till|for)\s+(.+)", re.IGNORECASE)


@command
async def pause(
    ctx: Context,
    name: Annotated[str, f"{WHICH}; all of yours if left out", mine.which] = "",
    *,
    until: Annotated[Day | None, "the date on which it goes on: 24 Dec, monday, 2 weeks", SENTENCE] = None,
) -> Message:
    """Send no digest for a while: until a date, or until you resume it."""
    name, until = await _as_spoken(ctx, name, until)
    digests = await digests_meant(ctx, name)
    if not digests:
        return await nothing(ctx)
    ends = [_end(until, rows[0], ctx) for rows in digests]
    before = [schedules.before(rows[0], ["pause"]) for rows in digests]
    changed: list[Subscription] = []
    for rows, end in zip(digests, ends, strict=True):
        sub = rows[0]
        if sub.paused_at is None or sub.paused_why or sub.paused_until != (end.isoformat() if end else ""):
            await ctx.store.write(subscriptions.pause, sub.number, ctx.now, end)
            changed += rows
    done = f"paused until {date_words(ends[0], local_date(digests[0][0], ctx.now))}" if ends[0] else "paused"
    await ctx.store.write(notice.changed, changed, ctx.me, done, ctx.now)
    after = [await together(ctx, rows[0]) for rows in digests]
    lines = [_line(ctx, rows, end) for rows, end in zip(after, ends, strict=True)]
    only = digests[0][0]
    if len(digests) == 1 and only.paused_at is None:
        button = await say(ctx, "Resume", f"resume sub{only.number}")
    else:
        button = await undo(ctx, {"do": "schedule", "interest": only.interest, "before": before})
    return Message(text=several(lines), buttons=(button,), lasts=True)


async def _as_spoken(ctx: Context, name: str, until: Day | None) -> tuple[str, Day | None]:
    """Understand a date that is said without an equals sign: "graphs until 24 Dec"."""
    match = _UNTIL.fullmatch(name) if until is None else None
    known = {key(sub.name) for sub in await followed(ctx)}
    if match is None or key(name) in known:
        return name, until
    rest = (match[1] or "").strip()
    try:
        return rest, Day.read(match[2])
    except ValueError as error:
        if rest and not rest.isdecimal() and key(rest) not in known:
            return name, until  # a sentence may well begin with "pause"
        raise UsageError(f"until: {error}.") from None


def _end(until: Day | None, sub: Subscription, ctx: Context) -> date | None:
    """Return the date meant, where the subscription's clock hangs. Raises UsageError."""
    try:
        return until.after(local_date(sub, ctx.now)) if until is not None else None
    except ValueError as error:
        raise UsageError(f"until: {error}.") from None


def _line(ctx: Context, rows: list[Subscription], end: date | None) -> str:
    sub = rows[0]
    be = "is" if len(rows) == 1 else "are"
    since = moment(sub.paused_at or ctx.now, sub.time_zone)
    beside = " They come in one digest." if len(rows) > 1 else ""
    if end is None:
        return f"{names(rows)} {be} paused from {since} on. Once resumed, the next digest {covers(sub)}.{beside}"
    until = date_words(end, local_date(sub, ctx.now))
    due = f"{moment(sub.next_due_at, sub.time_zone)} {short_zone(sub.time_zone)}" if sub.next_due_at else until
    return f"{names(rows)} {be} paused from {since} until {until}. The next digest, {due}, {covers(sub)}.{beside}"
