"""One message on its way: looked for if it may have arrived, sent, and marked with what came of it."""

from __future__ import annotations

import asyncio
import math
import secrets
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot import metrics
from bot.core.grammar import ROOT, spoken
from bot.core.limits import Limiter
from bot.core.message import fit
from bot.core.ports import Platform
from bot.core.request import Receipt
from bot.core.timing import Timing
from bot.errors import DeliveryError, Refused, Retry
from bot.store import outbox
from bot.store.ledger import Ledger
from bot.store.outbox import Row

LOOKS = 2  # in vain, before a message is sent again
MOST_TRIES = 5  # sends that may have arrived and were not found
ERROR_LIMIT = 300  # characters

log = structlog.get_logger()


class Delivery:
    """Delivers the messages of one platform. Each write goes through the ledger, which waits for an absent database."""

    def __init__(
        self, platform: Platform, limiter: Limiter, ledger: Ledger, timing: Timing, command: str = ROOT
    ) -> None:
        self._platform = platform
        self._limiter = limiter
        self._ledger = ledger
        self._timing = timing
        self._command = command

    async def deliver(self, row: Row) -> None:
        """Bring one claimed message a step on: until it has arrived, waits, or is set aside. The limiter let it pass.

        If it is cancelled while sending, the message stays uncertain.
        """
        if row.uncertain and not await self._is_missing(row):
            return
        if row.tries >= MOST_TRIES:
            await self._set_aside(row, "dead", f"not seen after {row.tries} sends")
        elif await self._begin(row):
            await self._send(row)

    async def cut_off(self, row: Row) -> None:
        """Mark a message as uncertain whose send was cancelled."""
        await self._wait_and_look(row, "cut off: the process ended")

    async def _is_missing(self, row: Row) -> bool:
        """Look for the message, and say whether it was looked for often enough in vain."""
        since = row.claimed_at - self._timing.before
        try:
            async with asyncio.timeout(self._timing.deadline):
                receipt = await self._platform.find(row.address, row.key, since)
        except Exception as error:
            await self._cannot_look(row, error)
            return False
        if receipt is not None:
            await self._arrived(row, receipt)
            return False
        if row.looks + 1 >= LOOKS:
            return True
        again = timedelta(seconds=self._timing.look)
        await self._ledger.write(lambda conn, now: outbox.looked(conn, row.number, row.token, now + again))
        return False

    async def _cannot_look(self, row: Row, error: Exception) -> None:
        """Look later; after the time that is given, nobody knows whether it arrived."""
        text = self._text(error, row)
        if isinstance(error, Retry):
            self._heed(row, error)

        def write(conn: Any, now: datetime) -> bool:
            since = row.tried_at or row.claimed_at
            if now - since > self._timing.give_up:
                return outbox.unknown(conn, row.number, row.token, now, text)
            wait = self._backoff(now - since, self._timing.look)
            return not outbox.uncertain(conn, row.number, row.token, now + wait, text)

        if await self._ledger.write(write):
            self._ended(row, "unknown", text)

    async def _begin(self, row: Row) -> bool:
        """Note that the send begins; False, and the message is free again, if the lease would not last for it."""
        loop, timing = asyncio.get_running_loop(), self._timing
        asked = loop.time()
        if not await self._ledger.write(
            lambda conn, now: outbox.start(conn, row.number, row.token, now, timing.least_left)
        ):
            await self._ledger.write(lambda conn, _: outbox.release(conn, row.token, [row.number]))
            return False
        if loop.time() - asked > timing.least_left - timing.deadline:  # noted long ago: the loop stood still
            text = "too late to begin"
            await self._ledger.write(lambda conn, now: outbox.retry(conn, row.number, row.token, now, text))
            return False
        return True

    async def _send(self, row: Row) -> None:
        if row.tries:
            metrics.RESENT.inc()
            log.warning("sent again: two looks did not show it, so a double is possible", key=row.key)
        try:
            async with asyncio.timeout(self._timing.deadline):
                receipt = await self._platform.send(row.address, spoken(row.message, self._command), row.key)
            taken = Receipt(receipt.id, receipt.at, receipt.left, receipt.reset)
        except Retry as error:
            await self._not_taken(row, error)
        except Refused as error:
            held = error.closed or row.kind == "notice"
            await self._set_aside(row, "refused" if held else "dead", self._text(error, row))
        except Exception as error:
            await self._wait_and_look(row, self._text(error, row))
        else:
            await self._arrived(row, taken)

    async def _arrived(self, row: Row, receipt: Receipt) -> None:
        if receipt.left is not None:
            now, reset = asyncio.get_running_loop().time(), self._bounded(receipt.reset)
            self._limiter.told_left(row.address, receipt.left, reset, now)

        def write(conn: Any, now: datetime) -> datetime | None:
            return now if outbox.sent(conn, row.number, row.token, receipt, now) else None

        at = await self._ledger.write(write)
        if at is not None and row.kind == "digest":
            metrics.SENT.labels(row.address.platform).inc()
            metrics.LATE.observe(max(0.0, (at - row.due_at).total_seconds()))

    async def _not_taken(self, row: Row, error: Retry) -> None:
        told, text = self._heed(row, error), self._text(error, row)

        def write(conn: Any, now: datetime) -> bool:
            if now - row.claimed_at > self._timing.stale:
                return outbox.dead(conn, row.number, row.token, now, text)
            # Waiting as long as it took so far is what doubling does, and needs no count of tries.
            wait = timedelta(seconds=told) if told else self._backoff(now - row.claimed_at, self._timing.lease / 24)
            return not outbox.retry(conn, row.number, row.token, now + wait, text)

        if await self._ledger.write(write):
            self._ended(row, "dead", text)

    async def _wait_and_look(self, row: Row, text: str) -> None:
        wait = timedelta(seconds=self._timing.look)
        log.warning("no answer: it is looked for before it is sent again", key=row.key, reason=text)
        await self._ledger.write(lambda conn, now: outbox.uncertain(conn, row.number, row.token, now + wait, text))

    async def _set_aside(self, row: Row, state: str, text: str) -> None:
        end = {"dead": outbox.dead, "refused": outbox.refused}[state]
        if await self._ledger.write(lambda conn, now: end(conn, row.number, row.token, now, text)):
            self._ended(row, state, text)

    def _ended(self, row: Row, state: str, text: str) -> None:
        log.warning("a message is set aside", state=state, key=row.key, platform=row.address.platform, reason=text)
        if row.kind == "digest":
            {"dead": metrics.DEAD, "refused": metrics.REFUSED, "unknown": metrics.UNKNOWN}[state].inc()

    def _heed(self, row: Row, error: Retry) -> float:
        """Tell the limiter how long to wait, and return it in seconds; 0 if the platform told nothing."""
        after = self._bounded(error.after)
        self._limiter.told(row.address, after, error.everywhere, asyncio.get_running_loop().time())
        return after

    def _bounded(self, seconds: float) -> float:
        """Return what a platform told as a time to wait that makes sense: from 0 to a day at a lease of 120 s."""
        return min(seconds, self._timing.stale.total_seconds()) if seconds > 0 and not math.isnan(seconds) else 0.0

    def _backoff(self, so_far: timedelta, shortest: float) -> timedelta:
        """Return as long a wait as it took so far: from `shortest`, in seconds, to 15 minutes at a lease of 120 s."""
        return timedelta(seconds=min(max(so_far.total_seconds(), shortest), 7.5 * self._timing.lease))

    def _text(self, error: Exception, row: Row) -> str:
        """Return what is kept of an error. Of one that nobody made for reading only its kind: it may hold a secret."""
        if isinstance(error, DeliveryError):
            return fit(" ".join(str(error).split()), ERROR_LIMIT) or type(error).__name__
        if isinstance(error, TimeoutError):
            return f"no answer within {self._timing.deadline:g} s"
        incident = secrets.token_hex(3)
        log.error("delivery failed", incident=incident, key=row.key, exc_info=error)
        return f"{type(error).__name__} (incident {incident})"
