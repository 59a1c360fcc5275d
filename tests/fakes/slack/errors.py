"""How a method says no."""

from __future__ import annotations

from typing import Any


class Fault(Exception):
    """Slack's ok:false, with its code and whatever stands beside it."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.code = code
        self.more = more
