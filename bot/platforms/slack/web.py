"""A client of Slack's Web API for a few calls by themselves: before there is a token, or to find out whose it is."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

DEADLINE = 15  # seconds for a call

_QUIET = logging.getLogger(__name__)
_QUIET.setLevel(logging.WARNING)  # below that, the SDK writes out what it sends


@asynccontextmanager
async def open_web(api_url: str) -> AsyncGenerator[AsyncWebClient, None]:
    """Lend a client that repeats nothing by itself; its connections are closed at the end."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=DEADLINE)) as session:
        yield AsyncWebClient(base_url=api_url, session=session, retry_handlers=[], logger=_QUIET, timeout=DEADLINE)
