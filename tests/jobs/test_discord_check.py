"""What the doctor is told of Discord: the token, the portal, commands, sessions, permissions and servers that ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from bot.core.check import Check
from bot.core.ports import Facts
from bot.core.request import Address
from bot.platforms._setup import Setup
from bot.platforms.discord.check import LOOKED_AT, check
from bot.platforms.discord.client import Link
from bot.platforms.discord.manifest import invite_url
from bot.platforms.discord.sync import name_of, state_of
from bot.platforms.discord.tree import make_tree
from bot.plugins import load
from bot.store import installs, interests, kept, owners, subscriptions
from bot.store.engine import Store
from bot.store.installs import Install
from tests.fakes.told_discord import APP, Told, told_discord

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
COMMANDS = load("bot.commands")


@dataclass
class Lab:
    """A bot, what is stored, and what is known of its channels."""

    told: Told
    store: Store
    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    asked: list[Address] = field(default_factory=list)

    async def looked(self, *, synced: bool = True, **values: Any) -> dict[str, Check]:
        settings = self.told.settings(**values)
        link = Link(settings)
        tree = make_tree(link.client, COMMANDS, settings.command, None)  # type: ignore[arg-type]  # nothing is typed
        link.client._connection.application_id = int(APP)
        if synced:
            guild = settings.discord_guild
            await self.store.write(lambda conn: kept.put(conn, name_of(tree), state_of(tree, guild)))
        try:
            found = await check(link, Setup(settings, self.store, COMMANDS, lambda: NOW), tree, self.about)
        finally:
            await link.close()
        assert "sEcret" not in repr(found)
        assert all("\n" not in one.line + one.todo for one in found)
        assert len({one.name for one in found}) == len(found)
        return {one.name: one for one in found}

    async def about(self, address: Address) -> Facts:
        self.asked.append(address)
        return Facts(name=f"#{address.channel}", missing_permissions=self.lacks.get(address.channel, ()))

    def follow(self, channel: str) -> None:
        with self.store.writing() as conn:
            ada = owners.get(conn, "discord", "@me", "person", "8", "Ada", NOW).number
            owner = owners.get(conn, "discord", "5", "channel", channel, f"#{channel}", NOW).number
            values = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}
            subscriptions.add(conn, owner, interests.add(conn, owner, "graphs", ["graphs"], NOW), ada, values, NOW)


@pytest.fixture
async def lab(memory_store: Store) -> AsyncIterator[Lab]:
    async with told_discord() as told:
        yield Lab(told, memory_store)


async def test_all_is_well(lab: Lab) -> None:
    lab.follow("71")
    found = await lab.looked()
    names = ("discord", "discord commands", "discord sessions", "discord permissions", "discord servers")
    assert {name: one.verdict for name, one in found.items()} == dict.fromkeys(names, "ok")
    assert found["discord"].line == "Paperround, in 3 servers: the token is good"
    assert found["discord sessions"].line == "1 shard, 999 of 1,000 session starts left today"
    assert lab.asked == [Address("discord", "5", channel="71")]


async def test_a_token_that_is_not_known(lab: Lab) -> None:
    found = await lab.looked(discord_token=SecretStr("MTIz.sEcret.other"))
    assert list(found) == ["discord"]
    assert (found["discord"].verdict, "PAPERROUND_DISCORD_TOKEN" in found["discord"].line) == ("wrong", True)


async def test_discord_that_cannot_be_reached(lab: Lab) -> None:
    found = await lab.looked(discord_api_url="http://127.0.0.1:9/api")
    assert found["discord"].verdict == "wrong"
    assert found["discord"].todo == "See whether this machine reaches http://127.0.0.1:9/api."


@pytest.mark.parametrize("status", [403, 404])
async def test_discord_that_answers_what_it_never_does(lab: Lab, status: int) -> None:
    lab.told.status = status
    assert [one.verdict for one in (await lab.looked()).values()] == ["wrong"]


async def test_an_answer_that_is_none(lab: Lab) -> None:
    lab.told.app = {}
    one = (await lab.looked())["discord"]
    assert (one.verdict, "PAPERROUND" in one.todo or "machine" in one.todo) == ("wrong", True)


@pytest.mark.parametrize(
    ("change", "verdict", "said", "todo"),
    [
        ({"interactions_endpoint_url": "https://x"}, "wrong", "Interactions Endpoint URL", "General Information"),
        ({"bot_require_code_grant": True}, "wrong", "OAuth2 Code Grant", "page Bot"),
        ({"integration_types_config": {"0": {}}}, "look", "User Install is off", "page Installation"),
        ({"integration_types_config": {"1": {}}}, "look", "Guild Install is off", "page Installation"),
        ({"integration_types_config": {}}, "look", "Guild Install and User Install", "paperround manifest discord"),
    ],
)
async def test_what_is_wrong_in_the_portal(lab: Lab, change: Any, verdict: str, said: str, todo: str) -> None:
    lab.told.app |= change
    one = (await lab.looked())["discord"]
    assert (one.verdict, said in one.line, todo in one.todo) == (verdict, True, True)


async def test_commands_that_were_not_told_yet(lab: Lab) -> None:
    one = (await lab.looked(synced=False))["discord commands"]
    assert (one.verdict, one.todo) == ("look", "A bot does it when it starts: paperround run")
    assert (await lab.looked(discord_guild="112233445566778800"))["discord commands"].line.endswith("to one server")


@pytest.mark.parametrize(
    ("values", "left", "verdict", "said"),
    [
        ({}, 3, "look", "waits for 5 minutes"),
        ({"discord_shard_count": 4, "discord_shard_ids": "0-2"}, 3, "ok", ""),
        ({"discord_shard_count": 2}, 3, "look", "recommends 4"),
    ],
)
async def test_sessions(lab: Lab, values: Any, left: int, verdict: str, said: str) -> None:
    lab.told.shards = 4
    lab.told.limits = [{"total": 1000, "remaining": left, "reset_after": 300_000, "max_concurrency": 1}]
    one = (await lab.looked(**values))["discord sessions"]
    assert (one.verdict, said in one.todo) == (verdict, True)


async def test_permissions_that_are_missing_are_named_by_channel(lab: Lab) -> None:
    lab.follow("71")
    lab.follow("72")
    lab.lacks = {"72": ("Send Messages", "Read Message History")}
    one = (await lab.looked())["discord permissions"]
    assert one.verdict == "wrong"
    assert one.details == ("#72: Send Messages, Read Message History",)


async def test_of_very_many_channels_some_are_looked_at(lab: Lab) -> None:
    for number in range(LOOKED_AT + 3):
        lab.follow(str(700 + number))
    one = (await lab.looked())["discord permissions"]
    assert one.line == f"23 subscribed channels, {LOOKED_AT} looked at; none is missing"
    assert len(lab.asked) == LOOKED_AT


async def test_servers_that_removed_the_bot(lab: Lab) -> None:
    with lab.store.writing() as conn:
        installs.keep(conn, "discord", Install("6", "", "", "", "", "The club", (), "", NOW), NOW)
        for server in ("5", "6"):
            installs.end(conn, "discord", server, "the bot was removed", NOW, gone=True)
    one = (await lab.looked())["discord servers"]
    assert (one.verdict, one.details) == ("look", ("5, 2026-12-02 08:30 UTC", "The club, 2026-12-02 08:30 UTC"))
    assert one.todo.endswith(invite_url(APP))
