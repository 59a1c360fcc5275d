"""A web server on real sockets that does what servers do when they are unwell, and a clock that needs no waiting."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

START = datetime(2026, 11, 2, 17, 0, tzinfo=UTC).timestamp()


class Clock:
    """Time that passes only when somebody sleeps, and then at once; many may sleep together."""

    def __init__(self, start: float = START) -> None:
        self.time = start
        self._waiting: list[tuple[float, int]] = []
        self._count = count()

    def now(self) -> float:
        """Seconds since 1970."""
        return self.time

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass, after those of all who wake earlier."""
        mine = (self.time + seconds, next(self._count))
        self._waiting.append(mine)
        try:
            await asyncio.sleep(0)
            while min(self._waiting) != mine:  # noqa: ASYNC110 - each turn of the loop may bring an earlier one
                await asyncio.sleep(0)
            self.time = max(self.time, mine[0])
        finally:
            self._waiting.remove(mine)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, and when it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float


Act = Callable[["OddServer", Asked, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class OddServer:
    """Does with a path what `on` told it: one thing after the other, and the last for ever."""

    url: str = ""
    port: int = 0
    now: Callable[[], float] = lambda: 0.0
    asked: list[Asked] = field(default_factory=list)
    sent: int = 0  # bytes of endless bodies
    otherwise: Act | None = None  # what is done with all other paths
    at_once: int = 0
    most_at_once: int = 0
    open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)
    _acts: dict[str, list[Act]] = field(default_factory=dict)

    def on(self, path: str, *acts: Act) -> str:
        """Answer a path so, and return its URL."""
        self._acts[path] = list(acts)
        return self.url + path

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes through one connection, and close it."""
        task = asyncio.current_task()
        assert task is not None
        self.open[task] = writer
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            method, target, _ = first.split(" ")
            asked = Asked(method, target, headers, body, self.now())
            self.asked.append(asked)
            acts = self._acts.get(target.partition("?")[0]) or [self.otherwise or says("nothing is here", 404)]
            await (acts.pop(0) if len(acts) > 1 else acts[0])(self, asked, writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            self.at_once -= 1
            writer.close()
            del self.open[task]


def says(body: bytes | str = b"", status: int = 200, kind: str = "text/xml", **headers: Any) -> Act:
    """Answer a status, a body and headers, whose names have _ for -."""
    content = body.encode() if isinstance(body, str) else body

    async def act(_server: OddServer, _asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(status, Content_Type=kind, Content_Length=len(content), **headers) + content)

    return act


def packed(body: bytes, encoding: str = "gzip", status: int = 200, **headers: Any) -> Act:
    """Answer what says that it is packed."""
    return says(body, status, Content_Encoding=encoding, **headers)


def leads_on(to: str, status: int = 302) -> Act:
    """Answer a redirect."""
    return says(b"", status, Location=to)


def cut(body: bytes, missing: int = 10) -> Act:
    """Promise a body, and close the connection before its end."""

    async def act(_server: OddServer, _asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, Content_Length=len(body) + missing) + body)

    return act


def cut_chunks(body: bytes) -> Act:
    """Send a body in chunks without the last."""

    async def act(_server: OddServer, _asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, Transfer_Encoding="chunked") + f"{len(body):x}\r\n".encode() + body + b"\r\n")

    return act


def raw(content: bytes) -> Act:
    """Write these bytes, whatever they are, and close the connection."""

    async def act(_server: OddServer, _asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(content)

    return act


def late(seconds: float, then: Act) -> Act:
    """Wait, in real seconds, before something is done."""

    async def act(server: OddServer, asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await then(server, asked, writer)

    return act


def endless(piece: bytes = b"x" * 65536, most: int = 200_000_000, pause: float = 0.0) -> Act:
    """Send chunk after chunk."""

    async def act(server: OddServer, _asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, Transfer_Encoding="chunked"))
        chunk = f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
        while server.sent < most:
            writer.write(chunk)
            server.sent += len(piece)
            await writer.drain()
            if pause:
                await asyncio.sleep(pause)

    return act


def same_if(tag: str, body: str) -> Act:
    """Answer 304 to one who has the body already."""

    async def act(server: OddServer, asked: Asked, writer: asyncio.StreamWriter) -> None:
        had = asked.headers.get("if-none-match") == tag
        await (says(b"", 304, ETag=tag) if had else says(body, ETag=tag))(server, asked, writer)

    return act


def bomb(size: int) -> bytes:
    """Return a gzip stream of so many blanks: a thousandth of their size."""
    return gzip.compress(b" " * size, 9)


@asynccontextmanager
async def serving(now: Callable[[], float] = lambda: 0.0, host: str = "127.0.0.1") -> AsyncIterator[OddServer]:
    """Serve on a free port of `host`, and let go of everything at the end."""
    server = OddServer(now=now)
    listening = await asyncio.start_server(server.serve, host, 0)
    server.port = listening.sockets[0].getsockname()[1]
    server.url = f"http://{host}:{server.port}"
    try:
        yield server
    finally:
        listening.close()
        tasks = list(server.open)
        for task, writer in list(server.open.items()):
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # a transport lets go of its socket in the loop's next turn


def _head(status: int, **headers: Any) -> bytes:
    lines = [f"HTTP/1.1 {status} X"] + [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"
