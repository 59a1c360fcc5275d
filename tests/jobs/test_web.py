"""The one HTTP server: what it serves, what it refuses, and that a running bot starts and ends it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from structlog.testing import capture_logs

from bot.core.ports import Invoke, Route
from bot.errors import SettingsError, SetupError
from bot.jobs import web as web_module
from bot.jobs.service import Parts, Role, Service
from bot.store.engine import Store
from tests.fakes.bot import make_bot
from tests.fakes.post import Post
from tests.jobs.test_clock import until

LOOPBACK = "127.0.0.1:0"


async def said(request: web.Request) -> web.Response:
    return web.Response(text=f"{request.method} {(await request.read()).decode()}")


@dataclass
class Hooked(Post):
    """A platform that is called over HTTP."""

    name: str = "test"
    wanted: Sequence[Route] = (Route("POST", "/test/events", said),)
    closed: int = 0

    async def run(self, invoke: Invoke) -> None:
        await asyncio.Event().wait()

    def routes(self) -> Sequence[Route]:
        return self.wanted

    async def close(self) -> None:
        self.closed += 1


async def well() -> None:
    """A database that answers."""


async def serve(address: str, *platforms: Any, alive: Any = well) -> web_module.Stop:
    return await web_module.serve(address, {platform.name: platform for platform in platforms}, alive)


@asynccontextmanager
async def served(*platforms: Any, alive: Any = well) -> AsyncIterator[str]:
    """Serve, and yield the address."""
    with capture_logs() as logs:
        stop = await serve(LOOPBACK, *platforms, alive=alive)
    [at] = [entry["address"] for entry in logs if entry["event"] == "http"]
    try:
        yield at
    finally:
        await stop()


async def ask(url: str, method: str = "GET", **options: Any) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.request(method, url, **options) as answer:
        return answer.status, await answer.text()


async def test_routes_of_all_platforms_are_on_one_server() -> None:
    other = Hooked(name="other", wanted=(Route("GET", "/other", said), Route("POST", "/other", said)))
    async with served(Hooked(), other, Post(name="deaf")) as at:
        assert await ask(f"{at}/test/events", "POST", data=b"x") == (200, "POST x")
        assert await ask(f"{at}/other") == (200, "GET ")
        assert await ask(f"{at}/other", "POST", data=b"y") == (200, "POST y")
        assert (await ask(f"{at}/test/events"))[0] == 405
        assert (await ask(f"{at}/none"))[0] == 404


async def test_without_routes_nothing_is_served() -> None:
    with capture_logs() as logs:
        stop = await serve("256.0.0.1:99", Post(name="deaf"))
        await stop()
    assert logs == []


async def test_health_is_the_loop_and_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_module, "ANSWER_SECONDS", 0.05)
    away = asyncio.Event()

    async def alive() -> None:
        if away.is_set():
            await asyncio.sleep(9)

    async def broken() -> None:
        raise OSError("secret address")

    async with served(Hooked(), alive=alive) as at:
        assert await ask(f"{at}/health") == (200, '{"ok": true}')
        away.set()
        assert await ask(f"{at}/health") == (503, '{"ok": false, "database": "no answer"}')
    async with served(Hooked(), alive=broken) as at:
        status, text = await ask(f"{at}/health")
    assert (status, "secret" in text) == (503, False)


async def chunks(size: int) -> AsyncIterator[bytes]:
    for _ in range(size >> 16):
        yield b"x" * (1 << 16)


@pytest.mark.parametrize("size", [web_module.BODY_LIMIT + 1, 10_000_000])
async def test_a_body_that_is_too_long_is_refused(size: int) -> None:
    async with served(Hooked()) as at:
        assert (await ask(f"{at}/test/events", "POST", data=BytesIO(b"x" * size)))[0] == 413
        assert await ask(f"{at}/test/events", "POST", data=b"x") == (200, "POST x")


async def test_a_body_that_does_not_tell_its_length_is_refused_where_it_is_too_long() -> None:
    async with served(Hooked()) as at:
        assert (await ask(f"{at}/test/events", "POST", data=chunks(web_module.BODY_LIMIT * 2)))[0] == 413


async def test_a_request_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_module, "REQUEST_SECONDS", 0.05)

    async def slow(_request: web.Request) -> web.Response:
        await asyncio.sleep(9)
        return web.Response()

    async with served(Hooked(wanted=(Route("GET", "/slow", slow),))) as at:
        assert (await ask(f"{at}/slow"))[0] == 408


async def test_a_port_in_use_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            SettingsError, match=f"PAPERROUND_HTTP_ADDRESS: {address} cannot be listened on .Address already in use"
        ):
            await serve(address, Hooked())


@pytest.mark.parametrize("address", ["192.0.2.1:1", "no-such-host.invalid:1"])
async def test_an_address_of_another_machine_is_said(address: str) -> None:
    with pytest.raises(SettingsError, match="PAPERROUND_HTTP_ADDRESS"):
        await serve(address, Hooked())


async def test_off_is_refused_where_a_platform_has_to_be_reached() -> None:
    with pytest.raises(SettingsError, match="off, and test has to be reached"):
        await serve("", Hooked())


@pytest.mark.parametrize("path", ["/test/events", "/health"])
async def test_a_path_of_two_is_refused(path: str) -> None:
    other = Hooked(name="other", wanted=(Route("GET", path, said),))
    with pytest.raises(SetupError, match=path):
        await serve(LOOPBACK, Hooked(), other)


def service(store: Store, platform: Any, role: Role, address: str = LOOPBACK) -> Service:
    app = make_bot([], store).app
    changed = {"metrics_address": "", "http_address": address, "heartbeat_seconds": 1}
    settings = app.settings.model_copy(update=changed)
    return Service(Parts(app.store, app.library, settings, {"test": platform}, {}, app.invoke), role)


@pytest.mark.parametrize(("role", "serves"), [(Role.ALL, True), (Role.WEB, True), (Role.WORKER, False)])
async def test_a_running_bot_serves_and_lets_go_at_its_end(store: Store, role: Role, serves: bool) -> None:
    platform = Hooked()
    running = service(store, platform, role)
    with capture_logs() as logs:
        task = asyncio.create_task(running.run())
        await until(lambda: any(entry["event"] == "running" for entry in logs))
        at = [entry["address"] for entry in logs if entry["event"] == "http"]
        assert bool(at) is serves
        for address in at:
            assert await ask(f"{address}/health") == (200, '{"ok": true}')
        assert platform.closed == 0
        running.stop()
        await asyncio.wait_for(task, 20)
    assert platform.closed == 1
    for address in at:
        with pytest.raises(aiohttp.ClientConnectorError):
            await ask(f"{address}/health")


async def test_a_bot_that_cannot_listen_does_not_start(store: Store) -> None:
    with pytest.raises(SettingsError, match="HTTP_ADDRESS"):
        await service(store, Hooked(), Role.ALL, "192.0.2.1:1").run()
