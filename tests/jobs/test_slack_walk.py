"""The real commands in a workspace, as people see them: names, windows, direct messages and the bot's own page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bot.store import owners
from tests.fakes.bot import Bot, make_bot
from tests.fakes.rig_slack import Rig


@dataclass
class Walk:
    """A bot with the seeds, at a workspace."""

    rig: Rig
    bot: Bot

    def name_of(self, kind: str, external: str) -> str:
        """Return the name that is stored of somebody."""
        with self.bot.app.store.reading() as conn:
            found = owners.known(conn, "slack", "T1", kind, external, "")
        assert found is not None
        return found.name

    async def settled(self) -> None:
        """Wait until nothing is at work."""
        await self.rig.town.until(lambda: not self.rig.slack._server._tasks)


@pytest.fixture
async def walk() -> AsyncIterator[Walk]:
    bot, rig = make_bot(), Rig("socket")
    await rig.open(bot.app.invoke)
    bot.app.platforms["slack"] = rig.slack
    yield Walk(rig, bot)
    await rig.close()


async def test_an_event_without_names_renames_nobody(walk: Walk) -> None:
    town = walk.rig.town
    await town.command("topics")
    await town.until(lambda: town.replies)
    await town.message("<@UBOT> attention", channel="C1", type="app_mention", channel_type="channel")
    await town.until(lambda: town.posted["C1"])
    await town.event({"type": "app_home_opened", "user": "UADA", "channel": "DUADA", "tab": "home"})
    await town.until(lambda: town.homes)
    assert walk.name_of("person", "UADA") == "ada"
    assert walk.name_of("channel", "C1") == "reading"


async def test_whoever_comes_by_an_event_has_a_name_all_the_same(walk: Walk) -> None:
    town = walk.rig.town
    await town.message("<@UBOT> attention", channel="C1", type="app_mention", channel_type="channel", user="UBOB")
    await town.until(lambda: town.posted["C1"])
    assert walk.name_of("person", "UBOB") == "bob"
    assert walk.name_of("channel", "C1") == "reading"
