"""How one host has answered, and until when it is left alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.sources._pace import Lane

FAILURES = 5  # in a row, after which a host is left alone
SHORTEST, LONGEST = 300.0, 3600.0  # seconds for which it then is: twice as long each time
PATIENT = 86400.0  # the longest wait that a host can ask for, in seconds


@dataclass(slots=True)
class Host:
    """How one host has answered, and until when it is left alone.

    `name` is for people. `until` is in seconds since 1970; `broken`: it is left alone since it failed too often, not
    since it asked for it. `trouble`: what it did last, as "answered 503".
    """

    name: str
    lane: Lane
    failures: int = 0
    opened: int = 0
    until: float = 0.0
    span: float = 0.0
    broken: bool = False
    trouble: str = ""

    def rests(self, now: float) -> float:
        """Return for how many seconds more it is left alone."""
        self.until = min(self.until, now + self.span)  # a clock may be put back
        return max(self.until - now, 0.0)

    def failed(self, now: float, trouble: str, after: float = 0.0) -> None:
        """Count a failure; `after` is how many seconds it asked for. After five in a row the circuit opens.

        Once the time is over one call is let through; if that fails as well, it opens at once and for twice as long.
        """
        self.trouble = trouble
        self._rest(now, min(after, PATIENT))
        if self.broken and self.rests(now):
            return
        self.failures += 1
        self.broken = self.failures >= FAILURES
        if self.broken:
            self._rest(now, min(SHORTEST * 2**self.opened, LONGEST))
            self.opened = min(self.opened + 1, 10)

    def answered(self, now: float) -> None:
        """Forget the failures: it is well. While it is left alone that says nothing: it was asked before."""
        if self.rests(now):
            return
        self.failures = self.opened = 0
        self.until = self.span = 0.0
        self.broken = False
        self.trouble = ""

    def missed(self, now: float) -> float:
        """Return how much would be lost if it were forgotten: the seconds for which it is left alone, and failures."""
        return self.rests(now) + self.failures

    def _rest(self, now: float, seconds: float) -> None:
        if seconds > self.rests(now):
            self.until, self.span = now + seconds, seconds
