"""Sending to Discord: one message a digest, with a nonce and a mark; each once, whatever the network does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.message import File, Message
from bot.core.request import Address
from bot.core.timing import Timing
from bot.errors import DeliveryError, Refused, Retry, Uncertain
from bot.jobs.send import Sender
from bot.platforms.discord import send
from bot.platforms.discord.marks import is_marked, nonce_of
from bot.store import outbox, owners
from bot.store.engine import Store
from tests.fakes.discord_wire.state import Channel
from tests.fakes.lab_discord import HELLO, MESSAGES, Lab, opened

OPEN = "/users/@me/channels"


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with opened() as lab:
        yield lab


async def failed(lab: Lab, to: Address | None = None) -> DeliveryError:
    with pytest.raises(DeliveryError, match=r"\w") as caught:
        await lab.post.send(to or lab.at(), HELLO, "k")
    return caught.value


async def test_a_digest_is_one_request_and_pings_nobody(lab: Lab) -> None:
    taken = await lab.post.send(lab.at(), Message("@everyone <@1> https://example.org"), "digest:1:2026-12-02")
    (shown,) = lab.channel.said
    (call,) = lab.fake.calls("POST", MESSAGES)
    assert taken.id == f"{lab.channel.id}:{shown.id}"
    assert abs((taken.at - datetime.now(UTC)).total_seconds()) < 60
    assert (call.json["nonce"], call.json["enforce_nonce"]) == (nonce_of("digest:1:2026-12-02"), True)
    assert call.json["allowed_mentions"] == {"parse": []}
    assert call.json["flags"] & (1 << 2)
    assert is_marked(shown["components"], "digest:1:2026-12-02")
    assert lab.fake.pings == []


async def test_a_direct_message_is_opened_once(lab: Lab) -> None:
    first = await lab.post.send(lab.direct, HELLO, "a")
    second = await lab.post.send(lab.direct, HELLO, "b")
    dm = lab.fake.dm(lab.ada)
    assert [first.id, second.id] == [f"{dm.id}:{one.id}" for one in dm.said]
    assert len(lab.fake.calls("POST", OPEN)) == 1


@pytest.mark.parametrize("how", ["drop", "reset", "garbage", "status"])
async def test_a_direct_message_that_was_not_opened_is_tried_again(lab: Lab, how: str) -> None:
    lab.fake.fail("POST", OPEN, how=how, status=503)
    assert isinstance(await failed(lab, lab.direct), Retry)
    assert not lab.fake.calls("POST", MESSAGES)
    await lab.post.send(lab.direct, HELLO, "k")


async def test_many_direct_messages_are_opened_one_after_another(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "LONGEST_WAIT", 0.3)
    people = [Address("discord", "@me", lab.fake.user(f"p{n}").id) for n in range(5)]
    for one in people:
        lab.guild.members[one.user] = []
    done = await asyncio.gather(*(lab.post.send(to, HELLO, to.user) for to in people), return_exceptions=True)
    waits = [one.after for one in done if isinstance(one, Retry)]
    assert len(waits) == 3
    assert all(0.3 < wait < 0.5 and not one.everywhere for wait in waits for one in done if isinstance(one, Retry))


async def test_files_go_where_messages_go(lab: Lab) -> None:
    await lab.post.file(lab.direct, File("mine.json", b"{}"))
    (shown,) = lab.fake.dm(lab.ada).said
    assert [one["filename"] for one in shown["attachments"]] == ["mine.json"]
    lab.fake.fail("POST", MESSAGES, status=413, code=40005)
    with pytest.raises(Refused):
        await lab.post.file(lab.direct, File("mine.json", b"{}"))


@pytest.mark.parametrize(
    "to", [Address("slack", "1", channel="1"), Address("discord", "1", channel="C1"), Address("discord", "@me", "")]
)
async def test_elsewhere_and_nobody_are_refused(lab: Lab, to: Address) -> None:
    assert isinstance(await failed(lab, to), Refused)


async def test_closed_places_are_refused_with_words(lab: Lab) -> None:
    deaf, alone = lab.fake.user("deaf", dms=False), lab.fake.user("alone")
    lab.guild.join(deaf)
    hidden = lab.guild.channel("hidden", deny=["view_channel"])
    mute = lab.guild.channel("mute", deny=["send_messages"])
    gone, locked = lab.guild.channel("gone"), lab.channel.thread("locked")
    gone.delete()
    locked.locked = locked.archived = True
    told = {
        "closed": Address("discord", "@me", deaf.id),
        "no server": Address("discord", "@me", alone.id),
        "View Channel": lab.at(hidden),
        "Send Messages": lab.at(mute),
        "deleted": lab.at(gone),
        "locked": lab.at(locked),
    }
    for words, to in told.items():
        error = await failed(lab, to)
        assert isinstance(error, Refused)
        assert error.closed
        assert words in str(error)


async def test_a_bot_that_was_kicked_is_refused(lab: Lab) -> None:
    await lab.post.send(lab.at(), HELLO, "a")
    lab.guild.remove_bot()
    error = await failed(lab)
    assert isinstance(error, Refused)
    assert error.closed


async def test_an_archived_thread_wakes(lab: Lab) -> None:
    thread = lab.channel.thread("old")
    thread.archived = True
    await lab.post.send(lab.at(thread), HELLO, "a")
    assert len(thread.said) == 1


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ({"how": "drop"}, Uncertain),
        ({"how": "reset"}, Uncertain),
        ({"how": "drop", "taken": True}, Uncertain),
        ({"how": "garbage"}, Uncertain),
        ({"status": 503}, Uncertain),
        ({"status": 400, "code": 200000}, Refused),
        ({"status": 401}, Retry),
        ({"status": 418, "code": 99999}, Refused),
    ],
)
async def test_each_fault_has_its_class(lab: Lab, how: dict[str, Any], kind: type[DeliveryError]) -> None:
    lab.fake.fail("POST", MESSAGES, **how)
    error = await failed(lab)
    assert type(error) is kind
    assert getattr(error, "closed", False) is False
    assert len(lab.fake.calls("POST", MESSAGES)) == 1


async def test_a_long_limit_of_one_channel_holds_there_and_of_all_everywhere(lab: Lab) -> None:
    for everywhere in (False, True):
        lab.fake.fail("POST", MESSAGES, status=429, retry_after=60.0, everywhere=everywhere)
        error = await failed(lab)
        assert isinstance(error, Retry)
        assert (error.after, error.everywhere) == (60.0, everywhere)
    assert lab.channel.said == []


async def test_what_stands_before_discord_holds_everywhere(lab: Lab) -> None:
    lab.fake.fail("POST", MESSAGES, status=429, retry_after=7.0, via=False)
    error = await failed(lab)
    assert isinstance(error, Retry)
    assert error.everywhere
    assert error.after > 0


async def test_nothing_is_sent_where_nobody_answers(lab: Lab) -> None:
    await lab.link.ready()
    await lab.fake.server.stop()
    assert isinstance(await failed(lab), Uncertain)  # by a connection that was kept: it may have gone through
    error = await failed(lab)
    assert isinstance(error, Retry)
    assert error.after == 0


async def test_what_discord_broke_off_and_took_is_one_message(lab: Lab) -> None:
    """discord.py says it again by itself after a second; the nonce makes it one."""
    lab.fake.fail("POST", MESSAGES, status=500, taken=True)
    await lab.post.send(lab.at(), HELLO, "k")
    assert len(lab.fake.calls("POST", MESSAGES)) == 2
    assert len(lab.channel.said) == 1


async def test_two_hundred_digests_arrive_once_each(lab: Lab, memory_store: Store) -> None:
    """The connections are reset in the midst of them, some after they were taken, and the history lags."""
    lab.fake.limits = False
    lab.fake.lag_history(0.3)
    channels = [lab.guild.channel(f"c{n}") for n in range(40)]
    put(memory_store, [(f"digest:{n}:2026-12-02", lab.at(channels[n % 40])) for n in range(200)])
    lab.fake.fail("POST", MESSAGES, how="reset", times=20, after=60, taken=True)
    lab.fake.fail("POST", MESSAGES, how="reset", times=10, after=60)
    lab.fake.fail("POST", MESSAGES, how="drop", times=5, after=50, taken=True)
    lab.fake.fail("POST", MESSAGES, how="garbage", times=5, after=50, taken=True)
    lab.fake.fail("POST", MESSAGES, status=503, times=5, after=10)
    lab.fake.fail("GET", MESSAGES, how="reset", times=5)
    await carried(lab, memory_store, 60)
    arrived = sent_to(channels, 200)
    assert len(arrived) == 200
    assert set(arrived.values()) == {1}


async def test_a_limit_of_all_stops_all_and_of_one_only_one(lab: Lab, memory_store: Store) -> None:
    other = lab.guild.channel("other")
    put(memory_store, [("one", lab.at()), ("two", lab.at(other))])
    lab.fake.fail("POST", f"/channels/{lab.channel.id}/messages", status=429, retry_after=60.0)
    sender = Sender(memory_store, {"discord": lab.platform()}, Timing(), "one")
    await sender.tick()
    await sender.idle()
    assert (lab.channel.said, len(other.said)) == ([], 1)
    put(memory_store, [("three", lab.at(other))])
    lab.fake.fail("POST", MESSAGES, status=429, retry_after=60.0, everywhere=True)
    await sender.tick()
    await sender.idle()
    put(memory_store, [("four", lab.at(lab.guild.channel("third")))])
    before = len(lab.fake.calls("POST", MESSAGES))
    await sender.tick()
    await sender.drain(1)
    assert len(lab.fake.calls("POST", MESSAGES)) == before


@pytest.mark.parametrize("taken", [True, False])
async def test_without_the_history_nothing_is_sent_blind(lab: Lab, memory_store: Store, taken: bool) -> None:
    at = datetime.now(UTC)
    memory_store.clock = lambda conn: at
    lab.channel.overwrite(lab.fake.bot, deny=["read_message_history"])
    put(memory_store, [("digest:1:2026-12-02", lab.at())])
    lab.fake.fail("POST", MESSAGES, how="drop", taken=taken)
    sender = Sender(memory_store, {"discord": lab.platform()}, Timing(), "one")
    for _ in range(40):
        await sender.tick()
        await sender.idle()
        at += timedelta(minutes=15)
    await sender.drain(1)
    assert len(lab.fake.calls("POST", MESSAGES)) == 1
    assert len(lab.channel.said) == int(taken)
    with memory_store.reading() as conn:
        assert outbox.depth(conn, at).unknown == 1


async def carried(lab: Lab, store: Store, within: float) -> None:
    """Send all that there is, on a lease that makes looks follow soon."""
    sender = Sender(store, {"discord": lab.platform()}, Timing(2.0), "one")
    async with asyncio.timeout(within):
        while unsent(store):
            await sender.tick()
            await asyncio.sleep(0.05)
    await sender.drain(1)


def sent_to(channels: list[Channel], count: int) -> Counter[str]:
    """Return how often the message of each key is in the channels."""
    keys = {nonce_of(f"digest:{n}:2026-12-02"): f"digest:{n}:2026-12-02" for n in range(count)}
    shown = [one["components"] for channel in channels for one in channel.said]
    return Counter(key for parts in shown for mark, key in keys.items() if mark in str(parts))


def put(store: Store, rows: list[tuple[str, Address]]) -> None:
    now = datetime.now(UTC)
    with store.writing() as conn:
        for key, to in rows:
            owner = owners.get(conn, "discord", to.workspace, "channel", to.channel, "", now).number
            outbox.put(
                conn,
                key=key,
                kind="digest",
                subscription=None,
                owner=owner,
                address=to,
                message=HELLO,
                due_at=now,
                window_from=now,
                window_id=0,
                now=now,
            )


def unsent(store: Store) -> int:
    with store.reading() as conn:
        depth = outbox.depth(conn, datetime.now(UTC))
    return depth.pending + depth.held
