"""A file's bytes as lines of text: unpacked, bounded, in whatever encoding; and what is no text refused by name."""

from __future__ import annotations

import codecs
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bot.errors import FileError

Progress = Callable[[int, int], None]  # bytes read so far, and the file's size, both as stored on disk

CHUNK = 1 << 16
HEAD = 1 << 16  # bytes looked at to tell what a file is


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read, in bytes: of one file once unpacked, of one line, and of one JSON document held whole."""

    file: int = 2 << 30
    line: int = 16 << 20
    document: int = 128 << 20


LIMITS = Limits()
TOO_LONG = f"longer than {LIMITS.line >> 20} MB"


class Cut(Exception):  # noqa: N818 - a reader's stop, not an error that leaves this package
    """A packed file ends, or breaks, too early: in line `line`."""

    def __init__(self, line: int = 1) -> None:
        super().__init__(line)
        self.line = line


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end. `number` counts from 1; `text` is None where the line was longer than the limit."""

    number: int
    text: str | None


_GZIP = b"\x1f\x8b"
_BINARY = (
    (b"PK\x03\x04", "a zip archive (or an Office document)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (_GZIP, "packed twice"),
    (b"BZh", "packed with bzip2"),
    (b"\xfd7zXZ", "packed with xz"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"PAR1", "a Parquet file"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"{\\rtf", "a rich text document"),
)
_OTHER_TEXT = (
    (re.compile(r"\s*<(?:\?xml|!doctype|html|rss|feed)\b", re.IGNORECASE), "XML or a web page"),
    (re.compile(r"(?:\s*%.*\n)*\s*@\s*[A-Za-z]{2,20}\s*[{(]"), "BibTeX"),
    (re.compile(r"\s*(?:TY  - |PMID- |FN [A-Z]|PT [A-Z])"), "a reference manager's tagged file"),
)
_READS = "Plain abstracts, JSON lines, JSON, CSV and TSV can be read, .gz too."


def refusal(path: Path, what: str) -> FileError:
    """Make the one clear line about a file that cannot be read."""
    return FileError(f"{path}: {what}")


def head(path: Path, limits: Limits = LIMITS) -> str:
    """Return the first characters of a file, decoded. Raises FileError for what is no file, no text, or too large."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise refusal(path, f"is a folder: name a file in it. {_READS}")
        if not stat.S_ISREG(status.st_mode):
            raise refusal(path, f"is not a regular file. {_READS}")
        if status.st_size > limits.file:
            raise refusal(path, f"is larger than {_size(limits.file)}: split it into smaller files.")
        with path.open("rb") as file:
            start = _start(file, limits)
    except FileNotFoundError as error:
        raise refusal(path, "there is no such file. Check the name.") from error
    except PermissionError as error:
        raise refusal(path, "may not be read. Give this user permission to read it.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name cannot be used"
        raise refusal(path, f"cannot be read ({reason}).") from error
    return _text_of(path, start)


def _start(file: BinaryIO, limits: Limits) -> bytes:
    collected = b""
    try:
        for chunk in _unpacked(file, None, 0, limits):
            collected += chunk
            if len(collected) >= HEAD:
                break
    except Cut:  # told with its line number when the file is read
        pass
    return collected[:HEAD]


def _text_of(path: Path, start: bytes) -> str:
    if start[257:262] == b"ustar":
        raise refusal(path, f"is a tar archive: unpack it first. {_READS}")
    for magic, what in _BINARY:
        if start.startswith(magic):
            raise refusal(path, f"is {what}, not text. {_READS}")
    text = start.decode(_wide(start) or "utf-8", errors="replace").lstrip("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise refusal(path, "is empty: there is nothing in it to read.")
    strange = sum(character < " " and character not in "\t\n\r\f\x1b" for character in text)
    if strange > 0.05 * len(text):
        raise refusal(path, f"is not text. {_READS}")
    for pattern, what in _OTHER_TEXT:
        if pattern.match(text):
            raise refusal(path, f"is {what}, which cannot be read yet. {_READS}")
    return text


def lines(path: Path, progress: Progress | None = None, limits: Limits = LIMITS) -> Iterator[Line]:
    """Yield the lines of a file, unpacked and decoded, holding no more than one of them at a time.

    A line that is not UTF-8 is read as Windows-1252 or Latin-1; UTF-16 and UTF-32 are told by their first bytes. Line
    ends may be of any system. Raises FileError if more comes out than the limit, and Cut, after all whole lines before
    it, if a packed file is damaged.
    """
    yield from _split(_chunks(path, progress, limits), limits)


def document(path: Path, progress: Progress | None = None, limits: Limits = LIMITS) -> tuple[str, bool]:
    """Return a whole file as text, and whether all of it could be unpacked. Raises FileError if it is too large."""
    pieces: list[bytes] = []
    size, whole = 0, True
    try:
        for chunk in _chunks(path, progress, limits):
            pieces.append(chunk)
            size += len(chunk)
            if size > limits.document:
                raise refusal(
                    path, f"is one JSON document of more than {_size(limits.document)}: write one object a line."
                )
    except Cut:
        whole = False
    return _decoded(b"".join(pieces), whole), whole


def _chunks(path: Path, progress: Progress | None, limits: Limits) -> Iterator[bytes]:
    try:
        total = path.stat().st_size
        with path.open("rb") as file:
            first = _start(file, limits)
            file.seek(0)
            yield from _recoded(_unpacked(file, progress, total, limits), first)
    except OSError as error:
        raise refusal(path, f"cannot be read ({error.strerror or 'input error'}).") from error


def _unpacked(file: BinaryIO, progress: Progress | None, total: int, limits: Limits) -> Iterator[bytes]:
    """Yield a file's content in pieces of at most 1 MiB. Raises Cut and FileError, as `lines` does."""
    done = out = 0
    packed = file.read(2) == _GZIP
    file.seek(0)
    engine = _Gunzip() if packed else None
    while chunk := file.read(CHUNK):
        done += len(chunk)
        for piece in engine.feed(chunk) if engine else (chunk,):
            out += len(piece)
            if out > limits.file:
                raise refusal(Path(file.name), f"holds more than {_size(limits.file)}: split it into smaller files.")
            yield piece
        if progress is not None:
            progress(done, total)
    if engine and not engine.complete:
        raise Cut


class _Gunzip:
    """Unpacks gzip, several members one after the other too, in bounded pieces."""

    def __init__(self) -> None:
        self._engine = zlib.decompressobj(wbits=31)
        self.complete = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._engine.eof:
                data = data.lstrip(b"\x00")  # padding after a member is legal
                if not data:
                    return
                self._engine, self.complete = zlib.decompressobj(wbits=31), False
            try:
                piece = self._engine.decompress(data, 1 << 20)
            except zlib.error as error:
                raise Cut from error
            if piece:
                yield piece
            if self._engine.eof:
                self.complete, data = True, self._engine.unused_data
            else:
                data = self._engine.unconsumed_tail


def _wide(start: bytes) -> str | None:
    """Name the encoding of UTF-16 or UTF-32 by its mark, or by the zeros beside Latin letters, or None."""
    for mark, name in (
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if start.startswith(mark):
            return name
    sample = start[:2000]
    if len(sample) >= 8:
        even, odd = sample[::2].count(0) / (len(sample) / 2), sample[1::2].count(0) / (len(sample) / 2)
        if odd > 0.6 and even < 0.1:
            return "utf-16-le"
        if even > 0.6 and odd < 0.1:
            return "utf-16-be"
    return None


def _recoded(chunks: Iterator[bytes], start: bytes) -> Iterator[bytes]:
    """Make UTF-8 of wide encodings, and line feeds of the lone carriage returns of old Macs."""
    wide = _wide(start)
    if wide is None:
        mac = b"\r" in start and b"\n" not in start
        for number, chunk in enumerate(chunks):
            chunk = chunk.removeprefix(codecs.BOM_UTF8) if number == 0 else chunk
            yield chunk.replace(b"\r", b"\n") if mac else chunk
        return
    decoder = codecs.getincrementaldecoder(wide)(errors="replace")
    for chunk in chunks:
        yield decoder.decode(chunk).lstrip("\ufeff").encode("utf-8", errors="replace")
    yield decoder.decode(b"", final=True).encode("utf-8", errors="replace")


def _split(chunks: Iterator[bytes], limits: Limits) -> Iterator[Line]:
    number, kept, size = 1, [], 0
    try:
        for chunk in chunks:
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                kept.append(piece)
                yield _line(number, kept, size + len(piece), limits)
                number, kept, size = number + 1, [], 0
            size += len(rest)
            if size <= limits.line:
                kept.append(rest)
            else:
                kept = []
    except Cut as cut:
        raise Cut(number) from cut  # what stands of this line is no line
    if size:
        yield _line(number, kept, size, limits)


def _line(number: int, pieces: list[bytes], size: int, limits: Limits) -> Line:
    if size > limits.line:
        return Line(number, None)
    return Line(number, _decoded(b"".join(pieces).rstrip(b"\r")))


def _decoded(raw: bytes, whole: bool = True) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError as error:
            if not whole and error.start >= len(raw) - 3:  # cut inside a character
                return raw[: error.start].decode(encoding)
    return raw.decode("latin-1")


def _size(count: int) -> str:
    return f"{count >> 30} GB" if count >= 1 << 30 else f"{count >> 20} MB" if count >= 1 << 20 else f"{count} bytes"
