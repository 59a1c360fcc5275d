"""Slack, as a platform: the thin class that the parts meet in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.config import Settings
from bot.core.check import Check
from bot.core.message import Message
from bot.core.ports import Facts, Invoke, Limits, Route
from bot.core.request import Address, Receipt
from bot.errors import SettingsError
from bot.platforms._serve import Server
from bot.platforms._setup import Setup
from bot.platforms.slack import ended
from bot.platforms.slack.app import make_app
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.check import check
from bot.platforms.slack.desk import Desk
from bot.platforms.slack.facts import Places
from bot.platforms.slack.hook import hook
from bot.platforms.slack.join import join
from bot.platforms.slack.listen import Listen
from bot.platforms.slack.manifest import EVENTS_PATH
from bot.platforms.slack.oauth import routes as oauth_routes
from bot.platforms.slack.send import Post
from bot.platforms.slack.socket import Socket
from bot.platforms.slack.tokens import Tokens
from bot.store import heartbeats

BEATS = 3  # signs of life that a process may miss and still counts
PARTS = ("slack_app_token", "slack_signing_secret", "slack_client_secret")
NEITHER = "PAPERROUND_SLACK_BOT_TOKEN (or, for many workspaces, PAPERROUND_SLACK_CLIENT_ID)"
BOTH = "PAPERROUND_SLACK_BOT_TOKEN is for one workspace, PAPERROUND_SLACK_CLIENT_ID for many: take one of them out."


class Slack:
    """One app, in one workspace or in many. `open` it."""

    name = "slack"
    limits = Limits(a_second=4.0, to_one=1.0, per_workspace=True)

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self._setup = setup
        self._tokens = Tokens(setup)
        self._calls = Calls(self._tokens, settings.slack_api_url)
        self._post = Post(self._calls, history=settings.slack_history)
        self._places = Places(self._calls)
        desk = Desk(self._calls, self._post, setup.commands)
        self._server = Server(desk, setup.store, setup.now)
        listen = Listen(self._server, settings.command, ended.listener(setup, self._tokens), self._places.forget)
        self._app = make_app(self._calls, listen, settings.slack_api_url)

    @classmethod
    def open(cls, setup: Setup) -> Slack | None:
        """Make it, if the settings name anything of Slack. Raises SettingsError for what is missing or too much."""
        settings = setup.settings
        one, many = _said(settings, "slack_bot_token"), settings.slack_client_id
        if not (one or many):
            if any(_said(settings, name) for name in PARTS):
                raise SettingsError(_in_part([NEITHER]))
            return None
        if one and many:
            raise SettingsError(BOTH)
        if missing := _missing(settings):
            raise SettingsError(_in_part(missing))
        return cls(setup)

    async def run(self, invoke: Invoke) -> None:
        """Listen until cancelled: at a socket, or for what is posted to the routes."""
        self._server.opens(invoke)
        settings = self._setup.settings
        asking = asyncio.create_task(self._tokens.keep_asking())
        try:
            if settings.slack_mode == "socket":
                token = settings.slack_app_token.get_secret_value()
                await Socket(self._app, token, settings.slack_api_url, self._listeners).run()
            else:
                await asyncio.Event().wait()
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            await self._server.close()

    async def send(self, to: Address, message: Message, key: str) -> Receipt:
        """Post one message that nobody asked for just now. Raises Retry, Refused or Uncertain."""
        return await self._post.send(to, message, key)

    async def find(self, to: Address, key: str, since: datetime) -> Receipt | None:
        """Look into the history for the message of `key`. Raises Unknown if it cannot look."""
        return await self._post.find(to, key, since)

    async def about(self, address: Address) -> Facts:
        """Tell what Slack knows of a place, and whether the person manages it."""
        return await self._places.about(address)

    async def join(self, address: Address, topics: Sequence[str] = ()) -> None:  # noqa: ARG002 - it has no tags
        """Get into a public channel. Raises Refused, whose words are for people."""
        await join(self._calls, self._places, address)

    async def check(self) -> Sequence[Check]:
        """Try the tokens, and name what the app may not do and which workspaces ended. Never raises."""
        return await check(self._setup.settings, await self._tokens.workspaces())

    def routes(self) -> Sequence[Route]:
        """Return where Slack posts in HTTP mode, and where workspaces install the app if they may."""
        settings = self._setup.settings
        found = list(oauth_routes(self._setup, self._tokens)) if settings.slack_client_id else []
        if settings.slack_mode == "http":
            secret = settings.slack_signing_secret.get_secret_value()
            handler = hook(self._app, secret, lambda: self._server.listens)
            found.append(Route("POST", EVENTS_PATH, handler))
        return found

    async def close(self) -> None:
        """Let go of all connections. Never raises."""
        await self._server.close()
        await self._places.close()
        await self._calls.close()

    async def _listeners(self) -> int:
        """Count the processes of this installation that listen."""
        store, every = self._setup.store, self._setup.settings.heartbeat_seconds
        return await store.read(
            lambda conn: heartbeats.listeners(conn, store.clock(conn) - timedelta(seconds=every * BEATS))
        )


def _in_part(missing: Sequence[str]) -> str:
    be = "is" if len(missing) == 1 else "are"
    return f"Slack is set up in part: {', '.join(missing)} {be} missing. See README: Install it on Slack."


def _missing(settings: Settings) -> list[str]:
    """Name the settings without which Slack cannot work as it is set up."""
    many = bool(settings.slack_client_id)
    needed = {
        "slack_app_token": settings.slack_mode == "socket",
        "slack_signing_secret": settings.slack_mode == "http",
        "slack_client_secret": many,
        "public_url": many,
        "secret_keys": many,
    }
    return [f"PAPERROUND_{name.upper()}" for name, need in needed.items() if need and not _said(settings, name)]


def _said(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    return str(value if isinstance(value, str) else value.get_secret_value())
