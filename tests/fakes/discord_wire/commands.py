"""The bot's commands as it syncs them: checked by Discord's documented limits, kept by server and name."""

from __future__ import annotations

import re
from typing import Any

from tests.fakes.discord_wire.errors import Fault, Path, Wrong
from tests.fakes.discord_wire.state import Json
from tests.fakes.discord_wire.world import World

SLASH, USER, MESSAGE = 1, 2, 3
SUB, SUB_GROUP, STRING, INTEGER, BOOLEAN, USER_OPTION, CHANNEL_OPTION, ROLE_OPTION, MENTION, NUMBER, FILE = range(1, 12)
MOST_TEXT = 8000
_NAME = re.compile(r"^[-_'\w]{1,32}$")
_MOST = {SLASH: 100, USER: 15, MESSAGE: 15}


def put_all(world: World, guild: str, said: Any) -> list[Json]:
    """Replace all commands of a server ("": everywhere). An equal one keeps its id and version."""
    if not isinstance(said, list):
        raise Fault(50035, errors={"_errors": [{"code": "BASE_TYPE_BAD_TYPE", "message": "Must be a list."}]})
    wrong = Wrong()
    for index, one in enumerate(said):
        check(wrong, one, (index,))
    for kind, most in _MOST.items():
        if sum(one.get("type", SLASH) == kind for one in said) > most:
            raise Fault(30032, 400, words=f"Maximum number of application commands reached ({most})")
    names = [(one.get("type", SLASH), one.get("name")) for one in said]
    if len(set(names)) < len(names):
        wrong.add((), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
    wrong.check()
    old = {(one["type"], one["name"]): one for one in world.commands.get(guild, {}).values()}
    made = [_kept(world, guild, one, old.get((one.get("type", SLASH), one["name"]))) for one in said]
    world.commands[guild] = {one["id"]: one for one in made}
    return made


def put(world: World, guild: str, said: Json) -> Json:
    """Make one command, or replace the one of its name."""
    rest = [one for one in world.commands.get(guild, {}).values() if one["name"] != said.get("name")]
    return put_all(world, guild, [*rest, said])[-1]


def delete(world: World, guild: str, id_: str) -> None:
    """Take one command away."""
    if world.commands.get(guild, {}).pop(id_, None) is None:
        raise Fault(10063)


def _kept(world: World, guild: str, said: Json, old: Json | None) -> Json:
    told = {
        "id": old["id"] if old else world.ids.next(),
        "application_id": world.app_id,
        "type": SLASH,
        "default_member_permissions": None,
        "dm_permission": True,
        "nsfw": False,
        "integration_types": [0],
        "contexts": None,
        **{name: value for name, value in said.items() if value is not None},
        "description": said.get("description") or "",
        "version": world.ids.next(),
    }
    return {**told, "guild_id": guild} if guild else told


def check(wrong: Wrong, one: Any, at: Path) -> None:
    """Check one command."""
    kind = one.get("type", SLASH)
    if kind == SLASH:
        _named(wrong, one, at)
        _options(wrong, one.get("options") or [], at, nested=0)
    else:
        wrong.length((*at, "name"), one.get("name"), 1, 32)
        if one.get("description") or one.get("options"):
            wrong.add((*at, "description"), "APPLICATION_COMMAND_INVALID", "Only a slash command has these.")
    if size(one) > MOST_TEXT:
        wrong.add(at, "APPLICATION_COMMAND_TOO_LARGE", f"Command exceeds maximum size ({MOST_TEXT})")
    for name, known in (("integration_types", {0, 1}), ("contexts", {0, 1, 2})):
        if one.get(name) is not None and (not set(one[name]) <= known or len(set(one[name])) < len(one[name])):
            wrong.add((*at, name), "BASE_TYPE_CHOICES", f"Values must be of {sorted(known)}.")


def size(one: Json) -> int:
    """Return a command's characters as Discord counts them: names, descriptions and values, the longest language."""
    total = sum(_longest(one, name) for name in ("name", "description"))
    total += sum(_longest(choice, "name") + len(str(choice.get("value", ""))) for choice in one.get("choices") or ())
    return total + sum(size(option) for option in one.get("options") or ())


def _longest(one: Json, name: str) -> int:
    return max(len(said) for said in (one.get(name) or "", *(one.get(f"{name}_localizations") or {}).values()))


def _named(wrong: Wrong, one: Json, at: Path) -> None:
    name = one.get("name")
    if wrong.length((*at, "name"), name, 1, 32) and (not _NAME.match(str(name)) or str(name) != str(name).lower()):
        wrong.add((*at, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    wrong.length((*at, "description"), one.get("description"), 1, 100)


def _options(wrong: Wrong, options: Any, at: Path, nested: int) -> None:
    path = (*at, "options")
    if not wrong.listed(path, options, 0, 25):
        return
    names = [option.get("name") for option in options]
    if len(set(names)) < len(names):
        wrong.add(path, "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option names must be unique")
    subs = [option.get("type") in (SUB, SUB_GROUP) for option in options]
    if any(subs) and not all(subs):
        wrong.add(path, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands and options exclude each other")
    needed = [bool(option.get("required")) for option in options]
    if needed != sorted(needed, reverse=True):
        words = "Required options must be placed before non-required options"
        wrong.add(path, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", words)
    for index, option in enumerate(options):
        _option(wrong, option, (*path, index), nested)


def _option(wrong: Wrong, option: Json, at: Path, nested: int) -> None:
    _named(wrong, option, at)
    kind = option.get("type")
    if not wrong.number((*at, "type"), kind, 1, 11):
        return
    if kind in (SUB, SUB_GROUP):
        if nested + (kind == SUB_GROUP) > 1:
            wrong.add((*at, "type"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Too deep")
        _options(wrong, option.get("options") or [], at, nested + 1 if kind == SUB_GROUP else 2)
        return
    if option.get("autocomplete") and (option.get("choices") or kind not in (STRING, INTEGER, NUMBER)):
        wrong.add((*at, "autocomplete"), "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID", "Not with these")
    for index, choice in enumerate(option.get("choices") or ()):
        wrong.length((*at, "choices", index, "name"), choice.get("name"), 1, 100)
        if kind == STRING:
            wrong.length((*at, "choices", index, "value"), choice.get("value"), 1, 100)
    wrong.listed((*at, "choices"), option.get("choices") or [], 0, 25)
    for name, least in (("min_length", 0), ("max_length", 1)):
        if option.get(name) is not None:
            wrong.number((*at, name), option[name], least, 6000)
