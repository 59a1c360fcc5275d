"""Telling Discord the commands, only when they changed: what it was told last is kept in the store.

Discord keeps commands for an application, and counts how often they are made; so nothing is sent at a start that finds
them as they were. The whole set is sent at once and takes the place of the old one, so two processes that do it at the
same time do the same.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import aiohttp
import discord
import structlog
from discord.app_commands import CommandTree

from bot.errors import StoreError
from bot.platforms.discord.tree import payload_of
from bot.store import kept
from bot.store.engine import Store

log = structlog.get_logger()


async def sync(tree: CommandTree[Any], store: Store, guild: str = "", *, again: bool = False) -> bool:
    """Tell Discord the commands if they changed since it was told, or `again` in any case; say whether it has them.

    With a `guild` they are for this one only, where they are seen at once (for development); without one for all. What
    another guild was told is taken back there. Call it when the client has logged in. Never raises: what fails is
    logged, the old commands stay, and the next call tries again.
    """
    try:
        name, now = name_of(tree), state_of(tree, guild)
        before = await store.read(kept.get, name)
        if before == now and not again:
            return True
        await _tell(tree, guild, before.partition(":")[0])
        await store.write(kept.put, name, now)
    except discord.Forbidden as error:
        log.error("commands could not be told to this server", guild=guild, error=str(error), hint="invite the bot")
    except (discord.DiscordException, aiohttp.ClientError, OSError, StoreError) as error:
        log.error("commands could not be told to Discord", guild=guild, error=str(error) or type(error).__name__)
    else:
        log.info("commands were told to Discord", guild=guild or "all")
        return True
    return False


async def is_synced(tree: CommandTree[Any], store: Store, guild: str = "") -> bool:
    """Say whether Discord was told the commands as they are now. Raises StoreError."""
    return await store.read(kept.get, name_of(tree)) == state_of(tree, guild)


def name_of(tree: CommandTree[Any]) -> str:
    """Return the name in the store of what Discord was told for this application. Raises MissingApplicationID."""
    if tree.client.application_id is None:
        raise discord.MissingApplicationID
    return f"discord:{tree.client.application_id}"


def state_of(tree: CommandTree[Any], guild: str = "") -> str:
    """Return what stands for the commands and where they are shown: the guild, and a SHA-256 of what would be sent."""
    content = json.dumps(payload_of(tree), sort_keys=True, ensure_ascii=False)
    return f"{guild}:{hashlib.sha256(content.encode()).hexdigest()}"


async def _tell(tree: CommandTree[Any], guild: str, before: str) -> None:
    """Send the commands. Those of the guild `before` come after: a failure there must not keep the new ones away."""
    here = discord.Object(int(guild)) if guild else None
    if here is not None:
        tree.copy_global_to(guild=here)
    await tree.sync(guild=here)
    if before and before != guild:
        there = discord.Object(int(before))
        tree.clear_commands(guild=there)
        try:
            await tree.sync(guild=there)
        except (discord.Forbidden, discord.NotFound):
            log.info("commands were left in a server that the bot is no longer in", guild=before)
