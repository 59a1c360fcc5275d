"""HTTP mode: what Slack posts, checked before anything of it is read. Bolt would parse first and log whole bodies."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import SignatureVerifier

BODY_LIMIT = 1 << 20  # bytes: Slack's own bodies are far smaller

Handler = Callable[[web.Request], Awaitable[web.Response]]

log = structlog.get_logger()


def hook(app: AsyncApp, signing_secret: str, ready: Callable[[], bool]) -> Handler:
    """Return the handler of everything that Slack posts. While not `ready`, Slack is told to come again (503)."""
    verifier = SignatureVerifier(signing_secret)

    async def handler(request: web.Request) -> web.Response:
        body = await _body(request)
        if body is None:
            return _said(413, "too large")
        if not _signed(verifier, body, request):
            log.warning("a request that Slack did not sign", size=len(body))
            return _said(401, "invalid signature")
        if not _readable(text := body.decode(), request.content_type):
            log.warning("a request that cannot be read", size=len(body))
            return _said(400, "unreadable")
        if not ready():
            return _said(503, "not ready")
        asked = AsyncBoltRequest(body=text, query=request.query_string, headers=dict(request.headers))
        try:
            return await to_aiohttp_response(await app.async_dispatch(asked))
        except Exception:  # bolt stumbles over payloads that lack what it expects
            log.exception("a delivery was not understood", incident=secrets.token_hex(3))
            return _said(500, "not understood")

    return handler


def _said(status: int, error: str) -> web.Response:
    return web.json_response({"error": error}, status=status)


async def _body(request: web.Request) -> bytes | None:
    """Read a body in pieces, or return nothing as soon as it is too large."""
    if (request.content_length or 0) > BODY_LIMIT:
        return None
    parts = bytearray()
    async for piece in request.content.iter_any():
        parts += piece
        if len(parts) > BODY_LIMIT:
            return None
    return bytes(parts)


def _signed(verifier: SignatureVerifier, body: bytes, request: web.Request) -> bool:
    """Say whether Slack signed it within the last 5 minutes; whatever the verifier cannot read is not signed."""
    timestamp = request.headers.get("X-Slack-Request-Timestamp")
    signature = request.headers.get("X-Slack-Signature")
    try:
        return verifier.is_valid(body, timestamp, signature)
    except (ValueError, TypeError, OverflowError):
        return False


def _readable(text: str, content_type: str) -> bool:
    """Say whether bolt can read a body: a JSON object, or a form whose payload, if any, is one."""
    try:
        if content_type == "application/json" or text.startswith("{"):
            content: Any = json.loads(text)
        else:
            form = dict(parse_qsl(text, keep_blank_values=True))
            content = json.loads(form["payload"]) if "payload" in form else form
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict)
