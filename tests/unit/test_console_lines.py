"""Lines of files, pipes, terminals and streams in memory, and what each means."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import threading
from pathlib import Path
from typing import TextIO

import pytest

from bot.platforms.console.lines import LINE_LIMIT, Lines
from bot.platforms.console.typed import Typed, read


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("", Typed()),
        ("  \r", Typed()),
        ("/papers search x", Typed(text="/papers search x")),
        ("\ufeffsearch x", Typed(text="search x")),
        ("a\udcffb", Typed(text="a\ufffdb")),
        ("3", Typed(number=3)),
        (" [3] ", Typed(number=3)),
        ("٣", Typed(number=3)),
        ("0", Typed(number=0)),
        ("2024", Typed(text="2024")),
        ("30000000", Typed(text="30000000")),
        ("-1", Typed(text="-1")),
        ("3.5", Typed(text="3.5")),
        ("more:4f2:17", Typed(action="more:4f2:17")),
        ("page:9c1:2", Typed(action="page:9c1:2")),
        ("more:4F2", Typed(text="more:4F2")),
        ("more:xyz", Typed(text="more:xyz")),
        ("more:", Typed(text="more:")),
        ("more:1:" + "0" * 100, Typed(text="more:1:" + "0" * 100)),
        ("pmid:12345678", Typed(text="pmid:12345678")),
        ("arxiv:2401.01234", Typed(text="arxiv:2401.01234")),
        ("exit", Typed(leaves=True)),
        ("QUIT ", Typed(leaves=True)),
        ("/quit", Typed(leaves=True)),
        ("exit strategies", Typed(text="exit strategies")),
    ],
)
def test_what_a_line_means(line: str, typed: Typed) -> None:
    assert read(line) == typed


async def read_all(stream: TextIO) -> list[str]:
    lines = Lines(stream)
    found = []
    while (line := await lines.next()) is not None:
        found.append(line)
    return found


CASES = [
    (b"", []),
    (b"a\nb", ["a", "b"]),
    (b"a\r\n\r\nb\n", ["a", "", "b"]),
    (b"\xff\xfe\n\xe6\xbc\n\xe6\xbc\xa2\n", ["\ufffd\ufffd", "\ufffd", "漢"]),
    (b"\x00\x1b\n", ["\x00\x1b"]),
    (b"x" * 300_000 + b"\ny\n", ["x" * LINE_LIMIT, "y"]),
    (b"x\n" * 3000, ["x"] * 3000),
]


@pytest.mark.parametrize(("data", "lines"), CASES)
async def test_lines_of_a_file(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    (tmp_path / "typed").write_bytes(data)
    with (tmp_path / "typed").open(encoding="utf-8") as stream:
        assert await read_all(stream) == lines


@pytest.mark.parametrize(("data", "lines"), CASES)
async def test_lines_of_a_pipe(data: bytes, lines: list[str]) -> None:
    out, into = os.pipe()
    writer = threading.Thread(target=_write_all, args=(into, data))
    writer.start()
    with os.fdopen(out, encoding="utf-8") as stream:
        assert await read_all(stream) == lines
    writer.join()


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
    os.close(fd)


@pytest.mark.parametrize(("data", "lines"), CASES)
async def test_lines_in_memory(data: bytes, lines: list[str]) -> None:
    assert await read_all(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")) == lines


async def test_lines_of_nothing() -> None:
    with os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8") as stream:
        assert await read_all(stream) == []


async def test_a_wait_for_a_line_can_be_cancelled() -> None:
    out, into = os.pipe()
    before = threading.active_count()
    with os.fdopen(out, encoding="utf-8") as stream:
        waiting = asyncio.create_task(Lines(stream).next())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert threading.active_count() == before
    os.close(into)


async def test_a_terminal_that_is_closed_has_no_more_lines() -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave, encoding="utf-8") as stream:
        os.write(master, b"x\n")
        lines = Lines(stream)
        assert await lines.next() == "x"
        os.close(master)
        assert await lines.next() is None
