"""The doctor's look at Slack: whether the tokens are good, what the app may not do, and which workspaces ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.config import Settings
from bot.core.check import Check
from bot.platforms.slack.manifest import EVENTS_PATH
from bot.platforms.slack.verdict import Answer, Install, address, app_token, ended, permissions, tokens

LOOKED_AT, AT_ONCE = 50, 5  # workspaces whose tokens are tried: in all, at once
DEADLINE = 10  # seconds for a call

_quiet = logging.getLogger(__name__)
_quiet.setLevel(logging.WARNING)


async def check(settings: Settings, installs: Sequence[Install]) -> list[Check]:
    """Try the tokens, compare what the app may do with what it has to do, and name the workspaces that ended."""
    known = [install for install in installs if not install.ended and install.token]
    tried = known[:LOOKED_AT]
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=DEADLINE)) as session:
        turn = asyncio.Semaphore(AT_ONCE)
        client = AsyncWebClient(
            base_url=settings.slack_api_url, session=session, retry_handlers=[], logger=_quiet, timeout=DEADLINE
        )
        answers = await asyncio.gather(*(_ask(client, turn, "auth.test", install.token) for install in tried))
        found = [tokens(settings, tried, answers, len(known))]
        found += [permissions(settings, tried, answers)] if tried else []
        if settings.slack_mode == "socket":
            token = settings.slack_app_token.get_secret_value()
            opened = await _ask(client, turn, "apps.connections.open", token)
            found.append(app_token(token, opened, answers))
        elif settings.public_url:
            found.append(address(settings, await _knock(session, settings.public_url + EVENTS_PATH)))
    return [*found, ended(settings, installs)]


async def _ask(client: AsyncWebClient, turn: asyncio.Semaphore, method: str, token: str) -> Answer:
    try:
        async with turn:
            answer = await client.api_call(method, headers={"Authorization": f"Bearer {token}"})
    except SlackApiError as error:
        data: Any = getattr(error.response, "data", None)
        code = data.get("error") if isinstance(data, Mapping) else None
        return Answer(str(code or "an answer that is none"))
    except Exception as error:
        return Answer(f"no answer ({type(error).__name__})")
    told = {name.lower(): value for name, value in answer.headers.items()}.get("x-oauth-scopes")
    granted = None if told is None else frozenset(scope.strip() for scope in told.split(",") if scope.strip())
    return Answer("", answer.data if isinstance(answer.data, dict) else {}, granted)


async def _knock(session: aiohttp.ClientSession, url: str) -> str:
    """Post what Slack did not sign, which the bot refuses, and return what was answered."""
    try:
        async with session.post(url, data=b"{}", allow_redirects=False) as answer:
            return str(answer.status)
    except Exception as error:
        return f"no answer ({type(error).__name__})"
