"""Sending: claims what can begin soon, and carries each message by itself, so that none waits for another's target."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakValueDictionary

import structlog

from bot import metrics
from bot.core.grammar import ROOT
from bot.core.limits import Limiter, Place, place_of
from bot.core.ports import Limits, Platform
from bot.core.timing import Timing
from bot.errors import StoreError
from bot.jobs.deliver import Delivery
from bot.store import heartbeats, outbox
from bot.store.engine import Store
from bot.store.ledger import Ledger, Outage
from bot.store.outbox import Depth, Row

MOST_CLAIMED = 1500  # messages of one platform in this process at a time
AT_ONCE = 200  # of them in one claim, so that the loop is not held up by beginning them all
LAST_WRITES = 2.0  # seconds for giving back what is left when the process ends

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Claimed:
    rows: list[Row]
    senders: dict[str, set[str]]
    depth: Depth | None
    oldest: float


class Sender:
    """Sends what is in the outbox for these platforms, as the process named `process`.

    With `user`, only what goes to that person directly, or to `channel`. `limiters` are made of the platforms' limits
    where they are not given; the share of this process follows from the heartbeats of the last `alive` seconds.
    Messages call the command `command`. `allows` says whether a platform's workspace may get any.
    """

    def __init__(
        self,
        store: Store,
        platforms: Mapping[str, Platform],
        timing: Timing,
        process: str,
        *,
        user: str = "",
        channel: str = "",
        limiters: Mapping[str, Limiter] | None = None,
        alive: float = 60.0,
        command: str = ROOT,
        allows: Callable[[str, str], bool] = lambda platform, workspace: True,  # noqa: ARG005 - everywhere
    ) -> None:
        self._store = store
        self._timing = timing
        self._process = process
        self._user = user
        self._channel = channel
        self._alive = alive
        self._allows = allows
        self._outage = Outage()
        self._ledger = Ledger(store, self._outage)
        given = limiters or {}
        self.limiters = {
            name: given.get(name) or Limiter(getattr(platform, "limits", Limits()))
            for name, platform in platforms.items()
        }
        self._deliveries = {
            name: Delivery(platform, self.limiters[name], self._ledger, timing, command)
            for name, platform in platforms.items()
        }
        self._carried: dict[asyncio.Task[None], Row] = {}
        self._waiting: dict[asyncio.Task[None], Row] = {}  # those of which no send or look was begun
        self._locks: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()
        self._claiming: asyncio.Task[None] | None = None
        self._measured = float("-inf")
        self._draining = False

    @property
    def in_flight(self) -> int:
        """How many messages this process has claimed and not finished."""
        return len(self._carried)

    async def tick(self) -> None:
        """Claim what can begin soon, and let each go its way without waiting for it.

        While the database is away nothing happens; that is logged when it begins and when it ends.
        """
        if self._draining or (self._claiming is not None and not self._claiming.done()):
            return
        self._claiming = asyncio.create_task(self._claim())
        await asyncio.shield(self._claiming)  # what is claimed is carried or given back, whoever ends this tick

    async def idle(self) -> None:
        """Wait until nothing is in flight."""
        while self._carried:
            await asyncio.wait(list(self._carried))

    async def drain(self, seconds: float) -> None:
        """Claim nothing more, give back what was not begun, and finish the rest within `seconds`.

        What is not finished by then is cut off; it is uncertain, and the next process looks for it.
        """
        self._draining = True
        if self._claiming is not None:
            await asyncio.wait([self._claiming], timeout=seconds)
        left = dict(self._waiting)
        for task in left:
            task.cancel()
        given_back = asyncio.create_task(self._give_back(list(left.values())))
        if self._carried:
            await asyncio.wait(list(self._carried), timeout=seconds)
        cut = {task: row for task, row in self._carried.items() if task not in left}
        for task in cut:
            task.cancel()
        await asyncio.gather(*cut, return_exceptions=True)
        last = [given_back, *(asyncio.create_task(self._of(row).cut_off(row)) for row in cut.values())]
        await asyncio.wait(last, timeout=LAST_WRITES)
        await self._ledger.close()
        await asyncio.gather(*last, return_exceptions=True)

    async def _claim(self) -> None:
        loop = asyncio.get_running_loop()
        wanted, began = self._wanted(loop.time()), loop.time()
        measure = began - self._measured >= self._timing.soon
        if not wanted and not measure:
            return
        try:
            claimed = await self._store.write(self._take, wanted, measure)
        except StoreError as error:
            self._outage.begins(error)
            return
        self._outage.ends()
        self._heed(claimed)
        if measure:
            self._measured = began
        until = began + self._timing.lease - self._timing.least_left
        for row in claimed.rows:
            task = asyncio.create_task(self._carry(row, until))
            self._carried[task] = self._waiting[task] = row
            task.add_done_callback(self._forget)

    def _wanted(self, now: float) -> dict[str, int]:
        """Return how many messages of each platform to claim. It is asked for again when half of them have begun."""
        wanted = {}
        for name, limiter in self.limiters.items():
            can = min(limiter.can(self._timing.soon, now), MOST_CLAIMED)
            waiting = sum(row.address.platform == name for row in self._waiting.values())
            carried = sum(row.address.platform == name for row in self._carried.values())
            room = min(can - waiting, MOST_CLAIMED - carried)
            if room > 0 and (waiting == 0 or room >= can / 2):
                wanted[name] = min(room, AT_ONCE)
        return wanted

    def _take(self, conn: Any, wanted: Mapping[str, int], measure: bool) -> _Claimed:
        now, rows = self._store.clock(conn), []
        for name, most in wanted.items():
            token = secrets.token_hex(16)
            taken = outbox.claim(conn, now, token, self._timing.lease, most, [name], self._user, self._channel)
            rows += [row for row in taken if self._may(conn, row, now)]
        senders = heartbeats.senders(conn, now - timedelta(seconds=self._alive))
        depth = outbox.depth(conn, now) if measure else None
        oldest = (now - depth.oldest_due).total_seconds() if depth and depth.oldest_due else 0.0
        return _Claimed(rows, senders, depth, oldest)

    def _may(self, conn: Any, row: Row, now: datetime) -> bool:
        """Say whether the settings allow its workspace; what was planned while they did is dropped."""
        allowed = self._allows(row.address.platform, row.address.workspace)
        return allowed or not outbox.dropped(conn, row.number, row.token, now, "this workspace is not allowed now")

    def _heed(self, claimed: _Claimed) -> None:
        """Take this process's share of the limits, and show how full the outbox is."""
        for name, limiter in self.limiters.items():
            limiter.share = 1 / len(claimed.senders.get(name, set()) | {self._process})
        if claimed.depth is not None:
            for state in ("pending", "held", *outbox.SET_ASIDE):
                metrics.DEPTH.labels(state).set(getattr(claimed.depth, state))
            metrics.OLDEST.set(claimed.oldest)

    async def _carry(self, row: Row, until: float) -> None:
        """Deliver one message when its turn comes; one destination gets its messages one after another."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine of ours runs in a task
        try:
            async with self._lock(place_of(row.address)):
                if await self._has_turn(row, until):
                    self._waiting.pop(task, None)
                    await self._of(row).deliver(row)
        except Exception:
            # Its lease ends, and then it is tried or looked for again.
            log.exception("a message could not be carried", key=row.key, incident=secrets.token_hex(3))

    async def _has_turn(self, row: Row, until: float) -> bool:
        """Wait for the limiter; False if the message cannot begin until then, and is given back."""
        loop, limiter = asyncio.get_running_loop(), self.limiters[row.address.platform]
        gate = self._lock(("", row.address.platform, *limiter.token_of(row.address)))
        while True:
            async with gate:  # they stand in line, and only the first asks: they go in the order of their claim
                while (wait := limiter.reserve(row.address, loop.time())) > 0:
                    if limiter.pause(row.address, loop.time()) > 0 or loop.time() + wait > until:
                        break
                    await asyncio.sleep(wait)
            if wait == 0:
                return True
            if loop.time() + wait > until:
                await self._give_back([row], wait)
                return False
            await asyncio.sleep(wait)

    async def _give_back(self, rows: list[Row], wait: float | None = None) -> None:
        """Release what was not begun, to go on at once or in `wait` seconds."""

        def write(conn: Any, now: datetime) -> None:
            later = None if wait is None else now + timedelta(seconds=wait)
            for token in {row.token for row in rows}:
                outbox.release(conn, token, [row.number for row in rows if row.token == token], later)

        await self._ledger.write(write)

    def _of(self, row: Row) -> Delivery:
        return self._deliveries[row.address.platform]

    def _lock(self, place: Place) -> asyncio.Lock:
        return self._locks.setdefault(place, asyncio.Lock())

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._carried.pop(task, None)
        self._waiting.pop(task, None)
