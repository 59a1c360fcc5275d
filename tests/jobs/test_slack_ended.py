"""Tokens of one workspace and of many: what Slack's events and refusals of a token do, and how it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.fernet import Fernet
from structlog.testing import capture_logs

from bot.config import Settings
from bot.errors import Refused, Retry
from bot.platforms._setup import Setup
from bot.platforms.slack import ended, tokens
from bot.platforms.slack.tokens import Tokens
from bot.store import installs, interests, outbox, owners, subscriptions
from bot.store.engine import Store
from bot.store.installs import Install
from bot.store.secret import Box

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
KEY, OLD = Fernet.generate_key().decode(), Fernet.generate_key().decode()
LAB = Install("T1", "xoxb-sEcret-1", "UBOT", "B1", "A1", "Lab", ("chat:write",), "UADA", NOW)


@dataclass
class Slack:
    """A Web API that knows auth.test, and a bot's tokens."""

    store: Store
    api: str = ""
    says: Any = field(
        default_factory=lambda: {"ok": True, "team_id": "T1", "team": "Lab", "user_id": "UBOT", "bot_id": "B1"}
    )
    asked: int = 0
    now: datetime = NOW
    came: asyncio.Event = field(default_factory=asyncio.Event)
    held: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked += 1
        self.came.set()
        await self.held.wait()
        assert request.headers["Authorization"].startswith("Bearer xoxb-")
        if isinstance(self.says, int):
            return web.Response(status=self.says, text="<html>")
        said = {"ok": False, "error": self.says} if isinstance(self.says, str) else self.says
        return web.json_response(said)

    def setup(self, **given: Any) -> Setup:
        settings = Settings(**({"slack_api_url": self.api, "secret_keys": KEY} | given))
        return Setup(settings, self.store, {}, lambda: self.now)

    def one(self) -> Tokens:
        return Tokens(self.setup(slack_bot_token="xoxb-sEcret-0", secret_keys=""))

    async def installed(self) -> installs.Install | None:
        return await self.store.read(installs.get, "slack", "T1")

    def follow(self, name: str, channel: str = "") -> int:
        with self.store.writing() as conn:
            ada = owners.get(conn, "slack", "T1", "person", "UADA", "Ada", NOW).number
            owner = owners.get(conn, "slack", "T1", "channel", channel, "#c", NOW).number if channel else ada
            interest = interests.add(conn, owner, name, [name], NOW)
            values = {"at": "09:00", "time_zone": "UTC", "weekdays": "12345", "at_most": 5, "strictness": "normal"}
            return subscriptions.add(conn, owner, interest, ada, values, NOW)

    def paused(self, number: int) -> str | None:
        """Return why a subscription is paused, or None."""
        with self.store.reading() as conn:
            sub = subscriptions.of_number(conn, number)[0]
            return sub.paused_why if sub.paused_at else None


@pytest.fixture
async def slack(memory_store: Store) -> AsyncIterator[Slack]:
    one = Slack(memory_store)
    one.held.set()
    app = web.Application()
    app.router.add_post("/api/auth.test", one.answer)
    async with TestServer(app) as server:
        one.api = str(server.make_url("/api/"))
        yield one


@pytest.fixture
async def many(slack: Slack) -> Tokens:
    made = Tokens(slack.setup())
    await made.keep(LAB)
    return made


def told(kind: str, at: datetime, **more: Any) -> dict[str, Any]:
    return {"event_id": f"Ev{kind}", "event_time": int(at.timestamp()), "event": {"type": kind, **more}}


async def tell(slack: Slack, known: Tokens, kind: str, at: datetime, **more: Any) -> None:
    await ended.listener(slack.setup(), known)("T1", told(kind, at, **more))


LATER = NOW + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("kind", "more"), [("app_uninstalled", {}), ("tokens_revoked", {"tokens": {"oauth": [], "bot": ["UBOT"]}})]
)
async def test_a_removed_app_loses_its_token(slack: Slack, many: Tokens, kind: str, more: Any) -> None:
    number = slack.follow("graphs")
    await many.of("T1")
    await tell(slack, many, kind, LATER, **more)
    row = await slack.installed()
    assert row is not None
    assert (row.token, row.removed) == ("", True)
    with pytest.raises(Refused, match="not installed"):
        await many.of("T1")
    assert "the app was removed" in (slack.paused(number) or "")
    (seen,) = await many.workspaces()
    assert (seen.name, seen.token, seen.ended) == ("Lab", "", "the app was removed")


async def test_both_events_of_one_removal_and_a_second_delivery(slack: Slack, many: Tokens) -> None:
    for _ in range(2):
        await tell(slack, many, "tokens_revoked", LATER, tokens={"bot": ["UBOT"]})
        await tell(slack, many, "app_uninstalled", LATER)
    row = await slack.installed()
    assert row is not None
    assert row.removed


async def test_what_is_older_than_the_install_is_ignored(slack: Slack, many: Tokens) -> None:
    for kind, more in (("app_uninstalled", {}), ("tokens_revoked", {"tokens": {"bot": ["UBOT"]}})):
        await tell(slack, many, kind, NOW, **more)
    assert (await many.of("T1")).token == LAB.token


@pytest.mark.parametrize("told_tokens", [{"oauth": ["UADA"]}, {"oauth": ["UADA"], "bot": []}, None, "x"])
async def test_a_persons_own_token_is_not_the_bots(slack: Slack, many: Tokens, told_tokens: Any) -> None:
    await tell(slack, many, "tokens_revoked", LATER, tokens=told_tokens)
    assert (await many.of("T1")).token == LAB.token


@pytest.mark.parametrize("code", ["invalid_auth", "account_inactive", "token_revoked", "token_expired"])
async def test_a_refused_token_pauses_the_workspace_and_stays(slack: Slack, many: Tokens, code: str) -> None:
    number = slack.follow("graphs")
    slack.says = code
    await many.ended("T1", code)
    row = await slack.installed()
    assert row is not None
    assert row.token
    assert not row.removed
    assert slack.paused(number)
    assert (await many.of("T1")).token == LAB.token
    (seen,) = await many.workspaces()
    assert seen.ended == row.ended_why != ""


async def test_a_token_that_is_good_after_all_goes_on(
    slack: Slack, many: Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = slack.follow("graphs")
    await many.ended("T1", "invalid_auth")
    await many.of("T1")
    assert (slack.asked, bool(slack.paused(number))) == (0, True)
    monkeypatch.setattr(tokens, "AGAIN", 0.0)
    monkeypatch.setattr(tokens, "KEPT", 0.0)
    slack.says = "invalid_auth"
    await many.of("T1")
    assert (slack.asked, bool(slack.paused(number))) == (1, True)
    slack.says = {"ok": True, "team_id": "T1"}
    await many.of("T1")
    assert (slack.asked, slack.paused(number)) == (2, None)
    await many.of("T1")
    assert slack.asked == 2


@pytest.mark.parametrize("one", [True, False], ids=["one", "many"])
async def test_after_a_restart_what_is_paused_goes_on_before_anybody_asks(slack: Slack, one: bool) -> None:
    def begun() -> Tokens:
        return slack.one() if one else Tokens(slack.setup())

    if not one:
        await begun().keep(LAB)
    number = slack.follow("graphs")
    await begun().ended("T1", "invalid_auth")
    assert slack.paused(number)
    slack.says, good = "invalid_auth", slack.says
    with suppress(Refused):
        await begun().ask_again()
    assert slack.paused(number)
    slack.says = good
    await begun().ask_again()
    assert slack.paused(number) is None


async def test_a_process_that_knows_its_token_sees_that_another_gave_it_up(slack: Slack) -> None:
    number, known = slack.follow("graphs"), slack.one()
    await known.single()
    await slack.one().ended("T1", "invalid_auth")
    await known.ask_again()
    assert slack.paused(number) is None


async def test_a_workspace_that_removed_the_app_is_not_asked_for(slack: Slack, many: Tokens) -> None:
    await tell(slack, many, "app_uninstalled", LATER)
    await many.ask_again()
    assert slack.asked == 0


async def test_an_acknowledgement_that_cannot_wait_leaves_the_question_to_the_next(slack: Slack, many: Tokens) -> None:
    number = slack.follow("graphs")
    await many.ended("T1", "invalid_auth")
    begun = Tokens(slack.setup())
    slack.held.clear()
    first = asyncio.create_task(begun.of("T1"))
    await slack.came.wait()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    slack.held.set()
    await begun.of("T1")
    assert slack.paused(number) is None


async def test_no_request_asks_slack_who_we_are(slack: Slack, many: Tokens) -> None:
    for _ in range(5):
        await many.of("T1")
    assert slack.asked == 0
    with pytest.raises(Refused):
        await many.of("T2")


async def test_a_new_key_first_and_the_token_is_kept_with_it(slack: Slack) -> None:
    await Tokens(slack.setup(secret_keys=OLD)).keep(LAB)
    assert (await Tokens(slack.setup(secret_keys=f"{KEY},{OLD}")).of("T1")).token == LAB.token
    assert (await Tokens(slack.setup(secret_keys=KEY)).of("T1")).token == LAB.token


async def test_a_token_that_no_key_opens_is_named(slack: Slack) -> None:
    await Tokens(slack.setup(secret_keys=OLD)).keep(LAB)
    made = Tokens(slack.setup())
    number = slack.follow("graphs")
    with capture_logs() as logs, pytest.raises(Retry):
        await made.of("T1")
    assert "“Lab”" in logs[0]["reason"]
    assert "sEcret" not in repr(logs)
    (seen,) = await made.workspaces()
    assert "“Lab”" in seen.ended
    assert slack.paused(number) is None


async def test_one_workspace_is_asked_for_once(slack: Slack) -> None:
    one = slack.one()
    token = await one.of("T1")
    assert (token.token, token.bot_user, token.bot_id, token.name) == ("xoxb-sEcret-0", "UBOT", "B1", "Lab")
    assert await one.single() is token
    assert slack.asked == 1
    with pytest.raises(Refused):
        await one.of("T2")
    assert [seen.token for seen in await one.workspaces()] == ["xoxb-sEcret-0"]


@pytest.mark.parametrize("says", [500, 429, "internal_error", "ratelimited", {"ok": True}])
async def test_one_workspace_is_asked_for_again_when_slack_was_ill(
    slack: Slack, says: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, slack.says = slack.says, says
    one = slack.one()
    for _ in range(3):
        with pytest.raises(Retry):
            await one.of("T1")
    assert slack.asked == 1
    monkeypatch.setattr(tokens, "WAIT", 0.0)
    slack.says = good
    assert (await one.of("T1")).bot_user == "UBOT"


async def test_slack_cannot_be_reached(slack: Slack) -> None:
    slack.api = "http://127.0.0.1:9/api/"
    with pytest.raises(Retry, match="cannot be reached"):
        await slack.one().single()


async def test_one_workspace_with_a_bad_token_pauses_and_a_good_one_goes_on(slack: Slack) -> None:
    number = slack.follow("graphs")
    good, slack.says = slack.says, "invalid_auth"
    with pytest.raises(Refused):
        await slack.one().of("T1")
    assert "not valid" in (slack.paused(number) or "")
    slack.says = good
    await slack.one().of("T1")
    assert slack.paused(number) is None


async def test_an_event_from_before_the_token_was_tried_is_ignored_for_one_workspace_too(slack: Slack) -> None:
    one, number = slack.one(), slack.follow("graphs")
    await one.of("T1")
    await tell(slack, one, "app_uninstalled", NOW)
    assert slack.paused(number) is None
    await tell(slack, one, "app_uninstalled", LATER)
    assert slack.paused(number)


@pytest.mark.parametrize("kind", ["channel_left", "group_left", "channel_archive", "group_archive"])
async def test_a_channel_that_is_closed(slack: Slack, many: Tokens, kind: str) -> None:
    here, mine = slack.follow("graphs", "C1"), slack.follow("optics")
    for at in (LATER, LATER + timedelta(minutes=1)):
        await tell(slack, many, kind, at, channel="C1")
    assert slack.paused(here) == ended.CLOSED[kind]
    assert slack.paused(mine) is None
    with slack.store.writing() as conn:
        rows = outbox.claim(conn, NOW, "tok", 120, 9, ["slack"])
    assert [row.kind for row in rows] == ["notice"]
    assert "paused" in rows[0].message.text


async def test_events_that_make_no_sense_do_nothing(slack: Slack, many: Tokens) -> None:
    listen = ended.listener(slack.setup(), many)
    bodies: list[dict[str, Any]] = [
        {},
        {"event": None},
        {"event": {}},
        told("channel_left", NOW, channel=None),
        told("x", NOW),
    ]
    for body in bodies:
        await listen("T1", body)
    await listen("", told("app_uninstalled", LATER))
    assert await slack.installed() == replace(LAB, token=(await slack.installed() or LAB).token)
    assert Box([KEY]).open((await slack.installed() or LAB).token, "") == LAB.token
