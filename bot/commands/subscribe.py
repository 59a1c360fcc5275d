"""A named interest with a schedule."""

from __future__ import annotations

from typing import Annotated

from bot.commands._context import Context
from bot.commands._digest import Wanted, digest_of, unknown_topics
from bot.commands._pages import undo
from bot.core.card import clip
from bot.core.command import command
from bot.core.due import Count, Strictness, Time, Weekdays, Zone, short_zone, words_for_weekdays
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.request import Address
from bot.errors import NotAllowed, UsageError
from bot.store import interests, owners, subscriptions
from bot.store.owners import Owner

TOPIC_LIMIT = 200  # characters
TOPICS_AT_MOST = 20


@command
async def subscribe(
    ctx: Context,
    topic: Annotated[str, "what to follow, in words; several topics with ; between them"],
    *,
    in_: Annotated[str, "a channel that you manage, or here; for yourself if left out"] = "",
    at: Annotated[Time | None, "local time, such as 09:00"] = None,
    tz: Annotated[Zone | None, "time zone, such as Europe/Berlin"] = None,
    on: Annotated[Weekdays | None, "days, such as weekdays, daily or mon,thu"] = None,
    max_: Annotated[Count | None, "papers in a digest, at most"] = None,
    strictness: Annotated[Strictness | None, "relaxed, normal or strict"] = None,
    name: Annotated[str, "a name of your own for it"] = "",
) -> Message:
    """Follow a topic: a digest for you, or for a channel that you manage."""
    topics = topics_of(topic)
    title = name.strip() or "; ".join(topics)
    if len(title) > TOPIC_LIMIT:
        raise UsageError(f"The name has {len(title)} characters; up to {TOPIC_LIMIT} are possible.")
    owner = await _owner(ctx, in_)
    whose = "You follow" if owner.number == ctx.me.number else f"#{plain(owner.name)} follows"
    held = await ctx.store.read(interests.by_exact_name, owner.number, title)
    if held is None:
        await ctx.store.write(interests.add, owner.number, title, topics, ctx.now)
        held = await ctx.store.read(interests.by_exact_name, owner.number, title)
        back = (await undo(ctx, {"interest": held.number, "do": "unsubscribe"}),) if held else ()
        lead = f"{whose} “{plain(title)}” now."
    else:
        back, lead = (), f"{whose} “{plain(title)}” already; its schedule is as you say now."
    assert held is not None  # noqa: S101 - it was added in the line above
    zone = str(tz or ctx.me.time_zone or ctx.settings.time_zone)
    sub = await ctx.store.write(
        subscriptions.put,
        held.number,
        ctx.me.number,
        at=str(at) if at else None,
        time_zone=zone if tz else None,
        weekdays=str(on) if on else None,
        at_most=int(max_) if max_ else None,
        strictness=strictness.value if strictness else None,
        defaults=(ctx.settings.digest_at, zone, ctx.settings.digest_on, ctx.settings.digest_max, ctx.settings.strictness),
        now=ctx.now,
    )
    when = f"schedule: {sub.at} {short_zone(sub.time_zone)}, {words_for_weekdays(sub.weekdays)}, up to {sub.at_most} papers"
    preview = await digest_of(ctx, owner.number, [Wanted(held, sub.at_most, sub.strictness)], lead=f"{lead} A preview:", footer=when)
    return with_buttons(preview, back)


def topics_of(text: str) -> list[str]:
    """Split topics at semicolons (areas have commas in their names). Raises UsageError."""
    topics = [clean for part in text.split(";") if (clean := " ".join(plain(part).split()))]
    if not topics:
        raise UsageError("TOPIC is missing: say in words what to follow, such as: /papers subscribe speculative decoding")
    if len(topics) > TOPICS_AT_MOST:
        raise UsageError(f"These are {len(topics)} topics; one interest takes up to {TOPICS_AT_MOST}.")
    for topic in topics:
        if len(topic) > TOPIC_LIMIT:
            raise UsageError(f"“{clip(topic, 40)}” has {len(topic)} characters; a topic has {TOPIC_LIMIT} at most.")
    return topics


async def _owner(ctx: Context, channel: str) -> Owner:
    """Return who follows: me, or a channel that I manage. Raises NotAllowed and UsageError."""
    if not channel:
        return ctx.me
    wanted = channel.strip().lstrip("#")
    here = ctx.request.address
    if wanted.casefold() == "here":
        if not here.channel:
            raise UsageError("“here” is no channel: name one, such as in=reading-group, or leave it out.")
        wanted = here.channel
    address = Address(here.platform, here.workspace, here.user, wanted)
    facts = await ctx.about(address)
    if not facts.manages:
        raise NotAllowed(f"Only those who manage #{plain(facts.name or wanted)} can subscribe it. Ask one of them, or leave in= out.")
    return await ctx.store.write(
        owners.get, here.platform, here.workspace, "channel", wanted, facts.name or wanted, ctx.now
    )
