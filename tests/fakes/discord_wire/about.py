"""The calls about the bot, people, servers and channels."""

from __future__ import annotations

from typing import Any

from tests.fakes.discord_wire import payloads
from tests.fakes.discord_wire.errors import Fault, Wrong
from tests.fakes.discord_wire.messages import channel_of
from tests.fakes.discord_wire.state import Guild, Json
from tests.fakes.discord_wire.world import World


def me(world: World) -> Json:
    """Return the bot."""
    return {**payloads.user(world.bot), "mfa_enabled": True, "verified": True, "email": None, "flags": 0}


def application(world: World) -> Json:
    """Return the bot's application."""
    owner = world.users.get(world.app_owner) or world.bot
    return {
        "id": world.app_id,
        "name": "Paperround",
        "icon": None,
        "description": "",
        "bot_public": world.public,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "owner": payloads.user(owner),
        "team": None,
        "flags": 0,
        "hook": True,
        "summary": "",
        "bot": payloads.user(world.bot),
        "approximate_guild_count": sum(world.bot.id in one.members for one in world.guilds.values()),
        "approximate_user_install_count": len(world.installed),
        "interactions_endpoint_url": None,
        "integration_types_config": {"0": {}, "1": {}} if world.public else {"0": {}},
    }


def my_guilds(world: World, query: dict[str, str]) -> list[Json]:
    """Return the servers that the bot is in, 200 at most, after an id."""
    after = int(query.get("after") or 0)
    mine = [one for one in world.guilds.values() if world.bot.id in one.members and int(one.id) > after]
    mine.sort(key=lambda one: int(one.id))
    names = ("id", "name", "icon", "features")
    short = [{name: payloads.guild(one)[name] for name in names} for one in mine[: int(query.get("limit") or 200)]]
    return [{**one, "owner": False, "permissions": "0"} for one in short]


def leave(world: World, id_: str) -> None:
    """Take the bot out of a server."""
    world.remove_bot(_mine(world, id_))


def open_dm(world: World, form: Json) -> Json:
    """Open the direct message with a person. Whether it takes messages shows when one is sent."""
    person_id = str(form.get("recipient_id", ""))
    if not person_id.isdigit():
        wrong = Wrong()
        wrong.add(("recipient_id",), "NUMBER_TYPE_COERCE", f'Value "{person_id}" is not snowflake.')
        wrong.check()
    found = world.users.get(person_id)
    if found is None or found.gone:
        raise Fault(10013)
    if found is world.bot:
        raise Fault(50007)
    return payloads.channel(world.dm(found))


def person(world: World, id_: str) -> Json:
    """Return a person."""
    if id_ not in world.users:
        raise Fault(10013)
    return payloads.user(world.users[id_])


def guild(world: World, id_: str) -> Json:
    """Return a server that the bot is in."""
    return payloads.guild(_mine(world, id_))


def channels(world: World, id_: str) -> list[Json]:
    """Return a server's channels, threads left out."""
    return [payloads.channel(one) for one in _mine(world, id_).channels.values() if not one.is_thread]


def roles(world: World, id_: str) -> list[Json]:
    """Return a server's roles."""
    return [payloads.role(one) for one in _mine(world, id_).roles.values()]


def member(world: World, guild_id: str, user_id: str) -> Json:
    """Return a member of a server."""
    found = _mine(world, guild_id)
    if user_id not in world.users:
        raise Fault(10013)
    if user_id not in found.members:
        raise Fault(10007)
    return payloads.member(found, world.users[user_id])


def channel(world: World, id_: str) -> Json:
    """Return a channel that the bot sees."""
    return payloads.channel(channel_of(world, id_))


def _mine(world: World, id_: Any) -> Guild:
    found = world.guilds.get(str(id_))
    if found is None or world.bot.id not in found.members:
        raise Fault(10004)
    return found
