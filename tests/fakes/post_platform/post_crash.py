"""Kill this process at one exact step of a delivery, as `kill -9` would.

"mark:before" names the step, "claim:after:3" the third time it comes. Steps: plan, claim, start, mark (of the database:
before or after the transaction's end) and send (before or after the office was asked).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection

from bot.store import outbox
from bot.store.engine import Store

STEPS = {"plan": ("put",), "claim": ("claim",), "start": ("start",), "mark": ("sent",)}
_here = threading.local()  # the steps that the transaction of this thread has taken


class _Trap:
    """Counts how often a step came, and kills at the one that was asked for."""

    def __init__(self, text: str) -> None:
        step, _, rest = text.partition(":")
        when, _, count = rest.partition(":")
        self._at = f"{step}:{when}"
        self._left = int(count or 1)

    def come(self, at: str) -> None:
        if at == self._at:
            self._left -= 1
            if self._left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)


def arm(text: str, platform: Any) -> None:
    """Set the trap: wrap the steps of the store, its transactions, and the platform's `send`."""
    trap = _Trap(text)
    for step, names in STEPS.items():
        for name in names:
            setattr(outbox, name, _noting(step, getattr(outbox, name)))
    writing = Store.writing

    @contextmanager
    def watched(self: Store) -> Iterator[Connection]:
        _here.steps = set()
        with writing(self) as conn:
            yield conn
            steps = set(_here.steps)
            for step in steps:
                trap.come(f"{step}:before")
        for step in steps:
            trap.come(f"{step}:after")

    Store.writing = watched  # type: ignore[method-assign]
    send = platform.send

    async def sending(*args: Any) -> Any:
        trap.come("send:before")
        receipt = await send(*args)
        trap.come("send:after")
        return receipt

    platform.send = sending


def _noting(step: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*args: Any, **kwargs: Any) -> Any:
        result = fn(*args, **kwargs)
        if result:  # a claim that found nothing, or a lease that was lost, is no step
            _here.steps = getattr(_here, "steps", set()) | {step}
        return result

    return noted
