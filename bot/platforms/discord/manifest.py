"""What Discord has to be told of the app: the links that install it, and the settings of the developer portal. Pure.

The portal's words are those of https://docs.discord.com/developers/quick-start/getting-started
"""

from __future__ import annotations

from collections.abc import Mapping

import discord

from bot.config import Settings
from bot.core.card import count
from bot.core.command import Command
from bot.core.credential import application_of

PORTAL = "https://discord.com/developers/applications"
PERMISSIONS: Mapping[str, tuple[str, str]] = {
    "view_channel": ("View Channels", "to see the channels that shall get digests"),
    "send_messages": ("Send Messages", "digests in channels, and as posts in forums"),
    "send_messages_in_threads": ("Send Messages in Threads", "digests in threads"),
    "read_message_history": (
        "Read Message History",
        "only to look for its own message when Discord's answer to it was lost",
    ),
}
"""What the bot may do in a server: discord.py's name, what Discord calls it, and what it is for."""

INTENTS: Mapping[str, str] = {
    "guilds": "servers, channels and roles: where it is, what it may do there, what was removed",
    "dm_messages": "what is written to the bot directly",
    "guild_messages": "messages that mention the bot; of others Discord tells it no text",
}
"""The events that the bot asks for, and what for. None of them is privileged."""


def intents(settings: Settings) -> list[str]:
    """Return discord.py's names of the intents that the settings need."""
    return [name for name in INTENTS if settings.discord_mentions or name != "guild_messages"]


def permissions() -> discord.Permissions:
    """Return the permissions that an invite asks for: those of the table."""
    return discord.Permissions(**dict.fromkeys(PERMISSIONS, True))


def application_id(token: str) -> str:
    """Return the id of the application that a token belongs to, which the token tells; empty if it does not."""
    return application_of(token)


def invite_url(application: str) -> str:
    """Return the link by which somebody who manages a server adds the bot to it."""
    link = discord.utils.oauth_url(application, permissions=permissions(), scopes=("bot", "applications.commands"))
    return f"{link}&integration_type=0"


def user_url(application: str) -> str:
    """Return the link by which a person adds the commands to their own account, for use in any chat."""
    return discord.utils.oauth_url(application, scopes=("applications.commands",)) + "&integration_type=1"


def manifest(settings: Settings, commands: Mapping[str, Command]) -> str:
    """Return the two links and the settings of the portal, as lines of text. The bot tells the `commands` itself."""
    token = settings.discord_token.get_secret_value()
    application = application_id(token) or "APPLICATION_ID"
    wide = max(len(name) for name, _ in PERMISSIONS.values())
    may = [f"      {name:<{wide}}  {why}" for name, why in PERMISSIONS.values()]
    hears = [f"      {name}: {INTENTS[name]}" for name in intents(settings)]
    told = count(sum(not command.hidden for command in commands.values()), "command")
    names = ", ".join(name for name, _ in PERMISSIONS.values())
    lines = [
        f"The app at {PORTAL}, page by page:",
        "",
        "   General Information",
        "      Interactions Endpoint URL: empty. With one, Discord would not tell the bot what people press and type.",
        "   Installation",
        "      Installation Contexts: User Install and Guild Install.",
        "      Install Link: Discord Provided Link. Then, under Default Install Settings:",
        "      User Install, Scopes: applications.commands.",
        "      Guild Install, Scopes: applications.commands, bot.",
        f"      Guild Install, Permissions: {names}.",
        "   Bot",
        "      Token: Reset Token, and copy it: PAPERROUND_DISCORD_TOKEN.",
        "      Public Bot: on if others shall add it to servers of theirs, off if you alone shall.",
        "      Requires OAuth2 Code Grant: off.",
        "      Privileged Gateway Intents: all off. The bot asks for none of them.",
        "",
        f"   Commands: none. The bot tells Discord its {told} when it runs, as /{settings.command} and below it.",
        "",
        "What it may do in a server, and why:",
        "",
        *may,
        "",
        "What it hears (intents, none of them privileged):",
        "",
        *hears,
        "",
        "To add it to a server (you need Manage Server there):",
        "",
        f"   {invite_url(application)}",
        "",
        "To add its commands to your own account, for any chat:",
        "",
        f"   {user_url(application)}",
    ]
    if not token:
        lines += [
            "",
            "APPLICATION_ID stands on General Information; with PAPERROUND_DISCORD_TOKEN set, it is filled in.",
        ]
    return "\n".join(lines)
