"""Dates and years as files write them. What is no date, or cannot be one of a paper, is left out."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_YEAR, LAST_YEAR = 1600, 2100  # outside these it is a slip of the pen, or milliseconds read as a year
_EPOCH_MS = 100_000_000_000  # from here on a number of seconds would lie beyond the year 5000
_EPOCH_S = 100_000_000
_YEAR = re.compile(r"(\d{4})(?:\.0)?(?:[-/]\d{1,2})?", re.ASCII)
_SHAPES = ("%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y-%m-%d %H:%M:%S %Z")


def year(value: object) -> int | None:
    """Return a year from 1600 to 2100, given as a number or a text that begins with it, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        found = _YEAR.fullmatch(value.strip())
        value = int(found[1]) if found else None
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and FIRST_YEAR <= value <= LAST_YEAR else None


def instant(value: object) -> datetime | None:
    """Return an aware time in UTC, or None. Read are ISO 8601, mail dates, a few written forms, and epochs in s or ms.

    A time without a zone is taken as UTC.
    """
    try:
        found = _epoch(value) if isinstance(value, int | float) and not isinstance(value, bool) else _written(value)
        if found is None:
            return None
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if FIRST_YEAR <= found.year <= LAST_YEAR else None


def _epoch(value: float) -> datetime | None:
    if not _EPOCH_S <= value <= _EPOCH_MS * 100:
        return None
    return datetime.fromtimestamp(value / 1000 if value >= _EPOCH_MS else value, UTC)


def _written(value: object) -> datetime | None:
    if not isinstance(value, str) or not 8 <= len(text := value.strip()) <= 64:
        return None
    for read in (datetime.fromisoformat, _by_shape, parsedate_to_datetime):
        try:
            return read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def _by_shape(text: str) -> datetime:
    for shape in _SHAPES:
        try:
            return datetime.strptime(text, shape)  # noqa: DTZ007 - the caller takes it as UTC
        except ValueError:
            continue
    raise ValueError(text)
