"""Which subscriptions are due, who plans them, and the one transaction in which a digest becomes a message."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any

import structlog
from sqlalchemy import Connection, or_, select, update

from bot.core.due import due_on, latest_due, next_due
from bot.core.message import Button, Message
from bot.core.pages import page_of
from bot.core.request import Address
from bot.store import interests as interest_table
from bot.store import notes, outbox, owners, ratings
from bot.store import subscriptions as subscription_table
from bot.store.digests import local_date
from bot.store.promises import Promise
from bot.store.ratings import Shown
from bot.store.subscriptions import Subscription
from bot.store.tables import interests, subscriptions
from bot.store.tables import owners as owner_table

_MADE_FROM = (
    *("at", "time_zone", "weekdays", "gap", "at_most", "strictness", "cross_lists", "silent"),
    *("next_due_at", "last_date", "paused_until", "covered_to", "covered_id"),
)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Due:
    """A subscription (its interests) that is due for a local date; `date` None: nothing is, but its next date is.

    `next_due_at` is when it is due next after that. `usual_since`: what came after it is the schedule's usual time.
    """

    subs: tuple[Subscription, ...]
    date: date | None
    next_due_at: datetime
    usual_since: datetime | None = None

    @property
    def sub(self) -> Subscription:
        """The subscription, with the first of its interests."""
        return self.subs[0]

    @property
    def key(self) -> str:
        """What no two digests share."""
        return f"digest:{self.sub.number}:{self.date}"


def claim(conn: Connection, now: datetime, lease: float, most: int, platforms: Collection[str]) -> list[Due]:
    """Take at most `most` subscriptions of these platforms that are due, for a lease in seconds; the first due first.

    `now` is the database's time. Other processes take others meanwhile; on PostgreSQL they do not wait. One whose
    schedule cannot be read, as its time zone is not known here, is left out; its lease ends as any other.
    """
    free = or_(subscriptions.c.planning_until.is_(None), subscriptions.c.planning_until <= now)
    kept = select(interests.c.id).where(interests.c.subscription_id == subscriptions.c.id, interest_table.KEPT).exists()
    served = subscriptions.c.owner_id.in_(select(owner_table.c.id).where(owner_table.c.platform.in_(list(platforms))))
    ready = (
        select(subscriptions.c.id)
        .where(subscriptions.c.next_due_at <= now, free, kept, served)
        .order_by(subscriptions.c.next_due_at, subscriptions.c.id)
        .limit(most)
        .with_for_update(skip_locked=True)
    ).cte("ready")
    taken = update(subscriptions).where(subscriptions.c.id.in_(select(ready.c.id)))
    leased = taken.values(planning_until=now + timedelta(seconds=lease)).returning(subscriptions.c.id)
    numbers = list(conn.execute(leased).scalars())
    by_number = sorted(subscription_table.of_numbers(conn, numbers), key=lambda sub: sub.number)
    groups = [list(subs) for _, subs in groupby(by_number, key=lambda sub: sub.number)]
    return [due for subs in groups if (due := _readable(subs, now)) is not None]


def _readable(subs: Sequence[Subscription], now: datetime) -> Due | None:
    """Return what is due; None, and a line in the log, where that cannot be told: the others shall not wait for it."""
    try:
        return due_of(subs, now)
    except (ValueError, KeyError, OSError) as error:  # a zone that is not known here is a KeyError
        log.error("it cannot be told when this is due", subscription=subs[0].number, reason=type(error).__name__)
        return None


def due_of(subs: Sequence[Subscription], now: datetime) -> Due:
    """Return what is due of a subscription (its interests) at a time."""
    sub = subs[0]
    last = date.fromisoformat(sub.last_date) if sub.last_date else None
    until = date.fromisoformat(sub.paused_until) if sub.paused_until else date.min
    first = max(until, local_date(sub.created_at, sub.time_zone))
    day = latest_due(sub.schedule, now, last, first)
    following = next_due(sub.schedule, now, day or last, first)[1]
    return Due(tuple(subs), day, following, _usual(sub, day))


def _usual(sub: Subscription, day: date | None) -> datetime | None:
    """Return when the digest before this date's was due, if the schedule alone decides."""
    if day is None:
        return None
    due = due_on(sub.schedule, day)
    before = latest_due(sub.schedule, due - timedelta(seconds=1)) if due is not None else None
    return due_on(sub.schedule, before) if before is not None else None


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a due digest became. Without a `text`, it stays silent. `buttons` are (label, typed line) pairs."""

    due: Due
    text: str
    content: dict[str, Any]
    shown: tuple[Shown, ...]
    buttons: tuple[tuple[str, str], ...]
    covered_to: datetime
    covered_id: int
    promise: Promise | None = None


def settle(conn: Connection, frozen: Frozen, now: datetime) -> bool:
    """Put a digest into the outbox and set when the next is due; say False if another process did so.

    The same if anything changed of what it was made from: it is made anew when its lease ends. Either all of it is
    stored or nothing.
    """
    sub, day = frozen.due.sub, frozen.due.date
    values: dict[str, Any] = {"next_due_at": frozen.due.next_due_at, "planning_until": None}
    if day is not None:
        values |= {"last_date": day.isoformat(), "covered_to": frozen.covered_to, "covered_id": frozen.covered_id}
        values |= {"paused_at": None, "paused_until": ""}
    if frozen.text:
        values["said_at"] = now
    if frozen.promise is not None:
        values |= frozen.promise.values
    comes = select(interests.c.id).where(interests.c.subscription_id == sub.number, interest_table.KEPT)
    if set(conn.execute(comes).scalars()) != {one.interest for one in frozen.due.subs}:
        return False
    as_it_was = [subscriptions.c[name] == getattr(sub, name) for name in _MADE_FROM]
    change = update(subscriptions).where(subscriptions.c.id == sub.number, *as_it_was)
    if conn.execute(change.values(**values)).rowcount != 1:
        return False
    if day is not None and frozen.text:
        _put(conn, frozen, now)
    return True


def _put(conn: Connection, frozen: Frozen, now: datetime) -> None:
    sub = frozen.due.sub
    owner = owners.by_number(conn, sub.owner)
    direct = owner.kind == "person"
    buttons = tuple(_button(conn, sub.owner, label, line, now) for label, line in frozen.buttons)
    message = Message(text=frozen.text, buttons=buttons, footer=str(frozen.content.get("footer", "")))
    if frozen.content.get("items"):
        note = notes.add(conn, sub.owner, "list", frozen.content, now)
        page = page_of(note, frozen.content, 0)
        message = Message(page.text, page.cards, (*page.buttons, *buttons), page.footer)
    topics = dict.fromkeys(topic for one in frozen.due.subs for topic in one.topics)
    message = replace(message, topics=tuple(topics))
    number = outbox.put(
        conn,
        key=frozen.due.key,
        kind="digest",
        subscription=sub.number,
        owner=sub.owner,
        address=Address(
            owner.platform, owner.workspace, owner.external if direct else "", "" if direct else owner.external
        ),
        message=message,
        due_at=sub.next_due_at or now,
        window_from=sub.covered_to,
        window_id=sub.covered_id,
        now=now,
    )
    if number is not None:
        ratings.log(conn, number, frozen.shown)


def _button(conn: Connection, owner: int, label: str, line: str, now: datetime) -> Button:
    """Make a button that types a line for the person who presses it."""
    note = notes.add(conn, owner, "run", {"items": [{"line": line}]}, now)
    return Button(label, f"run:{note:x}:0")
