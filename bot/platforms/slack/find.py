"""Looking for our own messages in the history, by the key in their metadata. One look serves all who ask at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.errors import DeliveryError, Refused, Retry, Unknown
from bot.platforms.slack.calls import Calls, Token

EVENT = "paperround_message"  # the type of the metadata that our messages carry
PAGE = 15  # messages: the most that an app outside the Marketplace gets at once
PAGES = 20  # read by one caller; a look that needs more is gone on with at the next call
KEPT = 1000  # conversations
KEPT_OF_ONE = 8  # looks
MARGIN = 60.0  # seconds: messages that were claimed at about the same time are looked for together
GONE_ON_WITH = 1800.0  # seconds
SHARED = 3.0  # seconds: far less than a message waits for its look

Place = tuple[str, str]  # workspace and channel


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
        age = time.monotonic() - self.began
        return age <= shared or (key in self.asked and not self.complete and age <= GONE_ON_WITH)


class Looks:
    """Looks into histories.

    A look that began up to `shared` seconds ago serves too: messages of one channel are looked for one after another.
    One that Slack's limits cut short is gone on with, for those who asked for it, instead of begun anew.
    """

    def __init__(self, calls: Calls, shared: float = SHARED) -> None:
        self._calls = calls
        self._shared = shared
        self._looks: dict[Place, list[_Look]] = {}
        self._closed: dict[str, float] = {}  # workspaces -> until when Slack answers no look

    async def find(self, workspace: str, channel: str, key: str, since: datetime) -> str | None:
        """Return the timestamp of the message of `key`, or None if it is not there. Raises Unknown."""
        place = (workspace, channel)
        look = self._look(place, key, since.timestamp())
        look.asked.add(key)
        async with look.lock:
            if key not in look.found and not look.complete:
                await self._read(place, look, key)
        if key in look.found:
            return look.found[key]
        look.told.add(key)
        return None

    def _look(self, place: Place, key: str, since: float) -> _Look:
        """Return a look that answers for a key, a new one if none does."""
        looks = self._looks.setdefault(place, [])
        if len(self._looks) > KEPT:
            del self._looks[next(iter(self._looks))]
        for look in looks:
            if look.serves(key, since, self._shared):
                return look
        look = _Look(since - MARGIN, time.monotonic())
        self._looks[place] = [*looks[1 - KEPT_OF_ONE :], look]
        return look

    async def _read(self, place: Place, look: _Look, key: str) -> None:
        """Read pages until the key is found or the history ends. Raises Unknown."""
        workspace = place[0]
        wait = self._closed.get(workspace, 0.0) - time.monotonic()
        if wait > 0:
            raise Unknown(f"Slack lets me read no history for {wait:.0f} s.")
        for _ in range(PAGES):
            try:
                bot = await self._calls.token(workspace)
                page = await self._page(place, look)
            except Retry as error:
                self._closed[workspace] = time.monotonic() + error.after
                raise Unknown(f"The history could not be read: {error}") from error
            except DeliveryError as error:
                if isinstance(error, Refused):  # a cursor does not live for ever
                    look.cursor, look.began = "", time.monotonic()
                raise Unknown(f"The history could not be read: {error}") from error
            look.found |= _ours(page, bot)
            look.cursor = _cursor(page)
            look.complete = not look.cursor and _ends(page)
            if look.complete or key in look.found:
                return
            if not look.cursor:
                raise Unknown("Slack answered with no history, or does not say where it goes on.")
        raise Unknown("The history is long: the rest of it is read later.")

    async def _page(self, place: Place, look: _Look) -> dict[str, Any]:
        workspace, channel = place
        return await self._calls.call(
            workspace,
            "conversations.history",
            channel=channel,
            oldest=f"{look.oldest:.6f}",
            inclusive=True,
            limit=PAGE,
            include_all_metadata=True,
            cursor=look.cursor or None,
        )


def _ours(page: Mapping[str, Any], bot: Token) -> dict[str, str]:
    """Return keys and timestamps of the messages on a page that the bot wrote; anybody can write metadata like ours."""
    messages = page.get("messages")
    found = {}
    for message in messages if isinstance(messages, list) else []:
        key = _key(message, bot)
        if key and isinstance(message.get("ts"), str):
            found[key] = message["ts"]
    return found


def _key(message: Any, bot: Token) -> str:
    """Return the key of a message of the bot; "" for any other. It says who wrote it by one id or by both."""
    if not isinstance(message, Mapping):
        return ""
    metadata = message.get("metadata")
    writers = ((message.get("bot_id"), bot.bot_id), (message.get("user"), bot.bot_user))
    if not isinstance(metadata, Mapping) or not any(one and one == ours for one, ours in writers):
        return ""
    payload = metadata.get("event_payload")
    key = payload.get("key") if isinstance(payload, Mapping) and metadata.get("event_type") == EVENT else None
    return key if isinstance(key, str) else ""


def _cursor(page: Mapping[str, Any]) -> str:
    """Return where the next page begins; "" if nothing says so."""
    metadata = page.get("response_metadata")
    cursor = metadata.get("next_cursor") if isinstance(metadata, Mapping) else None
    return cursor if isinstance(cursor, str) else ""


def _ends(page: Mapping[str, Any]) -> bool:
    """Say whether a page without a next one is the last of a history."""
    return isinstance(page.get("messages"), list) and not page.get("has_more")
