"""response_url: five answers within 30 minutes, shown where something was done, to the one who did it or to all."""

from __future__ import annotations

import json
import time
from typing import Any

from aiohttp import web

from tests.fakes.slack.chat import content, put
from tests.fakes.slack.errors import Fault
from tests.fakes.slack.state import Json, Whisper
from tests.fakes.slack.web_api import stumble
from tests.fakes.slack.world import ANSWER_SECONDS, ANSWERS, AnswerUrl, World

NO_TOTAL = 10**9  # what chat.postMessage refuses for its length passes here (github.com/slackapi/bolt-js issue 2867)


class Answers:
    """Takes what is posted to the addresses."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Take one answer."""
        trouble = self._world.trouble("response_url")
        if trouble is not None and not trouble.take:
            return await stumble(request, trouble)
        status, said = self._taken(request.match_info["id"], await request.read())
        if trouble is not None:
            return await stumble(request, trouble)
        return web.json_response(said, status=status) if isinstance(said, dict) else web.Response(text=said)

    def _taken(self, id_: str, body: bytes) -> tuple[int, Json | str]:
        url = self._world.answer_urls.get(id_)
        if url is None:
            return 404, {"ok": False, "error": "invalid_url"}
        if time.monotonic() - url.at > ANSWER_SECONDS:
            return 404, {"ok": False, "error": "expired_url"}
        if url.used >= ANSWERS:
            return 404, {"ok": False, "error": "used_url"}
        try:
            said: Any = json.loads(body)
        except ValueError:
            return 400, {"ok": False, "error": "invalid_payload"}
        try:
            show(self._world, url, said)
        except Fault as fault:
            return 400, {"ok": False, "error": fault.code, **fault.more}
        url.used += 1
        return 200, "ok"


def show(world: World, url: AnswerUrl, said: Json) -> None:
    """Show an answer. Raises Fault.

    A command has no original that could be replaced: whatever it says of that, a new message comes (bolt-python 1268).
    """
    if not isinstance(said, dict):
        raise Fault("invalid_payload")
    url.bodies.append(said)
    if _is_so(said, "delete_original") and url.pressed is not None:
        return _gone(url)
    message = content(world, url.team, said, NO_TOTAL)
    thread = str(said.get("thread_ts") or url.thread or "")
    message |= {"thread_ts": thread} if thread else {}
    if _is_so(said, "replace_original") and url.pressed is not None:
        kept = {"ts": url.pressed["ts"], "edited": {"user": url.team.bot_user, "ts": message["ts"]}}
        url.pressed.pop("blocks", None)
        url.pressed.update({**message, **kept})
        url.replies.append(url.pressed)
        return None
    if said.get("response_type") == "in_channel":
        put(url.channel, message)
    else:
        message["is_ephemeral"] = True
        url.channel.whispers.append(Whisper(url.user, message))
    url.replies.append(message)
    return None


def _gone(url: AnswerUrl) -> None:
    if url.hidden:
        url.channel.whispers = [one for one in url.channel.whispers if one.message is not url.pressed]
    elif url.pressed in url.channel.messages:
        url.channel.messages.remove(url.pressed)


def _is_so(said: Json, name: str) -> bool:
    return str(said.get(name, "")).lower() == "true"
