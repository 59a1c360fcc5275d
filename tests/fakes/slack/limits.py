"""How often Slack lets an app call: tiers of methods, messages of a channel and of a workspace, histories."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from dataclasses import dataclass, field

TIERS = {1: 1, 2: 20, 3: 50, 4: 100}
"""Calls a minute of a method in a workspace, at least."""


class Window:
    """At most `most` in any `seconds`."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: deque[float] = deque()

    def wait(self, now: float) -> float:
        """Return the seconds until the next one may come; 0 is now."""
        while self._times and self._times[0] <= now - self._seconds:
            self._times.popleft()
        return self._times[0] + self._seconds - now if len(self._times) >= self._most else 0.0

    def take(self, now: float) -> None:
        """Count one."""
        self._times.append(now)


@dataclass(slots=True)
class Limits:
    """Which limits are on. `messages`: 1 a second a channel and 240 a minute a workspace (`a_minute`).

    `outside`: the app is not of the Marketplace, so that histories are read once a minute, 15 messages at most.
    """

    tiers: bool = False
    messages: bool = False
    outside: bool = False
    a_minute: int = 240
    refused: int = 0
    _windows: dict[tuple[str, ...], Window] = field(default_factory=dict)
    posted: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def wait(self, team: str, method: str, tier: int, channel: str) -> float:
        """Return the seconds to wait before this call, or count it and return 0."""
        now = time.monotonic()
        windows = self._of(team, method, tier, channel)
        longest = max((one.wait(now) for one in windows), default=0.0)
        if longest > 0:
            self.refused += 1
            return longest
        for one in windows:
            one.take(now)
        return 0.0

    def _of(self, team: str, method: str, tier: int, channel: str) -> list[Window]:
        found = []
        if method == "chat.postMessage":
            self.posted[team] += 1
            if self.messages:
                found += [self._window(1, 1.0, "channel", channel), self._window(self.a_minute, 60.0, "team", team)]
        elif self.outside and method in ("conversations.history", "conversations.replies"):
            found.append(self._window(1, 60.0, method, team))
        elif self.tiers and tier in TIERS:
            found.append(self._window(TIERS[tier], 60.0, method, team))
        return found

    def _window(self, most: int, seconds: float, *key: str) -> Window:
        if key not in self._windows:
            self._windows[key] = Window(most, seconds)
        return self._windows[key]
