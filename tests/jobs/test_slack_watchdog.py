"""Socket Mode: a connection that ends, that says no hello, or that looks alive and brings nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from structlog.testing import capture_logs

from bot.errors import StoreError
from bot.platforms.slack.socket import Socket
from bot.platforms.slack.watch import Crowd, Patience, Watch
from tests.fakes.rig_slack import Rig
from tests.fakes.slack_town import APP_TOKEN, Town

USUAL = Patience()


def test_silence_is_a_fault_after_a_minute() -> None:
    watch = Watch(USUAL, 100.0)
    watch.greeted()
    assert watch.fault(160.0) == ""
    watch.heard(150.0)
    assert watch.fault(210.0) == ""
    assert "no frame" in watch.fault(210.1)


def test_a_missing_hello_is_a_fault_after_ten_seconds() -> None:
    watch = Watch(USUAL, 100.0)
    watch.heard(109.0)
    assert watch.fault(110.0) == ""
    assert "no hello" in watch.fault(110.1)


def test_too_many_connections_are_told_once_after_a_minute() -> None:
    crowd = Crowd(USUAL)
    crowd.counted(2)
    assert crowd.asks
    assert [crowd.exceeds(1, at) for at in (0.0, 60.0, 60.1, 200.0)] == [False, False, True, False]


def test_as_many_connections_as_processes_are_right() -> None:
    crowd = Crowd(USUAL)
    crowd.counted(3)
    assert not crowd.exceeds(1, 0.0)
    assert not crowd.exceeds(3, 50.0)
    assert not crowd.exceeds(2, 100.0)
    assert crowd.exceeds(2, 160.1)


def app_of() -> AsyncApp:
    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id="T1")

    return AsyncApp(name="x", signing_secret="x", authorize=authorize)


@asynccontextmanager
async def listening(town: Town, patience: Patience, processes: int = 1) -> AsyncIterator[None]:
    async def count() -> int:
        return processes

    task = asyncio.create_task(Socket(app_of(), APP_TOKEN, town.api_url, count, patience).run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(("greets", "reason"), [(True, "no frame"), (False, "no hello")])
async def test_a_dead_connection_is_opened_anew(greets: bool, reason: str) -> None:
    async with Town() as town:
        town.greets = greets
        with capture_logs() as logs:
            async with listening(town, Patience(hello=0.3, quiet=0.4, look=0.05)):
                await town.until(lambda: town.opened >= 2)
        assert any(reason in line.get("reason", "") for line in logs)
        await town.until(lambda: not town.sockets)  # closed cleanly


async def test_pings_keep_a_connection() -> None:
    async with Town() as town, listening(town, Patience(hello=0.3, quiet=0.3, look=0.02)):
        await town.until(lambda: town.sockets)
        for _ in range(12):
            await town.sockets[0].ping()
            await asyncio.sleep(0.05)
        assert town.opened == 1


async def test_it_connects_again_when_slack_asks_or_ends_it() -> None:
    async with Town() as town, listening(town, Patience(look=0.05)):
        await town.until(lambda: town.sockets)
        await town.sockets[0].send_json({"type": "disconnect", "reason": "refresh_requested"})
        await town.until(lambda: town.opened == 2 and len(town.sockets) == 1)
        await town.sockets[0].close()
        await town.until(lambda: town.opened == 3)


async def test_connections_that_slack_ends_at_once_are_not_opened_without_a_pause() -> None:
    async with Town() as town, listening(town, Patience(look=0.01)):
        end = asyncio.get_running_loop().time() + 0.5
        while asyncio.get_running_loop().time() < end:
            for one in list(town.sockets):
                with suppress(ConnectionError):
                    await one.send_json({"type": "disconnect", "reason": "link_disabled"})
            await asyncio.sleep(0.01)
        assert town.opened <= 3


async def test_a_refused_token_is_told_by_its_code() -> None:
    async with Town() as town:
        town.faults["apps.connections.open"] = ["invalid_auth"]
        with capture_logs() as logs:
            async with listening(town, Patience(look=0.05)):
                await town.until(lambda: town.sockets)
        assert any(line.get("reason") == "invalid_auth" for line in logs)
        assert APP_TOKEN not in str(logs)


@pytest.mark.parametrize(("processes", "warns"), [(1, True), (2, False)])
async def test_another_installation_is_noticed(processes: int, warns: bool) -> None:
    async with Town() as town:
        town.connections = 2
        with capture_logs() as logs:
            async with listening(town, Patience(crowd=0.1, look=0.02), processes):
                await town.until(lambda: town.sockets)
                await asyncio.sleep(0.25)
        assert sum("another" in line["event"] for line in logs) == warns


async def test_what_came_is_acknowledged_before_its_connection_is_given_up() -> None:
    rig = await Rig("socket").open()
    try:
        all_at_once = [asyncio.create_task(rig.town.command(f"search {n}", user=f"U{n}")) for n in range(40)]
        await asyncio.sleep(0)
        await rig.town.sockets[0].send_json({"type": "disconnect", "reason": "refresh_requested"})
        await asyncio.gather(*all_at_once)
        await rig.town.until(lambda: rig.town.opened == 2 and len(rig.town.sockets) == 1)
    finally:
        await rig.close()


async def test_a_database_that_is_away_leaves_the_connection() -> None:
    async def away() -> int:
        raise StoreError("The database is away.")

    async with Town() as town:
        town.connections = 2
        task = asyncio.create_task(Socket(app_of(), APP_TOKEN, town.api_url, away, Patience(look=0.01)).run())
        await town.until(lambda: town.sockets)
        await asyncio.sleep(0.1)
        assert not task.done()
        assert town.opened == 1
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
