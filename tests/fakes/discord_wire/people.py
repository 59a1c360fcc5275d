"""What people do: commands, buttons, forms, menus, messages. Each sends what Discord sends then."""

from __future__ import annotations

import secrets
from typing import Any

from tests.fakes.discord_wire import content, payloads
from tests.fakes.discord_wire.commands import MESSAGE
from tests.fakes.discord_wire.errors import SetupError
from tests.fakes.discord_wire.options import Found, filled, find, may_use, resolve
from tests.fakes.discord_wire.permissions import has, in_channel
from tests.fakes.discord_wire.seen import AUTOCOMPLETE, COMMAND, COMPONENT, SUBMIT, Seen
from tests.fakes.discord_wire.state import DM, GROUP, Channel, Json, Message, User
from tests.fakes.discord_wire.world import World


class People:
    """The acts of people. They return at once; what comes of it is in what is Seen."""

    def __init__(self, world: World) -> None:
        self._world = world

    def command(
        self,
        user: User,
        channel: Channel,
        name: str,
        values: dict[str, Any],
        *,
        focus: str = "",
        twice: bool = False,
        by_user: bool = False,
    ) -> Seen:
        """Type a slash command, or (`focus`: the option) a part of one that is completed."""
        found = find(self._world, channel.guild if not by_user else None, name)
        self._allowed(found, user, channel, by_user)
        options, resolved = filled(found, values, channel.guild, focus)
        kind = AUTOCOMPLETE if focus else COMMAND
        return self._send(user, channel, kind, found.data(options, resolved), by_user=by_user, twice=twice)

    def menu(self, user: User, channel: Channel, message: Message, name: str, by_user: bool = False) -> Seen:
        """Choose a command of a message's menu."""
        found = find(self._world, channel.guild if not by_user else None, name, MESSAGE)
        self._allowed(found, user, channel, by_user)
        data = {"id": found.root["id"], "name": name, "type": MESSAGE, "target_id": message.id}
        data["resolved"] = {"messages": {message.id: message}}
        return self._send(user, channel, COMMAND, data, by_user=by_user)

    def press(self, user: User, channel: Channel, message: Message, what: str, *, forged: bool, twice: bool) -> Seen:
        """Press a button by its label or action; `forged`: `what` is an id that the message need not have."""
        if forged:
            button: Json = {"custom_id": what, "id": 1}
        else:
            button = button_of(message, what)
        data = {"custom_id": button["custom_id"], "component_type": 2, "id": button["id"]}
        return self._send(user, channel, COMPONENT, data, source=message, twice=twice)

    def submit(self, user: User, seen: Seen, values: dict[str, Any], *, twice: bool) -> Seen:
        """Fill a form in and send it. Inputs that are not named keep what was in them."""
        if seen.modal is None:
            raise SetupError("no form was opened")
        if unknown := values.keys() - seen.fields.keys():
            raise SetupError(f"no such input: {sorted(unknown)} (known: {list(seen.fields)})")
        resolved: Json = {}
        rows = [_row(one, values, resolved, seen.channel) for one in seen.modal["components"]]
        data: Json = {"custom_id": seen.modal["custom_id"], "components": rows}
        data |= {"resolved": resolved} if resolved else {}
        return self._send(user, seen.channel, SUBMIT, data, source=seen.source, by_user=seen.by_user, twice=twice)

    def write(self, user: User, channel: Channel, text: str, reply_to: Message | None = None) -> Message:
        """Say something in a channel or in a direct message."""
        if channel.guild and not has(channel, user, "view_channel"):
            raise SetupError(f"{user.name} does not see {channel.name}")
        message = content.made(self._world, channel, user, {"content": text}, 0)
        if reply_to is not None:
            message["message_reference"] = {"type": 0, "channel_id": channel.id, "message_id": reply_to.id}
            message |= {"type": 19, "referenced_message": {**reply_to}}
        self._world.say(message, channel)
        return message

    def _allowed(self, found: Found, user: User, channel: Channel, by_user: bool) -> None:
        may_use(found, _context(channel), by_user)
        needed = found.root.get("default_member_permissions")
        if channel.guild is None:
            return
        if user.id not in channel.guild.members:
            raise SetupError(f"{user.name} is not in {channel.guild.name}")
        may = in_channel(channel, user)
        if not has(channel, user, "view_channel", "use_application_commands"):
            raise SetupError(f"{user.name} cannot use commands in {channel.name}")
        if needed is not None and not may & int(needed):
            raise SetupError(f"{user.name} lacks permissions {needed}")
        if not by_user and self._world.bot.id not in channel.guild.members:
            raise SetupError(f"the bot is not in {channel.guild.name}")

    def _send(
        self,
        user: User,
        channel: Channel,
        kind: int,
        data: Json,
        *,
        source: Message | None = None,
        by_user: bool = False,
        twice: bool = False,
    ) -> Seen:
        world = self._world
        owners = (source or Message()).get("interaction_metadata", {}).get("authorizing_integration_owners", {})
        by_user = by_user or set(owners) == {"1"}
        id_, token = world.ids.next(), secrets.token_urlsafe(48)
        payload = self._payload(user, channel, by_user) | {"id": id_, "token": token, "type": kind, "data": data}
        if source is not None:
            payload["message"] = source
        seen = Seen(world, id_, token, kind, user, channel, payload, world.now(), by_user, source)
        seen.forced = by_user and channel.guild is not None and not has(channel, user, "use_external_apps")
        world.seen[token] = seen
        for _ in range(1 + twice):
            world.tell("INTERACTION_CREATE", payload, 0, channel.guild)
        return seen

    def _payload(self, user: User, channel: Channel, by_user: bool) -> Json:
        world, guild = self._world, channel.guild
        told: Json = {
            "application_id": world.app_id,
            "version": 1,
            "channel_id": channel.id,
            "channel": payloads.partial_channel(channel, user),
            "locale": "en-US",
            "entitlements": [],
            "attachment_size_limit": 10_485_760,
            "context": _context(channel),
            "app_permissions": str(in_channel(channel, user if by_user else world.bot)),
            "authorizing_integration_owners": {},
        }
        owners: dict[str, str] = told["authorizing_integration_owners"]
        if by_user:
            owners["1"] = user.id
        elif guild is None:
            owners["0"] = "0"
        else:
            owners["0"] = guild.id
        if guild is None:
            return {**told, "user": payloads.user(user)}
        here = {"id": guild.id, "locale": "en-US", "features": []}
        member = {**payloads.member(guild, user), "permissions": str(in_channel(channel, user))}
        return {**told, "guild_id": guild.id, "guild": here, "guild_locale": "en-US", "member": member}


def _context(channel: Channel) -> int:
    return {DM: 1, GROUP: 2}.get(channel.type, 0)


def button_of(message: Message, what: str) -> Json:
    """Return a button by its label, its custom_id, or the custom_id up to a "#". Raises SetupError."""
    named = [one for one in message.buttons if one.get("label") == what]
    found = named or [
        one for one in message.buttons if what in (one.get("custom_id"), (one.get("custom_id") or "").split("#")[0])
    ]
    if not found:
        raise SetupError(f"no such button: {what} (there are: {message.labels})")
    if found[0].get("disabled") or not found[0].get("custom_id"):
        raise SetupError(f"this button does nothing: {what}")
    return found[0]


def _row(one: Json, values: dict[str, Any], resolved: Json, channel: Channel) -> Json:
    """Return a part of a form as it is sent."""
    if one["type"] == 10:
        return {"type": 10, "id": one["id"]}
    if one["type"] == 1:
        return {
            "type": 1,
            "id": one["id"],
            "components": [_input(each, values, resolved, channel) for each in one["components"]],
        }
    return {"type": one["type"], "id": one["id"], "component": _input(one["component"], values, resolved, channel)}


def _input(one: Json, values: dict[str, Any], resolved: Json, channel: Channel) -> Json:
    sent: Json = {"type": one["type"], "id": one["id"], "custom_id": one["custom_id"]}
    value = values.get(one["custom_id"])
    needed = one.get("required", True)
    if one["type"] == 4:
        text = one.get("value") or "" if value is None else value
        low, high = one.get("min_length") or 0, one.get("max_length") or 4000
        if (needed and not text) or (text and not low <= len(text) <= high):
            raise SetupError(f"the form takes no such text in {one['custom_id']}: {text[:80]!r}")
        return {**sent, "value": text}
    if one["type"] == 3:
        known = [option["value"] for option in one["options"]]
        first = [option["value"] for option in one["options"] if option.get("default")]
        chosen = first if value is None else [value] if isinstance(value, str) else list(value)
        if unknown := [each for each in chosen if each not in known]:
            raise SetupError(f"no such option: {unknown} (known: {known})")
    else:
        kinds = {5: 6, 6: 8, 8: 7}
        things = [] if value is None else value if isinstance(value, list) else [value]
        chosen = [resolve(resolved, each, kinds[one["type"]], channel.guild) for each in things]
        if value is None:
            chosen = [each["id"] for each in one.get("default_values") or ()]
    if needed and not chosen:
        raise SetupError(f"the form needs a choice in {one['custom_id']}")
    return {**sent, "values": chosen}
