"""The gateway: hello, identify, ready, servers, heartbeats, resume with replay, and all the ways in which it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.discord_wire import payloads
from tests.fakes.discord_wire.sessions import Session
from tests.fakes.discord_wire.state import Guild, Json
from tests.fakes.discord_wire.world import World

HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 1, 2, 6, 7, 9, 10, 11
PRIVILEGED = 1 << 1 | 1 << 8 | 1 << 15
INTENTS = (1 << 26) - 1
UNKNOWN, DECODE, NOT_AUTHENTICATED, BAD_TOKEN, TWICE, BAD_SEQ, TIMED_OUT = 4001, 4002, 4003, 4004, 4005, 4007, 4009
BAD_SHARD, SHARDING_NEEDED, BAD_VERSION, BAD_INTENTS, NOT_ALLOWED = 4010, 4011, 4012, 4013, 4014


@dataclass(slots=True)
class Starts:
    """How often sessions may start: GET /gateway/bot tells it, and whoever starts more is closed out."""

    total: int = 1000
    remaining: int = 1000
    reset_after: int = 14_400_000  # milliseconds
    max_concurrency: int = 16

    @property
    def payload(self) -> Json:
        """As Discord tells it."""
        return {
            "total": self.total,
            "remaining": self.remaining,
            "reset_after": self.reset_after,
            "max_concurrency": self.max_concurrency,
        }


class Gateway:
    """Holds the sessions and serves their sockets. `heartbeat`: seconds between two; `shards`: what is recommended."""

    def __init__(self, token: str) -> None:
        self.world: World
        self.url = ""
        self.token = token
        self.sessions: dict[str, Session] = {}
        self.starts = Starts()
        self.shards = 1
        self.shards_needed = 1
        self.heartbeat = 41.25
        self.refuse_resumes = 0
        self.invalid_identifies = 0
        self.acks = True
        self.log: list[str] = []
        """What came: identify, resume, heartbeat, close CODE."""

    @property
    def connected(self) -> list[Session]:
        """Sessions that have a socket and are ready."""
        return [one for one in self.sessions.values() if one.outbox is not None and one.ready]

    def tell(self, event: str, data: Json, intent: int, guild: Guild | None) -> None:
        """Send an event to each session that hears of it."""
        text = ""
        for session in self.sessions.values():
            if session.hears(guild.id if guild else None) and (not intent or session.intents & intent):
                text = text or json.dumps(data)
                session.dispatch(event, text)

    def reconnect(self) -> None:
        """Ask all to connect again (op 7): their sessions go on."""
        self._all(lambda one: one.signal(RECONNECT))

    def invalidate(self, resumable: bool = False) -> None:
        """Say to all that their session is not valid (op 9)."""
        if not resumable:
            for one in self.sessions.values():
                one.ready = False
        self._all(lambda one: one.signal(INVALID, resumable))

    def drop(self, code: int = 1006) -> None:
        """Close all sockets with a code; 1006: without a word. Sessions can be resumed."""
        self._all(lambda one: one.close(code))

    def _all(self, act: Callable[[Session], None]) -> None:
        for one in list(self.sessions.values()):
            act(one)

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one socket."""
        return await Socket(self, request).run()


class Socket:
    """One socket: reads what the bot says, and sends what its session has to tell."""

    def __init__(self, gateway: Gateway, request: web.BaseRequest) -> None:
        self._gateway = gateway
        self._request = request
        self._ws = web.WebSocketResponse(compress=False, max_msg_size=4096 * 4)
        self._outbox: asyncio.Queue[str | int] = asyncio.Queue()
        self._session: Session | None = None
        self._ended: int | None = None  # the code with which this side ended it; the answer to it says 1000
        self._pack = _packer(request.query.get("compress", ""))

    async def run(self) -> web.StreamResponse:
        """Serve until either side ends it."""
        await self._ws.prepare(self._request)
        sender = asyncio.create_task(self._send_all())
        try:
            if self._request.query.get("v") != "10" or self._request.query.get("encoding") != "json":
                self._close(BAD_VERSION)
            self._say(HELLO, {"heartbeat_interval": int(self._gateway.heartbeat * 1000)})
            await self._read()
        finally:
            if self._session is not None and self._session.outbox is self._outbox:
                self._session.outbox = None
                if self._ended is None and self._ws.close_code in (1000, 1001):  # it will not come back
                    self._gateway.sessions.pop(self._session.id, None)
            self._gateway.log.append(f"close {self._ended or self._ws.close_code}")
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sender
        return self._ws

    async def _read(self) -> None:
        while True:
            try:
                message = await self._ws.receive(timeout=self._gateway.heartbeat * 1.5 + 1)
            except TimeoutError:
                self._close(TIMED_OUT)
                return
            if message.type != WSMsgType.TEXT:
                return
            try:
                said = json.loads(message.data)
                op, data = said["op"], said.get("d")
            except (ValueError, KeyError, TypeError):
                self._close(DECODE)
                continue
            self._take(op, data)

    def _take(self, op: int, data: Any) -> None:
        if op == HEARTBEAT:
            self._gateway.log.append("heartbeat")
            if self._gateway.acks:
                self._say(ACK, None)
        elif op == IDENTIFY:
            self._identify(data)
        elif op == RESUME:
            self._resume(data)
        elif self._session is None:
            self._close(NOT_AUTHENTICATED)
        elif op not in (3, 4, 8):
            self._close(UNKNOWN)

    def _identify(self, data: Json) -> None:
        gateway = self._gateway
        gateway.log.append("identify")
        shard, count = data.get("shard") or (0, 1)
        intents = data.get("intents")
        if self._session is not None:
            return self._close(TWICE)
        if data.get("token") != gateway.token:
            return self._close(BAD_TOKEN)
        if not 0 <= shard < count:
            return self._close(BAD_SHARD)
        if count < gateway.shards_needed:
            return self._close(SHARDING_NEEDED)
        if not isinstance(intents, int) or intents & ~INTENTS or not data.get("properties"):
            return self._close(BAD_INTENTS)
        if intents & PRIVILEGED:
            return self._close(NOT_ALLOWED)
        if gateway.invalid_identifies or gateway.starts.remaining < 1:
            gateway.invalid_identifies = max(0, gateway.invalid_identifies - 1)
            return self._say(INVALID, False)
        gateway.starts.remaining -= 1
        session = Session(shard, count, intents)
        gateway.sessions[session.id] = self._session = session
        session.outbox = self._outbox
        self._ready(session)
        return None

    def _ready(self, session: Session) -> None:
        world = self._gateway.world
        mine = [one for one in world.guilds.values() if world.bot.id in one.members and session.hears(one.id)]
        ready = {
            "v": 10,
            "user": payloads.user(world.bot),
            "guilds": [{"id": one.id, "unavailable": True} for one in mine],
            "session_id": session.id,
            "resume_gateway_url": self._gateway.url,
            "shard": [session.shard, session.shards],
            "application": {"id": world.app_id, "flags": 0},
            "private_channels": [],
        }
        session.dispatch("READY", ready)
        if session.intents & 1:
            for guild in mine:
                if guild.id not in world.unavailable:
                    session.dispatch("GUILD_CREATE", payloads.guild_created(guild, world.bot))
        session.ready = True

    def _resume(self, data: Json) -> None:
        gateway = self._gateway
        gateway.log.append("resume")
        if data.get("token") != gateway.token:
            return self._close(BAD_TOKEN)
        session = gateway.sessions.get(str(data.get("session_id")))
        if gateway.refuse_resumes or session is None or not session.ready:
            gateway.refuse_resumes = max(0, gateway.refuse_resumes - 1)
            return self._say(INVALID, False)
        missed = session.since(int(data.get("seq") or 0))
        if missed is None:
            return self._close(BAD_SEQ)
        session.close(4000)  # a socket that still has the session loses it
        self._session, session.outbox = session, self._outbox
        for text in missed:
            self._outbox.put_nowait(text)
        session.dispatch("RESUMED", {"_trace": []})
        return None

    def _say(self, op: int, data: object) -> None:
        self._outbox.put_nowait(json.dumps({"op": op, "d": data, "s": None, "t": None}))

    def _close(self, code: int) -> None:
        self._outbox.put_nowait(code)

    async def _send_all(self) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            while True:
                item = await self._outbox.get()
                if isinstance(item, int):
                    self._ended = item
                    if item == 1006 and self._request.transport is not None:
                        self._request.transport.abort()
                        return
                    await self._ws.close(code=item)
                    return
                await self._ws.send_bytes(self._pack(item))


def _packer(kind: str) -> Callable[[str], bytes]:
    """Return what packs texts for one socket: one stream, of which each message ends with a flush."""
    if kind == "zstd-stream":
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # Python 3.14, where discord.py asks for it

        stream = zstd.ZstdCompressor()
        return lambda text: bytes(stream.compress(text.encode(), zstd.ZstdCompressor.FLUSH_BLOCK))
    packer = zlib.compressobj()
    return lambda text: packer.compress(text.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
