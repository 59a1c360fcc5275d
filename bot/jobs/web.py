"""The one HTTP server of the bot: the routes of all platforms on one address, and whether the bot is well."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog
from aiohttp import web

from bot.core.ports import Platform, Route
from bot.errors import SettingsError, SetupError

BODY_LIMIT = 1 << 20  # bytes of a request
REQUEST_SECONDS, ANSWER_SECONDS, STOP_SECONDS = 60.0, 5.0, 10.0  # for a request; for the database; for those at work
HEALTH = "/health"
Stop = Callable[[], Awaitable[None]]
Alive = Callable[[], Awaitable[object]]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

log = structlog.get_logger()


async def serve(address: str, platforms: Mapping[str, Platform], alive: Alive) -> Stop:
    """Serve the platforms' routes on "host:port", and return what ends it. Without a route nothing is served.

    `/health` answers 200 as long as the loop does and `alive`, which asks the database, comes back. Port 0 is any free
    one; the log says which. Raises SettingsError for an address of no use, SetupError if two want the same path.
    """
    routes = {name: tuple(platform.routes()) for name, platform in platforms.items()}
    if not (needed := sorted(name for name, wanted in routes.items() if wanted)):
        return _nothing
    if not address:
        raise SettingsError(f"PAPERROUND_HTTP_ADDRESS is off, and {', '.join(needed)} has to be reached over HTTP.")
    runner = web.AppRunner(application(routes, alive), access_log=None, shutdown_timeout=STOP_SECONDS)
    await runner.setup()
    host, _, port = address.rpartition(":")
    try:
        await web.TCPSite(runner, host.strip("[]"), int(port)).start()
    except OSError as error:
        await runner.cleanup()
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        todo = "If another process of the bot has it, give this one another port, or the role worker."
        raise SettingsError(f"PAPERROUND_HTTP_ADDRESS: {address} cannot be listened on ({reason}). {todo}") from error
    log.info("http", address=f"http://{host}:{runner.addresses[0][1]}", platforms=needed)
    return runner.cleanup


def application(routes: Mapping[str, Sequence[Route]], alive: Alive) -> web.Application:
    """Put the routes of each platform, by its name, into one application. Raises SetupError for a path of two."""
    app = web.Application(client_max_size=BODY_LIMIT, middlewares=[_bounded])
    owners = {HEALTH: "the bot itself"}
    app.router.add_get(HEALTH, _health(alive))
    for name, wanted in sorted(routes.items()):
        for route in wanted:
            if owners.setdefault(route.path, name) != name:
                raise SetupError(f"{name} and {owners[route.path]} both want {route.path}: remove one of them.")
            app.router.add_route(route.method, route.path, route.handler)
    return app


def _health(alive: Alive) -> Handler:
    async def health(_request: web.Request) -> web.StreamResponse:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await alive()
        except Exception as error:
            log.warning("not well", reason=type(error).__name__)
            return web.json_response({"ok": False, "database": "no answer"}, status=503)
        return web.json_response({"ok": True})

    return health


@web.middleware
async def _bounded(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what is too long before it is read, and end what takes too long."""
    if (request.content_length or 0) > BODY_LIMIT:
        raise web.HTTPRequestEntityTooLarge(max_size=BODY_LIMIT, actual_size=request.content_length or 0)
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            return await handler(request)
    except TimeoutError:
        log.warning("a request took too long", path=request.path)
        raise web.HTTPRequestTimeout from None


async def _nothing() -> None:
    """End nothing."""
