"""What people see of the manifest: the command, the message shortcut, the bot and the tabs of its App Home. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.config import Settings
from bot.core.command import Command

_HINT = ("search", "subscribe", "schedule", "help")  # commands that the hint names


def features(settings: Settings, commands: Mapping[str, Command], path: str, similar: str) -> dict[str, Any]:
    """Return the command, the shortcut `similar`, the bot and its tabs; `path` is where HTTP mode is called."""
    there = {"url": settings.public_url + path} if settings.slack_mode == "http" else {}
    command = {
        "command": f"/{settings.command}",
        "description": "Look papers up, and choose which come to you or to a channel.",
        "usage_hint": " · ".join(_usage(commands[name]) for name in _HINT if name in commands),
        "should_escape": True,  # channels and people arrive as ids
        **there,
    }
    shortcut = {
        "name": "Find similar papers",
        "type": "message",
        "callback_id": similar,
        "description": "Papers like the one that this message links to.",
    }
    return {
        "app_home": {"home_tab_enabled": True, "messages_tab_enabled": True, "messages_tab_read_only_enabled": False},
        "bot_user": {"display_name": "paperround", "always_online": True},
        "shortcuts": [shortcut],
        "slash_commands": [command],
    }


def _usage(command: Command) -> str:
    """Say a command with what it cannot do without."""
    return " ".join([command.name, *(arg.name.upper() for arg in command.words if arg.required)])
