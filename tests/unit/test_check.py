"""How the doctor's findings read."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from bot.core.check import Check, plain_json, size, span, table, total

OK = Check("disk", "ok", "81 GB free")
LOOK = Check("outbox", "look", "3 messages waiting", "See the log.", tuple(f"number {n}" for n in range(12)))
WRONG = Check("clock", "wrong", "40 s apart")


def test_a_table_has_a_line_for_each_check_and_what_to_do_below() -> None:
    lines = table([OK, LOOK, WRONG]).splitlines()
    assert lines[0] == "ok     disk    81 GB free"
    assert lines[1] == "look   outbox  3 messages waiting"
    assert lines[2] == "               · number 0"
    assert lines[11:14] == ["               · number 9", "               · and 2 more", "               → See the log."]
    assert lines[14] == "wrong  clock   40 s apart"
    assert lines[-1] == "1 thing is wrong, 1 thing to look at."


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([], "All is well."),
        ([OK, OK], "All is well."),
        ([OK, LOOK, LOOK], "Nothing is wrong, 2 things to look at."),
        ([WRONG, WRONG], "2 things are wrong."),
    ],
)
def test_the_sum(checks: list[Check], said: str) -> None:
    assert total(checks) == said


def test_machines_read_json() -> None:
    assert plain_json([OK, LOOK])["ok"] is True
    found = json.loads(json.dumps(plain_json([WRONG])))
    assert found == {
        "ok": False,
        "checks": [{"name": "clock", "verdict": "wrong", "line": "40 s apart", "todo": "", "details": []}],
    }


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "0 seconds"), (1, "1 second"), (59.9, "59 seconds"), (60, "1 minute"), (7300, "2 hours"), (9e5, "10 days")],
)
def test_how_long(seconds: float, said: str) -> None:
    assert span(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (352_256, "352 kB"),
        (3_400_000, "3.4 MB"),
        (5e15, "5,000.0 TB"),
    ],
)
def test_how_large(number: float, said: str) -> None:
    assert size(number) == said
