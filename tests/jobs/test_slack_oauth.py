"""Installing by a browser, through the real slack-bolt: consent, denial, forged and used states, what is refused."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.fernet import Fernet
from structlog.testing import capture_logs

from bot.config import Settings
from bot.errors import Refused
from bot.platforms._setup import Setup
from bot.platforms.slack.manifest import INSTALL_PATH, REDIRECT_PATH, scopes
from bot.platforms.slack.oauth import COOKIE, routes
from bot.platforms.slack.tokens import Tokens
from bot.store import installs
from bot.store.engine import Store

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
PUBLIC = "https://bot.example.org"
GRANTED: dict[str, Any] = {
    "ok": True,
    "access_token": "xoxb-sEcret-1",
    "token_type": "bot",
    "scope": "chat:write,commands",
    "bot_user_id": "UBOT",
    "app_id": "A1",
    "team": {"id": "T1", "name": "Lab <b>"},
    "enterprise": None,
    "is_enterprise_install": False,
    "authed_user": {"id": "UADA"},
}


@dataclass
class Office:
    """Slack's side of an install, and the bot's two pages behind a browser that keeps no cookies by itself."""

    store: Store
    grant: Any = field(default_factory=lambda: dict(GRANTED))
    now: datetime = NOW
    called: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    allowed: str = ""
    api: str = ""
    site: str = ""
    tokens: Any = None
    browser: Any = None

    async def answer(self, request: web.Request) -> web.Response:
        method, form = (
            request.path.rpartition("/")[2],
            {name: str(value) for name, value in (await request.post()).items()},
        )
        self.called.append((method, form))
        if method == "auth.test":
            return web.json_response({"ok": True, "bot_id": "B1", "team_id": "T1", "user_id": "UBOT"})
        if isinstance(self.grant, int):
            return web.Response(status=self.grant, text="<html>")
        return web.json_response(self.grant if form.get("code") == "good" else {"ok": False, "error": "invalid_code"})

    async def get(self, path: str, cookie: str = "") -> tuple[aiohttp.ClientResponse, str]:
        headers = {"Cookie": cookie} if cookie else {}
        async with self.browser.get(self.site + path, headers=headers, allow_redirects=False) as answer:
            return answer, await answer.text()

    async def leave(self, query: str = "") -> tuple[str, str]:
        """Open the install page: the state that goes to Slack, and the cookie of the browser."""
        answer, _ = await self.get(INSTALL_PATH + query)
        assert answer.status == 302
        to = urlsplit(answer.headers["Location"])
        assert (to.scheme, to.netloc, to.path) == ("https", "slack.com", "/oauth/v2/authorize")
        asked = parse_qs(to.query)
        assert asked["scope"] == [",".join(scopes(Settings()))]
        assert asked["redirect_uri"] == [PUBLIC + REDIRECT_PATH]
        assert "user_scope" not in asked
        assert "team" not in asked
        set_cookie = answer.headers["Set-Cookie"]
        assert {"Secure", "HttpOnly", "Path=/", "Max-Age=600", "SameSite=Lax"} <= set(set_cookie.split("; "))
        return asked["state"][0], set_cookie.partition(";")[0]

    async def back(self, state: str, cookie: str, rest: str = "code=good") -> tuple[int, str]:
        answer, text = await self.get(f"{REDIRECT_PATH}?state={state}&{rest}", cookie)
        assert "Location" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "sEcret" not in text
        return answer.status, text

    async def installed(self, workspace: str = "T1") -> installs.Install | None:
        return await self.store.read(installs.get, "slack", workspace)


@pytest.fixture
async def stored_office(store: Store) -> AsyncIterator[Office]:
    async with opened(store) as one:
        yield one


@pytest.fixture
async def office(memory_store: Store) -> AsyncIterator[Office]:
    async with opened(memory_store) as one:
        yield one


class opened:
    """The pages and the Web API on sockets."""

    def __init__(self, store: Store, **settings: Any) -> None:
        self._office = Office(store)
        self._settings = settings

    async def __aenter__(self) -> Office:
        office = self._office
        api = web.Application()
        api.router.add_route("*", "/api/{method}", office.answer)
        self._api = TestServer(api)
        await self._api.start_server()
        office.api = str(self._api.make_url("/api/"))
        given: dict[str, Any] = {
            "slack_client_id": "12.34",
            "slack_client_secret": "sEcret-client",
            "slack_app_token": "xapp-1-A1-sEcret",
            "public_url": PUBLIC,
            "slack_api_url": office.api,
            "secret_keys": Fernet.generate_key().decode(),
        }
        setup = Setup(Settings(**(given | self._settings)), office.store, {}, lambda: office.now)
        office.tokens = Tokens(setup)
        site = web.Application()
        for route in routes(setup, office.tokens):
            site.router.add_route(route.method, route.path, route.handler)
        self._site = TestServer(site)
        await self._site.start_server()
        office.site = str(self._site.make_url("")).rstrip("/")
        office.browser = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        return office

    async def __aexit__(self, *_: object) -> None:
        await self._office.browser.close()
        await self._site.close()
        await self._api.close()


async def test_consent_installs_it(stored_office: Office) -> None:
    office = stored_office
    with capture_logs() as logs:
        status, text = await office.back(*await office.leave())
    assert status == 200
    assert "Paperround is in Lab &lt;b&gt;" in text
    assert "/papers help" in text
    row = await office.installed()
    assert row is not None
    assert (row.bot_user, row.bot_id, row.app_id, row.name) == ("UBOT", "B1", "A1", "Lab <b>")
    assert (row.scopes, row.installed_by, row.installed_at) == (("chat:write", "commands"), "UADA", NOW)
    assert "sEcret" not in row.token
    assert "sEcret" not in repr(logs)
    token = await office.tokens.of("T1")
    assert (token.token, token.bot_user, token.installed_at) == ("xoxb-sEcret-1", "UBOT", NOW)
    assert "sEcret" not in repr(token)
    (exchange,) = [form for method, form in office.called if method == "oauth.v2.access"]
    assert (exchange["code"], exchange["redirect_uri"]) == ("good", PUBLIC + REDIRECT_PATH)


async def test_what_the_address_says_goes_nowhere(office: Office) -> None:
    await office.leave("?team=T1%26redirect_uri%3Dhttps%3A%2F%2Fevil.example&redirect_uri=https://evil.example")


async def test_nobody_who_only_looks_leaves_a_row(office: Office) -> None:
    from sqlalchemy import func, select

    from bot.store.tables import deliveries

    for _ in range(3):
        await office.leave()
    with office.store.reading() as conn:
        assert conn.execute(select(func.count()).select_from(deliveries)).scalar_one() == 0


async def test_a_state_is_used_once(stored_office: Office) -> None:
    office = stored_office
    state, cookie = await office.leave()
    assert (await office.back(state, cookie))[0] == 200
    status, text = await office.back(state, cookie)
    assert (status, "has expired" in text, INSTALL_PATH in text) == (401, True, True)
    again = f"{state}="
    assert (await office.back(again, f"{COOKIE}={again}"))[0] == 401


async def test_a_state_expires(office: Office) -> None:
    state, cookie = await office.leave()
    office.now += timedelta(seconds=601)
    assert (await office.back(state, cookie))[0] == 401
    assert await office.installed() is None


async def test_a_state_of_another_browser_is_refused(office: Office) -> None:
    (mine, _), (_, theirs) = await office.leave(), await office.leave()
    for cookie in ("", theirs, f"{COOKIE}=", "other=1"):
        status, text = await office.back(mine, cookie)
        assert (status, "same browser" in text) == (400, True)
    assert await office.installed() is None


@pytest.mark.parametrize("state", ["", "x", "gAAAAA", "%00", "sealed"])
async def test_a_forged_state_is_refused(office: Office, state: str) -> None:
    if state == "sealed":  # what this bot encrypted, but not as a state
        state = office.tokens.box.close("xoxb-mine").rstrip("=")
    assert (await office.back(state, f"{COOKIE}={state}"))[0] in (400, 401)
    assert not office.called


async def test_denied(office: Office) -> None:
    state, cookie = await office.leave()
    status, text = await office.back(state, cookie, "error=access_denied")
    assert (status, "Nothing was installed" in text) == (200, True)
    status, text = await office.back(state, cookie, "error=%3Cscript%3Ealert(1)%3C/script%3E")
    assert (status, "script" in text) == (200, False)
    assert not office.called


async def test_a_code_that_slack_does_not_take(office: Office) -> None:
    with capture_logs() as logs:
        status, text = await office.back(*await office.leave(), "code=sEcretcode")
    assert (status, "Start again" in text) == (401, True)
    assert [entry["reason"] for entry in logs] == ["invalid_code"]
    assert "sEcretcode" not in repr(logs)
    assert (await office.back(*await office.leave(), "nothing=1"))[0] == 401


@pytest.mark.parametrize("fault", [500, 429])
async def test_slack_is_ill(office: Office, fault: int) -> None:
    office.grant = fault
    with capture_logs() as logs:
        status, text = await office.back(*await office.leave())
    assert (status in (401, 502), "Start again" in text) == (True, True)
    assert logs
    assert await office.installed() is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"is_enterprise_install": True, "team": None}, "whole organisation"),
        ({"is_enterprise_install": True}, "whole organisation"),
        ({"refresh_token": "xoxe-1-sEcret", "expires_in": 43200}, "tokens expire"),
        ({"access_token": None}, "no token for a bot"),
        ({"bot_user_id": None}, "no token for a bot"),
    ],
)
async def test_what_cannot_work_is_refused(office: Office, change: dict[str, Any], said: str) -> None:
    office.grant |= change
    with capture_logs() as logs:
        status, text = await office.back(*await office.leave())
    assert (status, said in text) == (403, True)
    assert "sEcret" not in repr(logs)
    assert await office.installed() is None


async def test_a_workspace_that_is_not_allowed(memory_store: Store) -> None:
    async with opened(memory_store, allowed="slack:T9") as office:
        status, text = await office.back(*await office.leave())
        assert (status, "has not opened it to your workspace" in text) == (403, True)
        assert await office.installed() is None


async def test_a_workspace_that_comes_back_has_its_new_token_at_once(stored_office: Office) -> None:
    office = stored_office
    await office.back(*await office.leave())
    await office.tokens.of("T1")
    await office.tokens.ended("T1", "app_uninstalled", NOW + timedelta(hours=1))
    with pytest.raises(Refused, match="not installed"):
        await office.tokens.of("T1")
    office.now += timedelta(days=2)
    office.grant["access_token"] = "xoxb-sEcret-2"
    assert (await office.back(*await office.leave()))[0] == 200
    assert (await office.tokens.of("T1")).token == "xoxb-sEcret-2"
    row = await office.installed()
    assert row is not None
    assert (row.ended_at, row.removed, row.installed_at) == (None, False, office.now)


async def test_pages_say_it_plainly(office: Office) -> None:
    _, text = await office.back(*await office.leave(), "error=access_denied")
    words = re.sub(r"<[^>]+>", " ", text)
    assert "!" not in words
    assert "oops" not in words.lower()
