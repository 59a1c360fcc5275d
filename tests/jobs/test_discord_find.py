"""Looking for what may have arrived: by its mark, only among our own, and never "not there" where nobody may look."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.message import Message
from bot.errors import Unknown
from bot.platforms.discord import find, places
from tests.fakes.discord_wire.state import Channel
from tests.fakes.lab_discord import HELLO, MESSAGES, Lab, opened


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with opened() as lab:
        yield lab


def since() -> datetime:
    return datetime.now(UTC) - timedelta(minutes=5)


async def unknown(lab: Lab, channel: Channel | None = None) -> str:
    with pytest.raises(Unknown, match=r"\w") as caught:
        await lab.post.find(lab.at(channel), "k", since())
    return str(caught.value)


@pytest.mark.parametrize("message", [HELLO, Message("No buttons.")])
async def test_a_message_is_known_by_its_mark(lab: Lab, message: Message) -> None:
    thread = lab.channel.thread("of the channel")
    for to in (lab.at(), lab.at(thread), lab.direct):
        taken = await lab.post.send(to, message, "digest:7:2026-12-02")
        await lab.post.send(to, message, "digest:8:2026-12-02")
        assert await lab.post.find(to, "digest:7:2026-12-02", since()) == taken
        assert await lab.post.find(to, "digest:9:2026-12-02", since()) is None
        assert await lab.post.find(to, "digest:7:2026-12-02", datetime.now(UTC) + timedelta(minutes=1)) is None


async def test_a_message_of_another_is_never_ours(lab: Lab) -> None:
    await lab.post.send(lab.at(), HELLO, "k")
    (shown,) = lab.channel.said
    shown["author"] = {**shown["author"], "id": lab.ada.id}
    assert await lab.post.find(lab.at(), "k", since()) is None


async def test_a_history_that_lags_does_not_show_it_yet(lab: Lab) -> None:
    await lab.post.send(lab.at(), HELLO, "k")
    lab.fake.lag_history(0.3)
    assert await lab.post.find(lab.at(), "k", since()) is None
    await asyncio.sleep(0.3)
    assert await lab.post.find(lab.at(), "k", since()) is not None


@pytest.mark.parametrize("lack", ["read_message_history", "view_channel"])
async def test_nobody_can_tell_where_nobody_may_look(lab: Lab, lack: str) -> None:
    await lab.post.send(lab.at(), HELLO, "k")
    lab.channel.overwrite(lab.fake.bot, deny=[lack])
    assert await unknown(lab)


async def test_a_permission_of_a_moment_ago_does_not_count(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    await lab.post.send(lab.at(), HELLO, "k")
    assert (await lab.places.about(lab.at())).missing_permissions == ()
    lab.channel.overwrite(lab.fake.bot, deny=["read_message_history"])
    monkeypatch.setattr(places, "NEW", 0.0)
    assert (await lab.places.about(lab.at())).missing_permissions == ()  # as a moment ago
    assert "Read Message History" in await unknown(lab)


async def test_a_thread_has_the_permissions_of_its_channel(lab: Lab) -> None:
    thread = lab.channel.thread("deep")
    await lab.post.send(lab.at(thread), HELLO, "k")
    lab.channel.overwrite(lab.fake.bot, deny=["read_message_history"])
    assert "Read Message History" in await unknown(lab, thread)


async def test_nobody_can_tell_of_a_channel_that_is_gone(lab: Lab) -> None:
    lab.channel.delete()
    assert await unknown(lab)


async def test_nobody_can_tell_where_the_bot_was_removed(lab: Lab) -> None:
    lab.guild.remove_bot()
    assert await unknown(lab)


@pytest.mark.parametrize("how", ["drop", "reset", "garbage", "status"])
async def test_a_look_that_breaks_off_tells_nothing(lab: Lab, how: str) -> None:
    await lab.post.send(lab.at(), HELLO, "k")
    lab.fake.fail("GET", MESSAGES, how=how, status=503, times=2)
    assert await unknown(lab)
    lab.fake.server.fails.clear()
    assert await lab.post.find(lab.at(), "k", since()) is not None


async def test_a_direct_message_that_cannot_be_opened_tells_nothing(lab: Lab) -> None:
    lab.fake.fail("POST", "/users/@me/channels", how="drop")
    with pytest.raises(Unknown):
        await lab.post.find(lab.direct, "k", since())


async def test_a_long_history_is_read_page_by_page(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "PAGE", 5)
    monkeypatch.setattr(find, "PAGES", 3)
    for n in range(27):
        await lab.fake.write(lab.ada, lab.channel, f"talk {n}")
    await lab.post.send(lab.at(), HELLO, "k")
    assert "later" in await unknown(lab)
    assert await lab.post.find(lab.at(), "k", since()) is not None
    assert "later" in await unknown(lab)  # from the beginning again: what is said of it is forgotten


async def test_each_look_for_what_is_not_there_begins_anew(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "PAGE", 5)
    monkeypatch.setattr(find, "PAGES", 3)
    for n in range(18):
        await lab.fake.write(lab.ada, lab.channel, f"talk {n}")
    assert "later" in await unknown(lab)
    assert await lab.post.find(lab.at(), "k", since()) is None
    assert "later" in await unknown(lab)
