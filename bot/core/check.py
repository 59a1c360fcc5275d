"""What the doctor finds, and how it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Literal

from bot.core.card import count

Verdict = Literal["ok", "look", "wrong"]
DETAILS = 10  # lines of details under one check


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: how it is in one line, what to do if it is not well, and details below it."""

    name: str
    verdict: Verdict
    line: str
    todo: str = ""
    details: tuple[str, ...] = ()


def table(checks: Sequence[Check]) -> str:
    """Return the checks as lines of text, with the sum at the end."""
    wide = max((len(check.name) for check in checks), default=0)
    inset = " " * (9 + wide)
    lines = []
    for check in checks:
        lines.append(f"{check.verdict:<5}  {check.name:<{wide}}  {check.line}")
        lines += [f"{inset}· {detail}" for detail in check.details[:DETAILS]]
        if len(check.details) > DETAILS:
            lines.append(f"{inset}· and {len(check.details) - DETAILS:,} more")
        if check.todo:
            lines.append(f"{inset}→ {check.todo}")
    return "\n".join((*lines, "", total(checks)))


def total(checks: Sequence[Check]) -> str:
    """Say how many of the checks are well."""
    wrong, look = (sum(check.verdict == verdict for check in checks) for verdict in ("wrong", "look"))
    if not wrong and not look:
        return "All is well."
    parts = [f"{count(wrong, 'thing is', 'things are')} wrong"] if wrong else ["Nothing is wrong"]
    return ", ".join(parts + ([f"{count(look, 'thing', 'things')} to look at"] if look else [])) + "."


def plain_json(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the checks as plain JSON: `ok` says whether nothing is wrong."""
    found = [asdict(check) | {"details": list(check.details)} for check in checks]
    return {"ok": all(check.verdict != "wrong" for check in checks), "checks": found}


def span(time: timedelta) -> str:
    """Say how long it is in its largest unit, rounded down: "3 minutes"."""
    seconds = int(time.total_seconds())
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return count(seconds // size, unit)
    return count(max(seconds, 0), "second")


def size(number: float) -> str:
    """Say how many bytes it is: "3.4 MB". Units go by 1,000."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" or number >= 100 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} TB"
