"""What answers are written with. What Slack asks to wait for is waited for: somebody is there, but not for long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from bot.core.command import Command
from bot.core.message import File, Message
from bot.core.request import Address
from bot.errors import DeliveryError, Refused, Retry
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.render import blocks_of, fallback
from bot.platforms.slack.send import Post

TRIES, PATIENCE = 5, 30.0  # tries of one answer, and the seconds that each may have to wait
TOLD_WITHIN = 2.0  # seconds for what is known of an install: somebody waits
T = TypeVar("T")


def said(message: Message) -> dict[str, Any]:
    """Return a message's blocks, and its text for notifications."""
    return {"blocks": blocks_of(message), "text": fallback(message)}


class Desk:
    """Writes answers. Whatever it does raises Refused, Retry (after several tries) or Uncertain."""

    def __init__(self, calls: Calls, post: Post, commands: Mapping[str, Command]) -> None:
        self._calls = calls
        self._post = post
        self.commands = commands

    async def is_here(self, workspace: str) -> bool:
        """Say whether the app is installed in a workspace; if nobody can tell soon, it is."""
        try:
            async with asyncio.timeout(TOLD_WITHIN):
                await self._calls.token(workspace)
        except Refused:
            return False
        except (DeliveryError, TimeoutError):
            return True
        return True

    async def me(self, workspace: str) -> str:
        """Return the bot's user id there. Raises Refused where the app is not installed, Retry after several tries."""
        return (await _patiently(lambda: self._calls.token(workspace))).bot_user

    async def call(self, workspace: str, method: str, **arguments: Any) -> dict[str, Any]:
        """Call the Web API."""
        return await _patiently(lambda: self._calls.call(workspace, method, **arguments))

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        """Answer by a response_url. Raises Refused once it was used five times, or is older than 30 minutes."""
        await _patiently(lambda: self._calls.respond(url, body))

    async def post(self, workspace: str, channel: str, message: Message, thread: str = "") -> str:
        """Post a message into a conversation, for all in it, and return its timestamp."""
        answer = await self.call(
            workspace,
            "chat.postMessage",
            channel=channel,
            thread_ts=thread or None,
            unfurl_links=False,
            unfurl_media=False,
            **said(message),
        )
        return str(answer.get("ts", ""))

    async def update(self, workspace: str, channel: str, ts: str, message: Message) -> None:
        """Replace a message that the bot wrote."""
        await self.call(workspace, "chat.update", channel=channel, ts=ts, **said(message))

    async def whisper(self, at: Address, message: Message) -> None:
        """Show a message in a channel to one person only."""
        await self.call(
            at.workspace,
            "chat.postEphemeral",
            channel=at.channel,
            user=at.user,
            thread_ts=at.thread or None,
            **said(message),
        )

    async def alone_with(self, at: Address) -> str:
        """Return the conversation with this person alone."""
        return await _patiently(lambda: self._post.channel_of(replace(at, channel="", thread="")))

    async def direct(self, at: Address, message: Message) -> None:
        """Write to this person alone."""
        await self.post(at.workspace, await self.alone_with(at), message)

    async def upload(self, at: Address, file: File) -> None:
        """Put a file into the conversation with this person alone: never into a channel."""
        channel = await self.alone_with(at)
        await _patiently(lambda: self._calls.upload(at.workspace, channel, file))


async def _patiently(work: Callable[[], Awaitable[T]]) -> T:
    """Try until it is taken, as long as what Slack asks to wait is short."""
    for _ in range(TRIES - 1):
        try:
            return await work()
        except Retry as error:
            if error.after > PATIENCE:
                raise
            await asyncio.sleep(error.after or 1.0)
    return await work()
