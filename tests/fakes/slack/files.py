"""files.*: the two calls around an upload."""

from __future__ import annotations

from typing import Any

from tests.fakes.slack.chat import _may_post, put
from tests.fakes.slack.errors import Fault
from tests.fakes.slack.state import Json, Team, new_id
from tests.fakes.slack.world import World


def upload_url(world: World, team: Team, form: Json) -> Json:
    """Say where a file goes."""
    name, length = str(form.get("filename") or ""), str(form.get("length") or "")
    if not name or not length.isdigit() or length == "0":
        raise Fault("invalid_arguments")
    id_ = new_id("F")
    world.files[id_] = {"id": id_, "name": name, "length": int(length), "content": None, "team": team.id}
    return {"upload_url": f"{world.url}/upload/{id_}", "file_id": id_}


def complete(world: World, team: Team, form: Json) -> Json:
    """Put files that were uploaded into a conversation."""
    said: Any = form.get("files")
    if not isinstance(said, list) or not said:
        raise Fault("invalid_arguments")
    found = [world.files.get(str(one.get("id"))) for one in said if isinstance(one, dict)]
    files = [one for one in found if one is not None and one["team"] == team.id and one["content"] is not None]
    if len(files) != len(said):
        raise Fault("file_not_found")
    if form.get("channel_id"):
        channel = world.channel_of(team, form["channel_id"])
        _may_post(team, channel)
        shown = [{"id": one["id"], "name": one["name"], "size": one["length"]} for one in files]
        message: Json = {
            "type": "message",
            "subtype": "file_share",
            "user": team.bot_user,
            "bot_id": team.bot_id,
            "ts": world.stamps.next(),
            "text": str(form.get("initial_comment") or ""),
            "files": shown,
        }
        put(channel, message | ({"thread_ts": form["thread_ts"]} if form.get("thread_ts") else {}))
    return {"files": [{"id": one["id"], "title": one["name"]} for one in files]}
