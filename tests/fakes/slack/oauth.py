"""OAuth v2: the page on which somebody allows the app, and what a code is changed for."""

from __future__ import annotations

import base64
import secrets
import time
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from tests.fakes.slack.errors import Fault
from tests.fakes.slack.state import Json, Team, User
from tests.fakes.slack.world import World

CODE_SECONDS = 600.0


class Consent:
    """Who answers the next question on the page, and how."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.team: Team | None = None
        self.user: User | None = None
        self.denies = False

    async def page(self, request: web.Request) -> web.Response:
        """Send the browser back with a code, or with access_denied."""
        query = request.query
        if query.get("client_id") != self._world.client_id:
            return web.Response(status=200, text="invalid_client_id")
        if not query.get("scope") and not query.get("user_scope"):
            return web.Response(status=200, text="no_scopes")
        back = query.get("redirect_uri", "")
        state = {"state": query["state"]} if "state" in query else {}
        if self.denies or self.team is None:
            return _redirect(back, {"error": "access_denied", **state})
        code = secrets.token_hex(16)
        scopes = {one for one in query.get("scope", "").split(",") if one}
        user = self.user.id if self.user else ""
        made = {"team": self.team.id, "user": user, "scopes": scopes, "back": back, "at": time.monotonic()}
        self._world.codes[code] = made
        return _redirect(back, {"code": code, **state})


def access(world: World, form: Json, authorization: str) -> Json:
    """Change a code, or a refresh token, for the bot's token. Raises Fault."""
    client, secret = _client(form, authorization)
    if client != world.client_id:
        raise Fault("invalid_client_id")
    if secret != world.client_secret:
        raise Fault("bad_client_secret")
    if form.get("grant_type") == "refresh_token":
        return _refreshed(world, str(form.get("refresh_token", "")))
    code = world.codes.pop(str(form.get("code", "")), None)
    if code is None or time.monotonic() - code["at"] > CODE_SECONDS:
        raise Fault("invalid_code")
    if code["back"] and form.get("redirect_uri", code["back"]) != code["back"]:
        raise Fault("bad_redirect_uri")
    team = world.teams[code["team"]]
    if team.bot_token not in world.tokens:
        team.bot_token = f"xoxb-{secrets.token_hex(12)}"
        world.tokens[team.bot_token] = team
    team.scopes, team.ended = set(code["scopes"]), ""
    return _granted(team, code["user"])


def rotated(world: World, team: Team) -> Json:
    """Return what a token that runs out comes with."""
    world.tokens.pop(team.bot_token, None)
    team.bot_token = f"xoxe.xoxb-{secrets.token_hex(12)}"
    world.tokens[team.bot_token] = team
    return {"access_token": team.bot_token, "refresh_token": f"xoxe-1-{team.id}", "expires_in": 43_200}


def exchange(world: World, form: Json, authorization: str) -> Json:
    """Answer oauth.v2.access."""
    answer = access(world, form, authorization)
    team = world.teams[answer["team"]["id"]]
    return answer | (rotated(world, team) if team.rotating and "expires_in" not in answer else {})


def _granted(team: Team, user: str) -> Json:
    return {
        "app_id": team.app_id,
        "authed_user": {"id": user},
        "scope": ",".join(sorted(team.scopes)),
        "token_type": "bot",
        "access_token": team.bot_token,
        "bot_user_id": team.bot_user,
        "team": {"id": team.id, "name": team.name},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _refreshed(world: World, token: str) -> Json:
    team = world.teams.get(token.removeprefix("xoxe-1-"))
    if team is None or not team.rotating:
        raise Fault("invalid_refresh_token")
    return _granted(team, "") | rotated(world, team)


def _client(form: Json, authorization: str) -> tuple[Any, Any]:
    if authorization.startswith("Basic "):
        name, _, secret = base64.b64decode(authorization[6:]).decode().partition(":")
        return name, secret
    return form.get("client_id"), form.get("client_secret")


def _redirect(back: str, query: dict[str, str]) -> web.Response:
    joint = "&" if "?" in back else "?"
    return web.Response(status=302, headers={"Location": f"{back}{joint}{urlencode(query)}"})
