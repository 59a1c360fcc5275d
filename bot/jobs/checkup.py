"""The doctor's look at what is in the database: sources, messages on their way, subscriptions, processes, papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

from bot.config import Settings
from bot.core.card import clip, count
from bot.core.check import DETAILS, Check, span
from bot.core.standing import NONE_CHOSEN, TO_CHOOSE, called, standing, waiting
from bot.jobs import dense
from bot.jobs.choose import specs_of
from bot.jobs.chosen import usable
from bot.jobs.upkeep import alive
from bot.plugins import load
from bot.store import delivered, failing, health, papers, sources
from bot.store.engine import Store
from bot.store.library import Library

LATE = timedelta(minutes=10)  # a message that is due for so long is worth a look
FAILING = timedelta(days=1)  # a source that fails for so long will not mend by itself
_OFF, _FAR_OFF = 2.0, 30.0  # seconds between the clocks


def clock(store: Store, now: Callable[[], datetime]) -> Check:
    """Compare the database's time with this machine's, which `now` tells (aware)."""
    with store.reading() as conn:
        before, theirs, after = now(), store.clock(conn), now()
    if store.dialect == "sqlite":
        return Check("clock", "ok", f"{after:%Y-%m-%d %H:%M} UTC, on which the database relies")
    off = max((before - theirs).total_seconds(), (theirs - after).total_seconds(), 0.0)
    line = f"the database's time and this machine's are {off:.1f} s apart"
    if off <= _OFF:
        return Check("clock", "ok", line)
    todo = "Set both machines' clocks by a time server (NTP). Digests go by the database's."
    return Check("clock", "wrong" if off > _FAR_OFF else "look", line, todo)


def zones(store: Store) -> Check:
    """See that the zones that subscriptions go by are known here."""
    with store.reading() as conn:
        used = health.zones(conn)
    lost = sorted(set(used) - available_timezones())
    if not lost:
        return Check("zones in use", "ok", f"{count(len(used), 'time zone')} in use, all known here")
    details = tuple(f"{zone}: {count(used[zone], 'subscription')}" for zone in lost)
    return Check("zones in use", "wrong", "some zones are not known here", "Install a newer tzdata.", details)


def source_states(store: Store, settings: Settings, kinds: Mapping[str, Any]) -> Check:
    """See which sources of papers answer, which are behind, and what is chosen of the `kinds` and cannot be asked."""
    with store.reading() as conn:
        now, states, specs = store.clock(conn), sources.all(conn), specs_of(conn, settings)
    asked = [state for state in states if state.asked_at]
    ill = [state for state in asked if state.failing_since or state.behind_since]
    refused = usable(kinds, specs, settings)[1]
    details = [f"{spec}: {_line(why)}" for spec, why in refused.items()]
    details += [_source_line(state, specs, now) for state in sorted(asked, key=lambda state: state not in ill)]
    details += [f"{spec}: not asked yet" for spec in waiting(specs, asked) if spec not in refused]
    if not details:
        return Check("sources", "look", f"{NONE_CHOSEN}; papers come by `paperround import` alone", TO_CHOOSE)
    if refused:
        line, todo = f"{count(len(refused), 'source')} chosen that cannot be asked", "paperround sources remove"
        return Check("sources", "wrong", line, f"Take it out of PAPERROUND_SOURCES, or: {todo}", tuple(details))
    if not ill:
        line = f"{count(len(asked), 'source')}, all of them answer" if asked else "none was asked yet"
        return Check("sources", "ok", line, "" if asked else "They are by: paperround run", tuple(details))
    long = any(state.failing_since and now - state.failing_since > FAILING for state in ill)
    return Check(
        "sources", "wrong" if long else "look", f"{len(ill)} of {count(len(asked), 'source')} failing or behind",
        "It is asked again by itself. If that stays, see whether this machine can reach it.", tuple(details),
    )  # fmt: skip


def _source_line(state: sources.SourceState, specs: Sequence[str], now: datetime) -> str:
    new = f"last new paper {span(now - state.brought_at)} ago" if state.brought_at else "no new paper yet"
    return f"{called(state.name, specs)}: {standing(state, 'UTC', now)}; {new}"


def outbox(store: Store) -> Check:
    """See whether messages wait for too long."""
    with store.reading() as conn:
        now = store.clock(conn)
        depth, due = delivered.depth(conn, now), health.next_due(conn)
    line = f"{count(depth.pending, 'message')} waiting"
    late = now - depth.oldest_due if depth.oldest_due else timedelta()
    if depth.oldest_due:
        line += f", the oldest due for {span(late)}"
    if due:
        line += f"; the next digest is due {_when(due, now)}"
    if late <= LATE:
        return Check("outbox", "ok", line)
    return Check("outbox", "look", line, "See whether a bot runs that serves these platforms, and what its log says.")


def _when(due: datetime, now: datetime) -> str:
    return f"in {span(due - now)}" if due > now else f"for {span(now - due)}"


def set_aside(store: Store) -> Check:
    """Show the messages that were given up, with the reason."""
    with store.reading() as conn:
        depth = delivered.depth(conn, store.clock(conn))
        found = delivered.troubles(conn, DETAILS)
    if not found:
        return Check("set aside", "ok", "no message was given up")
    details = [
        f"{one.key} for {clip(_line(one.place) or 'somebody', 40)} on {one.platform}: {one.state}, {_line(one.error)}"
        for one in found
    ]
    if depth.dead + depth.unknown > len(found):
        details.append(f"and {depth.dead + depth.unknown - len(found):,} more")
    return Check(
        "set aside",
        "look",
        f"{depth.dead:,} could not be sent, {depth.unknown:,} may or may not have arrived",
        "Their papers come with a later digest. The same reason again and again is worth a look at the log.",
        tuple(details),
    )


def paused(store: Store) -> Check:
    """Show the paused subscriptions, first those that the bot paused by itself."""
    with store.reading() as conn:
        found = health.paused(conn, store.clock(conn))
    ill = [one for one in found if one.why]
    details = [
        f"{', '.join(one.interests) or 'nothing'} for {one.place or 'somebody'} on {one.platform}, "
        f"since {one.since:%Y-%m-%d}{f' until {one.until}' if one.until else ''}"
        f"{f': {_line(one.why)}' if one.why else ''}"
        for one in found
    ]
    line = f"{count(len(found), 'subscription')}, {len(ill):,} of them by the bot" if found else "no subscription"
    todo = "Whoever asked for it was told. When it can be reached again: /papers resume" if ill else ""
    return Check("paused", "look" if ill else "ok", line, todo, tuple(clip(detail, 200) for detail in details))


def processes(store: Store, settings: Settings) -> Check:
    """See which bots run, and which ended without saying so."""
    with store.reading() as conn:
        now, found = store.clock(conn), health.processes(conn)
    lively = [one for one in found if alive(one.beat_at, now, settings.heartbeat_seconds)]
    details = tuple(
        f"{one.name}{f' ({one.role})' if one.role else ''}: runs for {span(now - one.started_at)}, "
        f"sends to {', '.join(one.serves) or 'nothing'}"
        if one in lively
        else f"{one.name}: last sign of life {span(now - one.beat_at)} ago"
        for one in sorted(found, key=lambda one: one not in lively)
    )
    if lively:
        return Check("processes", "ok", f"{count(len(lively), 'bot')} running", "", details)
    return Check("processes", "look", "no bot is running", "Start one: paperround run", details)


def index(store: Store, library: Library) -> Check:
    """See whether the index holds what is stored."""
    library.index.refresh()
    with store.reading() as conn:
        stored = papers.count(conn)
    held = len(library.index)
    if held == stored:
        return Check("index", "ok", f"{count(stored, 'paper')}, learnt from {library.index.fitted:,}")
    return Check(
        "index",
        "look",
        f"{held:,} of {count(stored, 'paper')} in it",
        "A running bot brings it up within two minutes; if that stays, delete the index folder and it is built anew.",
    )


def ranker(store: Store, settings: Settings) -> Check:
    """See whether the chosen ranker fails, or what ranks in its place."""
    with store.reading() as conn:
        found = failing.of(conn)
    if not found:
        return Check("ranker", "ok", settings.ranker)
    details = tuple(f"since {since}: {_line(why)}" for since, why in found.values())
    rest = "the newest papers come first" if "default" in found else "the default ranker ranks for it"
    todo = "Mend it, or choose another one: PAPERROUND_RANKER." if "default" not in found else "Please report it."
    return Check(
        "ranker", "wrong", f"{', '.join(found)} fails: {rest} where it does", f"{todo} The log says more.", details
    )


def facts(store: Store) -> dict[str, Any]:
    """Return what `paperround status` tells of deliveries, sources and rankers."""
    with store.reading() as conn:
        now = store.clock(conn)
        depth, due = delivered.depth(conn, now), health.next_due(conn)
        ill = [state.name for state in sources.all(conn) if state.failing_since or state.behind_since]
        rankers = [f"since {since}: {_line(why)}" for since, why in failing.of(conn).values()]
    return {
        "messages waiting": depth.pending,
        "oldest message due": _iso(depth.oldest_due),
        "messages given up": depth.dead + depth.unknown,
        "sources failing or behind": ", ".join(ill) or "none",
        "next digest due": _iso(due),
        "rankers failing": "; ".join(rankers) or "none",
    }


def look_inside(
    store: Store, library: Library, settings: Settings, now: Callable[[], datetime]
) -> dict[str, Callable[[], Check]]:
    """Return each check of this module by its name, to be called."""
    vectors = library.vectors
    return {
        "clock": lambda: clock(store, now),
        "zones in use": lambda: zones(store),
        "sources": lambda: source_states(store, settings, load("bot.sources", "source")),
        "outbox": lambda: outbox(store),
        "set aside": lambda: set_aside(store),
        "paused": lambda: paused(store),
        "processes": lambda: processes(store, settings),
        "index": lambda: index(store, library),
        "ranker": lambda: ranker(store, settings),
    } | ({} if vectors is None else {"dense vectors": lambda: dense.check(store, vectors)})


def _iso(time: datetime | None) -> str:
    return time.isoformat(timespec="seconds") if time else "none"


def _line(text: str) -> str:
    """Return text from outside on one line that a terminal shows as it is."""
    return clip("".join(mark if mark.isprintable() else " " for mark in text), 160)
