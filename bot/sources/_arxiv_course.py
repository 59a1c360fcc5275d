"""Where to go on in reading arXiv: what follows from the place that was reached. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from bot.sources._arxiv_place import Fill, Place

FIRST = timedelta(days=7)  # that are read back at a first start, and of a category that is new
HELD = timedelta(days=3)  # for which moderators may hold a submission until it is announced
FURTHEST = timedelta(days=28)  # that are ever read back
AGAIN = timedelta(days=3)  # for which what the API gave is read again: its index lags


def begun(place: Place, categories: tuple[str, ...], since: datetime | None, now: datetime) -> Place:
    """Return the place to go on from with these categories: at a first start, and with a new one, some days back."""
    ahead = place.day is not None and place.day > now.date() + timedelta(days=1)  # a clock was wrong
    if place.categories and not ahead and set(categories) <= set(place.categories):
        return replace(place, categories=categories)
    start = now - FIRST
    if not place.categories and since is not None:
        start = min(start, since - HELD)
    if place.fill is not None:
        start = min(start, place.fill.start)
    return Place(categories=categories, fill=Fill(max(start, now - FURTHEST), now))


def read(place: Place, day: date, newest: str, usual: int, now: datetime) -> Place:
    """Return the place after the daily list of a date. For lists before it that were missed, the API is to be asked.

    And again for what it was asked for lately, since its index may have been behind.
    """
    if place.until and day > place.until:
        place = replace(place, again=None, until=None)
    fill = place.fill
    if place.day and (missed := next(_weekdays(place.day, day), None)):
        start = datetime(missed.year, missed.month, missed.day, tzinfo=UTC) - HELD
        start = max(min(start, place.again or start), now - FURTHEST)
        fill = Fill(start, now) if fill is None else replace(fill, end=now)
        place = replace(place, again=None, until=None)
    elif fill is None and place.again:
        fill = Fill(place.again, now)
    return replace(place, day=day, newest=newest or place.newest, usual=usual, fill=fill)


def filled(place: Place, fill: Fill, day: date) -> Place:
    """Return the place after the API has given all of a stretch. `day` is that of the newest daily list."""
    again, until = place.again, place.until
    if again != fill.start:
        again, until = max(fill.start, fill.end - HELD - AGAIN), day + AGAIN
    elif until is None or day >= until:
        again = until = None
    return replace(place, fill=None, again=again, until=until)


def _weekdays(first: date, then: date) -> Iterator[date]:
    """Yield the dates from Monday to Friday after `first` and before `then`: holidays too, for calendars change."""
    day = first + timedelta(days=1)
    while day < then:
        if day.weekday() < 5:
            yield day
        day += timedelta(days=1)
