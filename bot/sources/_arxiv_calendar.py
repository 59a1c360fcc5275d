"""When arXiv announces papers. Pure.

Announcements come at 20:00 US Eastern from Sunday to Thursday, and stand in the daily feed of the next date, from
midnight Eastern on: https://info.arxiv.org/help/availability.html. A holiday is a date without a deadline for
submissions: nothing is announced in its evening, and nothing on the Sunday after a Friday that is one.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

EASTERN = ZoneInfo("America/New_York")
LATE = timedelta(hours=2)  # after midnight Eastern, from when on a feed that is not there is late
_EVENING = time(20)
_DAY = timedelta(days=1)
_MON, _THU, _FRI, _SAT, _SUN = 0, 3, 4, 5, 6

# As arXiv published them: the page above, and the table of its own calendar. They move from year to year.
_PUBLISHED: dict[int, tuple[tuple[int, int, str], ...]] = {
    2025: (
        (1, 1, "New Year's Day"),
        (1, 20, "Martin Luther King Day"),
        (6, 19, "Juneteenth"),
        (7, 4, "Independence Day"),
        (9, 1, "Labor Day"),
        (11, 27, "Thanksgiving"),
        (12, 25, "the winter break"),
        (12, 30, "the winter break"),
    ),
    2026: (
        (1, 1, "New Year's Day"),
        (1, 19, "Martin Luther King Day"),
        (6, 19, "Juneteenth"),
        (7, 3, "Independence Day"),
        (9, 7, "Labor Day"),
        (11, 26, "Thanksgiving"),
        (12, 25, "the winter break"),
        (12, 29, "the winter break"),
        (12, 31, "the winter break"),
    ),
}


@cache
def holidays(year: int) -> dict[date, str]:
    """Return arXiv's holidays of a year with their names; of years that are not published, those it always keeps."""
    if year in _PUBLISHED:
        return {date(year, month, day): name for month, day, name in _PUBLISHED[year]}
    return {
        _observed(date(year, 1, 1)): "New Year's Day",
        _nth(year, 1, _MON, 3): "Martin Luther King Day",
        _observed(date(year, 6, 19)): "Juneteenth",
        _observed(date(year, 7, 4)): "Independence Day",
        _nth(year, 9, _MON, 1): "Labor Day",
        _nth(year, 11, _THU, 4): "Thanksgiving",
        _observed(date(year, 12, 25)): "the winter break",
    }


def feed_day(day: date) -> bool:
    """Say whether the daily feed of a date (US Eastern) has papers: whether they were announced the evening before."""
    return not _why_not(day - _DAY)


def unsure(day: date) -> bool:
    """Say whether the feed of a date may be empty though it is none of the known days off: in the winter break."""
    return (day.month, day.day) >= (12, 24) or (day.month, day.day) <= (1, 3)


def today(at: datetime) -> date:
    """Return the date of the feed that stands at an instant (aware): the date in US Eastern."""
    return at.astimezone(EASTERN).date()


def due(at: datetime) -> date:
    """Return the date of the newest feed with papers that has to be there by an instant (aware), even if late."""
    return last(today(at - LATE))


def last(day: date) -> date:
    """Return the newest date up to `day`, itself included, whose feed has papers."""
    while not feed_day(day):
        day -= _DAY
    return day


def announced(day: date) -> datetime:
    """Return when the papers of the feed of a date were announced, in UTC: 20:00 US Eastern the evening before."""
    return datetime.combine(day - _DAY, _EVENING, EASTERN).astimezone(UTC)


def rests(at: datetime) -> str:
    """Say why no papers are expected on the date (US Eastern) of an instant (aware); "" if they are.

    What is announced in the evening of that date is the next date's.
    """
    day = today(at)
    if day.weekday() == _SAT:
        return "arXiv announces nothing on Saturdays."
    if day.weekday() == _SUN:
        return "arXiv announces nothing on Sundays before the evening."
    name = _why_not(day - _DAY)
    return f"arXiv announces nothing over {name}." if name else ""


def _why_not(evening: date) -> str:
    """Say why nothing is announced in the evening of a date; "" if something is."""
    if evening.weekday() in (_FRI, _SAT):
        return "the weekend"
    deadline = evening - 2 * _DAY if evening.weekday() == _SUN else evening
    return holidays(deadline.year).get(deadline, "")


def _observed(day: date) -> date:
    """Return the date on which the United States keep a holiday: the nearest weekday (5 U.S.C. 6103)."""
    return day + {_SAT: -_DAY, _SUN: _DAY}.get(day.weekday(), timedelta(0))


def _nth(year: int, month: int, weekday: int, count: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))
