"""How long to wait before a host is asked again."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"\s*(\d+)(?:\.\d*)?\s*", re.ASCII)
FIRST, CAP = 2.0, 30.0  # seconds


def asked(header: str | None, now: float) -> float:
    """Return how many seconds a Retry-After asks for, at `now` (seconds since 1970): 0 if it tells nothing.

    Both forms are read, seconds (which may be no end of them) and a date: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3.
    """
    if not header:
        return 0.0
    if found := _SECONDS.fullmatch(header):
        return float(found[1])
    try:
        when = parsedate_to_datetime(header)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(when.timestamp() - now, 0.0)
    except (TypeError, ValueError, OverflowError, IndexError):
        return 0.0


def backoff(failures: int, chance: float) -> float:
    """Return the wait, in seconds, after so many failures (from 1); `chance` is 0 to 1.

    Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/.
    """
    return chance * min(FIRST * 2.0 ** min(failures - 1, 10), CAP)
