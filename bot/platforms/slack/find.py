"""Looking for our own messages in the history, by the key in their metadata. One look serves all who ask at about once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.errors import DeliveryError, Refused, Retry, Unknown
from bot.platforms.slack.calls import Calls

EVENT = "paperround_message"  # the type of the metadata that our messages carry
PAGE = 15  # messages: the most that an app outside the Marketplace gets at once
PAGES = 20  # read by one caller; a look that needs more is gone on with at the next call
KEPT = 1000  # looks

Place = tuple[str, str, str]


@dataclass(slots=True)
class _Look:
    """One reading of a conversation, backwards from `began` to `oldest` (seconds of Unix time)."""

    oldest: float
    began: float  # seconds of time.monotonic
    cursor: str = ""
    complete: bool = False
    found: dict[str, str] = field(default_factory=dict)  # keys -> timestamps of the messages
    asked: set[str] = field(default_factory=set)  # keys that wait for its end
    told: set[str] = field(default_factory=set)  # keys of which it said that they are not there
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def serves(self, key: str, oldest: float, shared: float) -> bool:
        """Say whether it answers for a key: it never does so twice, since a second look has to be another."""
        if key in self.found:
            return True
        if oldest < self.oldest or key in self.told:
            return False
        return (key in self.asked and not self.complete) or time.monotonic() - self.began <= shared


class Looks:
    """Looks into histories as the bot, whose id in a workspace `bot` returns.

    A look that began up to `shared` seconds ago serves too: messages of one channel are looked for one after another.
    One that Slack's limits cut short is gone on with, for those who asked for it, instead of begun anew.
    """

    def __init__(self, calls: Calls, bot: Callable[[str], Awaitable[str]], shared: float) -> None:
        self._calls = calls
        self._bot = bot
        self._shared = shared
        self._looks: dict[Place, _Look] = {}
        self._closed: dict[str, float] = {}  # workspaces -> until when Slack answers no look

    async def find(self, workspace: str, channel: str, thread: str, key: str, since: datetime) -> str | None:
        """Return the timestamp of the message of `key`, or None if it is not there. Raises Unknown."""
        place = (workspace, channel, thread)
        look = self._look(place, key, since.timestamp())
        look.asked.add(key)
        async with look.lock:
            if key not in look.found and not look.complete:
                await self._read(place, look, key)
        if key in look.found:
            return look.found[key]
        look.told.add(key)
        return None

    def _look(self, place: Place, key: str, oldest: float) -> _Look:
        """Return the look that answers for a key, a new one if the last does not."""
        look = self._looks.get(place)
        if look is None or not look.serves(key, oldest, self._shared):
            self._looks.pop(place, None)
            look = self._looks[place] = _Look(oldest, time.monotonic())
            if len(self._looks) > KEPT:
                del self._looks[next(iter(self._looks))]
        return look

    async def _read(self, place: Place, look: _Look, key: str) -> None:
        """Read pages until the key is found or the history ends. Raises Unknown."""
        workspace = place[0]
        wait = self._closed.get(workspace, 0.0) - time.monotonic()
        if wait > 0:
            raise Unknown(f"Slack lets me read no history for {wait:.0f} s.")
        for _ in range(PAGES):
            try:
                bot = await self._bot(workspace)
                page = await self._page(place, look)
            except Retry as error:
                self._closed[workspace] = time.monotonic() + error.after
                raise Unknown(f"The history could not be read: {error}") from error
            except DeliveryError as error:
                if isinstance(error, Refused):  # a cursor does not live for ever
                    self._looks.pop(place, None)
                raise Unknown(f"The history could not be read: {error}") from error
            look.found |= _ours(page, bot)
            look.cursor = _cursor(page)
            look.complete = not look.cursor
            if look.complete or key in look.found:
                return
        raise Unknown("The history is long: the rest of it is read later.")

    async def _page(self, place: Place, look: _Look) -> dict[str, Any]:
        workspace, channel, thread = place
        window: dict[str, Any] = {
            "channel": channel,
            "oldest": f"{look.oldest:.6f}",
            "inclusive": True,
            "limit": PAGE,
            "include_all_metadata": True,
            "cursor": look.cursor or None,
        }
        if thread:
            return await self._calls.call(workspace, "conversations.replies", ts=thread, **window)
        return await self._calls.call(workspace, "conversations.history", **window)


def _ours(page: Mapping[str, Any], bot: str) -> dict[str, str]:
    """Return keys and timestamps of the messages on a page that the bot wrote; anybody can write metadata like ours."""
    found = {}
    for message in _list(page.get("messages")):
        metadata = message.get("metadata") if isinstance(message, Mapping) else None
        if not isinstance(metadata, Mapping) or metadata.get("event_type") != EVENT or message.get("bot_id") != bot:
            continue
        payload = metadata.get("event_payload")
        key = payload.get("key") if isinstance(payload, Mapping) else None
        if isinstance(key, str) and isinstance(message.get("ts"), str):
            found[key] = message["ts"]
    return found


def _cursor(page: Mapping[str, Any]) -> str:
    """Return where the next page begins; "" if this is the last. Raises Unknown if there is more and no way to it."""
    metadata = page.get("response_metadata")
    cursor = metadata.get("next_cursor") if isinstance(metadata, Mapping) else None
    if page.get("has_more") and not cursor:
        raise Unknown("The history goes on, and Slack does not say where.")
    if not isinstance(page.get("messages"), list):
        raise Unknown("Slack answered with no history.")
    return cursor if isinstance(cursor, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
