"""A date as people type it, such as the one until which digests pause. Pure; knows no clock."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Self

from bot.core.fold import WEEKDAYS, folded, named, weekday

YEARS = 5  # how far ahead a date may be
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_LEAP = 2000  # a year that has every date
_OPENING = re.compile(r"(?:(?:until|till|to|in|for|on|the|next|this|coming)\s+)+")
_LENGTH = re.compile(r"(\d{1,6}|an?|one)\s*(d|days?|w|wks?|weeks?)")
_YEAR_FIRST = re.compile(r"(\d{4})([-./])(\d{1,2})\2(\d{1,2})")
_NUMBERS = re.compile(r"(\d{1,2})\s?([-./])\s?(\d{1,2})(?:\2\s?(\d{4}|\d\d)?)?")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?(?:\s*-\s*|\s*)(?:of )?([a-z]{3,9})\.?(?:[\s,-]+(\d{4}))?")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?\s*(\d{1,2})(?:st|nd|rd|th)?(?:[\s,]+(\d{4}))?")


class Day(str):
    """A date, canonical: "2026-12-24", one of the coming year ("24 Dec"), "monday", or days from now ("10 days")."""

    __slots__ = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `2026-12-24`, `24 Dec`, `Dec 24, 2026`, `24.12.`, `next monday`, `tomorrow` or `2 weeks`.

        Dots put the day first; of slashes and dashes, one number has to tell. Raises ValueError.
        """
        words = _OPENING.sub("", folded(text), count=1)
        try:
            found = _length(words) or _numbers(words) or _month(words) or _weekday(words)
        except ValueError as wrong:
            raise ValueError(f"{named(text)} {wrong}") from None
        if not found:
            raise ValueError(f"{named(text)} is no date; type it as 24 Dec, 2030-12-24, monday or 2 weeks")
        return cls(found)

    def after(self, today: date) -> date:
        """Return the date meant, which is later than today.

        One without a year is the next of it; a weekday is the next of it, so on a Monday "monday" is in a week.
        Raises ValueError if it has passed or is more than five years ahead.
        """
        if self in WEEKDAYS:
            return today + timedelta(days=(WEEKDAYS.index(self) - today.weekday() - 1) % 7 + 1)
        number, _, unit = self.partition(" ")
        if unit in ("day", "days"):
            found = today + timedelta(days=int(number))
        elif unit:
            found = _coming(int(number), _month_number(unit), today)
        else:
            found = date.fromisoformat(self)
        if found <= today:
            raise ValueError(f"{self} is {'today' if found == today else 'over'}; type a later date")
        if (found.year - YEARS, found.month, found.day) > (today.year, today.month, today.day):
            raise ValueError(f"{self} is more than five years ahead; type an earlier date")
        return found


def _length(words: str) -> str:
    """Read days or weeks from now, as "10 days"; "" if it is none. Raises ValueError for none at all."""
    if words == "tomorrow":
        return "1 day"
    match = _LENGTH.fullmatch(words)
    if words not in ("today", "yesterday") and not match:
        return ""
    count = (int(match[1]) if match[1].isdigit() else 1) * (7 if match[2].startswith("w") else 1) if match else 0
    if not count:
        raise ValueError("is no later date; type tomorrow, 3 days or 2 weeks")
    return "1 day" if count == 1 else f"{count} days"


def _numbers(words: str) -> str:
    """Read a date of numbers alone; "" if it is none. Raises ValueError if there is no such date, or may be two."""
    if match := _YEAR_FIRST.fullmatch(words):
        return _date(int(match[4]), int(match[3]), match[1])
    match = _NUMBERS.fullmatch(words)
    year = match[4] or "" if match else ""
    if not match or (len(year) == 2 and match[2] == "-"):
        return ""
    first, second = int(match[1]), int(match[3])
    year = f"20{year}" if len(year) == 2 else year
    if match[2] == "." or first > 12 or first == second:
        return _date(first, second, year)
    if second > 12:
        return _date(second, first, year)
    one, other = _date(first, second, year), _date(second, first, year)
    raise ValueError(f"may be two dates; type {one} or {other}")


def _month(words: str) -> str:
    """Read a date with a month's name; "" if it is none. Raises ValueError if there is no such date."""
    if match := _DAY_FIRST.fullmatch(words):
        day, name, year = match.groups()
    elif match := _MONTH_FIRST.fullmatch(words):
        name, day, year = match.groups()
    else:
        return ""
    month = _month_number(name)
    return _date(int(day), month, year or "") if month else ""


def _weekday(words: str) -> str:
    try:
        return WEEKDAYS[weekday(words) - 1]
    except ValueError:
        return ""


def _month_number(name: str) -> int:
    """Return 1 to 12 for three letters and more of a month's name, else 0."""
    return next((number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.casefold())), 0)


def _date(day: int, month: int, year: str) -> str:
    """Write a date canonically. Raises ValueError if there is none."""
    try:
        found = date(int(year or _LEAP), month, day)
    except ValueError:
        raise ValueError("is no date of the calendar; type it as 24 Dec, 2030-12-24, monday or 2 weeks") from None
    return found.isoformat() if year else f"{day} {_MONTHS[month - 1][:3].title()}"


def _coming(day: int, month: int, today: date) -> date:
    """Return the first date of a day and month later than today, of a 29 February that of a leap year."""
    for year in range(today.year, today.year + 9):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found > today:
            return found
    raise ValueError(f"{day} {_MONTHS[month - 1].title()} is too far ahead; type an earlier date")
