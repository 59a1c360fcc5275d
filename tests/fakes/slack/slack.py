"""A fake Slack on a real socket: everything of it that an app can see.

async with FakeSlack() as slack:
    team = slack.team("Lab")
    ada = team.user("ada", admin=True)
    channel = team.channel("reading-group", creator=ada, bot=True)
    seen = await slack.command(channel, ada, "search long context")
    answer = await seen.reply()
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from aiohttp import web

from tests.fakes.slack.oauth import Consent
from tests.fakes.slack.people import People
from tests.fakes.slack.respond import Answers
from tests.fakes.slack.web_api import WebApi, stumble


class FakeSlack(People):
    """Serves the Web API, Socket Mode, answers, uploads and OAuth on 127.0.0.1; `port` 0 is any that is free."""

    def __init__(self, port: int = 0) -> None:
        super().__init__()
        self._port = port
        self.consent = Consent(self)
        self._answers = Answers(self)
        self._more: list[Callable[[web.Application], None]] = []
        self._runner: web.AppRunner | None = None

    @property
    def authorize_url(self) -> str:
        """The page on which people allow the app."""
        return f"{self.url}/oauth/v2/authorize"

    def extend(self, add: Callable[[web.Application], None]) -> None:
        """Have more routes added when it starts."""
        self._more.append(add)

    async def __aenter__(self) -> FakeSlack:
        app = web.Application(client_max_size=20 << 20)
        app.router.add_route("*", "/api/{method}", WebApi(self, self.sockets.connect).handle)
        app.router.add_post("/response/{id}", self._answers.handle)
        app.router.add_post("/upload/{id}", self._upload)
        app.router.add_get("/link/", self.sockets.handle)
        app.router.add_get("/oauth/v2/authorize", self.consent.page)
        for add in self._more:
            add(app)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=1024).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.end()
        await self.sockets.close()
        await self.deliveries.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        trouble = self.trouble("upload")
        if trouble is not None and not trouble.take:
            return await stumble(request, trouble)
        file = self.files.get(request.match_info["id"])
        if file is None:
            return web.Response(status=404, text="not found")
        if request.content_type.startswith("multipart/"):
            part = next(iter((await request.post()).values()))
            content = part.file.read() if isinstance(part, web.FileField) else str(part).encode()
        else:
            content = await request.read()
        if len(content) != file["length"]:
            return web.Response(status=400, text="length mismatch")
        file["content"] = content
        if trouble is not None:
            return await stumble(request, trouble)
        return web.Response(text=f"OK - {len(content)}")
