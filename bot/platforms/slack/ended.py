"""What Slack tells of ends: the app was removed from a workspace, or the bot from a channel, or a channel archived."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import structlog

from bot.platforms._setup import Setup
from bot.platforms.slack.tokens import PLATFORM, REMOVED, Tokens
from bot.store import workspaces

CLOSED = {
    "channel_left": "I was removed from the channel; invite me first",
    "group_left": "I was removed from the channel; invite me first",
    "channel_archive": "the channel was archived",
    "group_archive": "the channel was archived",
}

log = structlog.get_logger()


def listener(setup: Setup, tokens: Tokens) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    """Return what takes such an event: the installation's workspace, and what Slack posted. It raises StoreError."""

    async def ended(workspace: str, body: Mapping[str, Any]) -> None:
        event = body.get("event")
        if not workspace or not isinstance(event, Mapping):
            return
        kind, channel = str(event.get("type")), event.get("channel")
        if kind in REMOVED:
            if kind != "tokens_revoked" or _of_bots(event):
                await tokens.note_end(workspace, kind, _time(body))
        elif kind in CLOSED and isinstance(channel, str):
            key = f"{PLATFORM}:{body.get('event_id') or _time(body)}"
            where = (PLATFORM, workspace, channel)
            count = await setup.store.write(workspaces.close_channel, *where, CLOSED[kind], key, setup.now())
            log.info("a channel is closed", workspace=workspace, channel=channel, why=kind, paused=count)

    return ended


def _of_bots(event: Mapping[str, Any]) -> bool:
    """Say whether the bot's own token was revoked, and not only somebody's user token."""
    told = event.get("tokens")
    return isinstance(told, Mapping) and bool(told.get("bot"))


def _time(body: Mapping[str, Any]) -> datetime | None:
    """Return when it happened, in whole seconds."""
    try:
        return datetime.fromtimestamp(int(body["event_time"]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None
