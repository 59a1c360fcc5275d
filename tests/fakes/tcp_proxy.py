"""A door between a program and its database that can be shut: what a server looks like that goes away."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType


class Door:
    """Forwards a TCP port on loopback to a Unix socket, inside `with`. `shut` cuts every line and refuses new ones."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._serve, name="door", daemon=True)
        self._ready = Event()
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()
        self._talks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Door:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def shut(self) -> None:
        """Cut all lines, and refuse new ones until `open`."""
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result(10)

    def open(self) -> None:
        """Let lines through again, on the same port."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(asyncio.gather(*self._talks, return_exceptions=True))
        self._loop.close()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _shut(self) -> None:
        if self._server is not None:
            self._server.close()
        for line in list(self._lines):
            line.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        assert talk is not None
        self._talks.add(talk)
        self._lines.add(writer)
        try:
            back, forth = await asyncio.open_unix_connection(self._socket)
            self._lines.add(forth)
            await asyncio.gather(_pump(reader, forth), _pump(back, writer))
            self._lines.discard(forth)
        finally:
            self._lines.discard(writer)
            self._talks.discard(talk)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    writer.close()
