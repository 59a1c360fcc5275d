"""Installing the app by a browser: slack-bolt's OAuth flow, on our database, with pages that say what to do next."""

from __future__ import annotations

import html
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_bolt_request
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_callback_options import AsyncCallbackOptions, AsyncFailureArgs, AsyncSuccessArgs
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient

from bot.core.ports import Route
from bot.errors import PaperroundError
from bot.platforms._setup import Setup
from bot.platforms.slack.manifest import INSTALL_PATH, REDIRECT_PATH, scopes
from bot.platforms.slack.socket import silent_logger
from bot.platforms.slack.tokens import PLATFORM, Tokens
from bot.platforms.slack.web import open_web
from bot.store import deliveries
from bot.store.installs import Install
from bot.store.secret import Box

STATE_SECONDS = 600  # between leaving for Slack and coming back
COOKIE = "__Host-paperround-slack"  # a browser takes it only over HTTPS, and from no neighbouring host
_MARK = "slack install "
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Paperround</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"></head>'
    '<body style="font-family: sans-serif; max-width: 36em; margin: 3em auto; padding: 0 1em">'
    "<h1>{}</h1><p>{}</p></body></html>"
)
_AGAIN = f'<a href="{INSTALL_PATH}">Start again</a>'
_FAILED = {  # by what bolt and Slack call it: the head of the page, and what to do
    "access_denied": ("Nothing was installed", f"You did not allow it. If that was a slip: {_AGAIN}."),
    "invalid_browser": ("This page cannot be used twice", f"Begin and end in the same browser. {_AGAIN}."),
    "invalid_state": ("This page has expired", f"It works once, and for ten minutes. {_AGAIN}."),
}
_ELSE = ("It was not installed", f"Slack did not finish it. {_AGAIN}, or ask whoever runs the bot.")

log = structlog.get_logger()


class _NotTaken(BoltError):  # noqa: N818 - read as a sentence
    """An install that is refused. Its text is for whoever installs."""


@dataclass(frozen=True, slots=True)
class _States(AsyncOAuthStateStore):
    """States that hold for ten minutes, once. Only one that was brought back takes a row, so visitors fill nothing."""

    setup: Setup
    box: Box

    async def async_issue(self, *args: Any, **kwargs: Any) -> str:
        """Return a new state."""
        del args, kwargs
        return self.box.stamp(_MARK + secrets.token_hex(16), self.setup.now())

    async def async_consume(self, state: str) -> bool:
        """Say whether a state is ours, young enough, and came for the first time."""
        now = self.setup.now()
        said = self.box.stamped(state, STATE_SECONDS, now)
        if said is None or not said.startswith(_MARK):
            return False
        return await self.setup.store.write(deliveries.fresh, sha256(said.encode()).hexdigest(), now)


@dataclass(frozen=True, slots=True)
class _Installs(AsyncInstallationStore):
    """Keeps what Slack gave. Raises BoltError, whose words are for whoever installs, if that is of no use."""

    setup: Setup
    tokens: Tokens

    async def async_save(self, installation: Installation) -> None:
        """Store an install, and let a workspace that comes back go on."""
        team, token = installation.team_id, installation.bot_token
        if installation.is_enterprise_install or not team:
            raise _NotTaken("It cannot be installed for a whole organisation. Choose one workspace of it.")
        if not self.setup.settings.allows(PLATFORM, team):
            log.warning("an install was refused: PAPERROUND_ALLOWED does not name it", workspace=team)
            raise _NotTaken("Whoever runs this bot has not opened it to your workspace. Ask them.")
        if installation.bot_refresh_token or installation.bot_token_expires_at:
            log.error("an install was refused: token rotation is on in the app's settings")
            raise _NotTaken("The app is not set up as it has to be: its tokens expire. Tell whoever runs the bot.")
        if not token or not installation.bot_user_id:
            raise _NotTaken("Slack gave no token for a bot. Tell whoever runs the bot.")
        install = Install(
            workspace=team,
            token=token,
            bot_user=installation.bot_user_id,
            bot_id=installation.bot_id or "",
            app_id=installation.app_id or "",
            name=installation.team_name or "",
            scopes=tuple(installation.bot_scopes or ()),
            installed_by=installation.user_id or "",
            installed_at=self.setup.now(),
        )
        try:
            await self.tokens.keep(install)
        except PaperroundError as error:
            log.error("an install could not be stored", workspace=team, reason=str(error))
            raise _NotTaken("It could not be stored. Try it again in a while, or tell whoever runs the bot.") from None


class _Flow(AsyncOAuthFlow):
    """Bolt's flow, without what it takes from the address and without what it logs."""

    async def build_authorize_url(self, state: str, request: AsyncBoltRequest) -> str:
        """Return where Slack asks. Bolt would put the query's `team` into it as it is."""
        del request
        return self.settings.authorize_url_generator.generate(state=state)

    async def run_installation(self, code: str) -> Installation | None:
        """Exchange the code for a token; None if Slack does not take it. Bolt would write the code into the log."""
        given = self.settings
        try:
            asked = {"code": code, "redirect_uri": given.redirect_uri}
            asked |= {"client_id": given.client_id, "client_secret": given.client_secret}
            said: Any = await self.client.api_call("oauth.v2.access", data=asked)  # the SDK's own method warns
            who: Any = await self.client.auth_test(token=said["access_token"]) if said.get("access_token") else {}
        except SlackApiError as error:
            log.warning("an install failed", reason=str((error.response or {}).get("error", ""))[:60])
            return None
        team, person = said.get("team") or {}, said.get("authed_user") or {}
        return Installation(
            app_id=said.get("app_id"),
            team_id=team.get("id"),
            team_name=team.get("name"),
            bot_token=said.get("access_token"),
            bot_id=who.get("bot_id"),
            bot_user_id=said.get("bot_user_id"),
            bot_scopes=said.get("scope") or "",
            bot_refresh_token=said.get("refresh_token"),
            bot_token_expires_in=said.get("expires_in"),
            user_id=person.get("id") or "",
            is_enterprise_install=said.get("is_enterprise_install"),
        )


def routes(setup: Setup, tokens: Tokens) -> Sequence[Route]:
    """Return where somebody installs the app: the page that leads to Slack, and the one to which Slack leads back."""
    box = tokens.box
    if box is None:
        return ()
    stores = (_States(setup, box), _Installs(setup, tokens))

    async def install(flow: AsyncOAuthFlow, request: AsyncBoltRequest) -> BoltResponse:
        return await flow.handle_installation(request)

    async def back(flow: AsyncOAuthFlow, request: AsyncBoltRequest) -> BoltResponse:
        return await flow.handle_callback(request)

    return tuple(
        Route("GET", path, _handler(setup, stores, work))
        for path, work in ((INSTALL_PATH, install), (REDIRECT_PATH, back))
    )


def _handler(
    setup: Setup,
    stores: tuple[_States, _Installs],
    work: Callable[[AsyncOAuthFlow, AsyncBoltRequest], Awaitable[BoltResponse]],
) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        try:
            async with open_web(setup.settings.slack_api_url) as client:
                answer = await work(_flow(setup, stores, client), await to_bolt_request(request))
        except Exception as error:
            log.error("an install failed", path=request.path, reason=type(error).__name__)
            answer = _page(502, *_ELSE)
        sent = web.Response(status=answer.status, text=answer.body, content_type="text/html", headers=_HEADERS)
        for location in answer.headers.get("location", []):
            sent.headers["Location"] = location
        for cookie in answer.headers.get("set-cookie", []):
            sent.headers.add("Set-Cookie", f"{cookie}; SameSite=Lax")
        return sent

    return handle


def _flow(setup: Setup, stores: tuple[_States, _Installs], client: AsyncWebClient) -> AsyncOAuthFlow:
    settings = setup.settings
    options = AsyncOAuthSettings(
        client_id=settings.slack_client_id,
        client_secret=settings.slack_client_secret.get_secret_value(),
        scopes=scopes(settings),
        user_scopes=[],
        redirect_uri=settings.public_url + REDIRECT_PATH,
        install_path=INSTALL_PATH,
        install_page_rendering_enabled=False,
        redirect_uri_path=REDIRECT_PATH,
        callback_options=AsyncCallbackOptions(_success(settings.command), _failure),
        state_store=stores[0],
        installation_store=stores[1],
        state_cookie_name=COOKIE,
        state_expiration_seconds=STATE_SECONDS,
        logger=silent_logger(),
    )
    return _Flow(client=client, logger=silent_logger(), settings=options)


def _success(command: str) -> Callable[[AsyncSuccessArgs], Awaitable[BoltResponse]]:
    async def success(args: AsyncSuccessArgs) -> BoltResponse:
        name = html.escape(args.installation.team_name or "your workspace")
        text = f"You can close this page. In Slack, type <b>/{html.escape(command)} help</b>."
        return _page(200, f"Paperround is in {name}", text, args.settings.state_utils.build_set_cookie_for_deletion())

    return success


async def _failure(args: AsyncFailureArgs) -> BoltResponse:
    title, text = _FAILED.get(args.reason, _ELSE)
    status = args.suggested_status_code
    if isinstance(args.error, _NotTaken):
        title, text, status = "It was not installed", html.escape(str(args.error)), 403
    return _page(status, title, text, args.settings.state_utils.build_set_cookie_for_deletion())


def _page(status: int, title: str, text: str, cookie: str = "") -> BoltResponse:
    headers: dict[str, str | Sequence[str]] = {"Set-Cookie": [cookie]} if cookie else {}
    return BoltResponse(status=status, body=_PAGE.format(title, text), headers=headers)
