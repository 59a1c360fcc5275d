"""What a JSON answer says, whatever stands where: the wrong type reads as nothing, so that no parser raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.core.ids import normalise
from bot.sources._jats import plain_markup
from bot.sources._text import missing, tidy

_LONGEST_REASON = 150  # characters of what a source says went wrong


def member(value: object, *names: str) -> Any:
    """Return what stands in objects within objects under these names, or None."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def several(value: object) -> Sequence[Any]:
    """Return a list, or an empty one if it is none."""
    return value if isinstance(value, list) else ()


def line(value: object) -> str:
    """Return a text without markup, hidden characters and line breaks; empty for what is no text."""
    return plain_markup(value) if isinstance(value, str) and not missing(value) else ""


def count(value: object) -> int:
    """Return a whole number of zero or more; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def known_id(namespace: str, value: object) -> str | None:
    """Return the normalised id of a bare one of this namespace (numbers too), or None."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12:
        value = str(value)
    return normalise(f"{namespace}:{value.strip()}") if isinstance(value, str) and value.strip() else None


def reason(value: object) -> str:
    """Return what a source says went wrong, on one line of at most 150 characters, without its full stop."""
    text = tidy(value[:2000]) if isinstance(value, str) else ""
    return (text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 1]}…").rstrip(".")
