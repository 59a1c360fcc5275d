"""A message's content: what Discord takes of it, whom it would call, and how it stands in the channel."""

from __future__ import annotations

import re
from typing import Any

from tests.fakes.discord_wire import components, payloads
from tests.fakes.discord_wire.errors import Fault, Wrong
from tests.fakes.discord_wire.state import EPHEMERAL, SILENT, SUPPRESS_EMBEDS, V2, Channel, Json, Message, User, walk
from tests.fakes.discord_wire.world import World

_CALLS = re.compile(r"@everyone|@here|<@!?(\d+)>|<@&(\d+)>")
_BARRED_V2 = ("content", "embeds", "poll", "sticker_ids")


def checked(form: Json, allowed_flags: int, before: int = 0, files: int = 0) -> int:
    """Check what a call says of a message; `before`: the flags it has. Returns its flags. Raises Fault."""
    wrong = Wrong()
    flags = form.get("flags") or 0
    if wrong.number(("flags",), flags, 0, 2**31) and flags & ~(allowed_flags | before):
        wrong.add(("flags",), "BITFIELD_TYPE_INVALID", f"Invalid flags: {flags & ~allowed_flags}.")
    flags |= before & V2
    v2 = bool(flags & V2)
    if v2:
        for name in _BARRED_V2:
            if form.get(name):
                words = "The 'content', 'embeds', 'stickers' and 'poll' fields cannot be used with components V2"
                wrong.add((name,), "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", words)
    elif form.get("content") is not None:
        wrong.length(("content",), form["content"], 0, 2000)
    if form.get("nonce") is not None and len(str(form["nonce"])) > 25:
        wrong.add(("nonce",), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    if len(form.get("embeds") or ()) > 10:
        wrong.add(("embeds",), "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
    _mentions(wrong, form.get("allowed_mentions"))
    if form.get("components"):
        components.message(wrong, form["components"], v2)
    wrong.check()
    if not before and not files and not any(form.get(name) for name in ("content", "embeds", "components", "poll")):
        raise Fault(50006)
    return flags


def _mentions(wrong: Wrong, allowed: Any) -> None:
    if allowed is None:
        return
    for name in allowed.keys() - {"parse", "users", "roles", "replied_user"}:
        wrong.add(("allowed_mentions", name), "UNKNOWN_FIELD", "Discord does not know this field here.")
    for name in ("users", "roles"):
        if wrong.listed(("allowed_mentions", name), allowed.get(name) or [], 0, 100) and (
            allowed.get(name) and name in (allowed.get("parse") or ())
        ):
            wrong.add(("allowed_mentions",), "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", f"{name} and parse.{name}")


FLAGS = SUPPRESS_EMBEDS | SILENT | V2
REPLY_FLAGS = FLAGS | EPHEMERAL


def made(world: World, channel: Channel, author: User, form: Json, flags: int) -> Message:
    """Return a new message."""
    id_ = world.ids.next()
    message = Message(
        id=id_,
        channel_id=channel.id,
        author=payloads.user(author),
        content=form.get("content") or "",
        timestamp=payloads.at(id_),
        edited_timestamp=None,
        tts=False,
        mention_everyone=False,
        mentions=[],
        mention_roles=[],
        attachments=[],
        embeds=form.get("embeds") or [],
        components=components.numbered(form.get("components") or []),
        pinned=False,
        type=0,
        flags=flags,
    )
    if form.get("nonce") is not None:
        message["nonce"] = form["nonce"]
    call(world, channel, message, form.get("allowed_mentions"))
    return message


def edited(world: World, message: Message, form: Json, flags: int) -> None:
    """Change a message: what is not said stays."""
    for name in ("content", "embeds"):
        if name in form:
            message[name] = form[name] or ("" if name == "content" else [])
    if form.get("components") is not None:
        message["components"] = components.numbered(form["components"])
    message["flags"] = flags | (message["flags"] & EPHEMERAL)
    message["edited_timestamp"] = payloads.at(world.ids.next())


def call(world: World, channel: Channel, message: Message, allowed: Json | None) -> None:
    """Note whom a message of the bot calls, and whom it names. Nobody who is not allowed to be is called."""
    said = [message["content"], *(one["content"] for one in walk(message["components"]) if one["type"] == 10)]
    rules = {"parse": ["everyone", "users", "roles"]} if allowed is None else allowed
    parse = rules.get("parse") or []
    for found in _CALLS.finditer("\n".join(said)):
        user, role = found.group(1), found.group(2)
        if user in world.users:
            message["mentions"].append(payloads.user(world.users[user]))
        if role and channel.guild and role in channel.guild.roles:
            message["mention_roles"].append(role)
        kind, id_ = ("users", user) if user else ("roles", role) if role else ("everyone", "everyone")
        if message["author"]["id"] == world.bot.id and (kind in parse or id_ in (rules.get(kind) or ())):
            world.pings.append((message.id, id_))
            message["mention_everyone"] |= kind == "everyone"
