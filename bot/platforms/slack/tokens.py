"""Who the bot is in each workspace: one token from the settings, or those of the workspaces that installed the app."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.errors import PaperroundError, Refused, Retry, SettingsError, StoreError
from bot.platforms._setup import Setup
from bot.platforms.slack.methods import ENDED, METHODS, words
from bot.platforms.slack.verdict import Install as Seen
from bot.platforms.slack.web import open_web
from bot.store import installs
from bot.store.installs import Install
from bot.store.secret import MISSING, Box

PLATFORM = "slack"
KEPT = 10.0  # seconds for which a stored token is used without another look at the database
WAIT = 5.0  # seconds until Slack is asked again who the one token is of
AGAIN = 3600.0  # seconds until a token that Slack refused is tried again, where people go on using the bot
SOON = 60.0  # seconds until Slack, or the database, is asked again after it could not be
REMOVED = frozenset({"app_uninstalled", "tokens_revoked"})  # events after which a token is deleted
NOT_HERE = "The app is not installed in this workspace. Whoever manages it has to install it."
CLOSED = "The app's token cannot be read at the moment. Whoever runs the bot is told how by: paperround doctor"
NOT_SAID = "Slack does not say which workspace the token is of."

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    """What the bot is in one workspace. `installed_at` (aware): events from before it are about an older install."""

    workspace: str
    token: str
    bot_user: str
    bot_id: str
    app_id: str
    name: str
    scopes: tuple[str, ...]
    installed_at: datetime

    def __repr__(self) -> str:
        """Name the workspace, and not the token: this may stand in a log."""
        return f"Token({self.workspace})"


class Tokens:
    """The tokens of all workspaces. Raises SettingsError if it shall keep some and has no key."""

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self._setup = setup
        self._one = settings.slack_bot_token.get_secret_value()
        keys = [key for key in settings.secret_keys.get_secret_value().split(",") if key]
        self.box = None if self._one and not keys else Box(keys)
        self._known: dict[str, tuple[float, Token]] = {}
        self._tried: dict[str, float] = {}
        self._first: Token | None = None
        self._failed: tuple[float, Refused | Retry | None] = (0.0, None)
        self._asking = asyncio.Lock()

    async def of(self, workspace: str) -> Token:
        """Return a workspace's token. Raises Refused if there is none, Retry if nobody can tell now."""
        if self._one:
            token = await self._single_for(workspace)
            if token.workspace != workspace:
                raise Refused(NOT_HERE)
            return token
        at, known = self._known.get(workspace, (0.0, None))
        if known is not None and time.monotonic() - at < KEPT:
            return known
        self._known.pop(workspace, None)
        install = await self._setup.store.read(installs.get, PLATFORM, workspace)
        if install is None or not install.token:
            raise Refused(NOT_HERE)
        try:
            token = await self._opened(install)
        except SettingsError as error:
            log.error("a token cannot be read", workspace=workspace, reason=str(error))
            raise Retry(CLOSED, 0.0) from None
        if install.ended_at is not None:
            await self._try_again(token)
        self._known[workspace] = (time.monotonic(), token)
        return token

    async def single(self) -> Token:
        """Return the token of the one workspace: Slack is asked once who that is. Raises Refused and Retry."""
        async with self._asking:
            if self._first is not None:
                return self._first
            at, failed = self._failed
            if failed is not None and time.monotonic() - at < WAIT:
                raise failed.with_traceback(None)
            try:
                said = await self._introduce(self._one)
            except (Refused, Retry) as error:
                self._failed = (time.monotonic(), error)
                raise
            user, bot, app, name = (str(said.get(key) or "") for key in ("user_id", "bot_id", "app_id", "team"))
            try:
                await self._works(said["team_id"])
            except StoreError as error:  # people are answered without it, and `keep_asking` comes back to it
                log.warning("that the app is at work could not be noted", reason=str(error))
            self._first = Token(said["team_id"], self._one, user, bot, app, name, (), self._setup.now())
            return self._first

    async def _single_for(self, workspace: str) -> Token:
        try:
            return await self.single()
        except Refused:
            await self.ended(workspace, "invalid_auth")
            raise

    async def workspaces(self) -> list[Seen]:
        """Return every workspace for the doctor, with its token and what ended it."""
        rows = [self._seen(row) for row in await self._setup.store.read(installs.every, PLATFORM)]
        if not self._one:
            return rows
        return [Seen("", "the workspace", self._one), *(replace(row, token="") for row in rows if row.ended)]

    async def keep(self, install: Install) -> None:
        """Store an install, whose `token` is plain here, encrypted; what was paused while it was away goes on.

        Raises SettingsError if there is no key, StoreError.
        """
        if self.box is None:
            raise SettingsError(MISSING)
        row = replace(install, token=self.box.close(install.token))
        await self._setup.store.write(installs.keep, PLATFORM, row, self._setup.now())
        self._known.pop(install.workspace, None)
        log.info("the app was installed", workspace=install.workspace)

    async def ended(self, workspace: str, code: str, at: datetime | None = None) -> None:
        """Note that the app is at work no longer in a workspace, by an event of Slack's (`at`) or an error's code.

        Never raises: whoever found out goes on.
        """
        try:
            await self.note_end(workspace, code, at)
        except StoreError as error:
            log.warning("the end of an install could not be noted", workspace=workspace, reason=str(error))

    async def note_end(self, workspace: str, code: str, at: datetime | None = None) -> None:
        """Do the same. Only an event that is newer than the install deletes the token. Raises StoreError."""
        if self._first is not None and at is not None and at <= self._first.installed_at:
            return
        self._first = None
        gone = code in REMOVED
        why = "the app was removed" if gone else words("auth.test", code).partition(".")[0]
        self._known.pop(workspace, None)
        now = self._setup.now()
        if await self._setup.store.write(installs.end, PLATFORM, workspace, why, now, gone=gone, at=at):
            self._tried[workspace] = time.monotonic()
            log.error("the app is not at work in a workspace", workspace=workspace, code=code)

    async def keep_asking(self) -> None:
        """Ask Slack now and then whether it takes the tokens that it refused; until cancelled.

        Where everything is paused, nobody else may ever ask: nothing is sent, and people wait.
        """
        while True:
            try:
                await self.ask_again()
                wait = AGAIN
            except PaperroundError as error:
                log.warning("nobody can tell whether the tokens are good", reason=str(error), again=SOON)
                wait = SOON
            await asyncio.sleep(wait)

    async def ask_again(self) -> None:
        """Ask Slack whether it takes the tokens that it refused. Raises StoreError; Refused and Retry of the one."""
        one = await self.single() if self._one else None
        for row in await self._setup.store.read(installs.every, PLATFORM):
            if row.ended_at is None or (one is not None and one.workspace != row.workspace):
                continue
            with suppress(SettingsError):  # the doctor tells of what no key opens
                if one is not None or row.token:
                    self._tried.pop(row.workspace, None)
                    await self._try_again(one or await self._opened(row))

    async def _works(self, workspace: str) -> None:
        """Note that Slack takes the token: what was paused while it did not goes on."""
        if await self._setup.store.write(installs.works, PLATFORM, workspace, self._setup.now()):
            log.info("the app is at work again in a workspace", workspace=workspace)

    async def _try_again(self, token: Token) -> None:
        """Ask Slack now and then whether a token is good that it refused; who uses the bot meanwhile is answered."""
        since = time.monotonic() - self._tried.get(token.workspace, float("-inf"))
        if since < AGAIN:
            return
        self._tried[token.workspace] = time.monotonic()
        try:
            await self._introduce(token.token)
        except asyncio.CancelledError:  # an acknowledgement does not wait for it: whoever asks next does
            self._tried.pop(token.workspace, None)
            raise
        except (Refused, Retry) as error:
            log.info("a token is not good yet", workspace=token.workspace, reason=str(error))
            return
        await self._works(token.workspace)

    async def _introduce(self, token: str) -> Mapping[str, Any]:
        """Ask whose a token is, with its `team_id`. Raises Refused if it is not good, Retry if nobody can tell."""
        async with open_web(self._setup.settings.slack_api_url) as web:
            try:
                answer: Any = (await web.auth_test(token=token)).data
            except SlackApiError as error:
                data: Any = getattr(error.response, "data", None)
                code = str(data.get("error", "")) if isinstance(data, Mapping) else ""
                if code in ENDED or METHODS["auth.test"].codes.get(code) is Refused:
                    raise Refused(words("auth.test", code)) from None
                raise Retry(NOT_SAID, 0.0) from None
            except Exception as error:
                raise Retry(f"Slack cannot be reached ({type(error).__name__}).", 0.0) from None
        if not isinstance(answer, Mapping) or not isinstance(answer.get("team_id"), str):
            raise Retry(NOT_SAID, 0.0)
        return answer

    async def _opened(self, install: Install) -> Token:
        """Decrypt a token; one under an older key is stored anew."""
        if self.box is None:
            raise SettingsError(MISSING)
        token = self.box.open(install.token, install.name or install.workspace)
        if self.box.is_old(install.token):
            new = self.box.close(token)
            await self._setup.store.write(installs.renew, PLATFORM, install.workspace, install.token, new)
        return Token(
            install.workspace,
            token,
            install.bot_user,
            install.bot_id,
            install.app_id,
            install.name,
            install.scopes,
            install.installed_at,
        )

    def _seen(self, row: Install) -> Seen:
        token, why = "", row.ended_why if row.ended_at else ""
        if row.token and self.box is not None:
            try:
                token = self.box.open(row.token, row.name or row.workspace)
            except SettingsError as error:
                why = why or str(error)
        return Seen(row.workspace, row.name or row.workspace, token, why, row.ended_at)
