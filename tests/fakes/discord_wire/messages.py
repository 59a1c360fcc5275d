"""The calls about messages, as the bot makes them."""

from __future__ import annotations

from itertools import islice

from tests.fakes.discord_wire import content
from tests.fakes.discord_wire.errors import Fault, Wrong
from tests.fakes.discord_wire.permissions import has
from tests.fakes.discord_wire.state import (
    DM,
    EPOCH,
    FORUM,
    GROUP,
    NEWS,
    SUPPRESS_EMBEDS,
    TEXT,
    VOICE,
    Channel,
    Json,
    Message,
    User,
)
from tests.fakes.discord_wire.world import World

NONCE_LIFE = 300.0
"""Seconds that Discord remembers a nonce ("a few minutes")."""


def channel_of(world: World, id_: str) -> Channel:
    """Return a channel that the bot can see. Raises Fault."""
    channel = world.channels.get(id_)
    if channel is None:
        raise Fault(10003)
    if channel.type == GROUP or (channel.guild and not has(channel, world.bot, "view_channel")):
        raise Fault(50001)
    return channel


def may_write(world: World, channel: Channel) -> None:
    """Raises Fault unless the bot may write there."""
    if channel.type == FORUM:
        raise Fault(50008)
    if channel.type == DM:
        reachable(world, channel.recipients[0])
    elif channel.is_thread:
        if not has(channel, world.bot, "send_messages_in_threads"):
            raise Fault(50013)
        if channel.locked and not has(channel, world.bot, "manage_threads"):
            raise Fault(160005)
    elif not has(channel, world.bot, "send_messages"):
        raise Fault(50013)


def reachable(world: World, user: User) -> None:
    """Raises Fault unless a person takes direct messages of the bot."""
    together = any(world.bot.id in one.members and user.id in one.members for one in world.guilds.values())
    if not user.dms or user.bot:
        raise Fault(50007)
    if not together and user.id not in world.installed:
        raise Fault(50278)


def create(world: World, channel: Channel, form: Json, files: list[Json]) -> Message:
    """Post a message; with a nonce that was said before, the message of then is returned."""
    may_write(world, channel)
    flags = content.checked(form, content.FLAGS, files=len(files))
    if files and channel.guild and not has(channel, world.bot, "attach_files"):
        raise Fault(50013)
    nonce = str(form["nonce"]) if form.get("nonce") is not None else ""
    if form.get("enforce_nonce") and nonce in channel.nonces and world.now() - channel.nonces[nonce][0] < NONCE_LIFE:
        return channel.nonces[nonce][1]
    message = content.made(world, channel, world.bot, form, flags)
    message["attachments"] = files
    _refer(channel, message, form)
    if nonce:
        channel.nonces[nonce] = (world.now(), message)
    if channel.archived:  # words wake a thread
        channel.archived = False
        channel.changed()
    world.say(message, channel)
    return message


def _refer(channel: Channel, message: Message, form: Json) -> None:
    said = form.get("message_reference")
    if not said:
        return
    found = channel.messages.get(int(said.get("message_id") or 0))
    if found is None:
        if said.get("fail_if_not_exists", True):
            wrong = Wrong()
            wrong.add(("message_reference",), "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
            wrong.check()
        return
    message["type"] = 19
    message["message_reference"] = {"type": 0, "channel_id": channel.id, "message_id": found.id}
    message["referenced_message"] = {**found}


def history(world: World, channel: Channel, query: dict[str, str]) -> list[Message]:
    """Return messages, the newest first: those before or after an id, or the newest."""
    if channel.type not in (TEXT, NEWS, VOICE, DM) and not channel.is_thread:
        raise Fault(50008)
    limit = int(query.get("limit", 50))
    if not 1 <= limit <= 100:
        wrong = Wrong()
        wrong.add(("limit",), "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
        wrong.check()
    if channel.guild and not has(channel, world.bot, "read_message_history"):
        return []
    hidden = world.now() - world.lag
    seen = (one for one in channel.messages.values() if not world.lag or _time(one.id) <= hidden)
    if "after" in query:
        after = int(query["after"])
        return list(islice((one for one in seen if int(one.id) > after), limit))[::-1]
    before = int(query.get("before", 2**63))
    return [one for one in seen if int(one.id) < before][-limit:][::-1]


def _time(id_: str) -> float:
    return ((int(id_) >> 22) + EPOCH) / 1000


def read(world: World, channel: Channel, id_: str) -> Message:
    """Return a message that the bot may read."""
    if channel.guild and not has(channel, world.bot, "read_message_history"):
        raise Fault(50013)
    return one_of(channel, id_)


def one_of(channel: Channel, id_: str) -> Message:
    """Return a message of a channel. Raises Fault."""
    message = channel.messages.get(int(id_))
    if message is None:
        raise Fault(10008)
    return message


def edit(world: World, channel: Channel, id_: str, form: Json) -> Message:
    """Change one of the bot's own messages."""
    message = one_of(channel, id_)
    if message["author"]["id"] != world.bot.id:
        raise Fault(50005)
    if channel.archived:
        raise Fault(50083)
    flags = content.checked(form, content.FLAGS, before=message["flags"] | SUPPRESS_EMBEDS)
    content.edited(world, message, form, flags)
    world.message_event("UPDATE", message, channel)
    return message


def delete(world: World, channel: Channel, id_: str) -> None:
    """Take a message away: its own, or another's with the permission."""
    message = one_of(channel, id_)
    own = message["author"]["id"] == world.bot.id
    if not own and (channel.guild is None or not has(channel, world.bot, "manage_messages")):
        raise Fault(50003 if channel.guild is None else 50013)
    del channel.messages[int(id_)]
    world.message_event("DELETE", {"id": message.id, "channel_id": channel.id}, channel)
