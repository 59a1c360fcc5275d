"""Threads, and the posts of forums, which are threads with a first message."""

from __future__ import annotations

from tests.fakes.discord_wire import content, messages, payloads
from tests.fakes.discord_wire.errors import Fault, Wrong
from tests.fakes.discord_wire.permissions import has
from tests.fakes.discord_wire.state import FORUM, NEWS, TEXT, Channel, Json
from tests.fakes.discord_wire.world import World

MOST_TAGS = 5


def start(world: World, channel: Channel, form: Json, files: list[Json]) -> Json:
    """Open a thread in a channel, or a post with its first message in a forum."""
    if channel.type == FORUM:
        return _post(world, channel, form, files)
    if channel.type not in (TEXT, NEWS):
        raise Fault(50024)
    _may_open(world, channel, "create_public_threads", "view_channel")
    _named(form)
    return payloads.channel(world.add_thread(channel, form["name"], world.bot, []))


def start_from(world: World, channel: Channel, id_: str, form: Json) -> Json:
    """Open the thread of a message; it has the message's id."""
    messages.one_of(channel, id_)
    if id_ in world.channels:
        raise Fault(160004)
    _may_open(world, channel, "create_public_threads", "read_message_history")
    _named(form)
    thread = world.add_thread(channel, form["name"], world.bot, [], id_)
    return payloads.channel(thread)


def _post(world: World, channel: Channel, form: Json, files: list[Json]) -> Json:
    _may_open(world, channel, "send_messages")
    _named(form)
    known, tags = {tag["id"] for tag in channel.tags}, form.get("applied_tags") or []
    wrong = Wrong()
    if wrong.listed(("applied_tags",), tags, 0, MOST_TAGS):
        for index, tag in enumerate(tags):
            if str(tag) not in known:
                wrong.add(("applied_tags", index), "FORUM_TAG_UNKNOWN", "Unknown tag")
    if not isinstance(form.get("message"), dict):
        wrong.required(("message",))
    wrong.check()
    if channel.tag_required and not tags:
        raise Fault(40067)
    said = form["message"]
    flags = content.checked(said, content.FLAGS, files=len(files))
    post = world.add_thread(channel, form["name"], world.bot, [str(tag) for tag in tags])
    message = content.made(world, post, world.bot, said, flags)
    message["id"] = post.id  # a post's first message has the post's id
    message["attachments"] = files
    world.say(message, post)
    return {**payloads.channel(post), "message": message}


def active(world: World, guild_id: str) -> Json:
    """Return a server's threads that are not archived and that the bot sees, the newest first."""
    guild = world.guilds.get(guild_id)
    if guild is None or world.bot.id not in guild.members:
        raise Fault(50001)
    found = [one for one in guild.channels.values() if one.is_thread and not one.archived]
    seen = [one for one in found if has(one, world.bot, "view_channel")]
    return {"threads": [payloads.channel(one) for one in reversed(seen)], "members": []}


def archived(world: World, channel: Channel, query: dict[str, str]) -> Json:
    """Return a channel's threads that are archived, the newest first."""
    if not has(channel, world.bot, "read_message_history"):
        raise Fault(50013)
    most = int(query.get("limit") or 50)
    found = [one for one in reversed(channel.threads) if one.archived]
    return {"threads": [payloads.channel(one) for one in found[:most]], "members": [], "has_more": len(found) > most}


def enter(world: World, thread: Channel) -> None:
    """Enter a thread."""
    if not thread.is_thread:
        raise Fault(50024)
    if thread.archived:
        raise Fault(50083)


def change(world: World, channel: Channel, form: Json) -> Json:
    """Change a thread's name, its tags, or whether it is archived or locked."""
    own = channel.is_thread and channel.owner == world.bot.id
    if not own and not has(channel, world.bot, "manage_threads" if channel.is_thread else "manage_channels"):
        raise Fault(50013)
    if channel.archived and form.get("archived") is not False:
        raise Fault(50083)
    if "name" in form:
        _named(form)
        channel.name = form["name"]
    channel.archived = bool(form.get("archived", channel.archived))
    channel.locked = bool(form.get("locked", channel.locked))
    if "applied_tags" in form:
        channel.applied = [str(tag) for tag in form["applied_tags"]]
    channel.changed()
    return payloads.channel(channel)


def delete(world: World, channel: Channel) -> Json:
    """Take a channel or a thread away."""
    if channel.guild is None:
        return payloads.channel(channel)
    if not has(channel, world.bot, "manage_threads" if channel.is_thread else "manage_channels"):
        raise Fault(50013)
    told = payloads.channel(channel)
    world.delete_channel(channel)
    return told


def _may_open(world: World, channel: Channel, *names: str) -> None:
    if channel.guild is None or not has(channel, world.bot, *names):
        raise Fault(50013)


def _named(form: Json) -> None:
    wrong = Wrong()
    wrong.length(("name",), form.get("name"), 1, 100)
    wrong.check()
