"""The doctor's look at Discord: the token, the portal's settings, commands, sessions, permissions, and what ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiohttp
import discord
from discord.app_commands import CommandTree

from bot.core.card import count
from bot.core.check import Check
from bot.core.ports import Facts
from bot.core.request import Address
from bot.errors import PaperroundError, Retry
from bot.platforms._setup import Setup
from bot.platforms.discord.client import Link
from bot.platforms.discord.ended import PLATFORM
from bot.platforms.discord.manifest import PORTAL, invite_url
from bot.platforms.discord.shards import shards
from bot.platforms.discord.sync import is_synced
from bot.store import installs, owners, subscriptions

_FAULTS = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)
LOOKED_AT = 20  # subscribed channels whose permissions are looked at
HOW = "`paperround manifest discord` says what has to stand in the portal."

About = Callable[[Address], Awaitable[Facts]]


async def check(link: Link, setup: Setup, tree: CommandTree[Any], about: About) -> list[Check]:
    """Try the token, and say what is wrong in the portal and in the servers. Never raises.

    `about` tells which permissions the bot lacks in a channel.
    """
    try:
        client = await link.ready()
        app = await client.application_info()
    except Exception as error:  # whatever stands between here and Discord may answer anything
        if isinstance(error.__cause__, discord.LoginFailure):
            todo = f"It stands at {PORTAL}; `paperround doctor` tries it again."
            return [Check("discord", "wrong", str(error), todo)]
        line = str(error) if isinstance(error, Retry) else f"Discord does not say who the bot is ({_name(error)})."
        return [Check("discord", "wrong", line, f"See whether this machine reaches {setup.settings.discord_api_url}.")]
    parts: dict[str, Callable[[], Awaitable[Check]]] = {
        "discord commands": lambda: commands(setup, tree),
        "discord sessions": lambda: sessions(link, setup),
        "discord permissions": lambda: permissions(setup, about),
        "discord servers": lambda: ended(setup, str(app.id)),
    }
    return [portal(app), *[await _safely(name, part) for name, part in parts.items()]]


async def _safely(name: str, part: Callable[[], Awaitable[Check]]) -> Check:
    try:
        return await part()
    except PaperroundError as error:
        return Check(name, "wrong", str(error))
    except _FAULTS as error:
        return Check(name, "look", f"Discord did not tell ({_name(error)})", "Try again in a minute.")


def _name(error: BaseException) -> str:
    return type(error).__name__


def portal(app: discord.AppInfo) -> Check:
    """Say which application it is, and what stands in the way in its settings. Pure."""
    known = f"{app.name}, in {count(app.approximate_guild_count, 'server')}"
    if app.interactions_endpoint_url:
        line = f"{known}: an Interactions Endpoint URL is set, so the bot is not told what people type and press"
        return Check("discord", "wrong", line, "Empty it on the page General Information of the portal.")
    if app.bot_require_code_grant:
        line = f"{known}: Requires OAuth2 Code Grant is on, so no server can add it by the link"
        return Check("discord", "wrong", line, "Switch it off on the page Bot of the portal.")
    asked = {"Guild Install": app.guild_integration_config, "User Install": app.user_integration_config}
    if off := [name for name, config in asked.items() if config is None]:
        line = f"{known}: the token is good; {' and '.join(off)} is off"
        return Check("discord", "look", line, f"Switch it on on the page Installation if you want it. {HOW}")
    return Check("discord", "ok", f"{known}: the token is good")


async def commands(setup: Setup, tree: CommandTree[Any]) -> Check:
    """Say whether Discord was told the commands as they are. Raises StoreError."""
    where = "to one server" if setup.settings.discord_guild else "for all servers"
    if await is_synced(tree, setup.store, setup.settings.discord_guild):
        return Check("discord commands", "ok", f"/{setup.settings.command} was told to Discord, {where}")
    line = f"/{setup.settings.command} as it is now was not told to Discord yet"
    return Check("discord commands", "look", line, "A bot does it when it starts: paperround run")


async def sessions(link: Link, setup: Setup) -> Check:
    """Say whether there are enough shards, and enough session starts left. Raises SettingsError, GatewayNotFound."""
    client = await link.ready()
    recommended, _, limits = await client.http.get_bot_gateway()
    all_of_them, mine = shards(setup.settings)
    needed = len(mine) if mine else all_of_them or recommended
    line = f"{count(needed, 'shard')}, {limits['remaining']:,} of {limits['total']:,} session starts left today"
    if limits["remaining"] < needed:
        wait = round(limits["reset_after"] / 60_000)
        return Check("discord sessions", "look", line, f"A bot that starts now waits for {count(wait, 'minute')}.")
    if all_of_them and all_of_them < recommended:
        todo = f"Discord recommends {recommended}: set PAPERROUND_DISCORD_SHARD_COUNT, the same for all processes."
        return Check("discord sessions", "look", line, todo)
    return Check("discord sessions", "ok", line)


async def permissions(setup: Setup, about: About) -> Check:
    """Name what the bot lacks in channels that have a subscription, of which it looks at a few. Raises StoreError."""
    places = await setup.store.read(_subscribed)
    lacks = []
    for workspace, channel, name in places[:LOOKED_AT]:
        facts = await about(Address(PLATFORM, workspace, channel=channel))
        if missing := ", ".join(facts.missing_permissions):
            lacks.append(f"{facts.name or name}: {missing}")
    looked = f", {LOOKED_AT} looked at" if len(places) > LOOKED_AT else ""
    line = f"{count(len(places), 'subscribed channel')}{looked}"
    if lacks:
        todo = "Whoever manages the server gives them to the bot's role, or in the channel's own permissions."
        return Check(
            "discord permissions", "wrong", f"{line}; something is missing in {len(lacks)}", todo, tuple(lacks)
        )
    return Check("discord permissions", "ok", f"{line}; none is missing" if places else line)


def _subscribed(conn: Any) -> list[tuple[str, str, str]]:
    """Return the channels to which digests come: server, channel, name."""
    mine = [
        sub
        for sub in subscriptions.everywhere(conn)
        if sub.platform == PLATFORM and sub.place_kind == "channel" and sub.paused_at is None
    ]
    found = {sub.owner: (sub.workspace, sub.place) for sub in mine}
    return [(workspace, owners.by_number(conn, number).external, name) for number, (workspace, name) in found.items()]


async def ended(setup: Setup, application: str) -> Check:
    """Name the servers that removed the bot. Raises StoreError."""
    rows: Sequence[installs.Install] = await setup.store.read(installs.every, PLATFORM)
    over = [row for row in rows if row.ended_at is not None]
    if not over:
        return Check("discord servers", "ok", "none removed the bot within 30 days")
    line = f"{count(len(over), 'server')} removed the bot; what is stored of a server is deleted after 30 days"
    details = tuple(f"{row.name or row.workspace}, {row.ended_at:%Y-%m-%d %H:%M} UTC" for row in over if row.ended_at)
    return Check(
        "discord servers", "look", line, f"It goes on once they add it again: {invite_url(application)}", details
    )
