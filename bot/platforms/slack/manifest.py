"""The app's manifest, as Slack takes it when an app is made: what it is called, hears and may do. Pure.

Its fields and their lengths are those of Slack's app manifest reference.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bot.config import Settings
from bot.core.command import Command
from bot.errors import SettingsError
from bot.platforms.slack.features import features
from bot.platforms.slack.methods import HISTORY, METHODS

EVENTS_PATH = "/slack/events"  # events, interactivity and commands
INSTALL_PATH, REDIRECT_PATH = "/slack/install", "/slack/oauth_redirect"
SIMILAR = "similar"  # the message shortcut's callback_id

_CHANNELS = ("channels:read", "groups:read")  # one for public channels, one for private ones
EVENTS: Mapping[str, tuple[str, ...]] = {
    "app_home_opened": (),
    "app_mention": ("app_mentions:read",),
    "message.im": ("im:history",),
    "member_joined_channel": _CHANNELS,
    "channel_left": ("channels:read",),
    "group_left": ("groups:read",),
    "channel_archive": ("channels:read",),
    "group_archive": ("groups:read",),
    "app_uninstalled": (),
    "tokens_revoked": (),
}
"""What the bot listens to, and the scopes that each needs."""

_DISPLAY = {
    "name": "Paperround",
    "description": "The papers you would have picked, every morning, each with a reason.",
    "background_color": "#1d3c34",
}


def scopes(settings: Settings) -> list[str]:
    """Return the bot scopes: what the methods that are called, the events and the commands need, and none more."""
    called = [METHODS[name].scopes for name in sorted(METHODS.keys() - (() if settings.slack_history else HISTORY))]
    return sorted({"commands"}.union(*called, *EVENTS.values()))


def manifest(settings: Settings, commands: Mapping[str, Command]) -> str:
    """Return the manifest for the mode that the settings choose, as JSON. Raises SettingsError."""
    http = settings.slack_mode == "http"
    if http and not settings.public_url:
        raise SettingsError("PAPERROUND_PUBLIC_URL is missing: in HTTP mode Slack has to know where to call the bot.")
    if settings.public_url.startswith("http:"):
        raise SettingsError("PAPERROUND_PUBLIC_URL: Slack calls and redirects to https:// only.")
    there = {"request_url": settings.public_url + EVENTS_PATH} if http else {}
    oauth: dict[str, Any] = {"scopes": {"bot": scopes(settings)}}
    if settings.public_url:
        oauth["redirect_urls"] = [settings.public_url + REDIRECT_PATH]
    content = {
        "display_information": _DISPLAY,
        "features": features(settings, commands, EVENTS_PATH, SIMILAR),
        "oauth_config": oauth,
        "settings": {
            "event_subscriptions": {**there, "bot_events": sorted(EVENTS)},
            "interactivity": {"is_enabled": True, **there},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not http,
            "token_rotation_enabled": False,
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=2)
