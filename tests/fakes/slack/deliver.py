"""Deliveries to the app: through a socket if one is connected, else by signed posts; again where nobody took them."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout

from tests.fakes.slack.socket_mode import Ack, Sockets
from tests.fakes.slack.state import Json
from tests.fakes.slack.world import World


class Deliveries:
    """Where everything that happens goes out to the app."""

    def __init__(self, world: World, sockets: Sockets) -> None:
        self._world = world
        self._sockets = sockets
        self._session: ClientSession | None = None

    async def deliver(self, kind: str, payload: Json, attempt: int = 0, reason: str = "") -> Ack:
        """Deliver once. `kind`: "events_api", "interactive" or "slash_commands"; `attempt` counts repeats of it."""
        if self._sockets.lines:
            retry = {"retry_attempt": attempt, "retry_reason": reason}
            ack = await self._sockets.deliver(kind, payload, self._world.ack_within, retry)
        elif self._world.events_url:
            ack = await self._posted(kind, payload, attempt, reason)
        else:
            return Ack(None, error="no_receiver")
        if ack.seconds is not None:
            self._world.acks.append(ack.seconds)
        return ack

    async def event(self, payload: Json) -> Ack:
        """Deliver an event; where it is not taken, it comes again later, three times at most."""
        first = await self.deliver("events_api", payload)
        if first.error and not first.final:
            self._world.start(self._again(payload, first.error))
        return first

    async def post(self, body: bytes, headers: Mapping[str, str] | None = None, *, at: float = 0.0) -> Ack:
        """Post signed bytes; `at`: seconds from now that the signature tells. Headers replace those that are usual."""
        signature = sign(self._world.signing_secret, body, time.time() + at)
        signed = {**signature, "Content-Type": "application/json", **(headers or {})}
        return await self.raw(body, signed)

    async def raw(self, body: bytes, headers: Mapping[str, str], url: str = "") -> Ack:
        """Post bytes with exactly these headers."""
        started = time.perf_counter()
        try:
            async with self._connected().post(
                url or self._world.events_url, data=BytesIO(body), headers=headers, allow_redirects=False
            ) as response:
                said = await response.text()
                took, status = time.perf_counter() - started, response.status
                final = response.headers.get("X-Slack-No-Retry") == "1"
        except TimeoutError:
            return Ack(None, error="http_timeout")
        except ClientError:
            return Ack(None, error="connection_failed")
        if not 200 <= status < 300:
            return Ack(None, said, "http_error", status, final)
        return Ack(took, _parsed(said), "", status)

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def _again(self, payload: Json, reason: str) -> None:
        for attempt, wait in enumerate(self._world.again_after, 1):
            await asyncio.sleep(wait)
            ack = await self.deliver("events_api", payload, attempt, reason)
            if not ack.error or ack.final:
                return
            reason = ack.error

    async def _posted(self, kind: str, payload: Json, attempt: int, reason: str) -> Ack:
        headers = {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason} if attempt else {}
        if kind == "events_api":
            return await self.post(json.dumps(payload).encode(), headers)
        form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return await self.post(urlencode(form).encode(), headers)

    def _connected(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(timeout=ClientTimeout(total=self._world.ack_within))
        return self._session


def sign(secret: str, body: bytes, at: float) -> dict[str, str]:
    """Return the headers with Slack's signature: v0, HMAC-SHA256 of "v0:time:body"."""
    stamp = str(int(at))
    mac = hmac.new(secret.encode(), b":".join((b"v0", stamp.encode(), body)), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={mac}"}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text
