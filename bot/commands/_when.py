"""Words on schedules: when a digest comes, whether it is paused, and whose time zone it goes by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from bot.commands._context import Context
from bot.commands._pages import say
from bot.core.card import count, day
from bot.core.command import Command
from bot.core.digest import called, moment, upcoming
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.typed import short_zone, words_for_weekdays, zones
from bot.store import owners, workspaces
from bot.store.subscriptions import Subscription

LINES = 10  # digests that are named in one answer
CLOSED = (
    "I cannot write to you directly, so digests cannot reach you: allow direct messages from the servers that we "
    "share, or ask for one whenever you like: /papers digest"
)
_LABELS = {
    "at": "time",
    "time_zone": "time zone",
    "weekdays": "days",
    "at_most": "papers at most",
    "strictness": "strictness",
    "gap": "days between, at least",
    "cross_lists": "cross-lists",
    "silent": "quiet where there is nothing",
}


def schedule(sub: Subscription) -> str:
    """Say when a digest comes and how long it is: "09:00 Berlin, weekdays, up to 5 papers"."""
    days = words_for_weekdays(sub.weekdays)
    said = [sub.at + " " + short_zone(sub.time_zone), days, f"up to {count(sub.at_most, 'paper')}"]
    said += [f"at least {count(sub.gap, 'day')} between"] if sub.gap > 1 else []
    said += ["with cross-lists"] if sub.cross_lists else []
    said += ["quiet where there is nothing"] if sub.silent else []
    return ", ".join(said)


def state(sub: Subscription, now: datetime) -> str:
    """Say when it comes next, or since when, until when and why it is paused."""
    coming = upcoming(sub.next_due_at, sub.time_zone)
    if sub.next_due_at is not None and sub.next_due_at <= now:
        coming = f"next: in a moment, that of {moment(sub.next_due_at, sub.time_zone)} {short_zone(sub.time_zone)}"
    if sub.paused_at is None or not sub.paused(now):
        return coming
    today = local_date(sub, now)
    since = f"since {date_words(sub.paused_at.astimezone(ZoneInfo(sub.time_zone)).date(), today)}"
    until = f" until {date_words(date.fromisoformat(sub.paused_until), today)}" if sub.paused_until else ""
    why = f": {plain(sub.paused_why).rstrip('. ')}" if sub.paused_why else ""
    return " · ".join(part for part in (f"paused {since}{until}{why}", coming) if part)


def full(sub: Subscription, now: datetime) -> str:
    """Say all of a schedule in one line, with the next date."""
    return " · ".join(part for part in (f"schedule: {schedule(sub)}, {sub.strictness}", state(sub, now)) if part)


def covers(sub: Subscription) -> str:
    """Say from when on the next digest covers what came."""
    return f"covers what came from {moment(sub.covered_to, sub.time_zone)} on"


def local_date(sub: Subscription, now: datetime) -> date:
    """Return the date where the subscription's clock hangs."""
    return now.astimezone(ZoneInfo(sub.time_zone)).date()


def date_words(when: date, today: date) -> str:
    """Name a date: "Thu 24 Dec", with the year where it is not near."""
    year = f" {when.year}" if abs((when - today).days) > 300 else ""
    return day(datetime.combine(when, time.min)) + year


def whose(sub: Subscription) -> str:
    """Name the channel that a subscription is for, as " of #reading"; nothing for a person's own."""
    return f" of #{plain(sub.place)}" if sub.place_kind == "channel" else ""


def names(rows: Sequence[Subscription]) -> str:
    """Name what comes in one digest, and the channel that it is for."""
    return called([sub.name for sub in rows]) + whose(rows[0])


def several(lines: Sequence[str]) -> str:
    """Say one line of each, of many the first ten and how many more."""
    rest = len(lines) - LINES
    return "\n".join([*lines[:LINES], *([f"and {count(rest, 'more subscription')}"] if rest > 0 else [])])


def differences(old: Subscription, new: Subscription) -> list[str]:
    """Say what is another value now, one line each: "time: 09:00 → 07:00"."""
    return [
        f"{label}: {_value(name, getattr(old, name))} → {_value(name, getattr(new, name))}"
        for name, label in _LABELS.items()
        if getattr(old, name) != getattr(new, name)
    ]


def _value(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "weekdays":
        return words_for_weekdays(value)
    if name == "time_zone":
        return short_zone(value)
    return "none" if name == "gap" and value == 0 else str(value)


def values_of(**said: Any) -> dict[str, Any]:
    """Return the values to be stored of options as they are typed, those that were left out aside."""
    columns = {"tz": "time_zone", "on": "weekdays", "max": "at_most", "crosslists": "cross_lists", "quiet": "silent"}
    return {columns.get(name.rstrip("_"), name.rstrip("_")): value for name, value in said.items() if value is not None}


def typed(name: str, command: Command) -> str:
    """Return a name as it has to be typed after a command: in quotes where a part would be taken for an option."""
    words = name.split()
    flag = bool(words) and words[-1].casefold() in command.options
    return f'"{name}"' if '"' not in name and (flag or any(mark in name for mark in "=:")) else name


async def nothing(ctx: Context) -> Message:
    """Say that nothing is followed here, and what can be."""
    return Message(
        text="You follow nothing yet. Try: /papers subscribe speculative decoding",
        buttons=(await say(ctx, "What can I follow?", "topics"),),
    )


async def zone_here(ctx: Context, *, for_all: bool = False) -> tuple[str, bool]:
    """Return the time zone for whoever asks, and whether anybody told it: the person, the workspace or the platform.

    What was chosen for the workspace tells that of one person only where the platform would have told another one;
    `for_all` who are in a channel it holds.
    """
    if ctx.me.time_zone:
        return ctx.me.time_zone, True
    chosen = (await ctx.store.read(workspaces.get, *ctx.here)).time_zone
    if chosen:
        return chosen, ctx.zones or for_all
    told = (await ctx.about(ctx.request.address)).time_zone if ctx.zones else ""
    if told in zones():
        await ctx.store.write(owners.set_zone, ctx.me.number, told)
        return told, True
    return ctx.settings.time_zone, False


async def keep_zone(ctx: Context, owner: int, zone: str | None) -> None:
    """Keep the zone that a person says for a digest of their own, if none is known of them yet."""
    if zone and owner == ctx.me.number and not ctx.me.time_zone:
        await ctx.store.write(owners.set_zone, ctx.me.number, zone)
