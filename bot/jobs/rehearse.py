"""What a digest would be on a date, with what it leaves out and why. Nothing is stored, and nothing is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, date, datetime
from typing import Any

from bot.config import Settings
from bot.core.card import clip
from bot.core.digest import moment
from bot.core.due import due_on, next_due
from bot.core.message import CARDS_PER_PAGE, Message
from bot.core.pages import page_of
from bot.core.plain import plain
from bot.core.typed import short_zone, words_for_weekdays
from bot.errors import UsageError
from bot.jobs.plan import frozen
from bot.store import delivered, digests, papers, planning, subscriptions
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.picks import Picker
from bot.store.subscriptions import Subscription

LEFT_OUT = 20  # papers of which the dry run says why they are not in it


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A digest as it would be, or was: remarks, the message in pages, and (title, reason) of what it leaves out."""

    subscription: int
    date: date
    remarks: list[str]
    pages: list[Message]
    left_out: list[tuple[str, str]] = field(default_factory=list)


def rehearse(store: Store, library: Library, settings: Settings, number: int, day: date | None) -> Rehearsal:
    """Make the digest of a subscription for a local date, by default the next; one that was planned as it was then.

    Papers that come until that date are not known yet. Raises UsageError for a subscription or a date that is not.
    """
    with store.reading() as conn:
        subs = subscriptions.of_number(conn, number) if 0 < number < 2**63 else []
        now = store.clock(conn)
        if not subs:
            raise UsageError(f"There is no subscription {number}. See all: paperround digest --dry-run")
        sub = subs[0]
        asked, day = day, day or _next(sub, now)
        known = delivered.of_key(conn, f"digest:{number}:{day}")
    if known is not None:
        remark = f"planned on {moment(known.created_at, sub.time_zone)}; {known.state}"
        return Rehearsal(number, day, [remark], [known.message])
    at = due_on(sub.schedule, day)
    if at is None:
        raise UsageError(f"{day} does not exist in {sub.time_zone}.")
    if day.year == MAXYEAR:
        raise UsageError(f"{day} is too far ahead.")
    if asked is not None and asked < digests.local_date(now, sub.time_zone) and asked != _next(sub, now):
        raise UsageError(f"{asked} is over, and no digest of it is kept. Name a later date, or leave it out.")
    if sub.last_date and day.isoformat() <= sub.last_date:
        remark = "It was planned already, and there was nothing to send, or it is kept no longer."
        return Rehearsal(number, day, [remark], [])
    return _made(store, library, settings, subs, day, max(at, now))


def _next(sub: Subscription, now: datetime) -> date:
    if sub.next_due_at is not None:
        return digests.local_date(sub.next_due_at, sub.time_zone)
    return next_due(sub.schedule, now, date.fromisoformat(sub.last_date) if sub.last_date else None)[0]


def _made(
    store: Store, library: Library, settings: Settings, subs: Sequence[Subscription], day: date, at: datetime
) -> Rehearsal:
    with store.reading() as conn:
        order = digests.Reader(conn, settings.fresh_days).scheduled(subs, at)
        troubles = digests.troubles_of(conn)
    library.update()
    (draft,) = digests.draft(store, library, [order], troubles)
    made = frozen(planning.due_of(subs, at), draft)
    out = library.rankings().ask(Picker.left_out, order.wish, LEFT_OUT)
    with store.reading() as conn:
        titles = papers.get(conn, [one.number for one in out])
    left_out = [(clip(plain(titles[one.number].paper.title), 100), one.reason) for one in out if one.number in titles]
    return Rehearsal(subs[0].number, day, _remarks(subs, day, at, silent=not made.text), _pages(made), left_out)


def _pages(made: planning.Frozen) -> list[Message]:
    """Return the pages without buttons, which only a message that is stored has."""
    items = made.content.get("items", [])
    if not items:
        return [Message(text=made.text, footer=str(made.content.get("footer", "")))] if made.text else []
    count = -(-len(items) // CARDS_PER_PAGE)
    pages = [page_of(0, made.content, page) for page in range(count)]
    return [
        Message(page.text, tuple(replace(card, buttons=()) for card in page.cards), (), page.footer) for page in pages
    ]


def _remarks(subs: Sequence[Subscription], day: date, at: datetime, *, silent: bool) -> list[str]:
    sub = subs[0]
    due = f"{moment(at, sub.time_zone)} {short_zone(sub.time_zone)}"
    said = [f"for {sub.place} ({sub.platform}, {sub.place_kind}), due {due}"]
    if str(day.isoweekday()) not in sub.weekdays:
        said.append(f"this is not one of its days: {words_for_weekdays(sub.weekdays)}")
    if sub.paused(at):
        said.append(f"it is paused{f': {sub.paused_why}' if sub.paused_why else ''}")
    if silent:
        said.append("it has nothing to show and stays silent, as was asked for")
    return said


def as_json(made: Rehearsal) -> Mapping[str, Any]:
    """Return a rehearsal as plain JSON."""
    cards = [card for page in made.pages for card in page.cards]
    return {
        "subscription": made.subscription,
        "date": made.date.isoformat(),
        "remarks": made.remarks,
        "text": made.pages[0].text if made.pages else "",
        "papers": [{"paper": card.paper, "title": card.title, "url": card.url, "why": card.why} for card in cards],
        "left out": [{"title": title, "why": reason} for title, reason in made.left_out],
    }
