"""How fast messages may go out: one bucket of tokens a bot token and one a destination. Pure: time is passed in.

A bucket fills at its rate up to its burst, and a message takes one token of each (the token bucket of RFC 2697). What
nobody waits for leaves some tokens in it, so that an answer finds one however many digests are on their way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bot.core.ports import Limits
from bot.core.request import Address

BURST = 0.4  # seconds' worth of the rate: what a late timer or a blocked loop has missed is caught up with
ROOM = 0.5  # of the burst, for answers
LEAST_BURST = 3.0  # tokens: one for an answer, one for the rest, and the halves that a late timer may miss
MOST_RATE = 1e6  # a second: no limit at all
LEAST_RATE = 1e-6
IDLE_KEPT = 1000  # buckets known before the full ones are forgotten

Place = tuple[str, ...]


def place_of(address: Address) -> Place:
    """Return what tells destinations apart: a channel, or the person of a direct message."""
    return (address.platform, address.workspace, address.channel, "" if address.channel else address.user)


@dataclass(slots=True)
class _Bucket:
    """Tokens at the time `at`, in seconds; nothing is taken before `closed`."""

    tokens: float
    at: float
    closed: float = -math.inf

    def fill(self, rate: float, burst: float, now: float) -> None:
        """Add the tokens gained since the last time, at `rate` a second and up to `burst`; none for what was closed."""
        if now > self.at:
            gained = (now - max(self.at, min(self.closed, now))) * rate
            self.tokens, self.at = min(burst, self.tokens + gained), now

    def wait(self, rate: float, least: float, now: float) -> float:
        """Return the seconds until there are `least` tokens; `fill` was called with the same `now`."""
        missing = max(0.0, least - self.tokens)
        # At a rate of thousands the tokens that are missing may be less than a float can tell from none.
        waiting = missing / rate if missing > 1e-9 else 0.0
        return max(0.0, self.closed - now) + waiting

    def is_full(self, rate: float, burst: float, now: float) -> bool:
        """Say whether it is as good as new."""
        return self.closed <= now and self.tokens + (now - max(self.at, self.closed)) * rate >= burst

    def close(self, until: float, now: float) -> None:
        """Let nothing be taken until then, and begin with nothing."""
        if until > self.closed:
            self.closed, self.tokens, self.at = until, 0.0, max(now, self.at)


class Limiter:
    """The limits of one platform, of which this process has a `share` (1: all of it).

    Times are seconds of any clock that never goes back, the same in all calls.
    """

    def __init__(self, limits: Limits, share: float = 1.0) -> None:
        self._limits = limits
        self.share = share
        self._bots: dict[Place, _Bucket] = {}
        self._places: dict[Place, _Bucket] = {}
        self._most = IDLE_KEPT

    @property
    def rate(self) -> float:
        """Messages a second that this process may send for one bot token."""
        return _between(self._limits.a_second * self.share)

    @property
    def burst(self) -> float:
        """Messages for one bot token that may go out at once, after a rest."""
        return max(LEAST_BURST, self.rate * BURST)

    def reserve(self, address: Address, now: float, *, interactive: bool = False) -> float:
        """Take a token for a message to this address and return 0, or return the seconds after which to ask again.

        `interactive`: a person waits for it. Such a message waits for nothing that bulk left, and not for its
        destination's pace, only until a time that the platform told.
        """
        bot, one = self._bot(address, now), self._place(address, now)
        if interactive:
            wait = max(bot.wait(self.rate, 1.0, now), one.closed - now)
        else:
            wait = max(bot.wait(self.rate, 1.0 + self.burst * ROOM, now), self.pause(address, now))
        if wait > 0:
            return wait
        bot.tokens -= 1.0
        one.tokens = max(0.0, one.tokens - 1.0)
        return 0.0

    def pause(self, address: Address, now: float) -> float:
        """Return the seconds until this destination may get the next message, whatever the others do."""
        return self._place(address, now).wait(self._to_one, 1.0, now)

    def can(self, within: float, now: float) -> int:
        """Return about how many messages may begin within these seconds: what is worth claiming."""
        if self._limits.per_workspace:
            return IDLE_KEPT
        bot = self._bot(Address("", ""), now)
        ready = max(0.0, bot.tokens - self.burst * ROOM)
        return int(ready + max(0.0, within - max(0.0, bot.closed - now)) * self.rate)

    def told(self, address: Address, after: float, everywhere: bool, now: float) -> None:
        """Take the platform's word that it takes nothing for `after` seconds: here, or `everywhere`."""
        if after > 0:
            (self._bot if everywhere else self._place)(address, now).close(now + after, now)

    def told_left(self, address: Address, left: int, reset: float, now: float) -> None:
        """Take the platform's word that it takes `left` more for this destination within `reset` seconds."""
        if left <= 0 < reset:
            self._place(address, now).close(now + reset, now)

    @property
    def _to_one(self) -> float:
        return _between(self._limits.to_one * self.share)

    def token_of(self, address: Address) -> Place:
        """Return what tells bot tokens apart: those of one token share its limit."""
        return (address.workspace,) if self._limits.per_workspace else ()

    def _bot(self, address: Address, now: float) -> _Bucket:
        return self._kept(self._bots, self.token_of(address), self.rate, self.burst, now)

    def _place(self, address: Address, now: float) -> _Bucket:
        # A destination's burst is one message, however fast it may follow: order is kept, and nobody is flooded.
        return self._kept(self._places, place_of(address), self._to_one, max(1.0, self._to_one * BURST), now)

    def _kept(self, buckets: dict[Place, _Bucket], key: Place, rate: float, burst: float, now: float) -> _Bucket:
        """Return a bucket, filled up to now; a new one is full."""
        bucket = buckets.get(key)
        if bucket is None:
            if len(buckets) >= self._most:
                for idle in [place for place, each in buckets.items() if each.is_full(rate, burst, now)]:
                    del buckets[idle]
                self._most = max(IDLE_KEPT, 2 * len(buckets))
            bucket = buckets[key] = _Bucket(burst, now)
        bucket.fill(rate, burst, now)
        return bucket


def _between(rate: float) -> float:
    """Return the rate within what can be computed with: limits may be infinite, or 0."""
    return min(max(rate, LEAST_RATE), MOST_RATE)
