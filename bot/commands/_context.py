"""What a command is given besides its own arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot.config import Settings
from bot.core.asked import in_thread
from bot.core.command import Command
from bot.core.ports import Facts
from bot.core.reached import Reach, Reached, Wish
from bot.core.request import Address, Request
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.offered import Offered
from bot.store.owners import Owner


@dataclass(frozen=True, slots=True)
class Pressed:
    """The button that was pressed: the stored note behind it, and which of its items."""

    note: int
    content: Mapping[str, Any]
    index: int

    @property
    def item(self) -> Mapping[str, Any]:
        """The item that the button stands under; empty if it stands under none."""
        items = self.content.get("items", [])
        return items[self.index] if 0 <= self.index < len(items) else {}


@dataclass(frozen=True, slots=True)
class Context:
    """One request's surroundings. `me` asks; `place` is the channel it was asked in, if any."""

    request: Request
    me: Owner
    place: Owner | None
    now: datetime
    settings: Settings
    store: Store
    library: Library
    commands: Mapping[str, Command]
    about: Callable[[Address], Awaitable[Facts]]
    offered: Offered  # what can be offered while somebody types
    join: Callable[..., Awaitable[None]]  # of an address, and topics: what shall be posted there
    pressed: Pressed | None = None
    is_new: bool = False
    held: Sequence[tuple[int, str]] = ()  # notices that wait for this person: number and text
    default_zone: str = ""  # that of the workspace, or of the bot
    people: str = ""  # the workspace in which people are kept, where they are the same in all
    newest: int = 0  # the number of the latest change of any paper
    zones: bool = True  # whether the platform tells the time zones of people
    reach: Reach | None = None  # asks sources for what is not here, if they may be asked
    reached: Mapping[Wish, Reached] = field(default_factory=dict)  # what they said, for this request
    aside: Callable[[], AbstractAsyncContextManager[None]] = nullcontext  # while this waits, others work

    @property
    def here(self) -> tuple[str, str]:
        """The platform and the workspace that this is asked in; that of `me` may be another one."""
        return self.request.address.platform, self.request.address.workspace

    @property
    def in_the_open(self) -> bool:
        """Whether all in the channel read the answer: that to a mention, in its thread."""
        asked = self.request
        return bool(asked.text and asked.address.thread and self.place) and in_thread(asked.text, self.commands)

    @property
    def zone(self) -> ZoneInfo:
        """The reader's time zone."""
        return ZoneInfo(self.me.time_zone or self.default_zone or self.settings.time_zone)

    @property
    def local_now(self) -> datetime:
        """The time of the request in the reader's zone."""
        return self.now.astimezone(self.zone)

    @property
    def keep(self) -> timedelta:
        """How long the buttons of a message work."""
        return timedelta(days=self.settings.keep_days)

    @property
    def owners(self) -> tuple[int, ...]:
        """The numbers of those whose notes may be pressed here."""
        return (self.me.number,) if self.place is None else (self.me.number, self.place.number)
