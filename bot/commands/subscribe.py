"""A named interest with a schedule."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from bot.commands._context import Context
from bot.commands._digest import digest_of
from bot.commands._pages import undo
from bot.commands.digest import wanted
from bot.commands.subscriptions import schedule
from bot.core.card import clip
from bot.core.command import command
from bot.core.message import Message
from bot.core.plain import plain
from bot.core.request import Address
from bot.core.typed import Count, Strictness, Time, Weekdays, Zone
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
    title = " ".join(plain(name).split()) or "; ".join(topics)
    if name and not any(letter.isalnum() for letter in title):
        raise UsageError("name: it has no letters. Leave it out, or say one such as name=mine.")
    if len(title) > TOPIC_LIMIT:
        raise UsageError(f"The name has {len(title)} characters; up to {TOPIC_LIMIT} are possible.")
    owner = await _owner(ctx, in_)
    whose = "You follow" if owner.number == ctx.me.number else f"#{plain(owner.name)} follows"
    said = {
        "at": at,
        "time_zone": tz,
        "weekdays": on,
        "at_most": max_,
        "strictness": strictness,
    }
    chosen = {name: value for name, value in said.items() if value is not None}
    usual = {
        "at": ctx.settings.digest_at,
        "time_zone": ctx.me.time_zone or ctx.settings.time_zone,
        "weekdays": ctx.settings.digest_on,
        "at_most": ctx.settings.digest_max,
        "strictness": ctx.settings.strictness,
    }
    sub, is_new = await ctx.store.write(
        subscriptions.keep, owner.number, ctx.me.number, title, topics, usual=usual, chosen=chosen, now=ctx.now
    )
    lead = f"{whose} “{plain(title)}” {'now' if is_new else 'already'}."
    back = (await undo(ctx, {"interest": sub.interest, "do": "unsubscribe"}),) if is_new else ()
    if chosen and not is_new:
        lead += " Its schedule is as you say now."
    if name and not is_new:
        lead += f" Its topics are: {', '.join(plain(topic) for topic in sub.topics)}."
    when = f"schedule: {schedule(sub)}"
    held = next(one for one in await ctx.store.read(interests.of, owner.number) if one.number == sub.interest)
    preview = await digest_of(ctx, owner.number, [wanted(ctx, held, sub)], lead=f"{lead} A preview:", footer=when)
    return replace(preview, buttons=(*preview.buttons, *back))


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
        raise NotAllowed(
            f"Only those who manage #{plain(facts.name or wanted)} can subscribe it. Ask one of them, or leave in= out."
        )
    return await ctx.store.write(
        owners.get, here.platform, here.workspace, "channel", wanted, facts.name or wanted, ctx.now
    )
