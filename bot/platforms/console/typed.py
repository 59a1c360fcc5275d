"""What a line at the terminal means. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.core.message import ACTION_LIMIT

_NUMBER = re.compile(r"\[?(\d{1,3})\]?")  # a year, and an id of digits only, have more
_ACTION = re.compile(r"([a-z_]+):[0-9a-f]+(?::[0-9a-f]+)*")
_IDS = frozenset({"acl", "arxiv", "doi", "local", "openreview", "pmid", "s2"})  # `pmid:12345678` looks like an action
_ENDS = frozenset({"exit", "quit", "/exit", "/quit"})
_SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Typed:
    """One line: words, the number of a button, a button's action, or the wish to leave; nothing if it is empty."""

    text: str = ""
    number: int | None = None
    action: str = ""
    leaves: bool = False


def read(line: str) -> Typed:
    """Tell what a line means. Never raises."""
    text = _SURROGATES.sub("\ufffd", line.removeprefix("\ufeff")).strip()
    if text.casefold() in _ENDS:
        return Typed(leaves=True)
    if match := _NUMBER.fullmatch(text):
        return Typed(number=int(match[1]))
    match = _ACTION.fullmatch(text) if len(text) <= ACTION_LIMIT else None
    if match and match[1] not in _IDS:
        return Typed(action=text)
    return Typed(text=text)
