"""Shards: which of them this process serves, and that it starts no more sessions than Discord allows.

https://docs.discord.com/developers/events/gateway#sharding and #session-start-limit-object
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import discord
import structlog

from bot.config import Settings
from bot.errors import SettingsError

log = structlog.get_logger()


def shards(settings: Settings) -> tuple[int | None, list[int] | None]:
    """Return how many shards there are, and which this process serves; None: as Discord recommends, and all.

    Raises SettingsError for shards that there are not.
    """
    count, ids = settings.discord_shard_count, numbers(settings.discord_shard_ids)
    if ids and not count:
        raise SettingsError(
            "PAPERROUND_DISCORD_SHARD_IDS names shards, but not of how many: set PAPERROUND_DISCORD_SHARD_COUNT, "
            "the same for all processes."
        )
    if ids and ids[-1] >= count:
        raise SettingsError(
            f"PAPERROUND_DISCORD_SHARD_IDS: there is no shard {ids[-1]} of {count}; they count from 0 to {count - 1}."
        )
    return count or None, ids or None


def numbers(text: str) -> list[int]:
    """Read `0-3,5`, as the settings checked it, into numbers in order, each once."""
    found: set[int] = set()
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return sorted(found)


async def hold_on(
    client: discord.AutoShardedClient, needed: int, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Wait until Discord allows so many session starts (0: one for each shard it recommends), and say so in the log.

    A bot that starts more sessions than its limit of a day loses its token. Raises discord.GatewayNotFound.
    """
    while True:
        recommended, _, limits = await client.http.get_bot_gateway()
        wanted = min(needed or recommended, limits["total"])
        if limits["remaining"] >= wanted:
            return
        wait = max(limits["reset_after"] / 1000, 1.0)
        log.warning(
            "Discord allows no more session starts for now; waiting",
            needed=wanted,
            left=limits["remaining"],
            seconds=round(wait),
        )
        await sleep(wait)
