"""An HTTP server that answers every request with the same bytes, or does with the connection what a test wants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs


@dataclass
class Asked:
    """One request."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        """The fields of its form."""
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


@dataclass
class CannedServer:
    """Answers each request with the next of `first`, then with `answer`, or by what `acts` does with the connection."""

    url: str = ""
    answer: bytes = b""
    first: list[bytes] = field(default_factory=list)
    acts: Callable[[asyncio.StreamWriter], Awaitable[None]] | None = None
    asked: list[Asked] = field(default_factory=list)
    open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)

    def says(self, body: Any, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        """Answer so from now on."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(content)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.answer = "\r\n".join(lines).encode() + b"\r\n\r\n" + content

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes through one connection."""
        task = asyncio.current_task()
        assert task is not None
        self.open[task] = writer
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = head.strip().split("\r\n")
                headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.asked.append(Asked(lines[0], headers, body))
                if self.acts is not None:
                    return await self.acts(writer)
                writer.write(self.first.pop(0) if self.first else self.answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving() -> AsyncIterator[CannedServer]:
    """Serve on a free port, and let go of all connections at the end."""
    server = CannedServer()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
    try:
        yield server
    finally:
        listening.close()
        for task, writer in server.open.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*server.open)
        await asyncio.sleep(0)  # a transport lets go of its socket in the loop's next turn
