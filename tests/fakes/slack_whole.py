"""The whole bot, with its own commands and the seeds, in a workspace of the complete fake Slack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, web
from cryptography.fernet import Fernet
from yarl import URL

from bot.app import App
from bot.config import Settings
from bot.demo import SEED, seeds_folder
from bot.jobs.ingest import ingest
from bot.jobs.web import application
from bot.sources import local
from bot.store.library import Library
from recommender.rankers.default import ranker
from tests.fakes.slack.slack import FakeSlack
from tests.fakes.slack.state import Channel, Json, Team, User
from tests.fakes.stores import in_memory

MODES = ("socket", "http")
PUBLIC = "https://bot.example.org"


@dataclass
class Whole:
    """A bot at work, a workspace, and people in it: Ada manages it, Bob is a member."""

    slack: FakeSlack
    app: App
    team: Team
    ada: User
    bob: User
    channel: Channel
    site: str

    def refusals(self) -> list[tuple[str, str]]:
        """Return what Slack refused so far: method and code."""
        return [(call.method, call.error) for call in self.slack.calls if call.error]

    async def install(self, team: Team, user: User) -> int:
        """Let somebody install the app into a workspace by a browser; return the status of the last page."""
        self.slack.consent.team, self.slack.consent.user = team, user
        async with ClientSession() as browser:
            async with browser.get(f"{self.site}/slack/install", allow_redirects=False) as left:
                query = left.headers["Location"].partition("?")[2]
                cookie = left.headers["Set-Cookie"].partition(";")[0]
            page = URL(f"{self.slack.authorize_url}?{query}", encoded=True)
            async with browser.get(page, allow_redirects=False) as asked:
                back = asked.headers["Location"].removeprefix(PUBLIC)
            url = URL(self.site + back, encoded=True)
            async with browser.get(url, headers={"Cookie": cookie}, allow_redirects=False) as done:
                return done.status

    async def ask(self, text: str, user: User | None = None, channel: Channel | None = None) -> Json:
        """Type a command, and return the first answer."""
        seen = await self.slack.command(channel or self.channel, user or self.ada, text)
        assert not seen.error
        return await seen.reply()


@asynccontextmanager
async def at_work(mode: str, *, by_browser: bool = False, **settings: Any) -> AsyncIterator[Whole]:
    """Start Slack and the bot, in one of its modes; `by_browser`: workspaces install the app, and none has it yet."""
    async with FakeSlack() as slack:
        team = slack.team("Lab", installed=not by_browser)
        ada, bob = team.user("ada", admin=True), team.user("bob")
        channel = team.channel("reading", creator=ada, members=[bob], bot=True)
        store = in_memory()
        given: dict[str, Any] = {
            "slack_bot_token": team.bot_token,
            "slack_app_token": slack.app_token,
            "slack_signing_secret": slack.signing_secret,
            "slack_mode": mode,
            "slack_api_url": slack.api_url,
        }
        if by_browser:
            del given["slack_bot_token"]
            given |= {
                "slack_client_id": slack.client_id,
                "slack_client_secret": slack.client_secret,
                "public_url": PUBLIC,
                "secret_keys": Fernet.generate_key().decode(),
            }
        chosen = Settings(data_dir=Path("/nonexistent"), database_url="sqlite://", **given | settings)
        app = App(chosen, store, Library(store, None, ranker))
        ingest(store, local.read(seeds_folder() / SEED), "local", datetime.now(UTC))
        app.library.update(learn=True)
        app.connect()
        platform = app.platforms["slack"]
        runner = web.AppRunner(application({"slack": platform.routes()}, _well), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        site = f"http://127.0.0.1:{runner.addresses[0][1]}"
        slack.events_url = f"{site}/slack/events"
        running = asyncio.create_task(platform.run(app.invoke))
        try:
            await slack.until(lambda: slack.sockets.lines or mode == "http")
            await asyncio.sleep(0)
            yield Whole(slack, app, team, ada, bob, channel, site)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await platform.close()  # type: ignore[attr-defined]
            await runner.cleanup()
            app.close()


async def _well() -> None:
    """All is well."""
