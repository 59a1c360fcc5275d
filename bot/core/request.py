"""Who asks, from where, and what: the same for every platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from unicodedata import category

HOME = "home"  # the channel of an App Home


@dataclass(frozen=True, slots=True)
class Address:
    """A place on a platform. `channel` is empty in a direct message; `user` is the platform's own id."""

    platform: str
    workspace: str
    user: str = ""
    channel: str = ""
    thread: str = ""

    @property
    def room(self) -> str:
        """The channel that others are in too; empty in a direct message and in an App Home."""
        return "" if self.channel == HOME else self.channel


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that somebody asked for.

    Exactly one of these is set: `text` (typed, with or without the root `/papers`), `action` (a button was pressed),
    `command` with `values` (a form was submitted; with `forms`, a command that the platform knows was given), or
    `event`: "home" (somebody opened the bot's own page), "joined" (this person brought the bot into this channel),
    "complete" (somebody is typing the argument `text` of `command`; `values` are what stands in all of them so far, and
    the answer's `choices` are what can stand there). All of them empty is a bare `/papers`. `key` names this delivery,
    so that one that comes twice is done once; `person` and `place` are the names that people read.

    `guest`: somebody of another organisation, who may read and look up, and neither store nor manage. `forms`: where it
    came from, a form can be the answer.
    """

    address: Address
    text: str = ""
    action: str = ""
    command: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    person: str = ""
    place: str = ""
    guest: bool = False
    forms: bool = False
    event: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A platform's word that it took a message.

    `left`: how many more it takes for this destination within the next `reset` seconds, if it tells.
    """

    id: str
    at: datetime
    left: int | None = None
    reset: float = 0.0


def cleaned(request: Request) -> Request:
    """Return the request without control characters and lone surrogates; line breaks and tabs become spaces."""
    values = {name: _clean(value) for name, value in request.values.items()}
    return replace(request, text=_clean(request.text), action=_clean(request.action), values=values)


def _clean(text: str) -> str:
    if text.isprintable():
        return text
    spaced = (" " if mark in "\n\r\t\v\f\x85\u2028\u2029" else mark for mark in text)
    return "".join(mark for mark in spaced if category(mark) not in ("Cc", "Cs"))
