"""What people do in the fake Slack, heard by the real SocketModeClient and by a server that is posted to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import ClientSession, web
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.slack import FakeSlack
from tests.fakes.slack.state import Channel, Json, Team, User

GO = {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Go"}, "value": "v"}]}
FORM = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Form"},
    "submit": {"type": "plain_text", "text": "Go"},
    "blocks": [
        {
            "type": "input",
            "block_id": "when",
            "label": {"type": "plain_text", "text": "When"},
            "element": {"type": "timepicker", "action_id": "t", "initial_time": "09:00"},
        },
        {
            "type": "input",
            "block_id": "topic",
            "label": {"type": "plain_text", "text": "Topic"},
            "element": {"type": "plain_text_input", "action_id": "w"},
        },
    ],
}


class Lab:
    """A workspace with an app that hears everything. `answers`: what it acknowledges a kind with; None: not at all."""

    def __init__(self, slack: FakeSlack) -> None:
        self.slack = slack
        self.team: Team = slack.team("Lab")
        self.ada: User = self.team.user("ada")
        self.channel: Channel = self.team.channel("reading", creator=self.ada, bot=True)
        self.web = AsyncWebClient(token=self.team.bot_token, base_url=slack.api_url)
        self.heard: list[SocketModeRequest] = []
        self.answers: Callable[[SocketModeRequest], Any] = lambda _request: {}

    async def take(self, client: SocketModeClient, request: SocketModeRequest) -> None:
        """Take an envelope."""
        self.heard.append(request)
        answer = self.answers(request)
        if answer is not None:
            await client.send_socket_mode_response(SocketModeResponse(request.envelope_id, answer))


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with FakeSlack() as slack:
        made = Lab(slack)
        async with connected(made):
            yield made


@asynccontextmanager
async def connected(lab: Lab) -> AsyncIterator[SocketModeClient]:
    web_client = AsyncWebClient(base_url=lab.slack.api_url)
    client = SocketModeClient(lab.slack.app_token, web_client=web_client, ping_interval=0.05)
    client.socket_mode_request_listeners.append(lab.take)  # type: ignore[arg-type]
    await client.connect()  # type: ignore[no-untyped-call]
    await lab.slack.until(lambda: lab.slack.sockets.lines)
    yield client
    await client.disconnect()  # type: ignore[no-untyped-call]
    await client.close()  # type: ignore[no-untyped-call]
    tasks = (client.message_processor, client.current_session_monitor, client.message_receiver)
    await asyncio.gather(*(task for task in tasks if task), return_exceptions=True)


async def respond(url: str, body: Json) -> tuple[int, str]:
    async with ClientSession() as session, session.post(url, json=body) as response:
        return response.status, await response.text()


async def test_a_command_and_the_five_answers_of_its_address(lab: Lab) -> None:
    seen = await lab.slack.command(lab.channel, lab.ada, "search a<b in #reading by @ada https://x.org/?a=1&b=2")
    assert seen.seconds is not None
    text = lab.heard[0].payload["text"]
    expected = f"search a&lt;b in <#{lab.channel.id}|reading> by <@{lab.ada.id}|ada> <https://x.org/?a=1&amp;b=2>"
    assert text == expected
    url = seen.payload["response_url"]
    for n in range(4):
        assert (await respond(url, {"text": str(n), "replace_original": True}))[0] == 200
    assert (await respond(url, {"text": "all", "response_type": "in_channel"}))[0] == 200
    assert [one["text"] for one in lab.slack.private(lab.channel, lab.ada)] == ["0", "1", "2", "3"]
    assert [one["text"] for one in lab.slack.history(lab.channel)] == ["all"]
    assert (await respond(url, {"text": "6"}))[0] == 404
    other = await lab.slack.command(lab.channel, lab.ada, "x")
    status, said = await respond(other.payload["response_url"], {"blocks": [{"type": "no"}]})
    assert (status, "invalid_blocks" in said) == (400, True)


async def test_presses_on_public_and_private_messages(lab: Lab) -> None:
    await lab.web.chat_postMessage(channel=lab.channel.id, text="m", blocks=[GO])
    (public,) = lab.slack.history(lab.channel)
    seen = await lab.slack.press(public, "Go", lab.ada)
    payload = lab.heard[-1].payload
    assert (payload["actions"][0]["value"], payload["message"]["ts"]) == ("v", public["ts"])
    await respond(seen.payload["response_url"], {"text": "new", "replace_original": True})
    assert (public["text"], "blocks" in public) == ("new", False)
    await lab.web.chat_postEphemeral(channel=lab.channel.id, user=lab.ada.id, text="m", blocks=[GO])
    (private,) = lab.slack.private(lab.channel, lab.ada)
    seen = await lab.slack.press(private, "v", lab.ada)
    assert "message" not in seen.payload
    assert seen.payload["container"]["is_ephemeral"]
    await respond(seen.payload["response_url"], {"delete_original": True})
    assert lab.slack.private(lab.channel, lab.ada) == []
    with pytest.raises(AssertionError, match="nothing to press"):
        await lab.slack.press({**public, "blocks": []}, "Go", lab.ada)


async def test_windows(lab: Lab) -> None:
    seen = await lab.slack.command(lab.channel, lab.ada, "subscribe")
    trigger = seen.payload["trigger_id"]
    view = (await lab.web.views_open(trigger_id=trigger, view=FORM))["view"]
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await lab.web.views_open(trigger_id=trigger, view=FORM)
    assert (await lab.slack.submit(view)).errors == {"topic": "Please complete this required field."}
    lab.answers = lambda _: {"response_action": "errors", "errors": {"topic": "unknown"}}
    assert (await lab.slack.submit(view, {"Topic": "zzz"})).errors == {"topic": "unknown"}
    lab.answers = lambda _: {"response_action": "update", "view": {**FORM, "blocks": []}}
    done = await lab.slack.submit(view, {"Topic": "attention", "When": "10:30"})
    values = lab.heard[-1].payload["view"]["state"]["values"]
    assert values["when"]["t"]["selected_time"] == "10:30"
    assert values["topic"]["w"]["value"] == "attention"
    assert done.errors == {}
    shown = lab.slack.modal(lab.ada)
    assert shown is not None
    assert shown["blocks"] == []
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await lab.web.views_update(view_id=view["id"], view=FORM, hash="old")
    lab.answers = lambda _: {}
    await lab.slack.submit(view)
    assert lab.slack.modal(lab.ada) is None
    with pytest.raises(SlackApiError, match="not_found"):
        await lab.web.views_update(view_id=view["id"], view=FORM)


async def test_a_trigger_is_good_for_three_seconds(lab: Lab) -> None:
    seen = await lab.slack.command(lab.channel, lab.ada, "subscribe")
    lab.slack.triggers[seen.payload["trigger_id"]].at -= 3.1
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await lab.web.views_open(trigger_id=seen.payload["trigger_id"], view=FORM)
    with pytest.raises(SlackApiError, match="invalid_trigger_id"):
        await lab.web.views_open(trigger_id="1.2.3", view=FORM)


async def test_messages_mentions_and_what_is_not_heard(lab: Lab) -> None:
    assert await lab.slack.message(lab.channel, lab.ada, "hello all") is None
    await lab.slack.mention(lab.channel, lab.ada, "search x")
    event = lab.heard[-1].payload["event"]
    assert (event["type"], event["text"]) == ("app_mention", f"<@{lab.team.bot_user}> search x")
    await lab.slack.message(lab.team.dm(lab.ada), lab.ada, "help", twice=True)
    first, second = lab.heard[-2:]
    assert (first.payload["event"]["channel_type"], first.payload["event_id"]) == ("im", second.payload["event_id"])
    assert (first.retry_attempt, second.retry_attempt) == (0, 1)
    await lab.slack.open_home(lab.ada)
    assert lab.heard[-1].payload["event"]["tab"] == "home"
    await lab.slack.kick(lab.channel, lab.ada)
    assert lab.heard[-1].payload["event"]["type"] == "channel_left"


async def test_an_event_that_is_not_acknowledged_comes_again(lab: Lab) -> None:
    lab.slack.ack_within, lab.slack.again_after = 0.05, (0.0,)
    lab.answers = lambda request: {} if request.retry_attempt else None
    seen = await lab.slack.open_home(lab.ada)
    assert seen is not None
    assert seen.error == "timeout"
    await lab.slack.until(lambda: len(lab.heard) == 2)
    assert lab.heard[1].retry_reason == "timeout"
    lab.answers = lambda _: None
    command = await lab.slack.command(lab.channel, lab.ada, "x")
    assert (command.error, len(lab.heard)) == ("timeout", 3)


async def test_each_delivery_goes_to_one_of_several_sockets(lab: Lab) -> None:
    async with connected(lab):
        await lab.slack.until(lambda: len(lab.slack.sockets.lines) == 2)
        for _ in range(4):
            await lab.slack.command(lab.channel, lab.ada, "x")
        assert [line.delivered for line in lab.slack.sockets.lines] == [2, 2]
        assert len(lab.heard) == 4


async def test_a_mute_socket_is_open_and_says_nothing_and_a_refreshed_one_is_another(lab: Lab) -> None:
    lab.slack.ack_within = 0.05
    lab.slack.sockets.mute()
    assert (await lab.slack.command(lab.channel, lab.ada, "x")).error == "timeout"
    assert not lab.heard
    lab.slack.sockets.mute(False)
    await lab.slack.sockets.disconnect()
    await lab.slack.until(lambda: lab.slack.sockets.opened >= 2 and lab.slack.sockets.lines)


async def test_without_a_socket_it_is_posted_and_signed() -> None:
    async with FakeSlack() as slack:
        lab, bodies, statuses = Lab(slack), [], [500, 200]
        verifier = SignatureVerifier(slack.signing_secret)

        async def hear(request: web.Request) -> web.Response:
            body = await request.read()
            assert verifier.is_valid_request(body, dict(request.headers))
            bodies.append((dict(request.headers), body.decode()))
            return web.Response(status=statuses.pop(0) if statuses else 200)

        app = web.Application()
        app.router.add_post("/slack/events", hear)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        slack.events_url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
        slack.again_after = (0.0,)
        await slack.open_home(lab.ada)
        await slack.until(lambda: len(bodies) == 2)
        assert [one[0].get("X-Slack-Retry-Reason") for one in bodies] == [None, "http_error"]
        assert json.loads(bodies[0][1])["event"]["type"] == "app_home_opened"
        await slack.command(lab.channel, lab.ada, "x y")
        assert parse_qs(bodies[2][1])["text"] == ["x y"]
        await lab.web.chat_postMessage(channel=lab.channel.id, text="m", blocks=[GO])
        await slack.press(slack.history(lab.channel)[0], "Go", lab.ada)
        assert json.loads(parse_qs(bodies[3][1])["payload"][0])["type"] == "block_actions"
        await runner.cleanup()
        assert (await slack.command(lab.channel, lab.ada, "x")).error == "connection_failed"
