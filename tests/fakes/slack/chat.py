"""chat.*: messages."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.fakes.slack.blocks import TOTAL, faults_of_blocks, named, weight
from tests.fakes.slack.errors import Fault
from tests.fakes.slack.state import Channel, Json, Team, Whisper
from tests.fakes.slack.world import World

TEXT_LIMIT, UPDATE_LIMIT = 40_000, 4_000
METADATA_BYTES = 8_000
_EVENT_TYPE = re.compile(r"[A-Za-z0-9_.:-]{1,255}")


def post_message(world: World, team: Team, form: Json) -> Json:
    """Post for all to see."""
    channel = _target(world, team, form.get("channel"))
    _may_post(team, channel)
    message = content(world, team, form)
    thread = _thread(channel, form)
    message |= {"thread_ts": thread} if thread else {}
    return {"channel": channel.id, "ts": message["ts"], "message": put(channel, message)}


def post_ephemeral(world: World, team: Team, form: Json) -> Json:
    """Show to one person, who has to be in the channel, as the bot has to be."""
    channel = _target(world, team, form.get("channel"))
    if team.bot_user not in channel.members:
        raise Fault("not_in_channel")
    if channel.archived:
        raise Fault("is_archived")
    if form.get("user") not in channel.members:
        raise Fault("user_not_in_channel")
    message = content(world, team, {**form, "metadata": None}) | {"is_ephemeral": True}
    thread = _thread(channel, form)
    message |= {"thread_ts": thread} if thread else {}
    channel.whispers.append(Whisper(str(form["user"]), message))
    return {"message_ts": message["ts"]}


def update(world: World, team: Team, form: Json) -> Json:
    """Change one of the bot's own messages. What is not said stays."""
    channel = world.channel_of(team, form.get("channel"))
    message = channel.find(str(form.get("ts", "")))
    if message is None:
        raise Fault("message_not_found")
    if message.get("bot_id") != team.bot_id:
        raise Fault("cant_update_message")
    if channel.archived:
        raise Fault("is_archived")
    if len(str(form.get("text") or "")) > UPDATE_LIMIT:
        raise Fault("msg_too_long")
    new = content(world, team, form)
    kept = {name: new[name] for name in ("text", "blocks", "metadata", "attachments") if form.get(name) is not None}
    message.update(kept, edited={"user": team.bot_user, "ts": world.stamps.next()})
    return {"channel": channel.id, "ts": message["ts"], "text": message["text"], "message": message}


def delete(world: World, team: Team, form: Json) -> Json:
    """Take one of the bot's own messages away."""
    channel = world.channel_of(team, form.get("channel"))
    message = channel.find(str(form.get("ts", "")))
    if message is None:
        raise Fault("message_not_found")
    if message.get("bot_id") != team.bot_id:
        raise Fault("cant_delete_message")
    channel.messages.remove(message)
    return {"channel": channel.id, "ts": message["ts"]}


def permalink(world: World, team: Team, form: Json) -> Json:
    """Return the address of a message."""
    channel = world.channel_of(team, form.get("channel"))
    if channel.find(str(form.get("message_ts", ""))) is None:
        raise Fault("message_not_found")
    ts = str(form["message_ts"]).replace(".", "")
    return {"channel": channel.id, "permalink": f"https://{team.domain}.slack.example/archives/{channel.id}/p{ts}"}


def put(channel: Channel, message: Json) -> Json:
    """Put a message into its channel, and count it where it begins a thread."""
    channel.messages.append(message)
    parent = channel.find(message["thread_ts"]) if message.get("thread_ts") else None
    if parent is not None and parent is not message:
        parent["thread_ts"] = parent["ts"]
        parent["reply_count"] = parent.get("reply_count", 0) + 1
        parent["latest_reply"] = message["ts"]
    return message


def content(world: World, team: Team, form: Json, most: int = TOTAL) -> Json:
    """Return a message of the bot with what a call says of it; `most`: what its blocks may weigh. Raises Fault."""
    text, blocks = form.get("text") or "", checked(form.get("blocks"), most)
    if not isinstance(text, str):
        raise Fault("invalid_arguments")
    if not text and not blocks and not form.get("attachments"):
        raise Fault("no_text")
    message: Json = {
        "type": "message",
        "user": team.bot_user,
        "bot_id": team.bot_id,
        "app_id": team.app_id,
        "team": team.id,
        "ts": world.stamps.next(),
        "text": text[:TEXT_LIMIT],
        "bot_profile": {"id": team.bot_id, "app_id": team.app_id, "name": "paperround", "team_id": team.id},
    }
    if blocks is not None:
        message["blocks"] = named(blocks, world.count)
    if form.get("metadata"):
        message["metadata"] = metadata(form["metadata"])
    return message


def checked(blocks: Any, most: int = TOTAL) -> list[Json] | None:
    """Return blocks that Slack takes; None stays. Raises Fault for those that it refuses."""
    if blocks is None or blocks == "":
        return None
    if not isinstance(blocks, list):
        raise Fault("invalid_blocks_format")
    if faults := faults_of_blocks(blocks):
        raise Fault("invalid_blocks", errors=faults, response_metadata={"messages": faults})
    if weight(blocks) > most:
        raise Fault("msg_blocks_too_long")
    return blocks


def metadata(said: Any) -> Json:
    """Return metadata that Slack takes. Raises Fault."""
    if not isinstance(said, dict):
        raise Fault("invalid_metadata_format")
    kind, payload = said.get("event_type"), said.get("event_payload")
    shaped = isinstance(kind, str) and _EVENT_TYPE.fullmatch(kind) and isinstance(payload, dict)
    if not shaped or not _flat(payload, 0) or not set(said) <= {"event_type", "event_payload", "entities"}:
        raise Fault("invalid_metadata_schema")
    if len(json.dumps(said).encode()) > METADATA_BYTES:
        raise Fault("metadata_too_large")
    return {"event_type": kind, "event_payload": payload}


def _flat(value: Any, depth: int) -> bool:
    """Say whether a value of metadata is a scalar, or an object or list of such."""
    if isinstance(value, dict):
        return depth < 3 and all(_flat(inner, depth + 1) for inner in value.values())
    if isinstance(value, list):
        return all(_flat(inner, depth + 1) for inner in value)
    return isinstance(value, (str, int, float, bool))


def _target(world: World, team: Team, id_: Any) -> Channel:
    """Return the channel that is meant; a person's id is the direct message with them."""
    if not id_:
        raise Fault("channel_not_found")
    if str(id_) in team.users and str(id_) != team.bot_user:
        return team.dm(str(id_))
    return world.channel_of(team, id_)


def _may_post(team: Team, channel: Channel) -> None:
    if channel.archived:
        raise Fault("is_archived")
    if channel.direct and not team.has_messages_tab:
        raise Fault("messages_tab_disabled")
    if team.bot_user not in channel.members and "chat:write.public" not in team.scopes:
        raise Fault("not_in_channel")


def _thread(channel: Channel, form: Json) -> str:
    ts = str(form.get("thread_ts") or "")
    if ts and not re.fullmatch(r"\d{10}\.\d{6}", ts):
        raise Fault("invalid_thread_ts")
    if ts and channel.find(ts) is None:
        raise Fault("thread_not_found")
    return ts
