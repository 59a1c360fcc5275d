"""Sessions: none is started that Discord does not allow, and the wait for it is logged."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from structlog.testing import capture_logs

from bot.platforms.discord.client import Link
from bot.platforms.discord.shards import hold_on
from tests.fakes.told_discord import Told, told_discord


def limits(remaining: int, total: int = 1000) -> dict[str, int]:
    return {"total": total, "remaining": remaining, "reset_after": 90_000, "max_concurrency": 1}


async def held(told: Told, **values: Any) -> list[float]:
    """Return the waits in seconds."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    settings = told.settings(**values)
    link = Link(settings)
    try:
        await hold_on(await link.ready(), link.sessions, sleep)
    finally:
        await link.close()
    return waits


@pytest.mark.parametrize(
    ("values", "recommended", "left", "waits"),
    [
        ({}, 1, [1], 0),
        ({}, 1, [0, 1], 1),
        ({}, 16, [15, 15, 16], 2),
        ({"discord_shard_count": 4}, 16, [4], 0),
        ({"discord_shard_count": 16, "discord_shard_ids": "0-3,5"}, 16, [4, 5], 1),
    ],
)
async def test_it_waits_until_there_are_enough(values: Any, recommended: int, left: list[int], waits: int) -> None:
    async with told_discord() as told:
        told.shards, told.limits = recommended, [limits(one) for one in left]
        with capture_logs() as logs:
            assert await held(told, **values) == [90.0] * waits
        assert len([log for log in logs if "session starts" in log["event"]]) == waits


async def test_more_shards_than_a_day_allows_are_not_waited_for_without_end() -> None:
    async with told_discord() as told:
        told.shards, told.limits = 30, [limits(19, total=20), limits(20, total=20)]
        assert await held(told) == [90.0]


async def test_a_gateway_that_is_not_told_is_said() -> None:
    async with told_discord() as told:
        link = Link(told.settings())
        client = await link.ready()
        told.status = 403
        try:
            with pytest.raises(discord.GatewayNotFound):
                await hold_on(client, 0)
        finally:
            await link.close()
