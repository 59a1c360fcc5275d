"""When a digest comes, how it is picked, and what comes together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from bot.commands import _offers_mine as mine
from bot.commands._chosen import WHICH, chosen, mine_or_here
from bot.commands._context import Context
from bot.commands._manage import may_manage
from bot.commands._pages import listed, say, undo
from bot.commands._promised import standing
from bot.commands._when import differences, full, keep_zone, names, nothing, typed, values_of
from bot.commands.subscribe import comes_with, title_of
from bot.core.command import PERSON, PHRASE, command
from bot.core.digest import called
from bot.core.message import Card, Form, Message
from bot.core.pages import Entry
from bot.core.plain import plain
from bot.core.request import Address
from bot.core.typed import Count, Gap, Strictness, Time, Weekdays, Zone, words_for_weekdays
from bot.errors import NotAllowed, UsageError
from bot.store import notice, owners, schedules, subscriptions
from bot.store.owners import Owner
from bot.store.schedules import ALONE, Change
from bot.store.subscriptions import Subscription
from bot.store.text import key

_MENTIONED = re.compile(r"<@!?[^<>|@&!]+(?:\|[^<>]*)?>")
FIELDS = ("at", "on", "tz", "max", "strictness", "gap", "quiet", "crosslists")
KINDS = (("Schedule", "schedule", False),)
_OPTIONS = "at=08:00 tz=Europe/Berlin on=mon,thu max=5 strictness=strict gap=3 crosslists=yes quiet=yes with=… name=…"


async def form(ctx: Context, values: Mapping[str, str]) -> Form | None:
    """Ask for all of a schedule, beginning with what it is; None where more than one or none is meant, or not mine."""
    which = values.get("which", "")
    rows = await chosen(ctx, which) if which else await mine_or_here(ctx)
    if len({sub.number for sub in rows}) != 1:
        return None
    try:
        await may_manage(ctx, rows[0].interest)
    except NotAllowed:
        return None  # everybody who follows it may see what it is
    sub = rows[0]
    now = {
        "which": f"sub{sub.number}",
        "at": sub.at,
        "on": words_for_weekdays(sub.weekdays),
        "tz": sub.time_zone,
        "max": str(sub.at_most),
        "strictness": sub.strictness,
        "gap": str(sub.gap),
        "quiet": "yes" if sub.silent else "no",
        "crosslists": "yes" if sub.cross_lists else "no",
    }
    first = tuple(name for name in FIELDS if name in values)  # what the button is for
    return Form("schedule", now, tuple(dict.fromkeys((*first, *FIELDS))), "Schedule")


@command(form=form)
async def schedule(
    ctx: Context,
    which: Annotated[str, WHICH, mine.which] = "",
    *,
    at: Annotated[Time | None, "local time, such as 09:00"] = None,
    tz: Annotated[Zone | None, "time zone, such as Europe/Berlin"] = None,
    on: Annotated[Weekdays | None, "days, such as weekdays, daily or mon,thu"] = None,
    max_: Annotated[Count | None, "papers in a digest, at most"] = None,
    strictness: Annotated[Strictness | None, "relaxed, normal or strict"] = None,
    gap: Annotated[Gap | None, "days from one digest to the next, at least; or none"] = None,
    crosslists: Annotated[bool | None, "papers that are announced as cross-lists too: yes or no"] = None,
    quiet: Annotated[bool | None, "say nothing on days without papers: yes or no"] = None,
    with_: Annotated[
        str, "another subscription that it comes in one digest with; none: by itself", PHRASE, mine.which
    ] = "",
    name: Annotated[str, "another name for it", PHRASE] = "",
    to: Annotated[str, "who has it from now on: me, @name or an id; for channels", PERSON] = "",
) -> Message:
    """Show or change when a digest comes, how long it is, and what comes in it."""
    rows = await chosen(ctx, which) if which else await mine_or_here(ctx)
    if not rows:
        return await nothing(ctx)
    if len({sub.number for sub in rows}) > 1:
        return await _ask(ctx, rows)
    values = values_of(
        at=at, tz=tz, on=on, max_=max_, strictness=strictness, gap=gap, crosslists=crosslists, quiet=quiet
    )
    if not (values or with_ or name or to):
        return await _shown(ctx, rows[0])
    await may_manage(ctx, rows[0].interest)
    if len(rows) > 1 and (with_ or name):
        raise UsageError(f"{names(rows)} come in one digest: name the one that you mean.")
    beside, person = await _beside(ctx, rows[0], with_), await _person(ctx, rows[0], to)
    change = Change(values, beside, title_of(name), person, ctx.me.number)
    await keep_zone(ctx, rows[0].owner, tz)
    return await _changed(ctx, rows[0], change)


async def _ask(ctx: Context, rows: list[Subscription]) -> Message:
    """Ask which one is meant."""
    made = [
        Entry(Card(paper="", title=plain(sub.name), lines=(full(sub, ctx.now),)), sub.name, sub.interest)
        for sub in rows
    ]
    text = "Which one? Name it, or say its number, such as: /papers schedule 2 at=08:00"
    return await listed(ctx, text, made, kinds=KINDS)


async def _shown(ctx: Context, sub: Subscription) -> Message:
    others = [row.name for row in await _rows(ctx, sub) if row.interest != sub.interest]
    lines = (
        names([sub]),
        full(sub, ctx.now),
        await standing(ctx, sub),
        f"in one digest with {called(others)}" if others else "",
        f"asked for by {plain(sub.asker)}" if sub.place_kind == "channel" else "",
        f"Change any of it: /papers schedule {typed(sub.name, ctx.commands['schedule'])} {_OPTIONS}",
    )
    verb = "resume" if sub.paused_at else "pause"
    button = await say(ctx, verb.title(), f"{verb} sub{sub.number}")
    return Message(text="\n".join(line for line in lines if line), buttons=(button,))


async def _changed(ctx: Context, old: Subscription, change: Change) -> Message:
    target = await ctx.store.read(subscriptions.of_number, change.beside) if change.beside > 0 else []
    await ctx.store.write(schedules.arrange, old.interest, old.number, change, ctx.now)
    (sub,) = [one for one in await ctx.store.read(subscriptions.of, old.owner) if one.interest == old.interest]
    others = [row.name for row in await _rows(ctx, sub) if row.interest != sub.interest]
    lines = differences(old, sub)
    lines += [f"name: “{plain(old.name)}” → “{plain(sub.name)}”"] if sub.name != old.name else []
    lines += [f"asked for by: {plain(old.asker)} → {plain(sub.asker)}"] if sub.asked_by != old.asked_by else []
    if sub.number != old.number:
        lines.append(f"comes in one digest with {called(others)} now" if others else "comes by itself now")
    if not lines:
        return Message(text=f"{names([sub])} is so already: nothing changed.", footer=full(sub, ctx.now))
    if others and sub.number == old.number and change.values:
        lines.append(f"This holds for {called(others)} too: they come in one digest.")
    await ctx.store.write(notice.changed, [old], ctx.me, "changed", ctx.now)
    moved = change.beside > 0
    parts = {*(schedules.ALL if moved else change.values), *(["name"] if change.name else [])}
    parts |= {"asked_by"} if change.person else set()
    before = [schedules.before(old, parts)]
    before += [schedules.before(target[0], change.values)] if target and change.values else []
    back = await undo(ctx, {"do": "schedule", "interest": old.interest, "before": before})
    text = "\n".join([f"{names([replace(sub, name=old.name)])} is changed.", *lines])
    return Message(text=text, footer=full(sub, ctx.now), buttons=(back,), lasts=True)


async def _rows(ctx: Context, sub: Subscription) -> list[Subscription]:
    return await ctx.store.read(subscriptions.of_number, sub.number)


async def _beside(ctx: Context, sub: Subscription, name: str) -> int:
    """Return the number of the digest that it is to come in. Raises UsageError."""
    if not name:
        return 0
    if key(name) in ("none", "nothing", "no"):
        return ALONE
    other = await comes_with(ctx, await ctx.store.read(owners.by_number, sub.owner), name)
    if other.interest == sub.interest:
        raise UsageError("with: this is the same subscription. Name another one, or none.")
    return other.number


async def _person(ctx: Context, sub: Subscription, text: str) -> int:
    """Return the number of the person that it is handed over to. Raises UsageError."""
    if not text:
        return 0
    if sub.place_kind != "channel":
        raise UsageError(f"to: {names([sub])} comes in a direct message, so it cannot be handed over.")
    if key(text) == "me":
        return ctx.me.number
    wanted, _, called = text.strip("<>").partition("|")
    wanted = wanted.lstrip("@!")
    platform, here = ctx.here
    found: list[Owner] = await ctx.store.read(owners.people, platform, ctx.people or here, wanted)
    if ctx.people:  # names are those of all servers: only a mention says who of this one is meant
        if not _MENTIONED.fullmatch(text.strip()):
            raise UsageError("to: mention whom you mean: type @ and pick the name from the list.")
        member = Address(platform, sub.workspace, wanted)
        found = [one for one in found if one.external == wanted and (await ctx.about(member)).name]
    if not found:
        raise UsageError(
            f"to: I have not met “{plain(called or wanted)}” here. Let them type /papers once, then try again."
        )
    if len(found) > 1:
        ids = ", ".join(plain(one.external) for one in found)
        raise UsageError(f"to: several people are called “{plain(wanted)}”. Say which by the id: {ids}.")
    return found[0].number
