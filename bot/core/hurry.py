"""Whether somebody waits for what is done just now, so that it goes before what is done by and by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_HURRY: ContextVar[bool] = ContextVar("hurry", default=False)


@contextmanager
def hurry() -> Iterator[None]:
    """Let everything in here, and in tasks that it makes, be what somebody waits for."""
    token = _HURRY.set(True)
    try:
        yield
    finally:
        _HURRY.reset(token)


def hurried() -> bool:
    """Say whether somebody waits for what is done just now."""
    return _HURRY.get()
