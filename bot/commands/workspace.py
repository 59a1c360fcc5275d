"""All that is followed in a workspace, for those who manage it, and what holds there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Annotated, Self

from bot.commands._context import Context
from bot.commands._manage import chosen_in, manages_workspace, role_of, who_subscribes
from bot.commands._pages import listed, undo
from bot.commands._when import names, schedule, state
from bot.core.card import count
from bot.core.command import ROLE, command
from bot.core.fold import folded, named
from bot.core.message import Card, Message
from bot.core.pages import Entry, Kinds
from bot.core.plain import plain
from bot.core.typed import Zone
from bot.errors import NotAllowed, UsageError
from bot.store import subscriptions, workspaces
from bot.store.subscriptions import Subscription
from bot.store.workspaces import Workspace


class Who(StrEnum):
    """Who may subscribe channels."""

    MANAGERS = "managers"
    EVERYONE = "everyone"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read one of the two. Raises ValueError."""
        words = {"all": "everyone", "everybody": "everyone", "manager": "managers"}.get(folded(text), folded(text))
        if words not in ("managers", "everyone"):
            raise ValueError(f"{named(text)} is neither; type managers or everyone")
        return cls(words)


_ROLE = re.compile(r"<@&([0-9]{1,40})(?:\|([^<>|]*))?>")  # how platforms write a role that was picked: <@&77|Readers>


@dataclass(frozen=True, slots=True)
class Role:
    """A role that was picked, by the platform's id; without an id it is none."""

    id: str
    name: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a role that was picked, or none. Raises ValueError."""
        if folded(text) in ("none", "nobody", "no"):
            return cls("", "")
        picked = _ROLE.fullmatch(text.strip())
        if picked is None:
            raise ValueError(f"{named(text)} is no role; type @ and pick one, or none")
        return cls(picked[1], " ".join((picked[2] or "").split())[:100])


@command(personal=True)
async def workspace(
    ctx: Context,
    *,
    tz: Annotated[Zone | None, "time zone of people whose own is not known, such as Europe/Berlin"] = None,
    channels: Annotated[Who | None, "who may subscribe channels: managers or everyone"] = None,
    role: Annotated[Role | None, "a role whose members may subscribe channels too; none: no such role", ROLE] = None,
) -> Message:
    """See and manage all subscriptions here, and set what holds for new ones; for managers."""
    if ctx.here[1] == ctx.people:
        raise NotAllowed("This is about one server: type it in a channel of that server.")
    if not await manages_workspace(ctx):
        raise NotAllowed(
            "Only those who manage this workspace can see and change all of it. Ask one of them. "
            "Your own: /papers subscriptions"
        )
    if role is not None and not ctx.people:
        raise UsageError("role: there are no roles here. Who may subscribe channels is said by channels=everyone.")
    old = await chosen_in(ctx)
    if tz is not None:
        await ctx.store.write(workspaces.set_zone, *ctx.here, tz)
    if channels is not None:
        await ctx.store.write(workspaces.set_channels, *ctx.here, channels.value)
    if role is not None:
        await ctx.store.write(workspaces.set_role, *ctx.here, role.id, role.name)
    holds = _holds(ctx, await chosen_in(ctx))
    if (tz, channels, role) == (None, None, None):
        return await _list(ctx, holds)
    before = {"time_zone": old.time_zone, "channels": old.channels, "role": [old.role, old.role_name]}
    back = await undo(ctx, {"do": "workspace", "workspace": ctx.here[1], **before})
    return Message(text=f"Changed. What holds here now:\n{holds}", buttons=(back,))


async def _list(ctx: Context, holds: str) -> Message:
    rows = await ctx.store.read(subscriptions.in_workspace, *ctx.here)
    ordered = sorted(rows, key=lambda sub: sub.number)
    digests = [list(group) for _, group in groupby(ordered, key=lambda sub: sub.number)]
    text = f"{holds}\n{count(len(digests), 'subscription')} in this workspace"
    footer = "change what holds: /papers workspace tz=Europe/Berlin channels=managers"
    return await listed(ctx, text, [_entry(ctx, group) for group in digests], footer=footer)


def _holds(ctx: Context, chosen: Workspace) -> str:
    zone = chosen.time_zone or ctx.settings.time_zone
    may = "any member, in the channel" if who_subscribes(ctx, chosen) == "everyone" else "those who manage them"
    may += f", and those with the role {role_of(chosen)}" if chosen.role else ""
    return f"time zone where a person's own is not known: {zone}\nchannels are subscribed by {may}"


def _kinds(sub: Subscription) -> Kinds:
    going = ("Resume", "resume", False) if sub.paused_at else ("Pause", "pause", False)
    over = (("Hand over", "handover", False),) if sub.place_kind == "channel" else ()
    return (going, *over, ("Remove", "unsubscribe", True))


def _entry(ctx: Context, rows: Sequence[Subscription]) -> Entry:
    sub = rows[0]
    channel = sub.place_kind == "channel"
    lines = (
        f"sub{sub.number} · " + (f"asked for by {plain(sub.asker)}" if channel else f"{plain(sub.place)}'s own"),
        schedule(sub),
        state(sub, ctx.now),
    )
    card = Card(paper="", title=names(rows), lines=tuple(line for line in lines if line))
    return Entry(card, f"sub{sub.number}", 0, _kinds(sub))
