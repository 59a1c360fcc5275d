"""The server: checks a call as Discord's edge does, lets what shall fail fail, and answers."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.fakes.discord_wire.errors import Fault
from tests.fakes.discord_wire.faults import Fail
from tests.fakes.discord_wire.gateway import Gateway
from tests.fakes.discord_wire.limits import Bucket, Limits
from tests.fakes.discord_wire.routes import Call, Way, find
from tests.fakes.discord_wire.state import Json
from tests.fakes.discord_wire.world import World

PREFIX = "/api/v10"
JSON = {"Content-Type": "application/json", "Via": "1.1 google"}


@dataclass(slots=True)
class Request:
    """A call as it came: `at` is seconds of a clock; `status` and `code` say what was answered (0: nothing)."""

    method: str
    path: str
    query: dict[str, str]
    json: Any
    at: float
    status: int = 0
    code: int = 0


class Server:
    """Serves REST and the gateway on one port of this machine."""

    def __init__(self, world: World, gateway: Gateway) -> None:
        self.world, self.gateway = world, gateway
        self.limits = Limits()
        self.fails: list[Fail] = []
        self.requests: list[Request] = []
        self.delay = 0.0
        self.answer_within, self.hook_life = 3.0, 900.0
        self.url = ""
        self._runner: web.ServerRunner | None = None
        self._hanging = asyncio.Event()

    async def start(self, port: int = 0) -> None:
        """Listen."""
        self._hanging.clear()
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}{PREFIX}"
        self.gateway.url = f"ws://127.0.0.1:{port}/gateway/"

    async def stop(self) -> None:
        """Stop listening; open sockets are closed."""
        self._hanging.set()
        self.gateway.drop(1001)
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.rel_url.raw_path
        if path == "/gateway/" and request.method == "GET":
            return await self.gateway.serve(request)
        if not path.startswith(PREFIX):
            return web.Response(status=404, text="404 page not found")
        path = request.rel_url.path[len(PREFIX) :]
        form, files, broken = await _body(request)
        query = dict(request.rel_url.query)
        seen = Request(request.method, path, query, form, time.monotonic())
        self.requests.append(seen)
        if self.delay:
            await asyncio.sleep(self.delay)
        fail = next((one for one in self.fails if one.hit(seen.method, path)), None)
        if fail is not None and not fail.taken:
            return await self._fail(request, seen, fail)
        answer = self._answer(request, seen, files, broken)
        return answer if fail is None else await self._fail(request, seen, fail)

    def _answer(self, request: web.BaseRequest, seen: Request, files: list[Json], broken: bool) -> web.Response:
        headers = dict(JSON)
        try:
            found = find(seen.method, seen.path)
            if found is None:
                raise Fault(0)
            way, ids = found
            self._known(request, way)
            if not way.free and self.limits.on and (refused := self._limited(seen, way, ids, headers)):
                return refused
            if broken:
                raise Fault(50109)
            call = Call(self.world, self.gateway, ids, seen.query, seen.json, files, self.answer_within, self.hook_life)
            told = way.run(call)
        except Fault as fault:
            seen.status, seen.code = fault.status, fault.code
            return web.Response(status=fault.status, body=json.dumps(fault.payload).encode(), headers=headers)
        seen.status = 204 if told is None else 200
        if told is None:
            return web.Response(status=204, headers={k: v for k, v in headers.items() if k != "Content-Type"})
        return web.Response(body=json.dumps(told).encode(), headers=headers)

    def _known(self, request: web.BaseRequest, way: Way) -> None:
        """Raises Fault for whom Discord does not let in."""
        if not way.open:
            if not request.headers.get("User-Agent", "").startswith("DiscordBot ("):
                raise Fault(0, 403, words="403: Forbidden")
            if request.headers.get("Authorization") != f"Bot {self.gateway.token}":
                raise Fault(0, 401, words="401: Unauthorized")
        if request.can_read_body and request.content_type not in ("application/json", "multipart/form-data"):
            raise Fault(
                50035, 400, errors={}, words="Expected \"Content-Type\" header to be one of {'application/json'}."
            )

    def _limited(self, seen: Request, way: Way, ids: tuple[str, ...], headers: dict[str, str]) -> web.Response | None:
        now = time.monotonic()
        of_bot = not way.path.startswith("/webhooks")
        if of_bot and (wait := self.limits.everywhere(now)):
            return self._too_many(seen, wait, everywhere=True)
        if way.path.startswith("/webhooks"):
            route, major = f"{way.method} /webhooks/*/*", "/".join(ids[:2])
        else:
            route = f"{way.method} {way.path}"
            major = ids[0] if ids and way.path.startswith(("/channels/*", "/guilds/*")) else ""
        bucket = self.limits.bucket(route, major)
        wait = bucket.take(now)
        headers |= bucket.headers(now)
        return self._too_many(seen, wait, bucket=bucket) if wait else None

    def _too_many(
        self, seen: Request, wait: float, *, everywhere: bool = False, bucket: Bucket | None = None, via: bool = True
    ) -> web.Response:
        self.limits.refused += 1
        seen.status = 429
        headers = {"Content-Type": "application/json", "Retry-After": str(int(wait) + 1)}
        headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
        headers |= {"X-RateLimit-Global": "true"} if everywhere else {}
        headers |= bucket.headers(time.monotonic()) if bucket else {}
        if not via:
            return web.Response(status=429, text="error code: 1015", headers={"Retry-After": headers["Retry-After"]})
        headers["Via"] = JSON["Via"]
        told = {"message": "You are being rate limited.", "retry_after": round(wait, 3), "global": everywhere}
        return web.Response(status=429, body=json.dumps(told).encode(), headers=headers)

    async def _fail(self, request: web.BaseRequest, seen: Request, fail: Fail) -> web.StreamResponse:
        if fail.how in ("reset", "drop"):
            seen.status = 0
            _break(request, reset=fail.how == "reset")
            raise web.HTTPBadRequest  # nobody reads it
        if fail.how == "hang":
            seen.status = 0
            await self._hanging.wait()
            return web.Response(status=503)
        if fail.how == "garbage":
            return web.Response(body=b'{"id": "1', headers=JSON)
        if fail.status == 429:
            return self._too_many(seen, fail.retry_after, everywhere=fail.everywhere, via=fail.via)
        seen.status, seen.code = fail.status, fail.code
        fault = Fault(fail.code, fail.status, words=fail.words or (f"{fail.status}: Error" if not fail.code else ""))
        return web.Response(status=fail.status, body=json.dumps(fault.payload).encode(), headers=JSON)


def _break(request: web.BaseRequest, reset: bool) -> None:
    """Break a connection: with a reset, or politely."""
    transport = request.transport
    if transport is None:
        return
    if reset:
        raw = transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    else:
        transport.close()


async def _body(request: web.BaseRequest) -> tuple[Any, list[Json], bool]:
    """Return a call's form, its files, and whether it cannot be read."""
    if not request.can_read_body:
        return {}, [], False
    if request.content_type == "multipart/form-data":
        return await _parts(request)
    try:
        return json.loads(await request.read()), [], False
    except ValueError:
        return {}, [], True


async def _parts(request: web.BaseRequest) -> tuple[Any, list[Json], bool]:
    form: Any = {}
    files: list[Json] = []
    reader = await request.multipart()
    while (part := await reader.next()) is not None:
        body = await part.read()  # type: ignore[union-attr]
        if part.name == "payload_json":  # type: ignore[union-attr]
            form = json.loads(body)
        else:
            name = part.filename  # type: ignore[union-attr]
            files.append(
                {"id": str(len(files)), "filename": name, "size": len(body), "content": body.decode("utf-8", "replace")}
            )
            files[-1] |= {"url": f"https://cdn.example/{name}", "proxy_url": f"https://cdn.example/{name}"}
    return form, files, False
