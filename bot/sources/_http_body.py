"""Reading a body that may be packed, cut off or endless."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from io import BytesIO

ENCODINGS = "gzip, deflate"  # that are asked for, and read
_PIECE = 1 << 18  # bytes that are unpacked at a time
_MEMBERS = 1000  # of a gzip stream: each costs a copy of what follows


class TooLarge(Exception):  # noqa: N818 - it is no error of the program
    """There are more bytes than were asked for."""


class Spoilt(Exception):  # noqa: N818
    """It is packed in a way that cannot be read, or cut off; its text says it, to follow the host's name."""


async def gather(pieces: AsyncIterator[bytes], packed: str, limit: int) -> bytes:
    """Return the whole body, unpacked. `packed` is its Content-Encoding, `limit` in bytes counts what is unpacked.

    Never holds much more than `limit`, however well it is packed. Raises TooLarge, and Spoilt.
    """
    whole = BytesIO()
    unpack = _unpacker(packed)
    came = 0
    async for piece in pieces:
        came += len(piece)
        if came > limit:  # padding, and blocks that hold nothing, may be endless too
            raise TooLarge
        if unpack is None:
            _add(whole, piece, limit)
        else:
            unpack.feed(piece, whole, limit)
    if unpack is not None:
        unpack.end()
    return whole.getvalue()


def _add(whole: BytesIO, piece: bytes, limit: int) -> None:
    if whole.tell() + len(piece) > limit:
        raise TooLarge
    whole.write(piece)


def _unpacker(packed: str) -> _Unpacker | None:
    name = packed.strip().lower()
    if name in ("", "identity", "none", "utf-8"):  # the last two are no encodings, and are sent
        return None
    if name not in ("gzip", "x-gzip", "deflate"):
        raise Spoilt("packed its answer in a way that was not asked for")
    return _Unpacker(name == "deflate")


class _Unpacker:
    """One gzip (also of several members) or deflate stream."""

    def __init__(self, deflate: bool) -> None:
        self._deflate = deflate
        self._stream: zlib._Decompress | None = None
        self._members = 0

    def feed(self, piece: bytes, whole: BytesIO, limit: int) -> None:
        """Unpack a piece into `whole`."""
        while piece:
            if self._stream is None:
                if self._members and piece[:1] != b"\x1f":
                    return  # padding after the last member, which gzip(1) ignores too
                self._begin(piece[0])
            piece = self._unpack(piece, whole, limit)

    def end(self) -> None:
        """Raise Spoilt if it does not end here."""
        if self._stream is not None:
            raise Spoilt("broke off in the middle of an answer")

    def _begin(self, first: int) -> None:
        self._members += 1
        if self._members > _MEMBERS:
            raise Spoilt("sent a packed answer that cannot be unpacked")
        wbits = 31 if not self._deflate else 15 if first & 0x0F == 8 else -15  # deflate is sent without its header too
        self._stream = zlib.decompressobj(wbits)

    def _unpack(self, piece: bytes, whole: BytesIO, limit: int) -> bytes:
        """Unpack up to the end of the piece or of a member, and return what is left of the piece."""
        stream, full = self._stream, True
        assert stream is not None  # noqa: S101 - feed() begins one
        while (piece or full) and not stream.eof:
            try:
                found = stream.decompress(piece, _PIECE)
            except zlib.error:
                raise Spoilt("sent a packed answer that cannot be unpacked") from None
            _add(whole, found, limit)
            piece, full = stream.unconsumed_tail, len(found) == _PIECE
        if not stream.eof:
            return b""
        self._stream = None
        return stream.unused_data
