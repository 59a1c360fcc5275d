"""The Web API's methods that this Slack has: what does each, the scope it needs, and its tier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fakes.slack import chat, files, places, windows
from tests.fakes.slack.state import Json, Team
from tests.fakes.slack.world import World

Run = Callable[[World, Team, Json], Json]
Scope = Callable[[World, Team, Json], str]


@dataclass(frozen=True, slots=True)
class Method:
    """`scope`: the one that a token has to have, or what tells it; `tier` 0 has no tier of its own."""

    run: Run
    scope: str | Scope = ""
    tier: int = 3


def auth_test(world: World, team: Team, form: Json) -> Json:
    """Say whose token this is."""
    told = {
        "url": f"https://{team.domain}.slack.example/",
        "team": team.name,
        "user": "paperround",
        "team_id": team.id,
        "user_id": team.bot_user,
        "bot_id": team.bot_id,
        "is_enterprise_install": False,
    }
    return told | ({"expires_in": 43_000} if team.rotating else {})


def _listed(world: World, team: Team, form: Json) -> str:
    kinds = str(form.get("types") or "public_channel")
    return "groups:read" if kinds == "private_channel" else "im:read" if kinds == "im" else "channels:read"


METHODS: dict[str, Method] = {
    "auth.test": Method(auth_test, tier=0),
    "chat.postMessage": Method(chat.post_message, "chat:write", 0),
    "chat.postEphemeral": Method(chat.post_ephemeral, "chat:write", 4),
    "chat.update": Method(chat.update, "chat:write"),
    "chat.delete": Method(chat.delete, "chat:write"),
    "chat.getPermalink": Method(chat.permalink, tier=0),
    "conversations.open": Method(places.open_, "im:write"),
    "conversations.info": Method(places.info, places.scope("read")),
    "conversations.join": Method(places.join, "channels:join"),
    "conversations.leave": Method(places.leave, "channels:manage"),
    "conversations.history": Method(places.history, places.scope("history")),
    "conversations.replies": Method(places.replies, places.scope("history")),
    "conversations.list": Method(places.list_, _listed, 2),
    "conversations.members": Method(places.members, places.scope("read"), 4),
    "users.info": Method(places.user_info, "users:read", 4),
    "users.list": Method(places.user_list, "users:read", 2),
    "users.conversations": Method(places.user_channels, "channels:read"),
    "views.open": Method(windows.open_, tier=4),
    "views.push": Method(windows.push, tier=4),
    "views.update": Method(windows.update, tier=4),
    "views.publish": Method(windows.publish, tier=4),
    "files.getUploadURLExternal": Method(files.upload_url, "files:write", 4),
    "files.completeUploadExternal": Method(files.complete, "files:write", 4),
}
