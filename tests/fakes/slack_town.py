"""Workspaces of Slack on a socket, with what people do in them: enough of the Web API, Socket Mode and signed HTTP.

What Slack would refuse is refused: see `slack_checks`.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

from aiohttp import ClientSession, WSMsgType, web

from tests.fakes.slack_checks import Checks

SECRET = "signing-secret-0123456789abcdef"
APP_TOKEN = "xapp-1-A1-1-abc"
BOT, BOT_ID = "UBOT", "BBOT"
Json = dict[str, Any]


@dataclass
class Reply:
    """What one response_url was used for."""

    body: Json
    channel: str
    user: str


@dataclass
class Town:
    """Each token `xoxb-<team>` is the bot of a workspace. `faults`: what a method answers instead, in order.

    `elsewhere`: channels that the bot is not in; `archived`: closed ones. Triggers open one window within 3 s.
    """

    teams: set[str] = field(default_factory=lambda: {"T1"})
    api_url: str = ""
    events_url: str = ""
    calls: list[tuple[str, Json]] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    posted: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    whispers: list[Json] = field(default_factory=list)
    views: dict[str, Json] = field(default_factory=dict)
    homes: dict[str, Json] = field(default_factory=dict)
    files: list[Json] = field(default_factory=list)
    acks: list[float] = field(default_factory=list)
    faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    opened: int = 0
    connections: int = 1
    greets: bool = True
    checks: Checks = field(default_factory=Checks)
    elsewhere: set[str] = field(default_factory=set)
    archived: set[str] = field(default_factory=set)
    _urls: dict[str, tuple[str, str, list[int]]] = field(default_factory=dict)
    _waiting: dict[str, asyncio.Future[Json]] = field(default_factory=dict)
    _triggers: dict[str, float] = field(default_factory=dict)
    _count: Any = field(default_factory=lambda: itertools.count(1))

    async def __aenter__(self) -> Town:
        app = web.Application()
        app.router.add_post("/api/{method}", self._api)
        app.router.add_post("/respond/{id}", self._respond)
        app.router.add_post("/upload", self._upload)
        app.router.add_get("/socket", self._socket)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.api_url = f"{self.url}/api/"
        self.session = ClientSession()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()
        for one in self.sockets:
            await one.close()
        await self._runner.cleanup()

    # What people do

    async def command(
        self, text: str, *, channel: str = "C1", user: str = "UADA", team: str = "T1", **more: Any
    ) -> Any:
        """Type a slash command."""
        names = {"team_id": team, "channel_id": channel, "user_id": user, "user_name": user[1:].lower()}
        body = {"command": "/papers", "text": text, "channel_name": "reading", **names, **self._hooks(channel, user)}
        return await self.deliver("slash_commands", body | more)

    async def press(
        self, action: str, *, channel: str | None = "C1", user: str = "UADA", team: str = "T1", **more: Any
    ) -> Any:
        """Press a button below a public message, or wherever `more` says."""
        ts = more.pop("ts", "100.1")
        body = {
            "type": "block_actions",
            "team": {"id": team},
            "user": {"id": user, "username": user[1:].lower(), "team_id": more.pop("home_team", team)},
            "container": {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": False},
            "channel": {"id": channel, "name": "reading"} if channel else None,
            "actions": [
                {"type": "button", "action_id": "press:1", "value": action, "action_ts": str(next(self._count))}
            ],
            **self._hooks(channel or "", user),
        }
        return await self.deliver("interactive", body | more)

    async def event(self, event: Json, *, team: str = "T1", **more: Any) -> Any:
        """Let something happen."""
        body = {
            "type": "event_callback",
            "team_id": team,
            "event_id": f"Ev{next(self._count)}",
            "authorizations": [{"team_id": team, "user_id": BOT, "is_bot": True}],
            "event": event,
            "event_time": int(time.time()),
        }
        return await self.deliver("events_api", body | more)

    async def message(
        self, text: str, *, channel: str = "DUADA", user: str = "UADA", team: str = "T1", **more: Any
    ) -> Any:
        """Write to the bot alone, or mention it with type="app_mention"."""
        ts = f"{time.time():.3f}{next(self._count):03}"
        event = {"type": "message", "channel_type": "im", "channel": channel, "user": user, "text": text, "ts": ts}
        return await self.event({**event, "team": team} | more, team=team)

    async def submit(self, view: Json, values: Json, *, user: str = "UADA", team: str = "T1") -> Any:
        """Submit a form."""
        state = {f"arg:{name}": {"value": value} for name, value in values.items()}
        body = {
            "type": "view_submission",
            "team": {"id": team},
            "user": {"id": user, "username": "ada", "team_id": team},
            "view": {"app_installed_team_id": team, "hash": "1.a", **view, "state": {"values": state}},
            "trigger_id": self._hooks("", user)["trigger_id"],
        }
        return await self.deliver("interactive", body)

    async def deliver(self, kind: str, payload: Json, **retry: Any) -> Any:
        """Deliver through the socket, or by a signed post, and return what acknowledged it."""
        started = time.perf_counter()
        if self.sockets:
            envelope = f"E{next(self._count)}"
            self._waiting[envelope] = asyncio.get_running_loop().create_future()
            said = {
                "envelope_id": envelope,
                "type": kind,
                "payload": payload,
                "accepts_response_payload": True,
                **retry,
            }
            await self.sockets[-1].send_json(said)
            answer: Any = await asyncio.wait_for(self._waiting[envelope], 5)
        else:
            text = json.dumps(payload)
            if kind == "slash_commands":
                text = urlencode(payload)
            elif kind == "interactive":
                text = urlencode({"payload": text})
            json_like = "application/json" if kind == "events_api" else "application/x-www-form-urlencoded"
            status, body = await self.post(text.encode(), {"Content-Type": json_like})
            assert status == 200, (status, body)
            answer = json.loads(body) if body.startswith("{") else body
        self.acks.append(time.perf_counter() - started)
        return answer

    async def post(self, body: bytes, headers: Json | None = None, *, at: float = 0.0, secret: str = SECRET) -> Any:
        """Post signed bytes, signed `at` seconds from now, and return status and answer."""
        stamp = str(int(time.time() + at))
        mac = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
        signed = {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={mac}", **(headers or {})}
        async with self.session.post(self.events_url, data=BytesIO(body), headers=signed) as response:
            return response.status, await response.text()

    async def until(self, true: Callable[[], Any], within: float = 5.0) -> Any:
        """Wait until something is there, and return it."""
        end = time.monotonic() + within
        while not (found := true()):
            assert time.monotonic() < end, (self.calls[-5:], self.replies[-3:])
            await asyncio.sleep(0.005)
        return found

    def called(self, method: str) -> list[Json]:
        """Return what a method was called with."""
        return [arguments for name, arguments in self.calls if name == method]

    def trigger(self) -> str:
        """Return a trigger that opens one window."""
        trigger = f"trigger.{next(self._count)}"
        self._triggers[trigger] = time.monotonic() + 3.0
        return trigger

    def _hooks(self, channel: str, user: str) -> Json:
        id_ = str(next(self._count))
        self._urls[id_] = (channel, user, [5])
        return {"response_url": f"{self.url}/respond/{id_}", "trigger_id": self.trigger()}

    # What the bot does

    async def _respond(self, request: web.Request) -> web.Response:
        channel, user, left = self._urls[request.match_info["id"]]
        if left[0] <= 0 or self.faults["response_url"]:
            return web.Response(status=404, text=(self.faults["response_url"] or ["used_url"]).pop(0))
        left[0] -= 1
        body = await request.json()
        if refusal := self.checks.refusal("response_url", "", body):
            return web.json_response(refusal.body, status=400)
        self.replies.append(Reply(body, channel, user))
        return web.Response(text="ok")

    async def _upload(self, request: web.Request) -> web.Response:
        self.files.append({"content": await request.read()})
        return web.Response(text="OK")

    async def _api(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        form = {name: _value(str(value)) for name, value in (await request.post()).items()}
        self.calls.append((method, form))
        if self.faults[method]:
            return web.json_response({"ok": False, "error": self.faults[method].pop(0)})
        team = request.headers.get("Authorization", "").removeprefix("Bearer xoxb-")
        if method == "apps.connections.open":
            return web.json_response({"ok": True, "url": f"{self.url.replace('http', 'ws')}/socket"})
        if team not in self.teams:
            return web.json_response({"ok": False, "error": "invalid_auth"})
        if refusal := self.checks.refusal(method, team, form):
            return web.json_response(refusal.body, status=refusal.status, headers=refusal.headers)
        answer = self._answer(method, team, form)
        headers = {"x-oauth-scopes": ",".join(sorted(self.checks.scopes(team)))}
        return web.json_response({"ok": "error" not in answer, **answer}, headers=headers)

    def _answer(self, method: str, team: str, form: Json) -> Json:
        if method == "auth.test":
            return {"team_id": team, "team": team, "user_id": BOT, "bot_id": BOT_ID}
        if method == "conversations.open":
            known = form["users"].startswith("U") and " " not in form["users"]
            return {"channel": {"id": f"D{form['users']}"}} if known else {"error": "user_not_found"}
        if method == "users.info":
            user = {"id": form["user"], "name": form["user"][1:].lower(), "tz": "Europe/Berlin", "team_id": team}
            return {"user": user | {"is_admin": form["user"] == "UADA"}}
        if method == "conversations.info":
            return {"channel": {"id": form["channel"], "name": "reading", "is_member": True}}
        if method == "conversations.history":
            return {"messages": [], "has_more": False}
        if method.startswith("views."):
            return self._view(method, form)
        if method.startswith("files."):
            self.files.append(form)
            return {"upload_url": f"{self.url}/upload", "file_id": "F1"}
        return self._write(method, form)

    def _write(self, method: str, form: Json) -> Json:
        ts = f"{time.time():.3f}{next(self._count):03}"
        if form["channel"] in self.archived:
            return {"error": "is_archived"}
        if form["channel"] in self.elsewhere:
            return {"error": "not_in_channel" if form["channel"] not in self.checks.private else "channel_not_found"}
        if method == "chat.postEphemeral":
            self.whispers.append(form)
        elif method == "chat.update":
            self.posted[form["channel"]] = [
                {**one, **form} if one["ts"] == form["ts"] else one for one in self.posted[form["channel"]]
            ]
            return {"ts": form["ts"]}
        else:
            self.posted[form["channel"]].append({**form, "ts": ts})
        return {"ts": ts, "channel": form["channel"]}

    def _view(self, method: str, form: Json) -> Json:
        view = form["view"]
        if method == "views.publish":
            self.homes[form["user_id"]] = view
            return {"view": {"id": "VHOME"}}
        if method in ("views.open", "views.push"):
            until = self._triggers.get(form["trigger_id"])
            if until is None or until < time.monotonic():
                return {"error": "invalid_trigger_id" if until is None else "expired_trigger_id"}
            if until == float("inf"):
                return {"error": "exchanged_trigger_id"}
            self._triggers[form["trigger_id"]] = float("inf")
            id_ = f"V{next(self._count)}"
        else:
            id_ = form["view_id"]
            if id_ not in self.views:
                return {"error": "not_found"}
        self.views[id_] = {**view, "id": id_}
        return {"view": {"id": id_}}

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(autoping=True)
        await socket.prepare(request)
        self.opened += 1
        if self.greets:
            await socket.send_json({"type": "hello", "num_connections": self.connections})
        self.sockets.append(socket)
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    said = json.loads(message.data)
                    waiting = self._waiting.pop(said.get("envelope_id", ""), None)
                    if waiting is not None and not waiting.done():
                        waiting.set_result(said.get("payload") or {})
        finally:
            self.sockets.remove(socket)
        return socket


def _value(text: str) -> Any:
    return json.loads(text) if text[:1] in ("{", "[") else text
