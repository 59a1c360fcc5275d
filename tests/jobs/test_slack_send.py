"""Sending to Slack: one post a digest, with its key inside; and each digest once, whatever the network does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.message import Button, Card, Message
from bot.core.ports import Limits
from bot.core.request import Address, Receipt
from bot.core.timing import Timing
from bot.errors import DeliveryError, Refused, Retry, Uncertain
from bot.jobs.send import Sender
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.find import EVENT
from bot.platforms.slack.send import Post, receipt
from bot.store import outbox, owners
from bot.store.engine import Store
from tests.fakes.slack_lab import HELLO, Lab, opened

POST = "chat.postMessage"


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with opened() as lab:
        yield lab


async def failed(lab: Lab, to: Address | None = None) -> DeliveryError:
    with pytest.raises(DeliveryError, match=r"\w") as caught:
        await lab.post.send(to or lab.here(), HELLO, "k")
    return caught.value


async def test_a_digest_of_ten_papers_is_one_post(lab: Lab) -> None:
    buttons = (Button("More", "more:1:0"), Button("Less", "less:1:0"), Button("Similar", "similar:1:0", menu=True))
    papers = tuple(
        Card(f"x:{n}", f"Paper {n}", f"https://example.org/{n}", n, ("Ada, Bob", "why: graphs"), buttons)
        for n in range(10)
    )
    taken = await lab.post.send(lab.here(), Message("10 papers.", papers, footer="the footer"), "digest:1:2026-12-02")
    (call,) = lab.called(POST)
    (shown,) = lab.slack.history(lab.channel)
    assert taken.id == f"{lab.channel.id}:{shown['ts']}"
    assert abs((taken.at - datetime.now(UTC)).total_seconds()) < 60
    assert shown["metadata"] == {"event_type": EVENT, "event_payload": {"key": "digest:1:2026-12-02"}}
    assert (call.arguments["unfurl_links"], call.arguments["unfurl_media"]) == ("false", "false")
    assert shown["text"]
    assert all(f"Paper {n}" in str(shown["blocks"]) for n in range(10))


async def test_a_direct_message_is_opened_once(lab: Lab) -> None:
    first = await lab.post.send(lab.direct, HELLO, "a")
    second = await lab.post.send(lab.direct, HELLO, "b")
    assert first.id.startswith("D")
    assert first.id.partition(":")[0] == second.id.partition(":")[0]
    assert len(lab.called("conversations.open")) == 1


@pytest.mark.parametrize("fault", [500, "drop", "internal_error"])
async def test_a_direct_message_that_was_not_opened_is_tried_again(lab: Lab, fault: Any) -> None:
    lab.slack.fail("conversations.open", fault)
    assert isinstance(await failed(lab, lab.direct), Retry)
    assert not lab.called(POST)


async def test_a_conversation_that_is_another_by_now_is_opened_anew(lab: Lab) -> None:
    known = (await lab.post.send(lab.direct, HELLO, "a")).id.partition(":")[0]
    lab.post._direct[(lab.team.id, lab.ada.id)] = "D0OLD"
    assert (await lab.post.send(lab.direct, HELLO, "b")).id.startswith(f"{known}:")


async def test_nobody_and_elsewhere_are_refused(lab: Lab) -> None:
    for to in (
        Address("elsewhere", lab.team.id, lab.ada.id),
        Address("slack", lab.team.id, "somebody else"),
        Address("slack", "T0", lab.ada.id),
        Address("slack", lab.team.id, lab.ada.id, "C99"),
    ):
        assert isinstance(await failed(lab, to), Refused)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("channel_not_found", Refused),
        ("not_in_channel", Refused),
        ("is_archived", Refused),
        ("restricted_action", Refused),
        ("invalid_blocks", Refused),
        ("msg_blocks_too_long", Refused),
        ("account_inactive", Refused),
        ("never_heard_of", Refused),
        ("team_added_to_org", Retry),
        ("ratelimited", Retry),
        ("internal_error", Uncertain),
        ("fatal_error", Uncertain),
        (500, Uncertain),
        (503, Uncertain),
        ("drop", Uncertain),
        ("garbage", Uncertain),
    ],
)
async def test_each_fault_has_its_class(lab: Lab, fault: Any, kind: type[DeliveryError]) -> None:
    lab.slack.fail(POST, fault)
    assert type(await failed(lab)) is kind
    assert len(lab.called(POST)) <= 1
    await lab.post.send(lab.here(), HELLO, "k")


@pytest.mark.parametrize(
    ("fault", "closed"),
    [("is_archived", True), ("missing_scope", True), ("invalid_blocks", False), ("never_heard_of", False)],
)
async def test_a_message_that_is_refused_by_itself_closes_nothing(lab: Lab, fault: str, closed: bool) -> None:
    lab.slack.fail(POST, fault)
    error = await failed(lab)
    assert isinstance(error, Refused)
    assert error.closed is closed


async def test_a_429_of_60_seconds_holds_in_the_whole_workspace(lab: Lab) -> None:
    lab.slack.fail(POST, "ratelimited", after=60)
    error = await failed(lab)
    assert isinstance(error, Retry)
    assert (error.after, error.everywhere) == (60.0, True)


async def test_a_post_that_hangs_is_uncertain(lab: Lab) -> None:
    lab.slack.fail(POST, "hang")
    calls = Calls(lab.tokens, lab.slack.api_url, deadline=0.2)
    try:
        with pytest.raises(Uncertain):
            await Post(calls).send(lab.here(), HELLO, "k")
    finally:
        await calls.close()


async def test_a_channel_that_closes_is_refused(lab: Lab) -> None:
    lab.channel.archived = True
    assert "archived" in str(await failed(lab))


@pytest.mark.parametrize("ts", [None, "", "soon", "inf", "nan", "1e99"])
def test_a_post_without_a_time_is_uncertain(ts: Any) -> None:
    with pytest.raises(Uncertain):
        receipt("C1", ts)


class Platform:
    """What the sender needs of a platform."""

    name = "slack"
    limits = Limits(a_second=1e6, to_one=1e6, per_workspace=True)

    def __init__(self, post: Post) -> None:
        self._post = post

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        return await self._post.send(to, message, key)

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        return await self._post.find(to, key, since)


async def test_a_hundred_digests_arrive_once_each(lab: Lab, memory_store: Store) -> None:
    """A third fails in one way or another, a tenth is dropped after it was taken, and the history lags."""
    lab.slack.lag_history(0.3)
    channels = [lab.team.channel(f"c{n}", members=[lab.ada, lab.team.bot_user]) for n in range(10)]
    put(memory_store, [(f"digest:{n}:2026-12-02", lab.here(channels[n % 10])) for n in range(100)])
    for fault in (500, "internal_error", "drop", "garbage", "ratelimited"):
        lab.slack.fail(POST, fault, times=6, after=0.1)
    lab.slack.fail(POST, "drop", times=10, take=True)
    lab.slack.fail("conversations.history", 500, times=3)
    platform: Any = Platform(lab.post)
    sender = Sender(memory_store, {"slack": platform}, Timing(2.0), "one")
    async with asyncio.timeout(60):
        while unsent(memory_store):
            await sender.tick()
            await asyncio.sleep(0.05)
    await sender.drain(1)
    shown = [each for channel in channels for each in lab.slack.history(channel)]
    counts = Counter(each["metadata"]["event_payload"]["key"] for each in shown)
    assert len(counts) == 100
    assert set(counts.values()) == {1}


@pytest.mark.parametrize("take", [True, False])
async def test_without_the_history_nothing_is_sent_blind(lab: Lab, memory_store: Store, take: bool) -> None:
    at = datetime.now(UTC)
    memory_store.clock = lambda conn: at
    put(memory_store, [("digest:1:2026-12-02", lab.here())])
    lab.slack.fail(POST, "drop", take=take)
    platform: Any = Platform(Post(lab.calls, history=False))
    sender = Sender(memory_store, {"slack": platform}, Timing(), "one")
    for _ in range(40):
        await sender.tick()
        await sender.idle()
        at += timedelta(minutes=15)
    await sender.drain(1)
    assert len(lab.called(POST)) == 1
    assert len(lab.slack.history(lab.channel)) == int(take)
    with memory_store.reading() as conn:
        assert outbox.depth(conn, at).unknown == 1


def put(store: Store, rows: list[tuple[str, Address]]) -> None:
    now = datetime.now(UTC)
    with store.writing() as conn:
        for key, to in rows:
            owner = owners.get(conn, "slack", to.workspace, "channel", to.channel, "", now).number
            outbox.put(
                conn,
                key=key,
                kind="digest",
                subscription=None,
                owner=owner,
                address=to,
                message=Message(f"Good morning, {key}"),
                due_at=now,
                window_from=now,
                window_id=0,
                now=now,
            )


def unsent(store: Store) -> int:
    with store.reading() as conn:
        depth = outbox.depth(conn, datetime.now(UTC))
    return depth.pending + depth.held
