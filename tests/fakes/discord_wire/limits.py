"""How often Discord lets a bot call: buckets of routes, and 50 requests a second in all."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field

EVERY_SECOND = 50
BUCKETS = {
    "POST /channels/*/messages": (5, 5.0),
    "PATCH /channels/*/messages/*": (5, 5.0),
    "DELETE /channels/*/messages/*": (5, 1.0),
    "POST /channels/*/threads": (10, 10.0),
    "POST /users/@me/channels": (10, 10.0),
    "PATCH /channels/*": (5, 5.0),
}
"""How many calls in how many seconds, as of the real ones; all else is `OTHER`."""
OTHER = (50, 1.0)
WEBHOOK = (5, 2.0)


@dataclass(slots=True)
class Bucket:
    """`limit` calls until `reset`, `per` seconds after the first."""

    name: str
    limit: int
    per: float
    left: int = 0
    reset: float = 0.0

    def take(self, now: float) -> float:
        """Count a call and return 0, or return the seconds to wait."""
        if now >= self.reset:
            self.left, self.reset = self.limit, now + self.per
        self.left = min(self.left, self.limit)  # a test may have lowered it meanwhile
        if self.left < 1:
            return self.reset - now
        self.left -= 1
        return 0.0

    def headers(self, now: float) -> dict[str, str]:
        """Return what an answer tells of the bucket."""
        after = max(0.0, self.reset - now)
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.left),
            "X-RateLimit-Reset": f"{time.time() + after:.3f}",
            "X-RateLimit-Reset-After": f"{after:.3f}",
            "X-RateLimit-Bucket": self.name,
        }


@dataclass(slots=True)
class Limits:
    """All buckets. `on`: whether they are kept; `refused`: how many calls were one too many."""

    on: bool = True
    a_second: int = EVERY_SECOND
    per_route: dict[str, tuple[int, float]] = field(default_factory=lambda: dict(BUCKETS))
    refused: int = 0
    _buckets: dict[tuple[str, str], Bucket] = field(default_factory=dict)
    _all: Bucket = field(default_factory=lambda: Bucket("global", EVERY_SECOND, 1.0))

    def bucket(self, route: str, major: str) -> Bucket:
        """Return the bucket of a route ("POST /channels/*/messages") for a channel, a server or a webhook."""
        found = self._buckets.get((route, major))
        if found is None:
            limit, per = WEBHOOK if "/webhooks/" in route else self.per_route.get(route, OTHER)
            name = hashlib.md5(route.encode(), usedforsecurity=False).hexdigest()
            found = self._buckets[(route, major)] = Bucket(name, limit, per)
        return found

    def everywhere(self, now: float) -> float:
        """Count a call of the bot and return 0, or return the seconds to wait."""
        self._all.limit = self.a_second
        return self._all.take(now)
