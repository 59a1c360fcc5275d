"""Charsets, waits, paces and names of the client."""

from __future__ import annotations

import codecs
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from bot.errors import SourceError
from bot.sources._host import Host
from bot.sources._http_answer import Answer
from bot.sources._http_kept import Kept
from bot.sources._http_text import decode
from bot.sources._http_wait import asked, backoff
from bot.sources._http_words import clock, user_agent
from bot.sources._pace import PACES, Hosts, Lane, Pace
from tests.fakes.odd_http import START, Clock

WORD = "Łukasz Müller: “naïve” 北京"


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        (WORD.encode(), "", WORD),
        (WORD.encode(), "iso-8859-1", WORD),  # many servers say so of everything
        (WORD.encode(), "no-such-charset", WORD),
        (codecs.BOM_UTF8 + WORD.encode(), "latin-1", WORD),
        (WORD.encode("utf-16"), "", WORD),
        (codecs.BOM_UTF16_BE + WORD.encode("utf-16-be"), "utf-8", WORD),
        (WORD.encode("utf-16-le"), "utf-16-le", WORD),
        (WORD.encode("utf-32"), "", WORD),
        ("Müller".encode("latin-1"), "iso-8859-1", "Müller"),
        ("Müller".encode("latin-1"), '"ISO-8859-1"', "Müller"),
        ("“x”".encode("cp1252"), "windows-1252", "“x”"),
        ("北京".encode("gb18030"), "GBK", "北京"),
        ("日本".encode("iso2022_jp"), "iso-2022-jp", "日本"),
        (b'<?xml version="1.0" encoding="ISO-8859-1"?><a>M\xfcller</a>', "", None),
        (b"M\xfcller", "utf-8", "M\ufffdller"),
        (b"M\xfcller", "", "M\ufffdller"),
        (b"M\xfcller", "zlib", "M\ufffdller"),
        (b"M\xfcller", "idna", "M\ufffdller"),
        (b"M\xfcller", "undefined", "M\ufffdller"),
        (b"M\xfcller", "a\0b", "M\ufffdller"),
        (b"", "utf-16", ""),
    ],
)
def test_charset(body: bytes, charset: str, text: str | None) -> None:
    found = decode(body, charset)
    assert found == text if text is not None else "Müller" in found


@given(st.binary(max_size=300), st.text(max_size=20) | st.sampled_from(["utf-16", "utf-7", "hz", "punycode", "mbcs"]))
def test_no_charset_raises(body: bytes, charset: str) -> None:
    assert isinstance(decode(body, charset), str)


def test_charset_of_the_header() -> None:
    answer = Answer(200, "https://x.org/", b"M\xfcller", {"content-type": "text/xml; Charset='latin-1'; x=y"})
    assert answer.text() == "Müller"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "nothing"),
        (b"  ", "nothing"),
        (b"<html>", "no JSON"),
        (b'{"a": ', "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"1" * 10_000, "no JSON"),
    ],
)
def test_no_json(body: bytes, what: str) -> None:
    with pytest.raises(SourceError, match=f"x.org answered .*{what}"):
        Answer(200, "https://x.org/", body, {}).json()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("120", 120),
        (" 120 ", 120),
        ("1.5", 1),
        ("0", 0),
        ("-5", 0),
        ("soon", 0),
        ("9" * 50, 1e50),
        ("9" * 5000, float("inf")),
        ("²", 0),
        (formatdate(START + 90, usegmt=True), 90),
        (formatdate(START + 90), 90),
        (formatdate(START - 90, usegmt=True), 0),
        ("Mon, 02 Nov 2026 17:01:00", 60),
        ("Monday, 02-Nov-26 17:01:00 GMT", 60),
        ("Mon Nov  2 17:01:00 2026", 60),
        ("Mon, 99 Nov 2026 99:01:00 GMT", 0),
        ("Mon, 02 Nov 99999 17:01:00 GMT", 0),
    ],
)
def test_retry_after(header: str | None, seconds: float) -> None:
    assert asked(header, START) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_raises(header: str) -> None:
    assert asked(header, START) >= 0


def test_backoff() -> None:
    assert [backoff(number, 1.0) for number in (1, 2, 3, 4, 5, 50)] == [2, 4, 8, 16, 30, 30]
    assert backoff(3, 0.0) == 0
    assert backoff(3, 0.5) == 4


@pytest.mark.parametrize(
    ("contact", "told"),
    [
        ("", ""),
        ("lab@example.org", " (+mailto:lab@example.org)"),
        ("mailto:lab@example.org", " (+mailto:lab@example.org)"),
        ("https://lab.example.org/@bot", " (+https://lab.example.org/@bot)"),
        ("a\r\nX-Evil: 1(é)", " (+aX-Evil:1)"),
    ],
)
def test_user_agent(contact: str, told: str) -> None:
    agent = user_agent(contact)
    assert agent.startswith("paperround")
    assert agent.removeprefix(agent.partition(" ")[0]) == told


def test_a_time_of_another_day_has_its_day() -> None:
    assert clock(START + 60, START) == "17:01 UTC"
    assert clock(START + 86400, START) == "2026-11-03 17:00 UTC"


def test_arxiv_is_one_lane() -> None:
    hosts = Hosts(PACES, lambda: START, Clock().sleep)
    lanes = {id(hosts.at(name, 443, name).lane) for name in PACES if name.endswith("arxiv.org")}
    assert len(lanes) == 1
    others = [hosts.at(name, port, name).lane for name in ("www.arxiv.org", "export.arxiv.org.") for port in (80, 443)]
    assert {id(lane) for lane in others} == lanes
    assert id(hosts.at("notarxiv.org", 443, "").lane) not in lanes
    assert (PACES["arxiv.org"].gap, PACES["arxiv.org"].at_once) == (3.0, 1)
    assert hosts.at("example.org", 443, "").lane is not hosts.at("example.com", 443, "").lane


def test_hosts_are_forgotten() -> None:
    now = [START]
    hosts = Hosts({}, lambda: now[0], Clock().sleep)
    hosts.at("bad.example.org", 443, "bad").failed(START, "answered 503", 7200)
    for number in range(5000):
        hosts.at(f"h{number}.example.org", 443, "")
        now[0] += 1
    assert len(hosts._hosts) <= 1001
    assert [host.name for host in hosts.resting()] == ["bad"]


def test_hosts_that_fail_are_forgotten_too() -> None:
    hosts = Hosts({}, lambda: START, Clock().sleep)
    hosts.at("bad.example.org", 443, "bad").failed(START, "answered 503", 7200)
    for number in range(10_000):
        hosts.at(f"h{number}.example.org", 443, "").failed(START, "cannot be found")
    assert len(hosts._hosts) <= 1000
    assert len(hosts._lanes) <= 1000
    assert [host.name for host in hosts.resting()] == ["bad"]


def test_validators_are_forgotten() -> None:
    kept = Kept()
    for number in range(2000):
        kept.keep(URL(f"https://x.org/{number}"), {"ETag": f'"{number}"'})
    assert len(kept._tags) <= 500
    assert kept.headers(URL("https://x.org/1999")) == {"If-None-Match": '"1999"'}
    assert not kept.headers(URL("https://x.org/0"))


async def test_a_clock_that_is_put_back_makes_nobody_wait_long() -> None:
    now, slept = [START], []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    lane = Lane(Pace(3.0), lambda: now[0], sleep)
    async with lane.turn():
        pass
    now[0] -= 7200
    async with lane.turn():
        pass
    assert slept == [3.0]
    host = Host("x", lane)
    host.failed(START, "answered 429", 600)
    assert host.rests(START - 7200) == 600


def test_failures_of_calls_that_ran_together_count_once_when_it_opens() -> None:
    host = Host("x", Lane(Pace(0), lambda: START, Clock().sleep))
    for _ in range(9):
        host.failed(START, "answered 503")
    assert host.rests(START) == 300
    host.answered(START + 1)
    assert host.rests(START + 1) == 299, "that was asked before"
    host.answered(START + 300)
    assert host.rests(START + 300) == host.failures == 0
