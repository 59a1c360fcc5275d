"""The bolt application: which listener takes what, and who an installation is."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import PaperroundError
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.listen import Listen
from bot.platforms.slack.socket import silent_logger

log = structlog.get_logger()

ANY = re.compile("")
AUTHORIZE_WITHIN = 1.0  # seconds: the acknowledgement waits for it


def make_app(calls: Calls, listen: Listen, api_url: str) -> AsyncApp:
    """Make the application. What comes by HTTP is verified before it gets here."""
    app = AsyncApp(
        name="paperround",
        logger=silent_logger(),
        client=AsyncWebClient(base_url=api_url, logger=silent_logger()),
        authorize=_authorize(calls),
        request_verification_enabled=False,
        attaching_function_token_enabled=False,
        attaching_conversation_kwargs_enabled=False,
    )
    app.error(_failed)
    app.command(ANY)(listen.command)
    app.action(ANY)(listen.action)
    app.view(ANY)(listen.submission)
    app.shortcut(ANY)(listen.shortcut)
    app.options(ANY)(listen.options)
    app.event(ANY)(listen.event)
    return app


async def _failed(error: Exception) -> None:
    """Log what went wrong before a delivery's own task began."""
    log.error("a delivery was not understood", incident=secrets.token_hex(3), exc_info=error)


def _authorize(calls: Calls) -> Callable[..., Awaitable[AuthorizeResult]]:
    """Return what tells bolt who we are. It is never asked for longer than an acknowledgement can wait.

    Without an answer, and where the app is not installed any more, the delivery goes on without a token: whatever is
    then called says so.
    """

    async def authorize(enterprise_id: Any, team_id: Any, user_id: Any) -> AuthorizeResult:
        known: dict[str, Any] = {"enterprise_id": enterprise_id, "team_id": team_id, "user_id": user_id}
        try:
            async with asyncio.timeout(AUTHORIZE_WITHIN):
                token = await calls.token(str(team_id or ""))
        except (PaperroundError, TimeoutError):
            return AuthorizeResult(**known)
        return AuthorizeResult(
            **known, bot_token=token.token, bot_user_id=token.bot_user or None, bot_id=token.bot_id or None
        )

    return authorize
