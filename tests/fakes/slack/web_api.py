"""The Web API on a socket: who calls, whether they may, what it is, and every way in which it can go wrong."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aiohttp import web

from tests.fakes.slack.errors import Fault
from tests.fakes.slack.methods import METHODS, Method
from tests.fakes.slack.oauth import exchange
from tests.fakes.slack.state import Call, Json, Team
from tests.fakes.slack.world import Trouble, World

_JSON_FIELDS = ("blocks", "metadata", "view", "attachments", "files")
Connect = Callable[[], str]


class WebApi:
    """Answers calls. `connect` returns the address of a new socket."""

    def __init__(self, world: World, connect: Connect) -> None:
        self._world = world
        self._connect = connect

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        method = request.match_info["method"]
        form = await _read(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or str(form.pop("token", ""))
        team = self._world.tokens.get(token)
        call = Call(method, form, time.monotonic(), team.id if team else "")
        trouble = self._world.trouble(method)
        if trouble is not None and not trouble.take:
            self._world.calls.append(replace(call, error=str(trouble.fault)))
            return await stumble(request, trouble)
        answer, status, headers = self._answer(method, form, token, request)
        self._world.calls.append(replace(call, error=str(trouble.fault) if trouble else str(answer.get("error", ""))))
        if trouble is not None:
            return await stumble(request, trouble)
        return web.json_response(answer, status=status, headers=headers)

    def _answer(self, name: str, form: Json, token: str, request: web.Request) -> tuple[Json, int, dict[str, str]]:
        headers: dict[str, str] = {}
        try:
            if name == "oauth.v2.access":
                return {"ok": True, **exchange(self._world, form, request.headers.get("Authorization", ""))}, 200, {}
            if name == "apps.connections.open":
                return {"ok": True, "url": self._socket(token)}, 200, {}
            if name not in METHODS:
                raise Fault("unknown_method", req_method=name)
            team, method = self._team(token), METHODS[name]
            wait = self._world.limits.wait(team.id, name, method.tier, str(form.get("channel", "")))
            if wait > 0:
                return {"ok": False, "error": "ratelimited"}, 429, {"Retry-After": str(math.ceil(wait))}
            headers = {"x-oauth-scopes": ",".join(sorted(team.scopes))}
            return {"ok": True, **self._done(team, name, method, form, headers)}, 200, headers
        except Fault as fault:
            return {"ok": False, "error": fault.code, **fault.more}, 200, headers

    def _done(self, team: Team, name: str, method: Method, form: Json, headers: dict[str, str]) -> Json:
        needed = method.scope if isinstance(method.scope, str) else method.scope(self._world, team, form)
        if needed:
            headers["x-accepted-oauth-scopes"] = needed
        if needed and needed not in team.scopes:
            raise Fault("missing_scope", needed=needed, provided=",".join(sorted(team.scopes)))
        for field in _JSON_FIELDS:
            if isinstance(form.get(field), str) and form[field]:
                raise Fault(
                    {"blocks": "invalid_blocks_format", "metadata": "invalid_metadata_format"}.get(
                        field, "invalid_arguments"
                    )
                )
        return method.run(self._world, team, form)

    def _team(self, token: str) -> Team:
        if not token:
            raise Fault("not_authed")
        if token == self._world.app_token:
            raise Fault("not_allowed_token_type")
        team = self._world.tokens.get(token)
        if team is None:
            raise Fault("invalid_auth")
        if team.ended:
            raise Fault(team.ended)
        return team

    def _socket(self, token: str) -> str:
        if not token:
            raise Fault("not_authed")
        if token in self._world.tokens:
            raise Fault("not_allowed_token_type")
        if token != self._world.app_token:
            raise Fault("invalid_auth")
        return self._connect()


async def stumble(request: web.Request, trouble: Trouble) -> web.StreamResponse:
    """Answer as something goes wrong."""
    fault = trouble.fault
    if fault == "hang":
        await asyncio.Event().wait()
    if fault == "drop":
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)
    if fault == "garbage":
        return web.Response(text="<html>Something went wrong</html>", content_type="text/html")
    if fault == "ratelimited":
        said = {"ok": False, "error": "ratelimited"}
        return web.json_response(said, status=429, headers={"Retry-After": f"{trouble.after:g}"})
    if isinstance(fault, int):
        return web.Response(status=fault, text="Server Error")
    return web.json_response({"ok": False, "error": fault})


async def _read(request: web.Request) -> Json:
    """Return the arguments of a call: a form, JSON, or the query; arguments that hold JSON are read."""
    form: Json = dict(request.query)
    if request.content_type == "application/json":
        said = await request.json()
        return form | (said if isinstance(said, dict) else {})
    form |= {name: str(value) for name, value in (await request.post()).items()}
    for field in _JSON_FIELDS:
        if isinstance(form.get(field), str):
            form[field] = _parsed(form[field])
    return form


def _parsed(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(found, str) else found
