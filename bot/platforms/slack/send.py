"""Messages that nobody asked for just now: posted once, with their key inside, and looked for when no answer came."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.core.message import Message
from bot.core.request import HOME, Address, Receipt
from bot.errors import DeliveryError, Refused, Retry, Uncertain, Unknown
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.find import EVENT, SHARED, Looks
from bot.platforms.slack.render import blocks_of, fallback

PLATFORM = "slack"
MOST_DIRECT = 10_000  # conversations with one person that are remembered


class Post:
    """Sends and finds. `history`: the bot may read what it wrote; without it, it never can say whether it arrived.

    A look into the history that began up to `shared` seconds ago serves whoever asks then.
    """

    def __init__(self, calls: Calls, *, history: bool = True, shared: float = SHARED) -> None:
        self._calls = calls
        self._history = history
        self._direct: dict[tuple[str, str], str] = {}
        self._looks = Looks(calls, shared)

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Post one message. Raises Retry, Refused or Uncertain."""
        channel = await self.channel_of(to)
        try:
            return await self._put(to, channel, message, key)
        except Refused:
            if self._direct.pop((to.workspace, to.user), None) != channel:
                raise
            anew = await self.channel_of(to)  # after a new install it may be another conversation
            if anew == channel:
                raise
            return await self._put(to, anew, message, key)

    async def _put(self, to: Address, channel: str, message: Message, key: str) -> Receipt:
        said = await self._calls.call(
            to.workspace,
            "chat.postMessage",
            channel=channel,
            text=fallback(message),
            blocks=blocks_of(message),
            unfurl_links=False,
            unfurl_media=False,
            metadata={"event_type": EVENT, "event_payload": {"key": key}},
        )
        return receipt(channel, said.get("ts"))

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Say whether the message of `key` is in the history since then. Raises Unknown if it cannot look."""
        if not self._history:
            raise Unknown("I may not read the history (PAPERROUND_SLACK_HISTORY is off), so nobody can tell.")
        try:
            channel = await self.channel_of(to)
            ts = await self._looks.find(to.workspace, channel, key, since)
            return None if ts is None else receipt(channel, ts)
        except Unknown:
            raise
        except DeliveryError as error:
            raise Unknown(f"The conversation could not be looked at: {error}") from error

    async def channel_of(self, to: Address) -> str:
        """Return the channel of an address; a direct message is opened. Raises Retry or Refused."""
        if to.platform != PLATFORM:
            raise Refused(f"This is Slack, and the message is for {to.platform}.")
        if to.channel and to.channel != HOME:
            return to.channel
        who = (to.workspace, to.user)
        if who not in self._direct:
            if len(self._direct) >= MOST_DIRECT:
                self._direct.clear()
            self._direct[who] = await self._open(*who)
        return self._direct[who]

    async def _open(self, workspace: str, user: str) -> str:
        """Open a direct message. Nothing was posted yet, so whatever goes wrong may simply be tried again."""
        try:
            said = await self._calls.call(workspace, "conversations.open", users=user)
        except Uncertain as error:
            raise Retry(str(error), 0.0) from error
        channel = said.get("channel")
        if not isinstance(channel, Mapping) or not isinstance(channel.get("id"), str):
            raise Retry("Slack opened a direct message and did not say where.", 0.0)
        return str(channel["id"])


def receipt(channel: str, ts: Any) -> Receipt:
    """Return what a message's timestamp says. Raises Uncertain if it is none."""
    try:
        at = datetime.fromtimestamp(float(ts), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        raise Uncertain("Slack took the message and did not say when.") from None
    return Receipt(f"{channel}:{ts}", at)
