"""Lines of a stream, read off the event loop and without leaving a thread behind that waits for a key."""

from __future__ import annotations

import asyncio
import codecs
import errno
import os
from contextlib import suppress
from io import TextIOWrapper, UnsupportedOperation
from typing import TextIO

LINE_LIMIT = 100_000  # characters kept of one line; the grammar reads far fewer
_CHUNK = 65_536  # bytes


class Lines:
    """The lines of a terminal, a pipe, a file or a stream in memory. Bytes that are no text become U+FFFD."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._descriptor = descriptor(stream)
        self._decoder = codecs.getincrementaldecoder(stream.encoding or "utf-8")("replace")
        self._text = ""  # read, and not given yet
        self._ended = False
        if self._descriptor is None and isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")

    async def next(self) -> str | None:
        """Return the next line without its end, or None at the end of the stream."""
        if self._descriptor is None:
            line = await asyncio.to_thread(self._stream.readline)
            return line.rstrip("\r\n")[:LINE_LIMIT] if line else None
        kept = ""
        while True:
            line, end, rest = self._text.partition("\n")
            kept += line[: LINE_LIMIT - len(kept)]
            self._text = rest
            if end or self._ended:
                return kept.rstrip("\r") if end or kept else None
            await self._read(self._descriptor)

    async def _read(self, fd: int) -> None:
        """Wait for bytes and take them. A thread in `readline` could not be stopped by Ctrl-C; a wait can."""
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        data = b""
        try:
            loop.add_reader(fd, ready.set)
        except (NotImplementedError, OSError):  # a file is always ready, and Windows cannot tell
            data = await asyncio.to_thread(os.read, fd, _CHUNK)
        else:
            try:
                await ready.wait()
            finally:
                loop.remove_reader(fd)
            try:
                data = os.read(fd, _CHUNK)
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno != errno.EIO:  # the terminal was closed
                    raise
        self._ended = not data
        self._text += self._decoder.decode(data, self._ended)


def descriptor(stream: TextIO) -> int | None:
    """Return the file descriptor of a stream, or None for one in memory."""
    with suppress(UnsupportedOperation, AttributeError, ValueError):
        return stream.fileno()
    return None
