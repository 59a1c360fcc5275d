"""The days on which arXiv has no deadline for submissions, besides weekends. Pure.

https://info.arxiv.org/help/availability.html
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

_DAY = timedelta(days=1)
_MON, _THU, _SAT, _SUN = 0, 3, 5, 6

# As arXiv published them: the page above, and its own table of them. They move from year to year.
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


def _observed(day: date) -> date:
    """Return the date on which the United States keep a holiday: the nearest weekday (5 U.S.C. 6103)."""
    return day + {_SAT: -_DAY, _SUN: _DAY}.get(day.weekday(), timedelta(0))


def _nth(year: int, month: int, weekday: int, count: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))
