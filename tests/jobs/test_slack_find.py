"""Looking for our own messages in Slack's history."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.request import Address
from bot.errors import Unknown
from bot.platforms.slack import find as module
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.find import EVENT, PAGE
from bot.platforms.slack.send import Post
from tests.fakes.canned_http import serving
from tests.fakes.known_tokens import KnownTokens
from tests.fakes.slack_lab import HELLO, Lab, opened

HISTORY = "conversations.history"


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with opened() as lab:
        yield lab


def lately() -> datetime:
    return datetime.now(UTC) - timedelta(minutes=5)


async def cannot_look(lab: Lab, to: Address | None = None, key: str = "k") -> str:
    with pytest.raises(Unknown, match=r"\w") as caught:
        await lab.post.find(to or lab.here(), key, lately())
    return str(caught.value)


async def test_what_was_posted_is_found_with_its_receipt(lab: Lab) -> None:
    for to in (lab.here(), lab.direct):
        sent = await lab.post.send(to, HELLO, "k")
        assert await lab.post.find(to, "k", lately()) == sent
        assert await lab.post.find(to, "other", lately()) is None


async def test_pages_of_fifteen_are_read_to_the_end(lab: Lab) -> None:
    sent = await lab.post.send(lab.here(), HELLO, "first")
    for n in range(3 * PAGE):
        await lab.post.send(lab.here(), HELLO, f"k{n}")
    assert await lab.post.find(lab.here(), "first", lately()) == sent
    pages = [call.arguments for call in lab.called(HISTORY)]
    assert [page["limit"] for page in pages] == ["15"] * 4
    assert [bool(page.get("cursor")) for page in pages] == [False, True, True, True]
    assert all(page["include_all_metadata"] == "true" for page in pages)
    assert all(float(page["oldest"]) < lately().timestamp() for page in pages)


async def test_what_is_on_the_first_page_needs_no_second(lab: Lab) -> None:
    for n in range(2 * PAGE):
        await lab.post.send(lab.here(), HELLO, f"k{n}")
    assert await lab.post.find(lab.here(), f"k{2 * PAGE - 1}", lately())
    assert len(lab.called(HISTORY)) == 1


async def test_what_is_older_is_not_looked_for(lab: Lab) -> None:
    await lab.post.send(lab.here(), HELLO, "k")
    assert await lab.post.find(lab.here(), "k", datetime.now(UTC) + timedelta(minutes=5)) is None


async def test_one_look_serves_all_of_a_channel(lab: Lab) -> None:
    post = Post(lab.calls)
    for n in range(20):
        await lab.post.send(lab.here(), HELLO, f"k{n}")
    found = await asyncio.gather(*(post.find(lab.here(), f"k{n}", lately()) for n in range(20)))
    late = [await post.find(lab.here(), f"k{n}", lately()) for n in range(20)]
    missing = [await post.find(lab.here(), f"missing{n}", lately()) for n in range(20)]
    assert all(found)
    assert found == late
    assert missing == [None] * 20
    assert len(lab.called(HISTORY)) == 2  # pages


async def test_nobody_is_told_twice_by_one_look(lab: Lab) -> None:
    post = Post(lab.calls)
    assert await post.find(lab.here(), "k", lately()) is None
    sent = await lab.post.send(lab.here(), HELLO, "k")
    assert await post.find(lab.here(), "k", lately()) == sent
    assert len(lab.called(HISTORY)) == 2


async def test_a_look_is_no_answer_once_it_is_old(lab: Lab) -> None:
    post = Post(lab.calls, shared=0.02)
    assert await post.find(lab.here(), "a", lately()) is None
    sent = await lab.post.send(lab.here(), HELLO, "b")
    await asyncio.sleep(0.03)
    assert await post.find(lab.here(), "b", lately()) == sent


async def test_a_look_serves_only_its_own_channel(lab: Lab) -> None:
    post, other = Post(lab.calls), lab.team.channel("other", members=[lab.ada, lab.team.bot_user])
    assert await post.find(lab.here(), "k", lately()) is None
    sent = await lab.post.send(lab.here(other), HELLO, "k")
    assert await post.find(lab.here(other), "k", lately()) == sent


async def test_a_history_that_lags_shows_it_later(lab: Lab) -> None:
    lab.slack.lag_history(0.2)
    sent = await lab.post.send(lab.here(), HELLO, "k")
    assert await lab.post.find(lab.here(), "k", lately()) is None
    await asyncio.sleep(0.25)
    assert await lab.post.find(lab.here(), "k", lately()) == sent


@pytest.mark.parametrize("fault", ["missing_scope", "not_in_channel", "internal_error", 500, "drop", "garbage"])
async def test_a_history_that_cannot_be_read_is_unknown(lab: Lab, fault: Any) -> None:
    await lab.post.send(lab.here(), HELLO, "k")
    lab.slack.fail(HISTORY, fault)
    await cannot_look(lab)
    assert await lab.post.find(lab.here(), "k", lately())


async def test_a_bot_outside_is_unknown(lab: Lab) -> None:
    secret = lab.team.channel("secret", members=[lab.ada], private=True)
    await cannot_look(lab, lab.here(secret))


async def test_a_direct_message_that_cannot_be_opened_is_unknown(lab: Lab) -> None:
    lab.slack.fail("conversations.open", "internal_error")
    await cannot_look(lab, lab.direct)


async def test_without_the_permission_it_never_looks(lab: Lab) -> None:
    with pytest.raises(Unknown, match="PAPERROUND_SLACK_HISTORY"):
        await Post(lab.calls, history=False).find(lab.here(), "k", lately())
    assert not lab.called(HISTORY)


async def test_a_429_ends_all_looks_of_the_workspace_for_as_long_as_it_says(lab: Lab) -> None:
    other = lab.team.channel("other", members=[lab.ada, lab.team.bot_user])
    lab.slack.fail(HISTORY, "ratelimited", after=60)
    await cannot_look(lab)
    assert "s." in await cannot_look(lab, lab.here(other))
    assert len(lab.called(HISTORY)) == 1


async def test_a_long_history_is_gone_on_with_where_it_was_cut(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGES", 2)
    sent = await lab.post.send(lab.here(), HELLO, "first")
    for n in range(5 * PAGE):
        await lab.post.send(lab.here(), HELLO, f"k{n}")
    await cannot_look(lab, key="first")
    await cannot_look(lab, key="first")
    assert await lab.post.find(lab.here(), "first", lately()) == sent
    assert len(lab.called(HISTORY)) == 6


@asynccontextmanager
async def canned(said: dict[str, Any]) -> AsyncIterator[Post]:
    async with serving() as server:
        server.says({"ok": True, **said})
        bot = SimpleNamespace(id="T1", bot_token="xoxb-1", bot_user="UBOT", bot_id="BBOT")
        calls = Calls(KnownTokens([bot]), server.url)
        yield Post(calls)
        await calls.close()


HERE = Address("slack", "T1", "U1", "C1")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"messages": None},
        {"messages": {}},
        {"messages": [], "has_more": True},
        {"messages": [], "has_more": True, "response_metadata": {"next_cursor": 7}},
    ],
)
async def test_a_history_without_an_end_is_unknown(said: dict[str, Any]) -> None:
    async with canned(said) as post:
        with pytest.raises(Unknown, match=r"\w"):
            await post.find(HERE, "k", lately())


def message(**more: Any) -> dict[str, Any]:
    return {"ts": "1.2", "metadata": {"event_type": EVENT, "event_payload": {"key": "k"}}, **more}


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (message(bot_id="BBOT", user="UBOT"), True),
        (message(bot_id="BBOT"), True),
        (message(user="UBOT"), True),
        (message(bot_id="BOTHER", user="UOTHER"), False),  # anybody can write metadata like ours
        (message(), False),
        (message(bot_id="", user=None), False),
        (message(bot_id="BBOT", ts=7), False),
        (message(bot_id="BBOT", metadata=None), False),
        (message(bot_id="BBOT", metadata={"event_type": EVENT}), False),
        (message(bot_id="BBOT", metadata={"event_type": EVENT, "event_payload": {"key": 7}}), False),
        (message(bot_id="BBOT", metadata={"event_type": "other", "event_payload": {"key": "k"}}), False),
        (None, False),
        (7, False),
        ({}, False),
    ],
)
async def test_only_our_own_messages_count(one: Any, found: bool) -> None:
    async with canned({"messages": [one], "has_more": False}) as post:
        assert (await post.find(HERE, "k", lately()) is not None) == found


async def test_a_message_without_a_time_is_unknown() -> None:
    async with canned({"messages": [message(bot_id="BBOT", ts="soon")], "has_more": False}) as post:
        with pytest.raises(Unknown):
            await post.find(HERE, "k", lately())
