"""The REST interface's calls that this Discord has: what does each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.discord_wire import about, commands, forum, interactions, messages
from tests.fakes.discord_wire.errors import Fault
from tests.fakes.discord_wire.seen import Seen
from tests.fakes.discord_wire.state import Channel, Json

if TYPE_CHECKING:
    from tests.fakes.discord_wire.gateway import Gateway
    from tests.fakes.discord_wire.world import World


@dataclass(slots=True)
class Call:
    """A call: the ids in its path, its query, its form and its files."""

    world: World
    gateway: Gateway
    ids: tuple[str, ...]
    query: dict[str, str]
    form: Any = field(default_factory=dict)
    files: list[Json] = field(default_factory=list)
    answer_within: float = 3.0
    hook_life: float = 900.0


@dataclass(frozen=True, slots=True)
class Way:
    """A method and a path ("*" is an id), and what does it. `open`: needs no token; `free`: of no limit."""

    method: str
    path: str
    run: Callable[[Call], Any]
    open: bool = False
    free: bool = False


def _channel(call: Call) -> Channel:
    return messages.channel_of(call.world, call.ids[0])


def _gateway(call: Call) -> Json:
    gateway = call.gateway
    return {"url": gateway.url, "shards": gateway.shards, "session_start_limit": gateway.starts.payload}


def _typing(call: Call) -> None:
    messages.may_write(call.world, _channel(call))


def _callback(call: Call) -> Json | None:
    told = interactions.callback(call.world, call.ids[0], call.ids[1], call.form, call.files, call.answer_within)
    return told if call.query.get("with_response", "").lower() in ("1", "true") else None


def _hook(call: Call) -> Seen:
    return interactions.hook(call.world, call.ids[0], call.ids[1], call.hook_life)


def _own(call: Call) -> str:
    """Return the server of commands ("": everywhere). Raises Fault unless it is the bot's own app."""
    if call.ids[0] != call.world.app_id:
        raise Fault(20012)
    guild = call.ids[1] if len(call.ids) > 1 and call.ids[1] in call.world.guilds else ""
    if guild and call.world.bot.id not in call.world.guilds[guild].members:
        raise Fault(50001)
    return guild


def _guild_of(call: Call) -> str:
    if call.ids[1] not in call.world.guilds:
        raise Fault(50001)
    return _own(call)


_APP, _IN = "/applications/*/commands", "/applications/*/guilds/*/commands"
WAYS = [
    Way("GET", "/gateway", lambda call: {"url": call.gateway.url}, open=True),
    Way("GET", "/gateway/bot", _gateway),
    Way("GET", "/users/@me", lambda call: about.me(call.world)),
    Way("GET", "/users/@me/guilds", lambda call: about.my_guilds(call.world, call.query)),
    Way("DELETE", "/users/@me/guilds/*", lambda call: about.leave(call.world, call.ids[0])),
    Way("POST", "/users/@me/channels", lambda call: about.open_dm(call.world, call.form)),
    Way("GET", "/users/*", lambda call: about.person(call.world, call.ids[0])),
    Way("GET", "/oauth2/applications/@me", lambda call: about.application(call.world)),
    Way("GET", "/applications/@me", lambda call: about.application(call.world)),
    Way("GET", "/guilds/*", lambda call: about.guild(call.world, call.ids[0])),
    Way("GET", "/guilds/*/channels", lambda call: about.channels(call.world, call.ids[0])),
    Way("GET", "/guilds/*/roles", lambda call: about.roles(call.world, call.ids[0])),
    Way("GET", "/guilds/*/members/*", lambda call: about.member(call.world, *call.ids)),
    Way("GET", "/guilds/*/threads/active", lambda call: forum.active(call.world, call.ids[0])),
    Way("GET", "/channels/*", lambda call: about.channel(call.world, call.ids[0])),
    Way("PATCH", "/channels/*", lambda call: forum.change(call.world, _channel(call), call.form)),
    Way("DELETE", "/channels/*", lambda call: forum.delete(call.world, _channel(call))),
    Way("POST", "/channels/*/typing", _typing),
    Way("GET", "/channels/*/messages", lambda call: messages.history(call.world, _channel(call), call.query)),
    Way(
        "POST", "/channels/*/messages", lambda call: messages.create(call.world, _channel(call), call.form, call.files)
    ),
    Way("GET", "/channels/*/messages/*", lambda call: messages.read(call.world, _channel(call), call.ids[1])),
    Way(
        "PATCH",
        "/channels/*/messages/*",
        lambda call: messages.edit(call.world, _channel(call), call.ids[1], call.form),
    ),
    Way("DELETE", "/channels/*/messages/*", lambda call: messages.delete(call.world, _channel(call), call.ids[1])),
    Way("POST", "/channels/*/threads", lambda call: forum.start(call.world, _channel(call), call.form, call.files)),
    Way(
        "POST",
        "/channels/*/messages/*/threads",
        lambda call: forum.start_from(call.world, _channel(call), call.ids[1], call.form),
    ),
    Way(
        "GET",
        "/channels/*/threads/archived/public",
        lambda call: forum.archived(call.world, _channel(call), call.query),
    ),
    Way("PUT", "/channels/*/thread-members/@me", lambda call: forum.enter(call.world, _channel(call))),
    Way("GET", _APP, lambda call: list(call.world.commands[_own(call)].values())),
    Way("PUT", _APP, lambda call: commands.put_all(call.world, _own(call), call.form)),
    Way("POST", _APP, lambda call: commands.put(call.world, _own(call), call.form)),
    Way("DELETE", f"{_APP}/*", lambda call: commands.delete(call.world, "", call.ids[1])),
    Way("GET", _IN, lambda call: list(call.world.commands.get(_guild_of(call), {}).values())),
    Way("PUT", _IN, lambda call: commands.put_all(call.world, _guild_of(call), call.form)),
    Way("POST", _IN, lambda call: commands.put(call.world, _guild_of(call), call.form)),
    Way("DELETE", f"{_IN}/*", lambda call: commands.delete(call.world, _guild_of(call), call.ids[2])),
    Way("POST", "/interactions/*/*/callback", _callback, open=True, free=True),
    Way(
        "POST",
        "/webhooks/*/*",
        lambda call: interactions.follow(call.world, _hook(call), call.form, call.files),
        open=True,
    ),
    Way("GET", "/webhooks/*/*/messages/*", lambda call: interactions.find(_hook(call), call.ids[2]), open=True),
    Way(
        "PATCH",
        "/webhooks/*/*/messages/*",
        lambda call: interactions.edit(call.world, _hook(call), call.ids[2], call.form),
        open=True,
    ),
    Way(
        "DELETE",
        "/webhooks/*/*/messages/*",
        lambda call: interactions.remove(call.world, _hook(call), call.ids[2]),
        open=True,
    ),
]
_BY_METHOD: dict[str, list[tuple[re.Pattern[str], Way]]] = {}
for _way in WAYS:
    _pattern = re.compile(re.escape(_way.path).replace(r"\*", "([^/]+)") + "$")
    _BY_METHOD.setdefault(_way.method, []).append((_pattern, _way))


def find(method: str, path: str) -> tuple[Way, tuple[str, ...]] | None:
    """Return what does a call, and the ids in its path."""
    for pattern, way in _BY_METHOD.get(method, ()):
        if found := pattern.match(path):
            return way, found.groups()
    return None
