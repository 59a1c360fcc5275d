"""What the doctor is told of Slack: good and bad tokens, what the app may not do, and workspaces that ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.config import Settings
from bot.core.check import Check
from bot.platforms.slack.check import check
from bot.platforms.slack.manifest import scopes
from bot.platforms.slack.verdict import Install

GRANTED = ",".join(scopes(Settings()))
LAB = Install("T1", "", "xoxb-lab")
GOOD = {"ok": True, "team": "Lab", "team_id": "T1", "bot_id": "B1", "app_id": "A1"}


@dataclass
class Web:
    """A Web API that answers auth.test by token, and apps.connections.open."""

    url: str = ""
    tokens: dict[str, Any] = field(default_factory=lambda: {"xoxb-lab": GOOD})
    granted: str | None = GRANTED
    socket: Any = field(default_factory=lambda: {"ok": True, "url": "wss://x"})
    called: list[str] = field(default_factory=list)
    hook: int = 401

    async def knocked(self, _request: web.Request) -> web.Response:
        return web.Response(status=self.hook)

    async def answer(self, request: web.Request) -> web.Response:
        method, token = request.path.rpartition("/")[2], request.headers["Authorization"].removeprefix("Bearer ")
        self.called.append(f"{method} {token}")
        said = self.socket if method == "apps.connections.open" else self.tokens.get(token, "invalid_auth")
        if isinstance(said, int):
            return web.Response(status=said, text="<html>")
        if isinstance(said, str):
            return web.json_response({"ok": False, "error": said})
        headers = {} if self.granted is None else {"x-oauth-scopes": self.granted}
        return web.json_response(said, headers=headers)


@pytest.fixture
async def slack() -> AsyncIterator[Web]:
    told = Web()
    app = web.Application()
    app.router.add_route("*", "/api/{method}", told.answer)
    app.router.add_post("/slack/events", told.knocked)
    async with TestServer(app) as server:
        told.url = str(server.make_url("/api/"))
        yield told


def settings(slack: Web, **values: Any) -> Settings:
    given = {"slack_bot_token": "xoxb-lab", "slack_app_token": "xapp-1-A1-sEcret", "slack_api_url": slack.url}
    return Settings(**(given | values))


async def looked(slack: Web, *installs: Install, **values: Any) -> Mapping[str, Check]:
    found = await check(settings(slack, **values), installs or [LAB])
    assert "sEcret" not in repr(found)
    assert "xoxb" not in repr(found)
    assert all("\n" not in one.line + one.todo for one in found)
    named = {one.name: one for one in found}
    assert len(named) == len(found)
    return named


async def test_all_is_well(slack: Web) -> None:
    found = await looked(slack)
    assert {name: one.verdict for name, one in found.items()} == dict.fromkeys(
        ("slack", "slack permissions", "slack socket", "slack workspaces"), "ok"
    )
    assert found["slack"].line == "Socket Mode, Lab: the bot token is good"
    assert slack.called == ["auth.test xoxb-lab", "apps.connections.open xapp-1-A1-sEcret"]


@pytest.mark.parametrize(("status", "verdict"), [(401, "ok"), (404, "look"), (502, "look"), (302, "look")])
async def test_http_mode_has_an_address_and_no_socket(slack: Web, status: int, verdict: str) -> None:
    slack.hook = status
    found = await looked(slack, slack_mode="http", public_url=slack.url.removesuffix("/api/"))
    assert "slack socket" not in found
    assert found["slack"].line.startswith("HTTP mode")
    assert found["slack address"].verdict == verdict
    assert verdict == "ok" or str(status) in found["slack address"].line


async def test_an_address_at_which_nobody_answers(slack: Web) -> None:
    one = (await looked(slack, slack_mode="http", public_url="http://127.0.0.1:9"))["slack address"]
    assert (one.verdict, "no answer" in one.line, "/slack/ on to 127.0.0.1:8080" in one.todo) == ("look", True, True)


@pytest.mark.parametrize(
    ("answer", "said", "todo"),
    [
        ("invalid_auth", "Slack does not know it (invalid_auth)", "PAPERROUND_SLACK_BOT_TOKEN"),
        ("account_inactive", "removed from the workspace", "PAPERROUND_SLACK_BOT_TOKEN"),
        ("a_new_code", "a_new_code", "PAPERROUND_SLACK_BOT_TOKEN"),
        (503, "an answer that is none", "PAPERROUND_SLACK_BOT_TOKEN"),
        (GOOD | {"expires_in": 3600}, "token rotation is on", "make the app anew"),
        (GOOD | {"bot_id": None}, "no bot's token", "PAPERROUND_SLACK_BOT_TOKEN"),
        (GOOD | {"is_enterprise_install": True}, "a whole organisation", "PAPERROUND_SLACK_BOT_TOKEN"),
    ],
)
async def test_a_token_that_is_not_good(slack: Web, answer: Any, said: str, todo: str) -> None:
    slack.tokens["xoxb-lab"] = answer
    one = (await looked(slack))["slack"]
    assert one.verdict == "wrong"
    assert said in one.details[0]
    assert todo in one.todo


async def test_slack_that_cannot_be_reached(slack: Web) -> None:
    found = await looked(slack, slack_api_url="http://127.0.0.1:9/api/")
    assert found["slack"].todo == "See whether this machine reaches http://127.0.0.1:9/api/."
    assert found["slack socket"].todo == "See whether this machine reaches Slack."
    assert found["slack permissions"].verdict == "look"


async def test_permissions_that_are_missing_are_named(slack: Web) -> None:
    slack.granted = "chat:write, commands ,im:history"
    one = (await looked(slack))["slack permissions"]
    assert one.verdict == "wrong"
    assert one.details[0] == "Lab: " + ", ".join(
        sorted(set(GRANTED.split(",")) - {"chat:write", "commands", "im:history"})
    )
    assert "paperround manifest slack" in one.todo


async def test_history_that_was_given_up_is_not_missed(slack: Web) -> None:
    slack.granted = ",".join(set(GRANTED.split(",")) - {"channels:history", "groups:history"})
    assert (await looked(slack))["slack permissions"].verdict == "wrong"
    assert (await looked(slack, slack_history=False))["slack permissions"].verdict == "ok"


async def test_permissions_that_slack_does_not_tell_are_not_known(slack: Web) -> None:
    slack.granted = None
    assert (await looked(slack))["slack permissions"].verdict == "look"


@pytest.mark.parametrize("code", ["invalid_auth", "not_allowed_token_type", "missing_scope"])
async def test_an_app_token_that_is_not_good(slack: Web, code: str) -> None:
    slack.socket = code
    one = (await looked(slack))["slack socket"]
    assert (one.verdict, code in one.line, "connections:write" in one.todo) == ("wrong", True, True)


async def test_tokens_of_two_apps(slack: Web) -> None:
    one = (await looked(slack, slack_app_token="xapp-1-A2-sEcret"))["slack socket"]
    assert (one.verdict, "app A2" in one.line, "of A1" in one.line) == ("wrong", True, True)


OAUTH = {"slack_bot_token": "", "slack_client_id": "1.2", "public_url": "https://papers.example.org"}


async def test_many_workspaces_and_those_that_ended(slack: Web) -> None:
    slack.tokens["xoxb-two"] = GOOD
    gone = Install("T3", "Old Lab", "", "token_revoked", datetime(2026, 12, 1, 7, 30, tzinfo=UTC))
    odd = Install("T4", "Odd Lab", "xoxb-odd", "The app's token is not valid")
    found = await looked(slack, LAB, Install("T2", "Two", "xoxb-two"), gone, odd, **OAUTH)
    assert found["slack"].line == "Socket Mode, 2 workspaces: the bot tokens are good"
    one = found["slack workspaces"]
    assert (one.verdict, one.line) == ("look", "the app is not at work in 2 workspaces")
    assert one.details == (
        "Old Lab: the app was removed from the workspace, or the token was withdrawn, since 2026-12-01 07:30 UTC",
        "Odd Lab: The app's token is not valid",
    )
    assert "https://papers.example.org/slack/install" in one.todo
    assert "auth.test xoxb-odd" not in slack.called


async def test_of_very_many_workspaces_some_are_tried(slack: Web) -> None:
    many = [Install(f"T{number}", f"Lab {number}", "xoxb-lab") for number in range(60)]
    assert (await looked(slack, *many, **OAUTH))["slack"].line == (
        "Socket Mode, 60 workspaces, 50 tried: the bot tokens are good"
    )


async def test_no_workspace_yet(slack: Web) -> None:
    found = await check(settings(slack, **OAUTH), [])
    assert (found[0].verdict, found[0].todo) == ("look", "Install it: https://papers.example.org/slack/install")
    assert [one.name for one in found] == ["slack", "slack socket", "slack workspaces"]
