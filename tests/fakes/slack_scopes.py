"""Which permission each method of Slack's Web API needs, and what Slack answers without it. Pure.

Written from Slack's reference of each method and of each scope, not from the bot's own table: the one checks the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

PUBLIC, PRIVATE, DIRECT = "public", "private", "direct"
_HISTORY = {PUBLIC: "channels:history", PRIVATE: "groups:history", DIRECT: "im:history"}
_READ = {PUBLIC: "channels:read", PRIVATE: "groups:read", DIRECT: "im:read"}


def _always(scope: str) -> dict[str, str]:
    return dict.fromkeys((PUBLIC, PRIVATE, DIRECT), scope)


METHODS: dict[str, dict[str, str]] = {
    "apps.connections.open": _always(""),  # with the app's own token, which has connections:write
    "auth.test": _always(""),
    "chat.postEphemeral": _always("chat:write"),
    "chat.postMessage": _always("chat:write"),
    "chat.update": _always("chat:write"),
    "conversations.history": _HISTORY,
    "conversations.info": _READ,
    "conversations.join": _always("channels:join"),
    "conversations.open": _always("im:write"),
    "files.completeUploadExternal": _always("files:write"),
    "files.getUploadURLExternal": _always("files:write"),
    "oauth.v2.access": _always(""),
    "users.info": _always("users:read"),
    "views.open": _always(""),
    "views.publish": _always(""),
    "views.update": _always(""),
}

EVENTS: dict[str, str] = {
    "app_mention": "app_mentions:read",
    "channel_archive": "channels:read",
    "channel_left": "channels:read",
    "group_archive": "groups:read",
    "group_left": "groups:read",
    "member_joined_channel": "channels:read",  # and groups:read, for private channels
    "message.im": "im:history",
}
"""Events that come only with a scope; app_home_opened, app_uninstalled and tokens_revoked need none."""


def kind_of(channel: str, private: bool = False) -> str:
    """Return the kind of a conversation. Ids of private channels begin with C nowadays, and with G of old."""
    if channel.startswith("D"):
        return DIRECT
    return PRIVATE if private or channel.startswith("G") else PUBLIC


def lack(method: str, granted: Iterable[str], kind: str = PUBLIC) -> dict[str, Any]:
    """Return Slack's answer to a token without the permission; empty if it has it. Raises KeyError: no such method."""
    needed, provided = METHODS[method][kind], sorted(granted)
    if not needed or needed in provided:
        return {}
    return {"ok": False, "error": "missing_scope", "needed": needed, "provided": ",".join(provided)}


def headers(method: str, granted: Iterable[str]) -> dict[str, str]:
    """Return the headers in which Slack tells of a token's permissions, and of those that a method accepts."""
    accepted = {scope for scope in METHODS.get(method, {}).values() if scope}
    return {"x-oauth-scopes": ",".join(sorted(granted)), "x-accepted-oauth-scopes": ",".join(sorted(accepted))}
