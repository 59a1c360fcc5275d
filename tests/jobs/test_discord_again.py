"""Discord after what went wrong: a session that ended for good, a form that is not taken, commands not told yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import discord
import pytest

from bot.core.message import Form, Message
from bot.core.request import Address
from bot.errors import Refused, Retry
from bot.platforms.discord.join import join
from tests.fakes.lab_discord import opened
from tests.fakes.rig_discord import Rig


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    made = Rig()
    made.answers = lambda _request: (Message("Found."),)
    yield await made.open()
    await made.close()


async def found(rig: Rig) -> str:
    seen = await rig.answered(await rig.fake.slash(rig.ada, rig.channel, "search", {"words": "x"}))
    return seen.text


async def test_after_an_end_for_good_it_listens_again_once(rig: Rig) -> None:
    rig.fake.gateway.drop(4004)
    with pytest.raises(discord.ConnectionClosed):
        await rig._running
    rig._running = asyncio.create_task(rig.discord.run(rig.invoke))
    await rig.fake.listening()
    await asyncio.sleep(0.1)
    assert not rig._running.done()
    assert len(rig.fake.gateway.connected) == 1
    assert await found(rig) == "Found."


async def test_a_form_that_discord_does_not_take_is_told(rig: Rig) -> None:
    rig.answers = lambda _request: (Message(form=Form("subscribe", {}, (), "Subscribe")),)
    rig.fake.fail("POST", "/interactions/*", status=400, code=50035)
    seen = await rig.fake.slash(rig.ada, rig.channel, "subscribe", {})
    await rig.answered(seen)
    await rig.settled()
    assert seen.ephemeral
    assert "form" in seen.text


async def test_commands_that_were_not_told_at_the_start_are_told_once_it_listens() -> None:
    made = Rig()
    made.fake.fail("PUT", "/applications/*", status=400, code=50035)
    await made.open()
    try:
        await made.fake.until(lambda: made.fake.commands)
        assert len(made.fake.calls("PUT", "/applications/*")) == 2
    finally:
        await made.close()


async def test_what_can_be_offered_is_read_before_somebody_types(rig: Rig) -> None:
    await rig.fake.until(lambda: rig.own)
    assert [one.event for one in rig.own] == ["complete"]


async def test_a_limit_that_nobody_tells_is_tried_again(rig: Rig) -> None:
    await rig.stop()
    rig.fake.fail("GET", "/gateway/bot", status=403, times=-1)
    with pytest.raises(Retry):
        await rig.discord._link.run()


async def test_a_server_that_has_only_the_commands_is_invited_to_add_the_bot() -> None:
    async with opened() as lab:
        other = lab.fake.guild("Elsewhere", owner=lab.ada, bot=False)
        with pytest.raises(Refused, match=f"client_id={lab.fake.app_id}"):
            await join(lab.places, Address("discord", other.id, lab.ada.id, other.channel("general").id))
