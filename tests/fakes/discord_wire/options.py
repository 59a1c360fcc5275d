"""What a person's client makes of a command: looks it up in what was synced, and sends options of the right types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.fakes.discord_wire import payloads
from tests.fakes.discord_wire.commands import (
    BOOLEAN,
    CHANNEL_OPTION,
    INTEGER,
    NUMBER,
    ROLE_OPTION,
    SLASH,
    STRING,
    SUB,
    USER_OPTION,
)
from tests.fakes.discord_wire.errors import SetupError
from tests.fakes.discord_wire.state import Channel, Guild, Json, Role, User
from tests.fakes.discord_wire.world import World


@dataclass(frozen=True, slots=True)
class Found:
    """A command as it was synced: the root, and the subcommand in it, if it has any."""

    root: Json
    sub: Json | None

    @property
    def options(self) -> list[Json]:
        """The options that people fill in."""
        return (self.sub or self.root).get("options") or []

    def data(self, options: list[Json], resolved: Json) -> Json:
        """Return an interaction's data."""
        inner = [{"type": SUB, "name": self.sub["name"], "options": options}] if self.sub else options
        data = {"id": self.root["id"], "name": self.root["name"], "type": self.root["type"], "options": inner}
        if self.root.get("guild_id"):
            data["guild_id"] = self.root["guild_id"]
        return {**data, "resolved": resolved} if resolved else data


def find(world: World, guild: Guild | None, name: str, kind: int = SLASH) -> Found:
    """Return a command by its name: "papers search", or "search" of any group. Raises SetupError."""
    here = world.commands.get(guild.id, {}) if guild else {}
    known = [one for one in (*here.values(), *world.commands[""].values()) if one["type"] == kind]
    for root in known:
        if root["name"] == name:
            return Found(root, None)
        for sub in root.get("options") or ():
            if sub["type"] == SUB and name in (sub["name"], f"{root['name']} {sub['name']}"):
                return Found(root, sub)
    raise SetupError(f"no such command was synced: {name} (known: {[one['name'] for one in known]})")


def may_use(found: Found, context: int, by_user: bool) -> None:
    """Raises SetupError where Discord does not show the command: `context` 0 a server, 1 the bot's DM, 2 elsewhere."""
    contexts = found.root.get("contexts")
    if contexts is not None and context not in contexts:
        raise SetupError(f"{found.root['name']} is not shown in context {context}: {contexts}")
    if contexts is None and context == 2:
        raise SetupError(f"{found.root['name']} is not shown in chats of people")
    if int(by_user) not in found.root["integration_types"]:
        raise SetupError(f"{found.root['name']} cannot be installed so: {found.root['integration_types']}")


def filled(found: Found, values: dict[str, Any], guild: Guild | None, focus: str = "") -> tuple[list[Json], Json]:
    """Return options as Discord sends them and what they name. Raises SetupError for what no client would send."""
    known = {option["name"]: option for option in found.options}
    if unknown := values.keys() - known.keys():
        raise SetupError(f"no such option: {sorted(unknown)} (known: {list(known)})")
    missing = [name for name, option in known.items() if option.get("required") and name not in values]
    if missing and not focus:
        raise SetupError(f"an option is needed: {missing}")
    options: list[Json] = []
    resolved: Json = {}
    for name, value in values.items():
        option = known[name]
        raw = value if name == focus else _value(option, value, resolved, guild)
        options.append({"type": option["type"], "name": name, "value": raw})
        if name == focus:
            if not option.get("autocomplete"):
                raise SetupError(f"{name} does not complete what one types")
            options[-1]["focused"] = True
    return options, resolved


def _value(option: Json, value: Any, resolved: Json, guild: Guild | None) -> Any:
    kind, name = option["type"], option["name"]
    fits = {STRING: (str,), INTEGER: (int,), BOOLEAN: (bool,), NUMBER: (int, float)}.get(kind)
    if fits is None:
        return resolve(resolved, value, kind, guild)
    if not isinstance(value, fits) or (isinstance(value, bool) and kind != BOOLEAN):
        raise SetupError(f"{name} is of type {kind}: {value!r}")
    if option.get("choices") and value not in [choice["value"] for choice in option["choices"]]:
        raise SetupError(f"{value!r} is none of the choices of {name}")
    if isinstance(value, str) and not option.get("min_length", 0) <= len(value) <= option.get("max_length", 6000):
        raise SetupError(f"{name} has {len(value)} characters: Discord's client does not send it")
    low, high = option.get("min_value", value), option.get("max_value", value)
    if kind in (INTEGER, NUMBER) and not low <= value <= high:
        raise SetupError(f"{name} is not in {low}..{high}: {value}")
    return value


def resolve(resolved: Json, value: Any, kind: int, guild: Guild | None) -> str:
    """Note what an option or a menu names, and return its id. Raises SetupError if it is not of that kind."""
    if kind == CHANNEL_OPTION and isinstance(value, Channel):
        told = payloads.channel(value)
        names = ("id", "name", "type", "parent_id", "thread_metadata", "topic", "flags", "guild_id")
        partial = {name: told[name] for name in names if name in told}
        resolved.setdefault("channels", {})[value.id] = {**partial, "permissions": "0"}
    elif kind == USER_OPTION and isinstance(value, User):
        resolved.setdefault("users", {})[value.id] = payloads.user(value)
        if guild and value.id in guild.members:
            brought = payloads.member(guild, value)
            brought.pop("user")
            resolved.setdefault("members", {})[value.id] = {**brought, "permissions": "0"}
    elif kind == ROLE_OPTION and isinstance(value, Role):
        resolved.setdefault("roles", {})[value.id] = payloads.role(value)
    else:
        raise SetupError(f"an option of type {kind} cannot be {value!r}")
    return str(value.id)
