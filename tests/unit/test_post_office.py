"""The post office itself: it has to be right before anything is measured against it."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import pytest

from tests.fakes.post_office import Faults, PostOffice


def ask(office: PostOffice, call: str, key: str = "k", to: str = "lab/#a", **more: Any) -> dict[str, Any] | None:
    """Make one call; None if the line was cut, or the answer is no JSON."""
    host, port = office.address.split(":")
    asked = {"call": call, "key": key, "to": to, "message": {"text": key}, "since": 0.0, **more}
    with socket.create_connection((host, int(port)), timeout=5) as line:
        line.sendall(json.dumps(asked).encode() + b"\n")
        try:
            heard = b"".join(iter(lambda: line.recv(4096), b""))
            answer: dict[str, Any] = json.loads(heard)
        except (ConnectionError, ValueError):
            return None
    return answer


def test_it_takes_a_message_and_finds_it_again() -> None:
    with PostOffice() as office:
        assert ask(office, "find") == {"found": None}
        sent = ask(office, "send")
        found = ask(office, "find")
        assert sent is not None
        assert found is not None
        assert found["found"]["id"] == sent["id"]
        assert ask(office, "find", to="lab/#b") == {"found": None}
        assert ask(office, "find", since=time.time() + 1) == {"found": None}
    assert [(one.key, one.to, one.message) for one in office.log] == [("k", "lab/#a", {"text": "k"})]


@pytest.mark.parametrize(
    ("outcome", "taken", "answered"),
    [
        ("drop", True, False),
        ("drop_before", False, False),
        ("failed", False, True),
        ("failed_after", True, True),
        ("garbage", False, False),
        ("garbage_after", True, False),
        ("hang", True, True),
        ("late", True, True),
        ("limited", False, True),
    ],
)
def test_every_fault_takes_and_answers_as_its_name_says(outcome: str, taken: bool, answered: bool) -> None:
    with PostOffice(Faults(seconds=0.05), hook=lambda call: outcome) as office:
        assert (ask(office, "send") is not None) == answered
    assert len(office.log) == taken
    assert office.outcomes() == {f"send:{outcome}": 1}


def test_faults_come_as_often_as_asked_and_at_most_so_often_for_a_key() -> None:
    with PostOffice(Faults(drop=0.2, failed=0.2), seed=3) as office:
        for number in range(200):
            ask(office, "send", key=str(number))
    assert 20 < office.outcomes()["send:drop"] < 60
    assert 20 < office.outcomes()["send:failed"] < 60
    with PostOffice(Faults(drop_before=1.0, most=2)) as office:
        for _ in range(3):
            ask(office, "send")
    assert office.outcomes() == {"send:drop_before": 2, "send:ok": 1}


def test_a_limit_holds_for_its_time_and_place() -> None:
    with PostOffice(Faults(limited=1.0, most=1, after=0.2)) as office:
        ask(office, "send")
        assert ask(office, "send") != {}
        assert ask(office, "send", key="other", to="lab/#b") is not None
        time.sleep(0.25)
        answer = ask(office, "send")
        assert answer is not None
        assert "id" in answer
    assert office.early == 1
    with PostOffice(Faults(limited=1.0, most=1, after=5, everywhere=True)) as office:
        ask(office, "send")
        answer = ask(office, "send", to="lab/#b")
        assert answer is not None
        assert (answer["error"], answer["everywhere"]) == ("limited", True)


def test_a_history_lags_or_cannot_be_read() -> None:
    with PostOffice(Faults(lag=0.2)) as office:
        ask(office, "send")
        assert ask(office, "find") == {"found": None}
        time.sleep(0.25)
        assert ask(office, "find") != {"found": None}
    for history in ("refused", "limited"):
        with PostOffice(Faults(history=history)) as office:
            ask(office, "send")
            answer = ask(office, "find")
            assert answer is not None
            assert answer["error"] == history
    with PostOffice(Faults(history="empty")) as office:
        ask(office, "send")
        assert ask(office, "find") == {"found": None}
        assert ask(office, "about") == {"reads_history": False}


def test_a_closed_destination_is_refused() -> None:
    with PostOffice(Faults(closed=frozenset({"lab/#a"}))) as office:
        answer = ask(office, "send")
        assert answer is not None
        assert answer["error"] == "refused"
        assert ask(office, "send", to="lab/#b") is not None
    assert [one.to for one in office.log] == ["lab/#b"]


def test_it_stops_while_somebody_waits() -> None:
    with PostOffice(Faults(hang=1.0, seconds=60)) as office:
        host, port = office.address.split(":")
        line = socket.create_connection((host, int(port)), timeout=5)
        line.sendall(b'{"call": "send", "key": "k", "to": "a", "message": {}}\n')
        time.sleep(0.05)
    with line:
        assert line.recv(10) == b""


def test_workspaces_may_have_faults_of_their_own() -> None:
    with PostOffice(places={"w1": Faults(failed=1.0)}) as office:
        ask(office, "send", to="w1/a")
        ask(office, "send", to="w2/a")
    assert [one.to for one in office.log] == ["w2/a"]
