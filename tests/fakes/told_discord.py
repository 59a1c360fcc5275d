"""A Discord that only tells who an application is and how many sessions it may start, on a real socket."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from bot.config import Settings

APP = "112233445566778899"
TOKEN = f"{urlsafe_b64encode(APP.encode()).decode().rstrip('=')}.GsEcre.t-sEcret_0"
ME = {"id": APP, "username": "paperround", "discriminator": "0", "avatar": None, "bot": True}
CONTEXTS = {"0": {"oauth2_install_params": {"scopes": ["bot"], "permissions": "0"}}, "1": {}}


@dataclass
class Told:
    """What it tells; `status` other than 200 is answered to everything."""

    url: str = ""
    status: int = 200
    app: dict[str, Any] = field(
        default_factory=lambda: {
            "id": APP, "name": "Paperround", "description": "", "icon": None, "bot_public": True, "flags": 0,
            "bot_require_code_grant": False, "verify_key": "", "owner": ME, "team": None,
            "approximate_guild_count": 3, "integration_types_config": CONTEXTS,
        }
    )  # fmt: skip
    shards: int = 1
    limits: list[dict[str, int]] = field(
        default_factory=lambda: [{"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}]
    )
    asked: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one call. Of several limits each is told once, the last one from then on."""
        path = request.path.removeprefix("/api/v10")
        self.asked.append(path)
        if self.status != 200:
            return _json({"message": "no", "code": 0}, self.status)
        if request.headers.get("Authorization") != f"Bot {TOKEN}":
            return _json({"message": "401: Unauthorized", "code": 0}, 401)
        if path == "/gateway/bot":
            limits = self.limits.pop(0) if len(self.limits) > 1 else self.limits[0]
            return _json({"url": "wss://nowhere", "shards": self.shards, "session_start_limit": limits})
        return _json({"/users/@me": ME, "/oauth2/applications/@me": self.app}[path])

    def settings(self, **values: Any) -> Settings:
        """Return settings of a bot that reaches it."""
        known: dict[str, Any] = {"discord_token": SecretStr(TOKEN), "discord_api_url": self.url}
        return Settings(**(known | values))


def _json(content: Any, status: int = 200) -> web.Response:
    """Answer as Discord does, without a charset: discord.py compares the whole header."""
    return web.Response(body=json.dumps(content).encode(), status=status, headers={"Content-Type": "application/json"})


@asynccontextmanager
async def told_discord() -> AsyncIterator[Told]:
    """Serve it."""
    told = Told()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", told.answer)
    async with TestServer(app) as server:
        told.url = str(server.make_url("/api/v10"))
        yield told
