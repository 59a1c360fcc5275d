"""Discord is told the commands when they changed and only then, by one process or two, and whatever goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import aiohttp
import discord
import pytest
import simcord

from bot.core.command import Command
from bot.errors import StoreError
from bot.platforms.discord.sync import is_synced, name_of, state_of, sync
from bot.store.engine import Store
from tests.fakes.stores import in_memory
from tests.fakes.tree_discord import Bot, Heard, client_of, plug_ins, registry

GLOBAL = "/applications/*/commands"
BUILT_IN = registry()


@pytest.fixture
def store() -> Iterator[Store]:
    """A store that remembers nothing yet."""
    made = in_memory()
    yield made
    made.close()


@pytest.fixture
def simcord_bot() -> Bot:
    """The bot of the stand-in."""
    return client_of(BUILT_IN, Heard())


def told(env: simcord.Env) -> list[str]:
    """Return where commands were sent, in order."""
    return [one.path.split("/", 3)[3] for one in env.http_requests if one.method == "PUT" and "commands" in one.path]


async def restarted(env: simcord.Env, commands: dict[str, Command]) -> Bot:
    """Start the bot again, with these commands."""
    bot = client_of(commands, Heard())
    await env.restart_bot(bot)
    return bot


async def test_commands_are_told_once_and_again_when_they_changed(
    simcord_env: simcord.Env, simcord_bot: Bot, store: Store
) -> None:
    assert not await is_synced(simcord_bot.tree, store)
    for _ in range(3):
        assert await sync(simcord_bot.tree, store)
    assert await is_synced(simcord_bot.tree, store)
    assert told(simcord_env) == ["commands"]
    same = await restarted(simcord_env, BUILT_IN)
    assert await sync(same.tree, store)
    assert told(simcord_env) == ["commands"]
    fewer = {name: one for name, one in BUILT_IN.items() if name != "mute"}
    assert await sync((await restarted(simcord_env, fewer)).tree, store)
    assert told(simcord_env) == ["commands"] * 2
    assert await sync((await restarted(simcord_env, fewer | plug_ins(2))).tree, store)
    assert told(simcord_env) == ["commands"] * 3


async def test_what_was_told_can_be_used(simcord_env: simcord.Env, simcord_bot: Bot, store: Store) -> None:
    await sync(simcord_bot.tree, store)
    guild = simcord_env.create_guild("Lab")
    channel = guild.create_text_channel("reading")
    ada = guild.add_member(simcord_env.create_user("ada"))
    await ada.slash(channel, "papers search", words="robots", days=7)
    assert simcord_bot.heard.commands == [("search", {"words": "robots", "days": "7"})]


async def test_it_can_be_told_again_in_any_case(simcord_env: simcord.Env, simcord_bot: Bot, store: Store) -> None:
    await sync(simcord_bot.tree, store)
    assert await sync(simcord_bot.tree, store, again=True)
    assert told(simcord_env) == ["commands"] * 2


async def test_in_development_one_guild_is_told_and_then_forgotten(
    simcord_env: simcord.Env, simcord_bot: Bot, store: Store
) -> None:
    lab, other = simcord_env.create_guild("Lab"), simcord_env.create_guild("Other")
    for _ in range(2):
        assert await sync(simcord_bot.tree, store, str(lab.id))
    assert told(simcord_env) == [f"guilds/{lab.id}/commands"]
    assert await sync(simcord_bot.tree, store, str(other.id))
    assert told(simcord_env)[1:] == [f"guilds/{other.id}/commands", f"guilds/{lab.id}/commands"]
    assert not simcord_env.backend.commands[lab.id]
    assert await sync(simcord_bot.tree, store)
    assert told(simcord_env)[3:] == ["commands", f"guilds/{other.id}/commands"]
    assert simcord_env.backend.commands[None]
    assert not simcord_env.backend.commands[other.id]


async def test_a_guild_that_the_bot_left_keeps_nobody_from_being_told(
    simcord_env: simcord.Env, simcord_bot: Bot, store: Store
) -> None:
    lab = simcord_env.create_guild("Lab")
    await sync(simcord_bot.tree, store, str(lab.id))
    simcord_env.inject_error("PUT", f"/applications/*/guilds/{lab.id}/commands", status=403, code=50001)
    assert await sync(simcord_bot.tree, store)
    assert await is_synced(simcord_bot.tree, store)


async def test_two_at_once_do_the_same(simcord_env: simcord.Env, simcord_bot: Bot, store: Store) -> None:
    assert await asyncio.gather(*(sync(simcord_bot.tree, store) for _ in range(4))) == [True] * 4
    assert await is_synced(simcord_bot.tree, store)
    assert set(told(simcord_env)) == {"commands"}
    names = [one["name"] for one in simcord_env.backend.commands[None].values()]
    assert sorted(names) == ["Find similar papers", "papers"]


@pytest.mark.parametrize(
    ("status", "code"), [(403, 50001), (403, 0), (400, 50035), (400, 30034), (401, 0), (404, 10002), (500, 0), (503, 0)]
)
async def test_a_failure_is_logged_and_tried_again_the_next_time(
    simcord_env: simcord.Env, simcord_bot: Bot, store: Store, status: int, code: int
) -> None:
    simcord_env.inject_error("PUT", GLOBAL, status=status, code=code)
    assert not await sync(simcord_bot.tree, store)
    assert not await is_synced(simcord_bot.tree, store)
    assert await sync(simcord_bot.tree, store)
    assert await is_synced(simcord_bot.tree, store)


@pytest.mark.parametrize(
    "error",
    [discord.RateLimited(600.0), aiohttp.ServerDisconnectedError(), ConnectionResetError(), TimeoutError()],
    ids=lambda error: type(error).__name__,
)
async def test_lost_connections_and_long_waits_do_not_stop_the_bot(
    simcord_env: simcord.Env, simcord_bot: Bot, store: Store, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def lost(**_: Any) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(simcord_bot.tree, "sync", lost)
        assert not await sync(simcord_bot.tree, store)
    assert await sync(simcord_bot.tree, store)


async def test_a_store_that_is_away_and_a_client_that_never_logged_in_do_not_stop_the_bot(
    simcord_env: simcord.Env, simcord_bot: Bot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> None:
        raise StoreError("The database does not answer.")

    with monkeypatch.context() as patched:
        patched.setattr(store, "read", away)
        assert not await sync(simcord_bot.tree, store)
    assert told(simcord_env) == []
    assert not await sync(client_of(BUILT_IN, Heard()).tree, store)


async def test_what_is_kept_is_short_and_by_application(simcord_env: simcord.Env, simcord_bot: Bot) -> None:
    assert len(name_of(simcord_bot.tree)) <= 40
    assert str(simcord_bot.application_id) in name_of(simcord_bot.tree)
    assert state_of(simcord_bot.tree) == state_of(client_of(registry(), Heard()).tree)
    assert state_of(simcord_bot.tree) != state_of(simcord_bot.tree, "5")
