"""How many calls Slack takes: a tier for each method of a workspace, and one message a second for each channel. Pure.

The tiers are those of its reference: calls a minute, of which all may come at once. It does not say how many messages a
workspace takes; several hundred a minute, its guide says, and short bursts. Here: 240, evenly, and two seconds' worth.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

MESSAGES_A_MINUTE, MESSAGES_AT_ONCE = 240, 8  # of a workspace
TO_ONE_A_MINUTE, TO_ONE_AT_ONCE = 60, 3  # of a channel
TIER_1, TIER_2, TIER_3, TIER_4, MANY = 1, 20, 50, 100, 600

TIERS: dict[str, int] = {
    "apps.connections.open": TIER_1,
    "auth.test": MANY,
    "chat.postEphemeral": TIER_4,
    "chat.update": TIER_3,
    "conversations.history": TIER_3,
    "conversations.info": TIER_3,
    "conversations.join": TIER_3,
    "conversations.open": TIER_3,
    "files.completeUploadExternal": TIER_4,
    "files.getUploadURLExternal": TIER_4,
    "oauth.v2.access": MANY,
    "users.info": TIER_4,
    "views.open": TIER_4,
    "views.publish": TIER_4,
    "views.update": TIER_4,
}
_BURST = {"apps.connections.open": 10}  # as many sockets as an app may have


class Rates:
    """What was taken so far. `outside`: the app is distributed outside the Marketplace, and may read little history."""

    def __init__(self, *, outside: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._outside = outside
        self._clock = clock
        self._buckets: dict[tuple[str, ...], tuple[float, float]] = {}  # tokens, and when there were so many

    def wait(self, method: str, team: str, channel: str = "") -> int:
        """Take a call and return 0, or take nothing and return the seconds of Retry-After."""
        now, wait = self._clock(), 0.0
        filled = []
        for key, a_minute, most in self._limits(method, team, channel):
            tokens, at = self._buckets.get(key, (float(most), now))
            tokens = min(float(most), tokens + (now - at) * a_minute / 60)
            filled.append((key, tokens))
            wait = max(wait, (1.0 - tokens) * 60 / a_minute)
        if wait > 1e-9:
            return math.ceil(wait)
        for key, tokens in filled:
            self._buckets[key] = (tokens - 1.0, now)
        return 0

    def _limits(self, method: str, team: str, channel: str) -> list[tuple[tuple[str, ...], int, int]]:
        """Return the buckets of a call: their keys, tokens a minute, and how many they hold."""
        if method == "chat.postMessage":
            return [
                (("messages", team), MESSAGES_A_MINUTE, MESSAGES_AT_ONCE),
                (("messages", team, channel), TO_ONE_A_MINUTE, TO_ONE_AT_ONCE),
            ]
        if method == "conversations.history" and self._outside:
            return [((method, team), TIER_1, 1)]
        tier = TIERS.get(method, TIER_3)
        return [((method, team), tier, _BURST.get(method, tier))]
