"""Socket Mode: one connection to Slack at a time, opened anew when it ends or falls silent."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import structlog
from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WSMessage, WSMsgType
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackClientError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import StoreError
from bot.platforms.slack.watch import Crowd, Patience, Watch

PING_EVERY = 10.0  # seconds between our own pings, which find a broken network sooner than silence does
CLOSE_WITHIN = 2.0  # seconds for the other side to say goodbye
ACKED_WITHIN = 3.0  # seconds for what came to be acknowledged where it came: later, Slack does not listen
COUNTED_WITHIN = 2.0  # seconds for the database to say how many processes listen
LOOK = 0.02  # seconds between two looks whether that is done
STEADY = 10.0  # seconds after which a connection was one
AGAIN = (1.0, 30.0)  # seconds until the next try to connect: first, most

log = structlog.get_logger()
_silent = logging.getLogger("paperround.slack")  # the SDK's lines hold payloads: what matters is said here
_silent.propagate = False
_silent.addHandler(logging.NullHandler())
_silent.setLevel(logging.CRITICAL + 1)


def silent_logger() -> logging.Logger:
    """Return the logger that the libraries get: it writes nothing."""
    return _silent


class _Heard(ClientWebSocketResponse):
    """A web socket that tells of each frame of the server's own."""

    tell: Callable[[], None] | None = None

    async def receive(self, timeout: float | None = None) -> WSMessage:  # noqa: ASYNC109 - aiohttp's own parameter
        """Return the next frame, as aiohttp does, and tell of it if it is not an answer to one of ours."""
        message = await super().receive(timeout)
        if self.tell is not None and message.type in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.PING):
            self.tell()
        return message


class _Client(SocketModeClient):
    """The SDK's client, but it never opens a connection anew by itself: it says that this one is over."""

    def __init__(self, app_token: str, web: AsyncWebClient) -> None:
        super().__init__(app_token, logger=_silent, web_client=web, ping_interval=PING_EVERY)
        self.over = asyncio.Event()
        self.taking = 0

    @property
    def busy(self) -> bool:
        """Whether something came that is not acknowledged yet."""
        open_ = self.current_session is not None and not self.current_session.closed
        return open_ and (self.taking > 0 or not self.message_queue.empty())

    async def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: ARG002 - the SDK's signature
        """Say that the connection is over: Slack asked for another, closed it, or does not answer pings."""
        self.over.set()


class Socket:
    """Listens through Socket Mode. `processes` counts this installation's processes that listen."""

    def __init__(
        self,
        app: AsyncApp,
        app_token: str,
        api_url: str,
        processes: Callable[[], Awaitable[int]],
        patience: Patience | None = None,
    ) -> None:
        self._app = app
        self._token = app_token
        self._api_url = api_url
        self._processes = processes
        self._patience = patience or Patience()
        self._crowd = Crowd(self._patience)

    async def run(self) -> None:
        """Listen until cancelled; then close the connection."""
        loop, hasty = asyncio.get_running_loop(), 0.0
        wait, most = AGAIN
        client: _Client | None = None
        old: _Client | None = None
        try:
            while True:
                try:
                    new, watch = await self._connect()
                except (SlackClientError, ClientError, OSError, TimeoutError) as error:
                    log.warning("no connection to Slack; tried again", after=wait, reason=_reason(error))
                    await asyncio.sleep(wait)
                    wait = min(wait * 2, most)
                    continue
                old, client, wait = client, new, AGAIN[0]
                await _close(old)
                began = loop.time()
                reason = await self._until_over(client, watch)
                log.info("the connection to Slack is opened anew", reason=reason)
                hasty = 0.0 if loop.time() - began > STEADY else min(hasty * 2 or AGAIN[0], most)
                if hasty > AGAIN[0]:  # Slack ends one after another, as it does where Socket Mode was switched off
                    await asyncio.sleep(hasty / 2)
        finally:
            await asyncio.gather(_close(client), _close(old))  # the old one too: it may have ended while that closed

    async def _connect(self) -> tuple[_Client, Watch]:
        """Open a connection. Raises what the SDK and the network raise."""
        loop = asyncio.get_running_loop()
        client = _Client(self._token, AsyncWebClient(base_url=self._api_url, logger=_silent, retry_handlers=[]))
        watch = Watch(self._patience, loop.time())
        try:
            await client.aiohttp_client_session.close()
            client.aiohttp_client_session = ClientSession(ws_response_class=_Heard)
            client.message_listeners.append(self._greeting(watch))
            client.socket_mode_request_listeners.append(self._take)  # type: ignore[arg-type]
            async with asyncio.timeout(self._patience.hello):
                client.wss_uri = await client.issue_new_wss_url()
                await client.connect()  # type: ignore[no-untyped-call]
            session = client.current_session
            assert isinstance(session, _Heard)  # noqa: S101 - made by the session above
            session.tell = lambda: watch.heard(loop.time())
        except BaseException:
            await _close(client)
            raise
        return client, watch

    async def _until_over(self, client: _Client, watch: Watch) -> str:
        """Wait until the connection is to be opened anew, and say why."""
        loop = asyncio.get_running_loop()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience.look):
                    await client.over.wait()
            if client.over.is_set() or client.current_session is None or client.current_session.closed:
                return "it ended"
            if reason := watch.fault(loop.time()):
                return reason
            await self._count(loop.time())

    async def _count(self, now: float) -> None:
        """Warn of another installation. Without the database nobody knows, and the connection stays."""
        if not self._crowd.asks:
            return
        try:
            async with asyncio.timeout(COUNTED_WITHIN):
                processes = await self._processes()
        except (StoreError, TimeoutError):
            return
        if self._crowd.exceeds(processes, now):
            log.warning(
                "Slack counts more connections of this app than processes of this installation listen: another "
                "installation uses the same app-level token, and takes part of the events"
            )

    def _greeting(self, watch: Watch) -> Callable[[Any, dict[str, Any], str | None], Awaitable[None]]:
        async def listener(client: Any, message: dict[str, Any], raw: str | None = None) -> None:  # noqa: ARG001
            if message.get("type") == "hello":
                watch.greeted()
                self._crowd.counted(int(message.get("num_connections") or 1))
                log.info("connected to Slack", connections=message.get("num_connections"))

        return listener

    async def _take(self, client: _Client, request: SocketModeRequest) -> None:
        """Hand an envelope to bolt, and send its answer back."""
        client.taking += 1
        try:
            response = await run_async_bolt_app(self._app, request)
            with suppress(ConnectionError):  # the connection ended: Slack delivers again, and it is done once
                await send_async_response(client, request, response, 0.0)
        except Exception:  # bolt stumbles over payloads that lack what it expects
            log.exception("a delivery was not understood", incident=secrets.token_hex(3))
        finally:
            client.taking -= 1


async def _close(client: _Client | None) -> None:
    """Close a connection and what the SDK keeps running for it, once all that came by it is acknowledged."""
    if client is None:
        return
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(ACKED_WITHIN):
                await _acknowledged(client)
    finally:
        with suppress(TimeoutError, ClientError, OSError):
            async with asyncio.timeout(CLOSE_WITHIN):  # whoever is silent does not say goodbye either
                if client.current_session is not None:
                    await client.current_session.close()
        with suppress(ClientError, OSError):
            await client.close()  # type: ignore[no-untyped-call]
        running = (client.message_processor, client.current_session_monitor, client.message_receiver)
        await asyncio.gather(*(task for task in running if task is not None), return_exceptions=True)


async def _acknowledged(client: _Client) -> None:
    """Wait until nothing that came is without its acknowledgement."""
    idle = 0
    while idle < 2:  # between its queue and its listener, the SDK holds an envelope in neither
        idle = 0 if client.busy else idle + 1
        await asyncio.sleep(LOOK)


def _reason(error: Exception) -> str:
    """Return Slack's code if it refused, or what the network said; no token stands in either."""
    response = getattr(error, "response", None)
    code = response.get("error") if response is not None and hasattr(response, "get") else None
    return str(code or str(error) or "no answer")
