"""What Discord's answers mean: the table of its codes, the statuses, and answers that never came."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from bot import metrics
from bot.errors import DeliveryError, Refused, Retry, Uncertain
from bot.platforms.discord.codes import CODES, verdict

CLOSED, MESSAGE, LATER = (Refused, True), (Refused, False), (Retry, None)
ISSUE = {  # what Discord's reference says of each code that was asked for, and what it means for a delivery
    50001: ("Missing access", CLOSED),
    50007: ("Cannot send messages to this user", CLOSED),
    50013: ("You lack permissions to perform that action", CLOSED),
    10003: ("Unknown channel", CLOSED),
    10013: ("Unknown user", CLOSED),
    20028: ("The channel you are writing has hit the write rate limit", LATER),
    30046: ("Maximum number of edits to messages older than 1 hour reached. Try again later", LATER),
    40003: ("You are opening direct messages too fast", LATER),
    40062: ("Service resource is being rate limited", LATER),
    40067: ("A tag is required to create a forum post in this channel", CLOSED),
    50083: ("Tried to perform an operation on an archived thread", CLOSED),
    50278: ("Cannot send messages to this user due to having no mutual guilds", CLOSED),
    130000: ("API resource is currently overloaded. Try again a little later", LATER),
    160005: ("Thread is locked", CLOSED),
    160006: ("Maximum number of active threads reached", LATER),
    200000: ("Message was blocked by automatic moderation", MESSAGE),
    240000: ("Message blocked by harmful links filter", MESSAGE),
    10015: ("Unknown webhook", MESSAGE),
    10062: ("Unknown interaction", MESSAGE),
    40060: ("Interaction has already been acknowledged", MESSAGE),
    40094: ("This interaction has hit the maximum number of follow up messages", MESSAGE),
    50027: ("Invalid webhook token provided", MESSAGE),
}
JSON = {"Content-Type": "application/json", "Via": "1.1 google"}


def answer(status: int, code: int = 0, headers: dict[str, str] | None = None, text: str = "no") -> DeliveryError:
    """Return what an answer means, as discord.py raises it."""
    response: Any = SimpleNamespace(status=status, reason="", headers=JSON | (headers or {}))
    kind = {403: discord.Forbidden, 404: discord.NotFound}.get(status, discord.HTTPException)
    return verdict(kind(response, {"code": code, "message": text}))


@pytest.mark.parametrize("code", ISSUE)
def test_the_table_is_that_of_the_issue(code: int) -> None:
    _, (kind, closed) = ISSUE[code]
    found = answer(403, code)
    assert type(found) is kind is CODES[code].kind
    assert str(found) == CODES[code].words
    if isinstance(found, Refused):
        assert found.closed is closed


@pytest.mark.parametrize("code", CODES)
def test_words_are_for_people(code: int) -> None:
    words = CODES[code].words
    assert words.endswith(".")
    assert "!" not in words
    assert len(words) <= 200


def test_an_unknown_refusal_is_about_this_try_and_is_counted() -> None:
    name = "paperround_discord_unknown_codes_total"
    before = metrics.REGISTRY.get_sample_value(name) or 0.0
    found = answer(400, 999999, text="x" * 5000)
    assert isinstance(found, Refused)
    assert not found.closed
    assert "999999" in str(found)
    assert len(str(found)) < 300
    assert metrics.REGISTRY.get_sample_value(name) == before + 1


@pytest.mark.parametrize("status", [500, 502, 503, 504, 520, 524])
def test_what_broke_may_have_arrived(status: int) -> None:
    assert isinstance(answer(status), Uncertain)


def test_an_overload_that_discord_names_took_nothing() -> None:
    assert isinstance(answer(503, 130000), Retry)


@pytest.mark.parametrize(
    ("headers", "after", "everywhere"),
    [
        ({"Retry-After": "7", "X-RateLimit-Scope": "user"}, 7.0, False),
        ({"Retry-After": "0.5", "X-RateLimit-Scope": "shared"}, 0.5, False),
        ({"Retry-After": "7", "X-RateLimit-Scope": "global"}, 7.0, True),
        ({"Retry-After": "7", "X-RateLimit-Global": "true"}, 7.0, True),
        ({"Retry-After": "900", "Via": ""}, 900.0, True),
        ({}, 5.0, False),
        ({"Retry-After": "soon"}, 5.0, False),
        ({"Retry-After": "nan"}, 5.0, False),
        ({"Retry-After": "-3"}, 5.0, False),
    ],
)
def test_429_tells_how_long_and_for_whom(headers: dict[str, str], after: float, everywhere: bool) -> None:
    found = answer(429, 0, headers)
    assert isinstance(found, Retry)
    assert (found.after, found.everywhere) == (after, everywhere)


def test_direct_messages_that_are_opened_too_fast_wait() -> None:
    found = answer(429, 40003, {"Retry-After": "30"})
    assert isinstance(found, Retry)
    assert (found.after, found.everywhere) == (30.0, False)


@pytest.mark.parametrize(("status", "headers"), [(401, {}), (403, {"Content-Type": "text/html"})])
def test_a_bot_that_is_not_let_in_pauses_nobody(status: int, headers: dict[str, str]) -> None:
    found = answer(status, 0, headers)
    assert isinstance(found, Retry)
    assert found.everywhere
    assert found.after >= 30


async def test_nothing_left_where_nobody_listens() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/"
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.ClientConnectorError) as caught:
                await session.post(url)
    found = verdict(caught.value)
    assert isinstance(found, Retry)
    assert (found.after, found.everywhere) == (0.0, False)


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(),
        aiohttp.ServerDisconnectedError(),
        aiohttp.ClientOSError(104, "Connection reset by peer"),
        aiohttp.ClientPayloadError("cut"),
        aiohttp.SocketTimeoutError(),
        ConnectionResetError(),
        TypeError("a str where a dict was"),
        discord.InvalidData("what"),
    ],
)
def test_lost_answers_are_uncertain(error: BaseException) -> None:
    assert isinstance(verdict(error), Uncertain)


def test_a_limit_that_discord_py_knows_of_holds_there() -> None:
    found = verdict(discord.RateLimited(61.5))
    assert isinstance(found, Retry)
    assert (found.after, found.everywhere) == (61.5, False)


def test_what_is_decided_stays() -> None:
    error = Refused("no")
    assert verdict(error) is error
