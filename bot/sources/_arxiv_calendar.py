"""When arXiv announces papers. Pure.

Announcements come at 20:00 US Eastern from Sunday to Thursday, and stand in the daily feed of the next date, from
midnight Eastern on: https://info.arxiv.org/help/availability.html. A holiday is a date without a deadline for
submissions: nothing is announced in its evening, and nothing on the Sunday after a Friday that is one.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.sources._arxiv_holidays import holidays

EASTERN = ZoneInfo("America/New_York")
LATE = timedelta(hours=2)  # after midnight Eastern, from when on a feed that is not there is late
_EVENING = time(20)
_DAY = timedelta(days=1)
_FRI, _SAT, _SUN = 4, 5, 6


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
