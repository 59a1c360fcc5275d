"""A chat in the terminal: numbers press buttons, answers grow, files are kept, and it ends cleanly."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import time_machine

from bot.core.message import Button, File, Form, Message
from bot.core.request import Address, Request
from bot.errors import Refused, Retry
from bot.platforms.console import Console
from bot.platforms.console.keep import save, system_zone
from tests.fakes.digest import DIGEST
from tests.fakes.rig_console import Held

ROOT = Path(__file__).parents[2]
ESCAPES = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m")


async def answers(request: Request) -> AsyncGenerator[Message, None]:
    if request.action:
        yield Message(f"Pressed {request.action}.", buttons=(Button("Undo", "undo:1:0"),))
    elif "nothing" in request.text:
        return
    elif "plainly" in request.text:
        yield Message("No buttons.")
    else:
        yield Message("still looking …")
        yield DIGEST
        if "share" in request.text:
            yield Message("For all.", buttons=(Button("Save", "save:2:0"),), public=True)


class Chat:
    """One person's chats, over one memory."""

    def __init__(self, channel: str = "") -> None:
        self.memory = Held()
        self.channel = channel

    async def say(self, typed: str, **options: bool | int) -> str:
        out = io.StringIO()
        chat = Console(
            stdin=io.StringIO(typed),
            stdout=out,
            memory=self.memory,
            user="ada",
            channel=self.channel,
            **options,  # type: ignore[arg-type]
        )
        await chat.run(answers)
        return out.getvalue()


async def test_a_number_presses_the_button_on_the_screen_even_after_a_restart() -> None:
    chat = Chat()
    await chat.say("digest\n")
    assert "Pressed less:9c1:0.\n\n[5] Undo" in await chat.say("2\n")
    assert "Pressed page:9c1:1.\n\n[6] Undo" in await chat.say("[4]\n")
    assert "Pressed undo:1:0." in await chat.say("5\n")
    assert "[1] More like this" in await chat.say("digest\n")
    assert "Pressed more:9c1:0." in await chat.say("plainly\n1\n")


async def test_in_json_numbers_count_the_last_answer() -> None:
    chat = Chat()
    shown = (await chat.say("digest share\n5\n1\n", as_json=True)).splitlines()
    assert [json.loads(line)["text"] for line in shown] == [
        "Good morning. 5 of 231 new papers", "For all.", "Pressed save:2:0.", "Pressed undo:1:0.",
    ]  # fmt: skip
    assert [json.loads(line)["public"] for line in shown] == [False, True, False, False]


async def test_a_number_without_a_button_says_so() -> None:
    chat = Chat()
    assert await chat.say("7\n") == (
        "There is no button to press yet. To search for the number, type: /papers search 7\n\n"
    )
    assert "There is no button 0: they go from 1 to 4." in await chat.say("digest\n0\n")
    assert "There is no button 99" in await chat.say("99\n")


async def test_numbers_begin_anew_before_there_are_too_many() -> None:
    chat = Chat()
    chat.memory.actions[Address("console", "local", "ada")] = ["more:1:0"] * 200
    assert "[1] Undo" in await chat.say("200\n")


async def test_an_action_is_pressed() -> None:
    assert "Pressed more:4f2:17." in await Chat().say("more:4f2:17\n")


async def test_only_the_last_private_message_is_printed_and_what_is_public_is_marked() -> None:
    shown = await Chat("#reading").say("search x share\n")
    assert "still looking" not in shown
    assert shown.count("Good morning") == 1
    assert "\nin #reading:\n\nFor all.\n\n[5] Save\n" in shown
    assert "for everybody:" in await Chat().say("search x share\n")


async def test_at_a_terminal_an_answer_grows_and_its_numbers_begin_at_1() -> None:
    chat = Chat()
    await chat.say("digest\n", color=True)
    shown = ESCAPES.sub("", await chat.say("search x share\n", color=True, width=100))
    assert shown.index("still looking") < shown.index("Good morning")
    assert "[1] More like this" in shown
    assert "[5] Save" in shown


@pytest.mark.parametrize("typed", ["", "\n\n", "exit\ndigest\n", "quit", " \n/exit\ndigest\n", "nothing\n"])
async def test_a_chat_ends_in_silence(typed: str) -> None:
    assert await Chat().say(typed) == ""


async def test_a_channel_is_where_it_is_asked() -> None:
    asked: list[Request] = []

    async def invoke(request: Request) -> AsyncGenerator[Message, None]:
        asked.append(request)
        yield Message("Found.")

    typed = io.StringIO("x\n")
    await Console(stdin=typed, stdout=io.StringIO(), memory=Held(), user="ada", channel="#reading").run(invoke)
    (request,) = asked
    assert request.address == Address("console", "local", "ada", "reading")
    assert (request.person, request.place) == ("ada", "reading")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_file_is_saved_beside_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def invoke(request: Request) -> AsyncGenerator[Message, None]:
        yield Message("Here.", files=(File("paperround-export.json", b"{}"),), form=Form("schedule"))

    out = io.StringIO()
    await Console(stdin=io.StringIO("export\nexport\n"), stdout=out, memory=Held()).run(invoke)
    assert f"Saved as {tmp_path / 'paperround-export.json'}\n" in out.getvalue()
    assert f"Saved as {tmp_path / 'paperround-export-2.json'}\n" in out.getvalue()
    assert "Type: /papers schedule" in out.getvalue()
    await Console(stdin=io.StringIO("export\n"), stdout=out, memory=Held(), as_json=True).run(invoke)
    assert names(tmp_path) == ["paperround-export-2.json", "paperround-export.json"]


async def test_a_file_that_cannot_be_saved_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()

    async def invoke(request: Request) -> AsyncGenerator[Message, None]:
        yield Message("Here.", files=(File("a.json", b"{}"),))

    out = io.StringIO()
    await Console(stdin=io.StringIO("export\n"), stdout=out, memory=Held()).run(invoke)
    assert "a.json could not be saved here (No such file or directory)." in out.getvalue()


@pytest.mark.parametrize(
    "name", ["../../a.json", "/etc/a.json", ".a.json", "a\x00\x1b.json", "..", "", "x" * 500 + ".json"]
)
def test_a_file_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    path = save(File(name, b"x"), tmp_path)
    assert path.parent == tmp_path
    assert not path.name.startswith(".")
    assert path.stat().st_mode & 0o077 == 0


def test_a_file_never_replaces_another(tmp_path: Path) -> None:
    paths = {save(File("a.json", str(n).encode()), tmp_path) for n in range(100)}
    assert len(paths) == 100
    assert (tmp_path / "a.json").read_bytes() == b"0"
    with pytest.raises(FileExistsError, match="100 files of this name"):
        save(File("a.json", b"x"), tmp_path)


async def test_sent_messages_stand_under_a_rule() -> None:
    out, memory = io.StringIO(), Held()
    console = Console(stdin=io.StringIO(), stdout=out, memory=memory, user="ada")
    with time_machine.travel("2026-12-02T09:30:00+00:00", tick=False):
        receipt = await console.send(Address("console", "local", "ada"), DIGEST, "digest:1")
        await console.send(Address("console", "local", "", "reading"), DIGEST, "digest:2")
        local = receipt.at.astimezone().strftime("%H:%M")
    assert (receipt.id, receipt.at.isoformat()) == ("digest:1", "2026-12-02T09:30:00+00:00")
    assert out.getvalue().startswith(f"-- {local} --\n\nGood morning.")
    assert f"-- {local} · #reading --" in out.getvalue()
    assert "[8] Next ▸" in out.getvalue()
    assert len(memory.actions[Address("console", "local", "ada")]) == 8
    with pytest.raises(Refused, match="the message is for slack"):
        await console.send(Address("slack", "T1", "ada"), DIGEST, "digest:3")
    with pytest.raises(Retry, match="This is the terminal of ada. bob has to open one."):  # noqa: RUF043
        await console.send(Address("console", "local", "bob"), DIGEST, "digest:4")


def test_the_system_zone(tmp_path: Path) -> None:
    assert system_zone() == "" or ZoneInfo(system_zone())
    assert system_zone(tmp_path) == ""
    (tmp_path / "timezone").write_text("Mars/Base\n")
    assert system_zone(tmp_path) == ""
    (tmp_path / "timezone").write_bytes(b"\xff\xfe")
    assert system_zone(tmp_path) == ""


async def test_an_output_of_few_letters_gets_question_marks() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    await Console(stdin=io.StringIO("digest\n"), stdout=out, memory=Held()).run(answers)
    assert b"[4] Next ?" in raw.getvalue()


async def test_a_sent_message_makes_room_at_the_prompt() -> None:
    master, slave = pty.openpty()
    with os.fdopen(os.dup(slave), encoding="utf-8") as stdin, os.fdopen(slave, "w", encoding="utf-8") as stdout:
        console = Console(stdin=stdin, stdout=stdout, memory=Held(), user="ada")
        running = asyncio.create_task(console.run(answers))
        await asyncio.sleep(0)  # it comes to its prompt
        assert _read_until(master, b"> ") == b"> "
        await console.send(Address("console", "local", "ada"), Message("A digest."), "digest:1")
        os.write(master, b"plainly\n")
        os.write(master, b"exit\n")
        await running
    shown = _read_until(master, b"No buttons.\r\n\r\n> ")
    os.close(master)
    assert shown.startswith(b"\r\n\x1b[2m\xe2\x94\x80\xe2\x94\x80 ")
    assert b"A digest.\r\n\r\n> " in shown


async def test_nobody_reads_any_more() -> None:
    out, into = os.pipe()
    os.close(out)
    with os.fdopen(into, "w", encoding="utf-8") as stdout:
        console = Console(stdin=io.StringIO("digest\n"), stdout=stdout, memory=Held(), user="ada")
        with pytest.raises(Retry, match="The terminal is closed"):
            await console.send(Address("console", "local", "ada"), DIGEST, "digest:1")
        await console.run(answers)


async def test_an_answer_that_nobody_reads_is_given_up() -> None:
    given_up: list[str] = []

    async def invoke(request: Request) -> AsyncGenerator[Message, None]:
        try:
            yield Message("still looking …")
            yield Message("Found.")
        finally:
            given_up.append(request.text)

    out, into = os.pipe()
    os.close(out)
    with os.fdopen(into, "w", encoding="utf-8") as stdout:
        await Console(stdin=io.StringIO("x\ny\n"), stdout=stdout, memory=Held(), color=True).run(invoke)
    assert given_up == ["x"]


async def test_another_fault_of_the_output_is_no_silence() -> None:
    with os.fdopen(os.open("/dev/full", os.O_WRONLY), "w", encoding="utf-8") as stdout:
        console = Console(stdin=io.StringIO("digest\n"), stdout=stdout, memory=Held(), user="ada")
        with pytest.raises(OSError, match="No space left"):
            await console.run(answers)
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())


PROGRAM = """
import asyncio, sys
from tests.fakes.rig_console import Held
from bot.core.message import Message
from bot.platforms.console import Console

async def invoke(request):
    for number in range(int(request.text.split()[1])):
        yield Message(f"Answer {number}. " + "x" * 5000, public=True)

try:
    asyncio.run(Console(stdin=sys.stdin, stdout=sys.stdout, memory=Held()).run(invoke))
except KeyboardInterrupt:
    sys.exit(130)
"""


def start(**streams: int) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
    return subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, **streams)  # type: ignore[call-overload,no-any-return]


def test_a_closed_pipe_ends_it_quietly() -> None:
    program = start(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdin
    assert program.stdout
    program.stdout.close()
    program.stdout = None
    _, errors = program.communicate(b"say 1000\n" * 10, timeout=60)
    assert (program.returncode, errors) == (0, b"")


@pytest.mark.parametrize(("keys", "code"), [(b"\x03", 130), (b"\x04", 0), (b"exit\n", 0)])
def test_a_terminal_is_left_by_its_keys(keys: bytes, code: int) -> None:
    master, slave = pty.openpty()
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm"}
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    try:
        assert _read_until(master, b"> ").endswith(b"> ")
        os.write(master, b"say 1\n")
        assert b"Answer 0." in _read_until(master, b"\r\n> ")
        if keys == b"\x03":  # this session has no controlling terminal that would turn the key into the signal
            _interrupt(program)
        else:
            os.write(master, keys)
        assert program.wait(timeout=60) == code
        assert b"Traceback" not in _read_until(master, b"Traceback")
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
        os.close(master)


def _interrupt(program: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C, as a person does: again if nothing happens.

    asyncio.run sees a signal that comes in the moment before its loop waits only at the next one: about once in
    thousands of times, on a busy machine.
    """
    for _ in range(6):
        program.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            program.wait(timeout=10)
            return


def _read_until(fd: int, end: bytes) -> bytes:
    """Read from a terminal until something was seen, or it is closed."""
    seen = b""
    while not seen.endswith(end):
        try:
            data = os.read(fd, 1)
        except OSError:  # closed
            return seen
        if not data:
            return seen
        seen += data
    return seen
