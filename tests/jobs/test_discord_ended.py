"""Servers and channels that end: what discord.py makes of Discord's events, and what becomes of what is stored.

The events are fed to discord.py as they come from the gateway.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.config import Settings
from bot.platforms._setup import Setup
from bot.platforms.discord.client import Link
from bot.platforms.discord.ended import DELETED, REMOVED, Ends
from bot.store import installs, interests, outbox, owners, subscriptions, workspaces
from bot.store.engine import Store

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
LAB, CLUB = 1 << 22, 2 << 22  # of shards 1 and 0 of two
ME = {"id": "9", "username": "paperround", "discriminator": "0", "avatar": None, "bot": True}


def guild(number: int, **more: Any) -> dict[str, Any]:
    """Return a server as GUILD_CREATE tells it, with a channel, a thread in it, and a forum."""
    return {
        "id": str(number), "name": "The lab", "owner_id": "8", "roles": [], "emojis": [], "features": [],
        "channels": [
            {"id": "71", "type": 0, "name": "reading", "position": 0, "permission_overwrites": []},
            {"id": "72", "type": 15, "name": "papers", "position": 1, "permission_overwrites": []},
        ],
        "threads": [
            {
                "id": "73", "type": 11, "name": "now", "parent_id": "71", "owner_id": "8", "message_count": 0,
                "member_count": 1, "thread_metadata": {
                    "archived": False, "auto_archive_duration": 60, "archive_timestamp": NOW.isoformat(),
                },
            }
        ],
        "members": [], "voice_states": [], "presences": [], "stage_instances": [], "guild_scheduled_events": [],
        "soundboard_sounds": [], "member_count": 2, "unavailable": False, **more,
    }  # fmt: skip


@dataclass
class Lab:
    """A bot with two shards, and what is stored."""

    store: Store
    now: datetime = NOW
    link: Link = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start the bot, anew, without a connection: `feed` is its gateway."""
        self.link = Link(Settings(discord_shard_count=2))
        Ends(Setup(Settings(), self.store, {}, lambda: self.now)).hear(self.link)
        state = self.link.client._connection
        state.guild_ready_timeout, state.shard_count, state.shard_ids = 0.01, 2, [0, 1]

    async def feed(self, kind: str, data: Any) -> None:
        """Let the client take one event of the gateway, and wait until all that came of it is done."""
        if not isinstance(self.link.client.loop, asyncio.AbstractEventLoop):
            await self.link.client._async_setup_hook()
        self.link.client._connection.parsers[kind](data)
        for _ in range(200):
            others = asyncio.all_tasks() - {asyncio.current_task()}
            if not others:
                break
            await asyncio.wait(others, timeout=0.5)

    async def ready(self, shard: int, *guilds: int) -> None:
        """Let a shard get ready: Discord names its servers."""
        named = [{"id": str(number), "unavailable": True} for number in guilds]
        await self.feed(
            "READY", {"shard": [shard, 2], "user": ME, "guilds": named, "application": {"id": "9", "flags": 0}}
        )

    def follow(self, workspace: int | str, channel: str) -> int:
        with self.store.writing() as conn:
            ada = owners.get(conn, "discord", "@me", "person", "8", "Ada", NOW).number
            owner = owners.get(conn, "discord", str(workspace), "channel", channel, "#c", NOW).number
            interest = interests.add(conn, owner, "graphs", ["graphs"], NOW)
            values = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}
            return subscriptions.add(conn, owner, interest, ada, values, NOW)

    def paused(self, number: int) -> str | None:
        """Return why a subscription is paused, or None."""
        with self.store.reading() as conn:
            sub = subscriptions.of_number(conn, number)[0]
            return sub.paused_why if sub.paused_at else None

    def install(self, number: int) -> installs.Install | None:
        with self.store.reading() as conn:
            return installs.get(conn, "discord", str(number))


@pytest.fixture
def lab(memory_store: Store) -> Lab:
    return Lab(memory_store)


async def test_a_server_that_removed_the_bot_is_paused_and_later_deleted(lab: Lab) -> None:
    number = lab.follow(LAB, "71")
    await lab.ready(1, LAB)
    await lab.feed("GUILD_CREATE", guild(LAB))
    assert lab.paused(number) is None
    await lab.feed("GUILD_DELETE", {"id": str(LAB)})
    assert REMOVED in (lab.paused(number) or "")
    row = lab.install(LAB)
    assert row is not None
    assert (row.removed, row.name, row.ended_why) == (True, "The lab", REMOVED)
    with lab.store.writing() as conn:
        assert installs.prune(conn, NOW + timedelta(days=29)) == []
        assert installs.prune(conn, NOW + timedelta(days=31)) == [str(LAB)]
    with lab.store.reading() as conn:
        assert installs.at_work(conn, "discord") == {"@me"}


async def test_a_server_that_is_unavailable_has_not_ended(lab: Lab) -> None:
    number = lab.follow(LAB, "71")
    await lab.ready(1, LAB)
    await lab.feed("GUILD_CREATE", guild(LAB))
    await lab.feed("GUILD_DELETE", {"id": str(LAB), "unavailable": True})
    await lab.ready(1, LAB)
    assert lab.paused(number) is None
    assert lab.install(LAB) is None


async def test_a_server_that_was_lost_while_the_bot_was_away(lab: Lab) -> None:
    here, other = lab.follow(LAB, "71"), lab.follow(CLUB, "81")
    await lab.ready(1)
    assert REMOVED in (lab.paused(here) or "")
    assert lab.paused(other) is None  # the other shard has not said anything yet
    await lab.ready(0, CLUB)
    assert lab.paused(other) is None


async def test_a_server_that_was_lost_between_two_sessions(lab: Lab) -> None:
    number = lab.follow(LAB, "71")
    await lab.ready(1, LAB)
    await lab.feed("GUILD_CREATE", guild(LAB))
    await lab.ready(1, LAB)
    await lab.feed("GUILD_CREATE", guild(LAB))
    assert lab.paused(number) is None
    await lab.ready(1)
    assert REMOVED in (lab.paused(number) or "")


@pytest.mark.parametrize("again", ["join", "available", "restart"])
async def test_a_server_that_takes_the_bot_back_goes_on(lab: Lab, again: str) -> None:
    number = lab.follow(LAB, "71")
    await lab.ready(1, LAB)
    await lab.feed("GUILD_DELETE", {"id": str(LAB)})
    assert lab.paused(number)
    if again != "restart":
        joined = guild(LAB)
        if again == "join":
            del joined["unavailable"]
        await lab.feed("GUILD_CREATE", joined)
    else:
        lab.start()
        await lab.ready(1, LAB)
    assert lab.paused(number) is None
    row = lab.install(LAB)
    assert row is not None
    assert (row.removed, row.ended_at) == (False, None)


async def test_left_and_joined_at_once_ends_as_it_came(lab: Lab) -> None:
    number = lab.follow(LAB, "71")
    await lab.ready(1, LAB)
    joined = guild(LAB)
    del joined["unavailable"]
    for _ in range(3):
        lab.link.client._connection.parsers["GUILD_DELETE"]({"id": str(LAB)})
        lab.link.client._connection.parsers["GUILD_CREATE"](joined)
    await lab.feed("GUILD_DELETE", {"id": "5"})
    assert lab.paused(number) is None


@pytest.mark.parametrize("unavailable", [None, False])
async def test_an_arrival_that_is_told_after_the_removal_changes_nothing(lab: Lab, unavailable: bool | None) -> None:
    number = lab.follow(LAB, "71")
    await lab.ready(1)
    state = lab.link.client._connection
    state.guild_ready_timeout = 0.1
    named = {"shard": [1, 2], "user": ME, "guilds": [], "application": {"id": "9", "flags": 0}}
    state.parsers["READY"](named)
    state.parsers["GUILD_CREATE"](guild(LAB, unavailable=unavailable))  # held back until the shard is ready
    await lab.feed("GUILD_DELETE", {"id": str(LAB)})
    assert REMOVED in (lab.paused(number) or "")


async def test_people_are_of_no_server_and_never_end(lab: Lab) -> None:
    number = lab.follow("@me", "")
    await lab.ready(0)
    await lab.ready(1)
    assert lab.paused(number) is None


async def test_choices_of_a_server_without_subscriptions_end_too(lab: Lab) -> None:
    with lab.store.writing() as conn:
        workspaces.set_zone(conn, "discord", str(LAB), "Europe/Berlin")
    await lab.ready(1)
    with lab.store.writing() as conn:
        assert installs.prune(conn, NOW + timedelta(days=31)) == [str(LAB)]
        assert workspaces.get(conn, "discord", str(LAB)).time_zone == ""


@pytest.mark.parametrize("channel", ["71", "72", "73"])
async def test_a_channel_a_forum_or_a_thread_that_was_deleted_is_paused_and_told_once(lab: Lab, channel: str) -> None:
    here, other = lab.follow(LAB, channel), lab.follow(LAB, "79")
    await lab.ready(1, LAB)
    await lab.feed("GUILD_CREATE", guild(LAB))
    gone = {"id": channel, "guild_id": str(LAB), "type": 11 if channel == "73" else 0, "parent_id": "71"}
    for _ in range(2):
        await lab.feed("THREAD_DELETE" if channel == "73" else "CHANNEL_DELETE", gone)
    assert lab.paused(here) == DELETED
    assert lab.paused(other) is None
    with lab.store.writing() as conn:
        rows = outbox.claim(conn, NOW, "tok", 120, 9, ["discord"])
    assert [row.kind for row in rows] == ["notice"]


async def test_the_threads_of_a_channel_that_was_deleted_go_with_it(lab: Lab) -> None:
    number = lab.follow(LAB, "73")
    await lab.ready(1, LAB)
    await lab.feed("GUILD_CREATE", guild(LAB))
    await lab.feed("CHANNEL_DELETE", {"id": "71", "guild_id": str(LAB), "type": 0})
    assert lab.paused(number) == DELETED
