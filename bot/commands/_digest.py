"""Today's papers for a person's or a channel's interests, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.commands._context import Context
from bot.commands._pages import listed, say
from bot.commands._papers import entries
from bot.core.card import clip, count, day, greeting
from bot.core.message import Button, Message
from bot.core.plain import plain
from bot.store import catalogue, interests, marks, papers, saved
from bot.store.interests import Held
from bot.store.library import Pick
from recommender.text import words
from recommender.types import Interest


@dataclass(frozen=True, slots=True)
class Wanted:
    """One interest with how many papers it may bring, and how strict it is."""

    held: Held
    at_most: int
    strictness: str


async def digest_of(ctx: Context, owner: int, wanted: Sequence[Wanted], *, lead: str = "", footer: str = "") -> Message:
    """Rank what is new for these interests and return the digest. Nothing counts as sent by this.

    Papers that were marked or saved are left out. If nothing new came, the whole store is ranked, and a line says so.
    """
    seen = await ctx.store.read(marks.marked, owner) | {number for number, _ in await ctx.store.read(saved.of, owner)}
    new = await ctx.library.fresh(ctx.now, ctx.settings.fresh_days)
    pool = new - seen
    everything = not pool
    if everything:
        pool = set(await ctx.store.read(catalogue.numbers)) - seen
    profile = await ctx.store.read(interests.profile, owner)
    profile = replace(profile, interests=tuple(want.held.interest for want in wanted))
    limits, strictness = [want.at_most for want in wanted], [want.strictness for want in wanted]
    picks = await ctx.library.pick(profile, pool, seen, limits, strictness)
    name = f"“{plain(wanted[0].held.interest.name)}”" if len(wanted) == 1 else f"your {len(wanted)} interests"
    if not picks:
        message = await _nothing(ctx, profile.interests, pool, name, lead)
        return replace(message, footer=footer)
    where = f"{count(len(pool), 'stored paper')}" if everything else f"{count(len(pool), 'new paper')}"
    head = f"{greeting(ctx.local_now)}. {len(picks)} of {where} for {name} · {day(ctx.local_now)}"
    why_all = (
        f"Nothing new came in the last {ctx.settings.fresh_days} days: these are from all that is stored."
        if everything
        else ""
    )
    unknown = await _unknown(ctx, wanted, picks)
    text = "\n".join(part for part in (lead, head, why_all, unknown) if part)
    made = await entries(ctx, picks, [want.held.number for want in wanted])
    return await listed(ctx, text, made, footer=footer, owner=owner if owner in ctx.owners else ctx.me.number)


async def _unknown(ctx: Context, wanted: Sequence[Wanted], picks: Sequence[Pick]) -> str:
    """Say which topics no paper uses, if the papers are there for being new alone."""
    if not any(pick.why.note == "newest" for pick in picks):
        return ""
    topics = [topic for want in wanted for topic in want.held.interest.topics]
    return await unknown_topics(ctx, topics)


async def unknown_topics(ctx: Context, topics: Sequence[str]) -> str:
    """Say which topics no stored paper uses, with the nearest words that do occur; nothing if all are used."""
    said = []
    for topic in topics:
        near = await ctx.library.unknown(topic)
        if near is not None:
            hint = f" Near it: {', '.join(near)}." if near else ""
            shown = f"“{clip(plain(topic), 60)}”"
            said.append(f"No paper here uses {shown}.{hint}" if words(topic) else f"{shown} is too common to follow.")
    return "\n".join(said)


async def _nothing(ctx: Context, ranked: Sequence[Interest], pool: set[int], name: str, lead: str) -> Message:
    if not pool:
        text = f"Nothing for {name}: " + (
            "you have marked every paper that is stored."
            if await ctx.store.read(papers.count)
            else "no papers are stored yet. An administrator brings them in with: paperround import FILE."
        )
        return Message(text="\n".join(part for part in (lead, text) if part))
    closest = await ctx.library.closest(ranked, pool)
    text = f"Nothing for {name} today: {count(len(pool), 'paper')} came, and none is near enough."
    buttons: tuple[Button, ...] = ()
    if closest is not None:
        stored = (await ctx.store.read(papers.get, [closest]))[closest]
        text += f" The closest: “{clip(plain(stored.paper.title), 120)}”."
        buttons = (await say(ctx, "Show it", f"show {stored.paper.id}"),)
    return Message(text="\n".join(part for part in (lead, text) if part), buttons=buttons)
