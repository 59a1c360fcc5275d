"""The part of Slack's Web API that sending needs, on a socket: messages, histories, people and channels. No limits."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

BOT = "UBOT"


@dataclass(frozen=True, slots=True)
class Call:
    """A request, with its form's fields."""

    method: str
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True)
class User:
    """Somebody of the workspace."""

    id: str
    name: str
    tz: str


@dataclass(slots=True)
class Channel:
    """A channel, or the direct message of the bot and somebody."""

    id: str
    name: str = ""
    members: set[str] = field(default_factory=set)
    private: bool = False
    purpose: str = ""
    archived: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)


class Team:
    """The workspace."""

    id, bot_token, bot_user, bot_id = "T1", "xoxb-1", BOT, "BBOT"

    def __init__(self) -> None:
        self.users = {BOT: User(BOT, "paperround", "UTC")}
        self.channels: dict[str, Channel] = {}

    def user(self, name: str, tz: str = "UTC") -> User:
        """Add a person."""
        user = User(f"U{len(self.users)}", name, tz)
        self.users[user.id] = user
        return user

    def channel(
        self, name: str, members: Sequence[User | str] = (), private: bool = False, purpose: str = ""
    ) -> Channel:
        """Add a channel."""
        ids = {member.id if isinstance(member, User) else member for member in members}
        channel = Channel(f"C{len(self.channels)}", name, ids, private, purpose)
        self.channels[channel.id] = channel
        return channel

    def direct(self, user: str) -> Channel:
        """Open a direct message."""
        return self.channels.setdefault(f"D{user}", Channel(f"D{user}", "", {BOT, user}, True))


class FakeSlack:
    """Answers for one workspace. What `fail` is told comes first, in order; `calls` is what was asked."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.api_url = ""
        self._team = Team()
        self._faults: dict[str, list[tuple[str | int, float, bool]]] = defaultdict(list)
        self._lag = 0.0
        self._posted = 0

    async def __aenter__(self) -> FakeSlack:
        """Listen on a free port."""
        app = web.Application()
        app.router.add_post("/api/{method}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.api_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/api/"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all connections."""
        await self._runner.cleanup()

    def team(self, name: str) -> Team:
        """Return the workspace."""
        return self._team

    def fail(self, method: str, fault: str | int, times: int = 1, *, after: float = 1.0, take: bool = False) -> None:
        """Fail the next calls: by a status, a code, "drop", "hang" or "garbage"; with `take` they are done first."""
        self._faults[method] += [(fault, after, take)] * times

    def lag_history(self, seconds: float) -> None:
        """Show messages in the history only when they are so old."""
        self._lag = seconds

    def history(self, channel: Channel) -> list[dict[str, Any]]:
        """Return all messages of a channel, the newest first."""
        return channel.messages[::-1]

    async def _handle(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.calls.append(Call(method, form))
        if self._faults[method]:
            fault, after, take = self._faults[method].pop(0)
            if take:
                self._answer(method, form)
            return await self._fault(request, fault, after)
        return web.json_response(self._answer(method, form))

    async def _fault(self, request: web.Request, fault: str | int, after: float) -> web.Response:
        if fault == "hang":
            await asyncio.sleep(1)
        if fault in ("drop", "hang"):
            assert request.transport is not None
            request.transport.abort()
        if fault in ("drop", "hang", "garbage"):
            return web.Response(text="<html>", content_type="text/html")
        if isinstance(fault, int):
            return web.Response(status=fault, text="fault")
        said = {"ok": False, "error": fault}
        if fault == "ratelimited":
            return web.json_response(said, status=429, headers={"Retry-After": f"{after:g}"})
        return web.json_response(said)

    def _answer(self, method: str, form: dict[str, str]) -> dict[str, Any]:
        if method == "users.info" or method == "conversations.open":
            return self._about_user(method, self._team.users.get(form.get("user", form.get("users", ""))))
        channel = self._team.channels.get(form["channel"])
        if channel is None or (channel.private and BOT not in channel.members):
            return {"ok": False, "error": "channel_not_found"}
        if method == "conversations.join":
            channel.members.add(BOT)
            return {"ok": True}
        if method == "conversations.info":
            return {"ok": True, "channel": _channel_object(channel)}
        if BOT not in channel.members:
            return {"ok": False, "error": "not_in_channel"}
        if method == "conversations.history":
            return self._page(channel, form)
        return self._post(channel, form)

    def _about_user(self, method: str, user: User | None) -> dict[str, Any]:
        if user is None:
            return {"ok": False, "error": "user_not_found"}
        if method == "conversations.open":
            return {"ok": True, "channel": {"id": self._team.direct(user.id).id}}
        known = {"id": user.id, "name": user.name, "tz": user.tz, "team_id": self._team.id, "profile": {}}
        return {"ok": True, "user": known}

    def _post(self, channel: Channel, form: dict[str, str]) -> dict[str, Any]:
        if channel.archived:
            return {"ok": False, "error": "is_archived"}
        self._posted += 1
        message = {
            "type": "message",
            "ts": f"{time.time():.3f}{self._posted % 1000:03}",
            "text": form["text"],
            "user": BOT,
            "bot_id": self._team.bot_id,
            "blocks": json.loads(form["blocks"]),
            "metadata": json.loads(form["metadata"]),
        }
        channel.messages.append(message)
        return {"ok": True, "channel": channel.id, "ts": message["ts"], "message": message}

    def _page(self, channel: Channel, form: dict[str, str]) -> dict[str, Any]:
        until = time.time() - self._lag
        shown = [each for each in channel.messages[::-1] if float(form["oldest"]) <= float(each["ts"]) <= until]
        first, most = int(form.get("cursor", "0")), int(form["limit"])
        end = first + most
        cursor = str(end) if end < len(shown) else ""
        answer = {"ok": True, "messages": shown[first:end], "has_more": bool(cursor)}
        return {**answer, "response_metadata": {"next_cursor": cursor}}


def _channel_object(channel: Channel) -> dict[str, Any]:
    return {
        "id": channel.id,
        "name": channel.name,
        "is_member": BOT in channel.members,
        "is_private": channel.private,
        "is_archived": channel.archived,
        "purpose": {"value": channel.purpose},
    }
