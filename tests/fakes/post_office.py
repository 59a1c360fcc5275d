"""A platform on a socket that keeps its own log and misbehaves as told: what a delivery is measured against.

One JSON line in, one JSON line out, one call a connection: `send`, `find` and `about`.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from types import TracebackType
from typing import Any

OUTCOMES = ("drop", "drop_before", "limited", "failed", "failed_after", "garbage", "garbage_after", "hang", "late")
TAKES = ("ok", "drop", "failed_after", "garbage_after", "hang", "late")  # outcomes after which the message is there


@dataclass(frozen=True, slots=True)
class Faults:
    """How the office misbehaves. The first nine are shares of the sends, from 0 to 1, one for each outcome.

    `drop`, `failed_after` (500) and `garbage_after` take the message first; `drop_before`, `failed` and `garbage` do
    not; `limited` is a 429; `hang` takes it and answers after `seconds`; `late` takes it after `seconds`. One key meets
    `most` of them, so that a test ends. A 429 holds for `after` seconds, for one destination or `everywhere`. `slow`
    is what every answer takes. The history lags `lag` seconds and is "kept", "refused", "empty" (no error, and `about`
    tells why) or "limited". Destinations in `closed` are refused.
    """

    drop: float = 0.0
    drop_before: float = 0.0
    limited: float = 0.0
    failed: float = 0.0
    failed_after: float = 0.0
    garbage: float = 0.0
    garbage_after: float = 0.0
    hang: float = 0.0
    late: float = 0.0
    most: int = 3
    after: float = 0.1
    everywhere: bool = False
    seconds: float = 1.0
    slow: float = 0.0
    lag: float = 0.0
    history: str = "kept"
    closed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its kind, whom it is for, when it came (seconds since 1970), and what became of it."""

    kind: str
    key: str
    to: str
    at: float
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One message that the office took, and when."""

    key: str
    to: str
    at: float
    message: dict[str, Any]


@dataclass
class PostOffice:
    """The office, open inside `with`. `hook` may choose the outcome of a send; None leaves it to the draw.

    `places` are the faults of single workspaces; all others have `faults`. `log` has every message that arrived,
    `calls` every call, `early` the sends that came before a 429 allowed it.
    """

    faults: Faults = field(default_factory=Faults)
    seed: int = 0
    hook: Callable[[Call], str | None] | None = None
    places: dict[str, Faults] = field(default_factory=dict)
    log: list[Arrival] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    early: int = 0
    port: int = 0

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)
        self._met: Counter[str] = Counter()
        self._closed_until: dict[str, float] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._serve, name="post office", daemon=True)
        self._open = Event()
        self._talks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """Where it listens: host:port."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> PostOffice:
        self._thread.start()
        self._open.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", self.port))
        self.port = server.sockets[0].getsockname()[1]
        self._open.set()
        self._loop.run_forever()
        server.close()
        for talk in self._talks:
            talk.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._talks, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    # --- what tests ask

    def counts(self, prefix: str = "") -> Counter[str]:
        """Return how often each key arrived, of those that begin so."""
        return Counter(one.key for one in list(self.log) if one.key.startswith(prefix))

    def doubles(self) -> int:
        """Return how many messages arrived beyond the first of their key."""
        counts = self.counts()
        return sum(counts.values()) - len(counts)

    def outcomes(self) -> Counter[str]:
        """Return how often each outcome came, as "send:ok"."""
        return Counter(f"{call.kind}:{call.outcome}" for call in list(self.calls))

    def of(self, to: str) -> Faults:
        """Return the faults of a destination."""
        return self.places.get(to.partition("/")[0], self.faults)

    # --- the counter

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        assert talk is not None
        self._talks.add(talk)
        try:
            with suppress(ConnectionError, ValueError):
                line = await reader.readline()
                if line:
                    await self._talk(json.loads(line), writer)
        finally:
            self._talks.discard(talk)
            writer.close()

    async def _talk(self, asked: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        call = Call(asked["call"], asked.get("key", ""), asked["to"], time.time())
        faults = self.of(call.to)
        outcome, answer = self._decide(call, faults)
        self.calls.append(Call(call.kind, call.key, call.to, call.at, outcome))
        if outcome == "late":
            await asyncio.sleep(faults.seconds)
        if call.kind == "send" and outcome in TAKES:
            self.log.append(Arrival(call.key, call.to, time.time(), asked["message"]))
            answer = {"id": f"m{len(self.log)}", "at": time.time()}
        if call.kind == "find" and outcome == "ok":
            answer = {"found": self._look(call, float(asked["since"]), faults)}
        await asyncio.sleep(faults.seconds if outcome == "hang" else faults.slow)
        if outcome in ("drop", "drop_before"):
            writer.transport.abort()
            return
        if outcome in ("failed", "failed_after"):
            answer = {"error": "failed"}
        told = b"\x00<html>\xff not JSON\n" if outcome.startswith("garbage") else json.dumps(answer).encode() + b"\n"
        writer.write(told)
        await writer.drain()

    def _decide(self, call: Call, faults: Faults) -> tuple[str, dict[str, Any]]:
        """Choose the outcome of a call, and the answer unless it needs the log."""
        if call.kind == "about":
            return "ok", {"reads_history": faults.history != "empty"}
        if call.kind == "find":
            return ("ok", {}) if faults.history in ("kept", "empty") else (faults.history, {"error": faults.history})
        if call.to in faults.closed:
            return "refused", {"error": "refused", "reason": "this channel is archived"}
        everywhere = call.at < self._closed_until.get("", 0.0)
        until = self._closed_until.get("" if everywhere else call.to, 0.0)
        if call.at < until:
            self.early += 1
            return "limited", {"error": "limited", "after": until - call.at, "everywhere": everywhere}
        outcome = (self.hook(call) if self.hook else None) or self._drawn(call.key, faults)
        if outcome == "limited":
            self._closed_until["" if faults.everywhere else call.to] = call.at + faults.after
            return outcome, {"error": "limited", "after": faults.after, "everywhere": faults.everywhere}
        return outcome, {}

    def _drawn(self, key: str, faults: Faults) -> str:
        drawn = self._draw.random()
        for outcome in OUTCOMES:
            drawn -= getattr(faults, outcome)
            if drawn < 0:
                self._met[key] += 1
                return outcome if self._met[key] <= faults.most else "ok"
        return "ok"

    def _look(self, call: Call, since: float, faults: Faults) -> dict[str, Any] | None:
        if faults.history == "empty":
            return None
        until = call.at - faults.lag
        for at, one in enumerate(self.log, 1):
            if (one.key, one.to) == (call.key, call.to) and since <= one.at <= until:
                return {"id": f"m{at}", "at": one.at}
        return None
