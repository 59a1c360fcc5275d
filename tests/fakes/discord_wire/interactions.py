"""First answers to interactions, and the webhook of each: its answer and what follows, for 15 minutes."""

from __future__ import annotations

from typing import Any

from tests.fakes.discord_wire import components, content, payloads
from tests.fakes.discord_wire.errors import Fault, Wrong
from tests.fakes.discord_wire.seen import AUTOCOMPLETE, COMMAND, COMPONENT, SUBMIT, Seen
from tests.fakes.discord_wire.state import EPHEMERAL, LOADING, V2, Json, Message
from tests.fakes.discord_wire.world import World

MESSAGE, DEFER, DEFER_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
MOST_FOLLOWUPS = 5
"""Of an app that only the person has installed."""
_MAY = {
    COMMAND: {MESSAGE, DEFER, MODAL},
    COMPONENT: {MESSAGE, DEFER, DEFER_UPDATE, UPDATE, MODAL},
    AUTOCOMPLETE: {CHOICES},
    SUBMIT: {MESSAGE, DEFER},
}


def callback(world: World, id_: str, token: str, form: Json, files: list[Json], within: float) -> Json:
    """Take the first answer to an interaction; `within`: the seconds that it may take."""
    seen = world.seen.get(token)
    if seen is None or seen.id != id_ or world.now() - seen.sent_at > within:
        if seen is not None:
            seen.refused.append(10062)
            seen.changed()
        raise Fault(10062)
    if seen.acked:
        seen.refused.append(40060)
        seen.changed()
        raise Fault(40060)
    kind, data = form.get("type"), form.get("data") or {}
    may = _MAY[seen.kind] | ({DEFER_UPDATE, UPDATE} if seen.kind == SUBMIT and seen.source else set())
    if kind not in may:
        wrong = Wrong()
        wrong.add(("type",), "INTERACTION_RESPONSE_TYPE_INVALID", f"Not an answer to this: {kind}")
        wrong.check()
    _take(world, seen, int(str(kind)), data, files)
    seen.callbacks.append(int(str(kind)))
    seen.acked_in = world.now() - seen.sent_at
    seen.changed()
    return _told(seen, int(str(kind)))


def _take(world: World, seen: Seen, kind: int, data: Json, files: list[Json]) -> None:
    if kind == CHOICES:
        seen.choices = _choices(data.get("choices"))
    elif kind == MODAL:
        wrong = Wrong()
        components.modal(wrong, data)
        wrong.check()
        seen.modal = {**data, "components": components.numbered(data["components"])}
    elif kind == DEFER_UPDATE:
        seen.original = seen.source
        seen.ephemeral = bool(seen.source and seen.source.ephemeral)
    elif kind == UPDATE:
        assert seen.source is not None
        seen.original = seen.source
        _edit(world, seen, seen.source, data)
    else:
        loading = kind == DEFER
        seen.original = _post(world, seen, {"flags": data.get("flags", 0)} if loading else data, files, loading)
        seen.ephemeral = seen.original.ephemeral


def _choices(said: Any) -> list[Json]:
    wrong, at = Wrong(), ("data", "choices")
    if wrong.listed(at, said, 0, 25):
        for index, one in enumerate(said):
            wrong.length((*at, index, "name"), one.get("name"), 1, 100)
            if isinstance(one.get("value"), str):
                wrong.length((*at, index, "value"), one["value"], 1, 100)
    wrong.check()
    return list(said)


def _told(seen: Seen, kind: int) -> Json:
    about: Json = {"id": seen.id, "type": seen.kind}
    resource: Json = {"type": kind}
    if seen.original is not None:
        about |= {
            "response_message_id": seen.original.id,
            "response_message_loading": seen.original.loading,
            "response_message_ephemeral": seen.original.ephemeral,
        }
        if kind in (MESSAGE, UPDATE):
            resource["message"] = seen.original
    return {"interaction": about, "resource": resource}


def _post(world: World, seen: Seen, form: Json, files: list[Json], loading: bool = False) -> Message:
    """Show a message, to all or to the person only."""
    form = {**form, "nonce": None}
    if loading:
        flags = (form["flags"] & EPHEMERAL) | LOADING
    else:
        flags = content.checked(form, content.REPLY_FLAGS, files=len(files))
    if seen.forced:
        flags |= EPHEMERAL
    message = content.made(world, seen.channel, world.bot, form, flags)
    message |= {"webhook_id": world.app_id, "application_id": world.app_id, "attachments": files}
    owners = seen.payload["authorizing_integration_owners"]
    message["interaction_metadata"] = {
        "id": seen.id,
        "type": seen.kind,
        "user": payloads.user(seen.user),
        "authorizing_integration_owners": owners,
    }
    message["type"] = 20 if seen.kind == COMMAND else 0
    if seen.kind == COMPONENT and seen.source is not None:
        message["message_reference"] = {"type": 0, "channel_id": seen.channel.id, "message_id": seen.source.id}
        message["type"] = 19
    if not message.ephemeral:
        world.say(message, seen.channel)
    return message


def hook(world: World, app: str, token: str, life: float) -> Seen:
    """Return the interaction of a webhook that is still good; `life`: seconds. Raises Fault."""
    seen = world.seen.get(token)
    if seen is None or app != world.app_id:
        raise Fault(10015)
    if seen.expired or world.now() - seen.sent_at > life:
        raise Fault(50027)
    if not seen.acked or seen.callbacks[0] in (CHOICES,):
        raise Fault(10015)
    return seen


def follow(world: World, seen: Seen, form: Json, files: list[Json]) -> Message:
    """Take a follow-up. The first one after a deferral is the answer itself."""
    if seen.original is not None and seen.original.loading:
        return _fill(world, seen, form)
    if seen.by_user and len(seen.followups) >= MOST_FOLLOWUPS:
        raise Fault(40094)
    message = _post(world, seen, form, files)
    seen.followups.append(message)
    seen.changed()
    return message


def find(seen: Seen, id_: str) -> Message:
    """Return the answer or a follow-up. Raises Fault."""
    if id_ == "@original":
        if seen.original is None:
            raise Fault(10008)
        return seen.original
    for message in seen.messages:
        if message.id == id_:
            return message
    raise Fault(10008)


def edit(world: World, seen: Seen, id_: str, form: Json) -> Message:
    """Change the answer or a follow-up."""
    message = find(seen, id_)
    return _fill(world, seen, form) if message.loading else _edit(world, seen, message, form)


def remove(world: World, seen: Seen, id_: str) -> None:
    """Take the answer or a follow-up away."""
    message = find(seen, id_)
    if message is seen.original:
        seen.original = None
    else:
        seen.followups.remove(message)
    if seen.channel.messages.pop(int(message.id), None) is not None:
        world.message_event("DELETE", {"id": message.id, "channel_id": seen.channel.id}, seen.channel)


def _fill(world: World, seen: Seen, form: Json) -> Message:
    message = seen.original
    assert message is not None
    flags = content.checked(form, content.REPLY_FLAGS)
    content.edited(world, message, form, (flags & ~EPHEMERAL) | (message["flags"] & EPHEMERAL))
    message["edited_timestamp"] = None
    content.call(world, seen.channel, message, form.get("allowed_mentions"))
    return _changed(world, seen, message)


def _edit(world: World, seen: Seen, message: Message, form: Json) -> Message:
    before = message["flags"] | content.REPLY_FLAGS & ~V2
    flags = content.checked(form, content.REPLY_FLAGS, before=before)
    content.edited(world, message, form, flags & ~EPHEMERAL)
    return _changed(world, seen, message)


def _changed(world: World, seen: Seen, message: Message) -> Message:
    seen.updates += 1
    seen.changed()
    if not message.ephemeral:
        world.message_event("UPDATE", message, seen.channel)
    return message
