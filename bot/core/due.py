"""When a digest is due: every case of clocks that change, and of dates that are skipped or repeated. Pure; no clock.

A zone's wall clock never passes a time for the first time before it has passed all earlier ones. So a digest is due at
the first instant at which the wall clock of its zone shows its date and time, or has jumped over it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_SECOND = timedelta(seconds=1)
_REACH = 35  # days within which a chosen weekday must come, though its date be skipped for some weeks
_END = date.max.toordinal() + 1


@dataclass(frozen=True, slots=True)
class Schedule:
    """Local time "HH:MM", ISO digits of weekdays (Monday is 1), IANA zone, and days between digests at least.

    A `gap` of 0 or 1 days asks for nothing, since there is one digest a date at most.
    """

    at: str
    weekdays: str
    time_zone: str
    gap: int = 0


def due_on(schedule: Schedule, day: date) -> datetime | None:
    """Return the UTC instant at which a local date's digest is due, whatever its weekday; None if no clock showed it.

    A time that comes twice counts when it first comes. One that is skipped is due when the clock has jumped over it; if
    that is on another date, at the last whole minute before. Raises zoneinfo.ZoneInfoNotFoundError.
    """
    zone = ZoneInfo(schedule.time_zone)
    try:
        due = _reached(datetime.combine(day, time.fromisoformat(schedule.at)), zone)
        if due.astimezone(zone).date() == day:
            return due
        if _reached(datetime.combine(day, time.min), zone).astimezone(zone).date() != day:
            return None
        before = (due - _SECOND).astimezone(zone).replace(second=0, tzinfo=None)
        return _reached(before, zone)
    except OverflowError:  # the first and last days of the calendar
        return None


def next_due(
    schedule: Schedule, after: datetime, last: date | None = None, not_before: date | None = None
) -> tuple[date, datetime]:
    """Return the first chosen date that is due later than `after`, and the UTC instant.

    It is later than `last` by the gap, and not before `not_before`. Raises ValueError where no such date is left.
    """
    start = max(_today(schedule, after), _earliest(schedule, last, not_before))
    for ordinal in range(start, min(start + _REACH, _END)):
        day = date.fromordinal(ordinal)
        due = due_on(schedule, day) if _chosen(schedule, day) else None
        if due is not None and due > after:
            return day, due
    raise ValueError(f"no date is left after {after} for {schedule}")


def latest_due(
    schedule: Schedule, now: datetime, last: date | None = None, not_before: date | None = None
) -> date | None:
    """Return the latest chosen date that is due at `now` or before, within the bounds of `next_due`; None if none is.

    It is what one digest catches up with, after a machine slept over some.
    """
    today = _today(schedule, now)
    first = max(_earliest(schedule, last, not_before), today - _REACH)
    # Where clocks go back over midnight, tomorrow's 00:00 may have been already.
    for ordinal in range(min(today + 1, _END - 1), first - 1, -1):
        day = date.fromordinal(ordinal)
        due = due_on(schedule, day) if _chosen(schedule, day) else None
        if due is not None and due <= now:
            return day
    return None


def after_change(
    old: Schedule,
    new: Schedule,
    old_due: datetime | None,
    now: datetime,
    last: date | None,
    not_before: date | None = None,
) -> tuple[date, datetime]:
    """Return the next date and its UTC instant, after a schedule was changed at `now`. Raises ValueError as `next_due`.

    No date at or before `last` comes again. The date that was to come at `old_due` stays owed if it is no later than
    today where the new schedule is, and still chosen: its new instant may have passed, then it is due at once.
    """
    if old_due is not None:
        owed = _today(old, old_due)
        day = date.fromordinal(owed)
        due = due_on(new, day) if _chosen(new, day) else None
        if due is not None and _earliest(new, last, not_before) <= owed <= _today(new, now):
            return day, due
    return next_due(new, now, last, not_before)


def _today(schedule: Schedule, now: datetime) -> int:
    """Return the ordinal of the local date."""
    return now.astimezone(ZoneInfo(schedule.time_zone)).toordinal()


def _chosen(schedule: Schedule, day: date) -> bool:
    return str(day.isoweekday()) in schedule.weekdays


def _earliest(schedule: Schedule, last: date | None, not_before: date | None) -> int:
    """Return the ordinal of the earliest date that the bounds allow, which may be past the end of the calendar."""
    following = last.toordinal() + max(schedule.gap, 1) if last else 1
    return max(following, not_before.toordinal() if not_before else 1)


def _reached(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first UTC instant at which a zone's clock shows a wall time, or has jumped over it. Whole seconds."""
    due = wall.replace(tzinfo=zone).astimezone(UTC)
    if due.astimezone(zone).replace(tzinfo=None) == wall:
        return due
    # In a gap, fold tells which offset counts (PEP 495): the jump lies between the two instants.
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    while due - before > _SECOND:
        middle = before + (due - before) // 2 // _SECOND * _SECOND
        before, due = (before, middle) if middle.astimezone(zone).replace(tzinfo=None) > wall else (middle, due)
    return due
