"""What discord.py leaves open after trouble: a closed gate, tries that were taken, a token that is gone, late ends."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
from discord.gateway import KeepAliveHandler

from bot.errors import Retry, Uncertain
from bot.platforms.discord import client as connection
from bot.platforms.discord import places
from tests.fakes.lab_discord import HELLO, MESSAGES, Lab, opened
from tests.fakes.rig_discord import Rig

THREADS = "/channels/*/threads"


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with opened() as one:
        yield one


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    yield (made := await Rig().open())
    await made.close()


async def test_a_limit_of_the_whole_bot_ends_though_nobody_waits_for_its_end(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.4)
    monkeypatch.setattr(places, "PATIENCE", 0.1)
    await lab.post.send(lab.at(), HELLO, "before")
    lab.fake.fail("GET", "/guilds/*", status=429, everywhere=True, retry_after=0.3)
    assert (await lab.places.about(lab.at(user=lab.ada))).name == ""
    async with asyncio.timeout(2):
        await lab.post.send(lab.at(), HELLO, "after")
    assert len(lab.channel.said) == 2


@pytest.mark.parametrize("then", [{"status": 429, "retry_after": 60.0}, {"status": 403, "code": 50013}])
@pytest.mark.parametrize("kind", ["text", "forum"])
async def test_a_try_that_was_taken_is_not_hidden_by_a_later_one(lab: Lab, kind: str, then: dict[str, Any]) -> None:
    channel = lab.guild.channel("papers", kind=kind)
    path = MESSAGES if kind == "text" else THREADS
    if kind == "forum":
        await lab.post.send(lab.at(channel), HELLO, "warm")
    lab.fake.fail("POST", path, status=502, taken=True)
    lab.fake.fail("POST", path, **then)
    with pytest.raises(Uncertain, match="502"):
        await lab.post.send(lab.at(channel), HELLO, "k")


async def test_what_was_refused_at_once_is_refused(lab: Lab) -> None:
    lab.fake.fail("POST", MESSAGES, status=429, retry_after=60.0)
    with pytest.raises(Retry):
        await lab.post.send(lab.at(), HELLO, "k")


async def test_a_token_that_is_gone_holds_all_and_is_tried_once_a_minute(rig: Rig) -> None:
    rig.fake.gateway.token = "another"
    rig.fake.gateway.drop(4004)
    with pytest.raises(discord.ConnectionClosed):
        await rig._running
    before = len(rig.fake.requests)
    found: list[Any] = await asyncio.gather(
        *(rig.discord.send(rig.here, HELLO, f"k{number}") for number in range(10)), return_exceptions=True
    )
    assert {type(one) for one in found} == {Retry}
    assert {(one.after, one.everywhere, "PAPERROUND_DISCORD_TOKEN" in str(one)) for one in found} == {
        (60.0, True, True)
    }
    assert len(rig.fake.requests) - before == 1


async def test_those_who_wait_for_a_login_that_fails_fail_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOGIN_WITHIN", 0.2)
    async with opened() as lab:
        await lab.link.close()
        lab.fake.fail("GET", "/users/@me", how="hang", times=-1)
        async with asyncio.timeout(1):
            found = await asyncio.gather(
                *(lab.post.send(lab.at(), HELLO, f"k{number}") for number in range(8)), return_exceptions=True
            )
        assert {type(one) for one in found} == {Retry}


async def test_it_ends_though_a_shard_connects_anew_just_then(rig: Rig) -> None:
    rig.fake.gateway.invalidate()  # discord.py waits for five seconds then, in which it takes no cancel
    await rig.fake.until(lambda: not rig.fake.gateway.connected)
    await asyncio.sleep(0.1)
    rig._running.cancel()
    done, _ = await asyncio.wait([rig._running], timeout=2)
    assert done
    await asyncio.sleep(0.1)
    assert not [one for one in threading.enumerate() if isinstance(one, KeepAliveHandler) and one.is_alive()]
    gc.collect()  # it would warn of a socket that is open


async def test_a_gateway_that_never_answers_is_given_up_and_begun_anew(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LAUNCHES", 1)
    client = await lab.link.ready()
    client._launches = 1
    with pytest.raises(Retry, match="gateway"):
        await lab.link.run()
    assert client.is_closed()
    assert await lab.link.ready() is not client


async def test_a_session_that_begins_anew_waits_until_discord_allows_one(lab: Lab) -> None:
    client = await lab.link.ready()
    lab.fake.gateway.starts.remaining = 0
    asked = [one.path for one in lab.fake.requests].count("/gateway/bot")
    waits = asyncio.create_task(client.before_identify_hook(0))
    await lab.fake.until(lambda: [one.path for one in lab.fake.requests].count("/gateway/bot") > asked)
    await asyncio.sleep(0.05)
    assert not waits.done()
    waits.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waits
