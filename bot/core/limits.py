"""How fast messages may go out: one window a bot token, and one bucket a destination. Pure: time is passed in.

A window holds the messages of the last second and a little more, and lets no more in than the platform takes in a
second (a sliding window log). So no second ever holds more, and a blocked loop costs no more than the time that it was
blocked. They go out evenly, since what begins at once does not arrive at once: the next second's may be faster. A
destination's bucket fills at its rate up to its burst (the token bucket of RFC 2697).
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TypeVar

from bot.core.ports import Limits
from bot.core.request import Address

BURST = 0.4  # seconds' worth of a destination's rate
SPREAD = 1.02  # seconds for what a platform takes in one: messages do not take equally long on their way
HURRY = 1.05  # how much faster than at its rate a window may fill
SLACK = 0.05  # seconds that a message may be early after others were late
GRAIN = 0.0005  # seconds within which messages are remembered as one
MOST_RATE = 1e6  # a second: no limit at all
LEAST_RATE = 1e-6
IDLE_KEPT = 1000  # windows or buckets known before the idle ones are forgotten

Place = tuple[str, ...]


def place_of(address: Address) -> Place:
    """Return what tells destinations apart: a channel, or the person of a direct message."""
    return (address.platform, address.workspace, address.channel, "" if address.channel else address.user)


@dataclass(slots=True)
class _Window:
    """When messages went out, the oldest first, in seconds, with how many; nothing may before `closed`."""

    sent: deque[list[float]] = field(default_factory=deque)
    count: float = 0.0
    next: float = -math.inf  # when the next one's turn is
    closed: float = -math.inf

    def pass_by(self, length: float, now: float) -> None:
        """Forget what is older than `length` seconds."""
        while self.sent and self.sent[0][0] + length <= now:
            self.count -= self.sent.popleft()[1]

    def wait(self, most: float, length: float, now: float) -> float:
        """Return the seconds until one more may go, of `most`; `pass_by` was called with the same `now`."""
        full = self.count + 1 > most
        return max(0.0, self.closed - now, self.next - SLACK - now, self.sent[0][0] + length - now if full else 0.0)

    def take(self, gap: float, now: float) -> None:
        """Let one through; the next one's turn is `gap` seconds later."""
        self.next = max(self.next, now) + gap
        if self.sent and now - self.sent[-1][0] <= GRAIN:
            self.sent[-1][1] += 1
        else:
            self.sent.append([now, 1.0])
        self.count += 1

    def is_idle(self, now: float) -> bool:
        """Say whether it is as good as new."""
        return not self.sent and max(self.closed, self.next) <= now


@dataclass(slots=True)
class _Bucket:
    """Tokens at the time `at`, in seconds; nothing is taken before `closed`."""

    tokens: float
    at: float
    burst: float
    closed: float = -math.inf

    def fill(self, rate: float, now: float) -> None:
        """Add the tokens gained since the last time, at `rate` a second; none for what was closed."""
        if now > self.at:
            gained = (now - max(self.at, min(self.closed, now))) * rate
            self.tokens, self.at = min(self.burst, self.tokens + gained), now

    def wait(self, rate: float, now: float) -> float:
        """Return the seconds until there is a token; `fill` was called with the same `now`."""
        missing = max(0.0, 1.0 - self.tokens)
        # At a rate of thousands the tokens that are missing may be less than a float can tell from none.
        waiting = missing / rate if missing > 1e-9 else 0.0
        return max(0.0, self.closed - now) + waiting

    def is_idle(self, now: float) -> bool:
        """Say whether it is as good as new."""
        return self.closed <= now and self.tokens >= self.burst

    def close(self, until: float, now: float) -> None:
        """Let nothing be taken until then, and begin with nothing."""
        if until > self.closed:
            self.closed, self.tokens, self.at = until, 0.0, max(now, self.at)


T = TypeVar("T", _Window, _Bucket)


class Limiter:
    """The limits of one platform, of which this process has a `share` (1: all of it).

    Times are seconds of any clock that never goes back, the same in all calls.
    """

    def __init__(self, limits: Limits, share: float = 1.0) -> None:
        self._limits = limits
        self.share = share
        self._bots: dict[Place, _Window] = {}
        self._places: dict[Place, _Bucket] = {}
        self._most = {"bots": IDLE_KEPT, "places": IDLE_KEPT}

    @property
    def rate(self) -> float:
        """Messages a second that this process may send for one bot token; a little less is what it sends for long."""
        return _between(self._limits.a_second * self.share)

    @property
    def burst(self) -> float:
        """Messages for one bot token that may go out within `length` seconds: those of a second, or one."""
        return max(1.0, math.ceil(self.rate - 1e-9))

    @property
    def length(self) -> float:
        """Seconds of the window."""
        return self.burst / self.rate * SPREAD

    def reserve(self, address: Address, now: float) -> float:
        """Take room for a message to this address and return 0, or return the seconds after which to ask again."""
        bot, one = self._bot(address, now), self._place(address, now)
        wait = max(bot.wait(self.burst, self.length, now), self.pause(address, now))
        if wait > 0:
            return wait
        bot.take(1 / (self.rate * HURRY), now)
        one.tokens = max(0.0, one.tokens - 1.0)
        return 0.0

    def pause(self, address: Address, now: float) -> float:
        """Return the seconds until this destination may get the next message, whatever the others do."""
        return self._place(address, now).wait(self._to_one, now)

    def can(self, within: float, now: float) -> int:
        """Return about how many messages may begin within these seconds: what is worth claiming."""
        if self._limits.per_workspace:
            return IDLE_KEPT
        bot = self._bot(Address("", ""), now)
        left = within - max(0.0, bot.closed - now)
        return int(max(0.0, self.burst - bot.count) + left * self.rate / SPREAD) if left > 0 else 0

    def told(self, address: Address, after: float, everywhere: bool, now: float) -> None:
        """Take the platform's word that it takes nothing for `after` seconds: here, or `everywhere`."""
        if after > 0 and everywhere:
            bot = self._bot(address, now)
            bot.closed = max(bot.closed, now + after)
        elif after > 0:
            self._place(address, now).close(now + after, now)

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

    def _bot(self, address: Address, now: float) -> _Window:
        window = self._kept("bots", self._bots, self.token_of(address), _Window(), now)
        window.pass_by(self.length, now)
        return window

    def _place(self, address: Address, now: float) -> _Bucket:
        # A destination's burst is one message, however fast it may follow: order is kept, and nobody is flooded.
        burst = max(1.0, self._to_one * BURST)
        bucket = self._kept("places", self._places, place_of(address), _Bucket(burst, now, burst), now)
        bucket.burst = burst
        bucket.fill(self._to_one, now)
        return bucket

    def _kept(self, kind: str, known: dict[Place, T], key: Place, new: T, now: float) -> T:
        """Return what is known, or the new one; what is idle is forgotten once there are many."""
        if key in known:
            return known[key]
        if len(known) >= self._most[kind]:
            for one in known.values():
                self._pass(one, now)
            for idle in [place for place, each in known.items() if each.is_idle(now)]:
                del known[idle]
            self._most[kind] = max(IDLE_KEPT, 2 * len(known))
        known[key] = new
        return new

    def _pass(self, one: _Window | _Bucket, now: float) -> None:
        if isinstance(one, _Window):
            one.pass_by(self.length, now)
        else:
            one.fill(self._to_one, now)


def _between(rate: float) -> float:
    """Return the rate within what can be computed with: limits may be infinite, or 0."""
    return min(max(rate, LEAST_RATE), MOST_RATE)
