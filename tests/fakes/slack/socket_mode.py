"""Socket Mode: connections that greet, ping, deliver envelopes and take acknowledgements."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.slack.errors import Fault
from tests.fakes.slack.state import Json
from tests.fakes.slack.world import World

MOST = 10


@dataclass(frozen=True, slots=True)
class Ack:
    """How a delivery was taken: seconds until then and what came with it, or why it was not."""

    seconds: float | None
    payload: Any = None
    error: str = ""
    status: int = 0
    final: bool = False


@dataclass(eq=False, slots=True)
class Line:
    """One connection. A mute one stays open and says nothing, not even to pings."""

    socket: web.WebSocketResponse
    mute: bool = False
    delivered: int = 0
    waiting: dict[str, asyncio.Future[Ack]] = field(default_factory=dict)


class Sockets:
    """All connections of the app. `greets`: a new one says hello; `counted`: the number of them that hello tells."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tickets: set[str] = set()
        self.lines: list[Line] = []
        self.opened = 0
        self.greets = True
        self.counted: int | None = None
        self.ping_every = 10.0
        self._next = 0

    def connect(self) -> str:
        """Return the address of a new connection. Raises Fault beyond ten."""
        if len(self.lines) >= MOST:
            raise Fault("too_many_websockets")
        ticket = secrets.token_hex(8)
        self._tickets.add(ticket)
        return f"{self._world.url.replace('http', 'ws', 1)}/link/?ticket={ticket}&app_id={self._world.app_id}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve a connection until it ends."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=408, text="the ticket was used or is none")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(autoping=False, timeout=0.2)
        await socket.prepare(request)
        line = Line(socket)
        self.lines.append(line)
        self.opened += 1
        pinging = asyncio.get_running_loop().create_task(self._pings(line))
        try:
            if self.greets:
                await socket.send_json(self._hello())
            await self._listen(line)
        finally:
            pinging.cancel()
            self.lines.remove(line)
            for future in line.waiting.values():
                if not future.done():
                    future.set_result(Ack(None, error="connection_failed"))
        return socket

    async def deliver(self, kind: str, payload: Json, within: float, retry: Json) -> Ack:
        """Deliver through one of the connections, and wait for its acknowledgement."""
        line = self._turn()
        envelope = f"{secrets.token_hex(4)}-{secrets.token_hex(6)}"
        said = {
            "envelope_id": envelope,
            "type": kind,
            "payload": payload,
            "accepts_response_payload": kind != "events_api",
        }
        if kind == "events_api":
            said |= {"retry_attempt": 0, "retry_reason": "", **retry}
        future: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
        line.waiting[envelope] = future
        line.delivered += 1
        started = time.perf_counter()
        try:
            if not line.mute:
                await line.socket.send_json(said)
            async with asyncio.timeout(within):
                found = await future
        except (TimeoutError, ConnectionError):
            return Ack(None, error="timeout")
        finally:
            line.waiting.pop(envelope, None)
        return found if found.error else Ack(time.perf_counter() - started, found.payload, status=200)

    async def disconnect(self, reason: str = "refresh_requested", *, end: bool = True) -> None:
        """Tell each connection to come anew ("warning", "refresh_requested", "link_disabled"), and end it."""
        for line in list(self.lines):
            with suppress(ConnectionError):
                await line.socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "fake"}})
                if end and reason != "warning":
                    await line.socket.close()

    async def drop(self) -> None:
        """Break each connection without a word."""
        for line in list(self.lines):
            transport = line.socket._req.transport if line.socket._req is not None else None
            if transport is not None:
                transport.abort()
        await asyncio.sleep(0)

    def mute(self, mute: bool = True) -> None:
        """Let the connections of now say nothing any more, and answer nothing; they stay open."""
        for line in self.lines:
            line.mute = mute

    async def close(self) -> None:
        """End all connections."""
        await asyncio.gather(*(line.socket.close() for line in list(self.lines)), return_exceptions=True)

    def _hello(self) -> Json:
        count = len(self.lines) if self.counted is None else self.counted
        debug = {"host": "applink-fake", "build_number": 1, "approximate_connection_time": 18_060}
        return {
            "type": "hello",
            "num_connections": count,
            "debug_info": debug,
            "connection_info": {"app_id": self._world.app_id},
        }

    def _turn(self) -> Line:
        """Return the connection whose turn it is: each delivery goes to one."""
        self._next += 1
        return self.lines[self._next % len(self.lines)]

    async def _listen(self, line: Line) -> None:
        async for message in line.socket:
            if line.mute:
                continue
            if message.type == WSMsgType.PING:
                await line.socket.pong(message.data)
            elif message.type == WSMsgType.TEXT:
                self._taken(line, message.data)

    def _taken(self, line: Line, text: str) -> None:
        try:
            said = json.loads(text)
        except ValueError:
            return
        future = line.waiting.get(str(said.get("envelope_id", ""))) if isinstance(said, dict) else None
        if future is not None and not future.done():
            future.set_result(Ack(0.0, said.get("payload")))

    async def _pings(self, line: Line) -> None:
        while not line.socket.closed:
            await asyncio.sleep(self.ping_every)
            if not line.mute:
                with suppress(ConnectionError):
                    await line.socket.ping(b"Ping from fake")
