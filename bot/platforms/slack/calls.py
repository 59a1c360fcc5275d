"""The one way to Slack's Web API: each call is made once, within a time, and ends in an answer or in one of our errors.

Could not connect: Retry. Left, and no answer or an error of the server: Uncertain. Else by the table.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Mapping
from typing import Any, NoReturn, Protocol

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot import metrics
from bot.core.message import File
from bot.errors import Refused, Retry, StoreError, Uncertain
from bot.platforms.slack.methods import ENDED, METHODS, OF_MESSAGE, kind_of, words

DEADLINE = 30.0  # seconds for a call, of which a third for a connection
BODY_LIMIT = 8 << 20  # bytes of an answer: fifteen messages of the longest kind are far below
CONNECTIONS = 200
RESPOND = "response_url"  # the name of what is no method, in messages

log = structlog.get_logger()
_QUIET = logging.getLogger(__name__)
_QUIET.setLevel(logging.WARNING)  # below that, the SDK writes out whole messages for each call

_NOT_SENT = (
    aiohttp.ClientConnectorError,  # name lookup, refusal, TLS
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
    aiohttp.InvalidURL,
)


class Token(Protocol):
    """What the bot is in a workspace: see `bot.platforms.slack.tokens`."""

    @property
    def token(self) -> str:
        """The bot token."""

    @property
    def bot_user(self) -> str:
        """The bot's user id."""

    @property
    def bot_id(self) -> str:
        """The bot's own id, which its messages carry."""


class Tokens(Protocol):
    """Who knows the tokens: see `bot.platforms.slack.tokens`."""

    async def of(self, workspace: str) -> Token:
        """Return a workspace's token. Raises Refused if the app is not installed there."""

    async def ended(self, workspace: str, code: str) -> None:
        """Note that Slack refuses a workspace's token."""


class _Bounded(aiohttp.ClientResponse):
    """An answer of which no more is read than makes sense."""

    async def read(self) -> bytes:
        """Read it all. Raises ClientPayloadError if it is too long."""
        if self._body is None:
            parts = bytearray()
            async for part in self.content.iter_any():
                parts += part
                if len(parts) > BODY_LIMIT:
                    self.close()
                    raise aiohttp.ClientPayloadError("the answer is too long")
            self._body = bytes(parts)
        return self._body


class Calls:
    """Calls the Web API with each workspace's own token. `deadline`: seconds for a call."""

    def __init__(self, tokens: Tokens, api_url: str = AsyncWebClient.BASE_URL, *, deadline: float = DEADLINE) -> None:
        self._tokens = tokens
        self._api_url = api_url
        self._deadline = deadline
        self._session: aiohttp.ClientSession | None = None
        self._client: AsyncWebClient | None = None

    async def call(self, workspace: str, method: str, **arguments: Any) -> dict[str, Any]:
        """Call a method once, as the bot in that workspace, and return what it answers; arguments of None are left out.

        Raises Retry, Refused or Uncertain; KeyError for a method that is not in METHODS.
        """
        METHODS[method]  # what is not in the table has no scopes in the manifest
        token = (await self.token(workspace)).token
        data = {name: _said(value) for name, value in arguments.items() if value is not None}
        try:
            async with asyncio.timeout(self._deadline):
                said = await self._web().api_call(method, data=data, headers={"Authorization": f"Bearer {token}"})
        except SlackApiError as error:
            await self._refuse(workspace, method, error)
        except _NOT_SENT as error:
            raise Retry(f"Slack cannot be reached ({type(error).__name__}).", 0.0) from error
        except Exception as error:  # what is left: no answer, or one that nobody can read
            raise Uncertain(f"Slack did not answer {method} ({type(error).__name__}).") from error
        return dict(said.data) if isinstance(said.data, dict) else {}

    async def token(self, workspace: str) -> Token:
        """Return what the bot is in a workspace. Raises Refused if it is not installed there, else Retry."""
        try:
            return await self._tokens.of(workspace)
        except StoreError as error:
            raise Retry("The database is away, so there is no token.", 0.0) from error

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        """Answer by a response_url: at most five times within 30 minutes. Raises Retry, Refused or Uncertain."""
        text = _clean(json.dumps(body, ensure_ascii=False)).encode()
        status, answer, headers = await self._post(url, text, RESPOND, "application/json; charset=utf-8")
        if status == 429:
            raise _too_many(RESPOND, headers)
        if status >= 500:
            raise Uncertain(f"Slack answered {RESPOND} with {status}.")
        if status != 200 or (isinstance(answer, Mapping) and answer.get("ok") is False):
            code = _code(answer) or (answer if isinstance(answer, str) else "")
            raise Refused(f"Slack refused {RESPOND}: {code or status}.")

    async def upload(self, workspace: str, channel: str, file: File, thread: str = "") -> None:
        """Put a file into a conversation. Raises Retry, Refused or Uncertain."""
        ticket = await self.call(workspace, "files.getUploadURLExternal", filename=file.name, length=len(file.content))
        url, id_ = ticket.get("upload_url"), ticket.get("file_id")
        if not isinstance(url, str) or not isinstance(id_, str):
            raise Retry("Slack takes a file and does not say where.", 0.0)
        status, _, headers = await self._post(url, file.content, "upload", file.media_type)
        if status == 429:
            raise _too_many("upload", headers)
        if status != 200:
            raise Uncertain(f"Slack answered an upload with {status}.")
        await self.call(
            workspace,
            "files.completeUploadExternal",
            files=[{"id": id_, "title": file.name}],
            channel_id=channel,
            thread_ts=thread or None,
        )

    async def close(self) -> None:
        """Close all connections. Never raises."""
        if self._session is not None:
            await self._session.close()
        self._session = self._client = None

    async def _refuse(self, workspace: str, method: str, error: SlackApiError) -> NoReturn:
        """Raise what an answer that is not "ok" means."""
        status, data, headers = _answer_of(error)
        code = _code(data)
        if status == 429:
            raise _too_many(method, headers) from error
        if status >= 500 or not code:
            raise Uncertain(f"Slack answered {method} with {status} {code}".rstrip() + ".") from error
        if code in ENDED:
            await self._tokens.ended(workspace, code)
        kind = kind_of(method, code)
        if kind is None:
            metrics.SLACK_UNKNOWN.inc()
            log.error("an error code of Slack that nobody knows", method=method, code=code, workspace=workspace)
        elif kind is Retry:
            raise _too_many(method, headers, words(method, code)) from error
        text = _told(words(method, code), data)
        if kind is Uncertain:
            raise Uncertain(text) from error
        # What nobody knows says nothing of the destination: another day it may be taken.
        raise Refused(text, closed=kind is Refused and code not in OF_MESSAGE) from error

    async def _post(self, url: str, content: bytes, name: str, media_type: str) -> tuple[int, Any, Mapping[str, str]]:
        """Post to an address that Slack gave, and return status, answer and headers. Raises Retry or Uncertain."""
        headers = {"Content-Type": media_type}
        try:
            async with (
                asyncio.timeout(self._deadline),
                self._connected().post(url, data=content, headers=headers, proxy=self._web().proxy) as response,
            ):
                return response.status, _read(await response.read()), response.headers
        except _NOT_SENT as error:
            raise Retry(f"Slack cannot be reached ({type(error).__name__}).", 0.0) from error
        except Exception as error:
            raise Uncertain(f"Slack did not answer {name} ({type(error).__name__}).") from error

    def _connected(self) -> aiohttp.ClientSession:
        """Return the session; it is made in the event loop that uses it."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=CONNECTIONS),
                timeout=aiohttp.ClientTimeout(total=self._deadline, connect=self._deadline / 3),
                response_class=_Bounded,
            )
        return self._session

    def _web(self) -> AsyncWebClient:
        """Return the client. It repeats nothing by itself: a call that got no answer may have been taken."""
        if self._client is None:
            self._client = AsyncWebClient(
                base_url=self._api_url, session=self._connected(), retry_handlers=[], logger=_QUIET
            )
        return self._client


def _said(value: Any) -> str:
    """Return an argument as a form field: what is not text, as JSON."""
    return _clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _clean(text: str) -> str:
    """Replace what UTF-8 has no bytes for: halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode()


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body[:40].decode("utf-8", "replace")


def _answer_of(error: SlackApiError) -> tuple[int, Any, Mapping[str, str]]:
    """Return status, content and headers of an answer. Where the body is no JSON, the SDK hands over another type."""
    response: Any = error.response
    if isinstance(response, aiohttp.ClientResponse):
        return response.status, None, response.headers
    return response.status_code, response.data, response.headers


def _code(answer: Any) -> str:
    """Return the error code of an answer; "" if it has none."""
    code = answer.get("error") if isinstance(answer, Mapping) else None
    return code[:100] if isinstance(code, str) else ""


def _told(text: str, answer: Any) -> str:
    """Add the permission that is missing, if Slack names it."""
    needed = answer.get("needed") if isinstance(answer, Mapping) else None
    return f"{text} Missing: {needed[:100]}." if isinstance(needed, str) and needed else text


def _too_many(method: str, headers: Mapping[str, str], text: str = "") -> Retry:
    """Return the error for a call that came too early. A limit is one of a method in a workspace, so it holds there."""
    try:
        after = float(headers.get("Retry-After", ""))
    except ValueError:
        after = 0.0
    after = after if math.isfinite(after) and after > 0 else 0.0
    how_long = f"for {after:g} s" if after else "just now"
    return Retry(text or f"Slack takes no more of {method} {how_long}.", after, everywhere=after > 0)
