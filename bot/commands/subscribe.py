"""A named interest with a schedule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from bot.commands import _offers as offers
from bot.commands import _offers_mine as mine
from bot.commands._chosen import chosen
from bot.commands._context import Context
from bot.commands._digest import digest_of
from bot.commands._forms import opens
from bot.commands._manage import channel_to_subscribe
from bot.commands._pages import undo
from bot.commands._when import CLOSED, full, keep_zone, typed, values_of, zone_here
from bot.commands.digest import wanted
from bot.core.card import clip
from bot.core.command import CHANNEL, PHRASE, command
from bot.core.digest import called
from bot.core.message import Button, Form, Message
from bot.core.plain import plain
from bot.core.typed import Count, Gap, Strictness, Time, Weekdays, Zone, short_zone, words_for_weekdays
from bot.errors import NotFound, UsageError
from bot.store import interests, notice, schedules, subscriptions
from bot.store.owners import Owner
from bot.store.subscriptions import Subscription
from bot.store.text import key

_LINKED = re.compile(r"<#([^|>]+)(?:\|[^>]*)?>")  # how platforms write a channel that was picked: <#C0123|name>
FIELDS = ("topic", "in", "at", "on", "max", "tz", "strictness", "name")
TOPIC_LIMIT = 200  # characters
TOPICS_AT_MOST = 20
ZONE = "Time zone"  # the button that asks for it
ZONES = ("Europe/Berlin", "America/New_York")  # examples of what can be typed, of which one differs from what holds


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a subscription became, and what was there before it."""

    sub: Subscription
    is_new: bool
    rows: list[Subscription]
    old: Subscription | None  # of the same interest
    together: Subscription | None  # what it was to come together with
    said: dict[str, Any]


async def form(ctx: Context, values: Mapping[str, str]) -> Form:
    """Ask for a topic and its schedule, beginning with what is usual here; a zone that nobody told stays empty."""
    zone, is_told = await zone_here(ctx)
    usual = {
        "at": ctx.settings.digest_at,
        "on": words_for_weekdays(ctx.settings.digest_on),
        "max": str(ctx.settings.digest_max),
        "tz": zone if is_told else "",
        "strictness": ctx.settings.strictness,
    }
    return Form("subscribe", usual | dict(values), FIELDS, "Subscribe")


@command(form=form)
async def subscribe(
    ctx: Context,
    topic: Annotated[str, "what to follow, in words; several topics with ; between them", offers.topic],
    *,
    in_: Annotated[str, "a channel that you manage, or here; for yourself if left out", CHANNEL] = "",
    at: Annotated[Time | None, "local time, such as 09:00"] = None,
    tz: Annotated[Zone | None, "time zone, such as Europe/Berlin"] = None,
    on: Annotated[Weekdays | None, "days, such as weekdays, daily or mon,thu"] = None,
    max_: Annotated[Count | None, "papers in a digest, at most"] = None,
    strictness: Annotated[Strictness | None, "relaxed, normal or strict"] = None,
    gap: Annotated[Gap | None, "days from one digest to the next, at least"] = None,
    crosslists: Annotated[bool | None, "papers that are announced as cross-lists too"] = None,
    quiet: Annotated[bool | None, "say nothing on days without papers; once a week it is said all the same"] = None,
    with_: Annotated[
        str, "another subscription that it comes together with, in one digest", PHRASE, mine.interest
    ] = "",
    name: Annotated[str, "a name of your own for it", PHRASE] = "",
) -> Message:
    """Follow a topic: a digest for you, or for a channel that you manage."""
    topics = topics_of(topic)
    title = title_of(name, topics)
    owner = await _owner(ctx, in_, topics)
    said = values_of(
        at=at,
        tz=tz,
        on=on,
        max_=max_,
        strictness=strictness,
        gap=gap,
        crosslists=crosslists,
        quiet=quiet,
    )
    await keep_zone(ctx, owner.number, tz)
    zone, is_told = await zone_here(ctx, for_all=owner.kind == "channel")
    kept = await _keep(ctx, owner, title, topics, said=said, zone=zone, beside=with_)
    if kept.old is not None and kept.old != kept.sub:
        await ctx.store.write(notice.changed, [kept.old], ctx.me, "changed", ctx.now)
    lead = _lead(ctx, owner, kept, renamed=bool(name))
    asks_zone = not (is_told or tz) and kept.sub.created_at == ctx.now
    if asks_zone:
        lead += "\n" + ask_zone(ctx, kept.sub)
    held = next(one for one in await ctx.store.read(interests.of, owner.number) if one.number == kept.sub.interest)
    preview = await digest_of(
        ctx, owner.number, [wanted(ctx, held, kept.sub)], lead=_preview(lead), footer=full(kept.sub, ctx.now)
    )
    which = {"which": f"sub{kept.sub.number}"}
    change = [await opens(ctx, ZONE, "schedule", which | {"tz": ""})] if asks_zone else []
    change.append(await opens(ctx, "Schedule", "schedule", which))
    closed = CLOSED if owner.kind == "person" else ""
    return replace(preview, buttons=(*preview.buttons, *await _back(ctx, kept), *change), lasts=True, if_closed=closed)


def title_of(name: str, topics: Sequence[str] = ()) -> str:
    """Return a name as it is kept, or that of its topics. Raises UsageError if it has no letters or is too long."""
    title = " ".join(plain(name).split())
    if name and not any(letter.isalnum() for letter in title):
        raise UsageError("name: it has no letters. Leave it out, or say one such as name=mine.")
    if title.isdecimal():
        raise UsageError("name: a number alone stands for a place in your list. Say a name with a letter in it.")
    title = title or "; ".join(topics)
    if len(title) > TOPIC_LIMIT:
        raise UsageError(f"The name has {len(title)} characters; up to {TOPIC_LIMIT} are possible.")
    return title


def topics_of(text: str) -> list[str]:
    """Split topics at semicolons (areas have commas in their names). Raises UsageError."""
    topics = [clean for part in text.split(";") if (clean := " ".join(plain(part).split()))]
    if not topics:
        raise UsageError(
            "TOPIC is missing: say in words what to follow, such as: /papers subscribe speculative decoding"
        )
    if len(topics) > TOPICS_AT_MOST:
        raise UsageError(f"These are {len(topics)} topics; one interest takes up to {TOPICS_AT_MOST}.")
    for topic in topics:
        if len(topic) > TOPIC_LIMIT:
            raise UsageError(f"“{clip(topic, 40)}” has {len(topic)} characters; a topic has {TOPIC_LIMIT} at most.")
    return topics


def ask_zone(ctx: Context, sub: Subscription) -> str:
    """Say that the time zone is not known, and how it is told."""
    name = typed(sub.name, ctx.commands["schedule"])
    another = next(zone for zone in ZONES if zone != sub.time_zone)
    return (
        f"I do not know your time zone, so it is {sub.at} {short_zone(sub.time_zone)}. "
        f"Yours? Press [{ZONE}], or type: /papers schedule {name} tz={another}"
    )


async def comes_with(ctx: Context, owner: Owner, name: str, option: str = "with") -> Subscription:
    """Return the subscription that another one of the same owner is to come in. Raises UsageError."""
    try:
        rows = await chosen(ctx, name, owner)
    except NotFound as error:
        raise UsageError(f"{option}: {error}") from None
    if rows[0].owner != owner.number:
        raise UsageError(
            f"{option}: “{plain(rows[0].name)}” is somebody else's. "
            "Only what one person or one channel follows comes in one digest."
        )
    return rows[0]


async def _keep(
    ctx: Context, owner: Owner, title: str, topics: list[str], *, said: dict[str, Any], zone: str, beside: str
) -> _Kept:
    together = await comes_with(ctx, owner, beside) if beside and key(beside) != "none" else None
    usual = {
        "at": ctx.settings.digest_at,
        "time_zone": zone,
        "weekdays": ctx.settings.digest_on,
        "at_most": ctx.settings.digest_max,
        "strictness": ctx.settings.strictness,
        "gap": 0,
        "cross_lists": False,
        "silent": ctx.settings.say_nothing == "silent",
    }
    before = await ctx.store.read(subscriptions.of, owner.number)
    sub, is_new = await ctx.store.write(
        subscriptions.keep,
        owner.number,
        ctx.me.number,
        title,
        topics,
        usual=usual,
        chosen=said,
        now=ctx.now,
        beside=together.number if together else 0,
    )
    rows = await ctx.store.read(subscriptions.of_number, sub.number)
    old = next((one for one in before if one.interest == sub.interest), None)
    return _Kept(sub, is_new, rows, old, together, said)


def _lead(ctx: Context, owner: Owner, kept: _Kept, *, renamed: bool) -> str:
    whose = "You follow" if owner.number == ctx.me.number else f"#{plain(owner.name)} follows"
    others = [row.name for row in kept.rows if row.interest != kept.sub.interest]
    together = f", in one digest with {called(others)}" if others else ""
    lead = f"{whose} “{plain(kept.sub.name)}” {'now' if kept.is_new else 'already'}{together}."
    if kept.said and not kept.is_new:
        lead += " Its schedule is as you say now."
    if kept.said and kept.is_new and others:
        lead += " The schedule of all of them is as you say now."
    if renamed and not kept.is_new:
        lead += f" Its topics are: {', '.join(plain(topic) for topic in kept.sub.topics)}."
    return lead


def _preview(lead: str) -> str:
    return f"{lead}\nA preview:" if "\n" in lead else f"{lead} A preview:"


async def _back(ctx: Context, kept: _Kept) -> tuple[Button, ...]:
    """Return the button that takes all of it back; none where topics were added, or nothing was changed."""
    old, sub = kept.old, kept.sub
    if not kept.is_new and (old is None or old.topics != sub.topics):
        return ()
    moved = old is not None and old.number != sub.number
    before = [schedules.before(old, schedules.ALL if moved else kept.said)] if old else []
    before += [schedules.before(kept.together, kept.said)] if kept.together and kept.said else []
    if not kept.is_new and not (moved or kept.said):
        return ()
    what = "unsubscribe" if kept.is_new else "schedule"
    return (await undo(ctx, {"do": what, "interest": sub.interest, "before": before}),)


async def _owner(ctx: Context, channel: str, topics: Sequence[str]) -> Owner:
    """Return who follows: me, or a channel that I may subscribe. Raises NotAllowed and UsageError."""
    if not channel:
        return ctx.me
    named = _LINKED.fullmatch(channel.strip())
    wanted = named[1] if named else channel.strip().lstrip("#")
    here = ctx.request.address
    if wanted.casefold() == "here":
        if not here.channel:
            raise UsageError("“here” is no channel: name one, such as in=reading-group, or leave it out.")
        wanted = here.channel
    return await channel_to_subscribe(ctx, wanted, topics, exists=named is not None or wanted == here.channel)
