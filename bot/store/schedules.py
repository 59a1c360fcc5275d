"""Changes of a subscription that belong together, and what it was before, so that it can be brought back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection

from bot.core import notices
from bot.store import interests, notice, owners, subscriptions
from bot.store.subscriptions import Subscription

VALUES = ("at", "time_zone", "weekdays", "at_most", "strictness", "gap", "cross_lists", "silent")
ALL = (*VALUES, "pause", "asked_by")  # what goes with a subscription that an interest leaves
ALONE = -1  # instead of another subscription's number: it comes by itself


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be changed of an interest's subscription; nothing where a field is empty.

    `values` are those of `subscriptions.add`. `beside` is the number of the subscription that it comes in from now on,
    or ALONE. `person` is the number of who shall be the one who asked for it, and `by` of who says so.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    beside: int = 0
    name: str = ""
    person: int = 0
    by: int = 0


def arrange(conn: Connection, interest: int, number: int, change: Change, now: datetime) -> None:
    """Make all of a change, or nothing of it. Raises UsageError if the new name is taken."""
    if change.beside == ALONE:
        number = subscriptions.part(conn, interest, now)
    elif change.beside:
        subscriptions.join(conn, interest, change.beside)
        number = change.beside
    if change.name:
        interests.rename(conn, interest, change.name)
    if change.person:
        _hand_over(conn, number, change, now)
    subscriptions.change(conn, number, change.values, now)


def _hand_over(conn: Connection, number: int, change: Change, now: datetime) -> None:
    """Hand a subscription over, and tell the person who gets it, unless it is their own doing."""
    sub = subscriptions.of_number(conn, number)[0]
    if change.person == sub.asked_by:
        return
    subscriptions.hand_over(conn, number, change.person)
    if change.person == change.by:
        return
    person, by = owners.by_number(conn, change.person), owners.by_number(conn, change.by)
    text = notices.handed_over(sub.name, sub.place, by.name, number)
    notice.put(conn, f"handed:{number}:{change.person}:{now.isoformat()}", person, text, now)


def before(sub: Subscription, parts: Iterable[str]) -> dict[str, Any]:
    """Return what a subscription is now as plain JSON, for `restore`.

    `parts` are names of values of `subscriptions.add`, and any of "name", "asked_by", "pause".
    """
    kept = set(parts)
    made: dict[str, Any] = {"interest": sub.interest, "owner": sub.owner, "number": sub.number}
    made["values"] = {name: getattr(sub, name) for name in VALUES if name in kept}
    made |= {name: getattr(sub, name) for name in ("name", "asked_by") if name in kept}
    if "pause" in kept:
        at = sub.paused_at.isoformat() if sub.paused_at else ""
        made["pause"] = [at, sub.paused_until, sub.paused_why]
    return made


def restore(conn: Connection, kept: Mapping[str, Any], now: datetime) -> bool:
    """Bring back what `before` kept; say False if that is followed no longer. Raises UsageError as `rename`."""
    interest = int(kept["interest"])
    sub = next((one for one in subscriptions.of(conn, kept["owner"]) if one.interest == interest), None)
    number = int(kept["number"])
    there = bool(subscriptions.of_number(conn, number))
    if sub is None and not there:
        return False
    if sub is not None and sub.number != number and there:
        subscriptions.join(conn, interest, number)
    elif sub is not None and sub.number != number:
        number = subscriptions.part(conn, interest, now)
    subscriptions.change(conn, number, kept["values"], now)
    if "name" in kept and sub is not None:
        interests.rename(conn, interest, kept["name"])
    if "asked_by" in kept:
        subscriptions.hand_over(conn, number, kept["asked_by"])
    if "pause" in kept:
        _restore_pause(conn, number, *kept["pause"], now=now)
    return True


def _restore_pause(conn: Connection, number: int, at: str, until: str, why: str, *, now: datetime) -> None:
    (sub, *_) = subscriptions.of_number(conn, number)
    there = [sub.paused_at.isoformat() if sub.paused_at else "", sub.paused_until, sub.paused_why]
    if there == [at, until, why]:
        return
    if at:
        ends = date.fromisoformat(until) if until else None
        subscriptions.pause(conn, number, datetime.fromisoformat(at), ends, why)
    else:
        subscriptions.resume(conn, number, now)
