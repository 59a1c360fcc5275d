"""The fake Slack's Web API, called by the real slack_sdk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.server import Control, described
from tests.fakes.slack.slack import FakeSlack


class Desk:
    """A workspace, and the bot's client."""

    def __init__(self, slack: FakeSlack) -> None:
        self.slack = slack
        self.team = slack.team("Lab")
        self.ada = self.team.user("ada", admin=True, tz="Asia/Tokyo")
        self.bob = self.team.user("bob")
        self.channel = self.team.channel("reading", creator=self.ada, members=[self.bob], bot=True)
        self.web = AsyncWebClient(token=self.team.bot_token, base_url=slack.api_url, retry_handlers=[])

    async def refused(self, method: str, **arguments: Any) -> dict[str, Any]:
        """Call what is refused, and return the answer."""
        with pytest.raises(SlackApiError) as caught:
            await self.web.api_call(method, json=arguments)
        return dict(caught.value.response.data)

    async def code(self, method: str, **arguments: Any) -> str:
        """Call what is refused, and return the code."""
        return str((await self.refused(method, **arguments))["error"])


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with FakeSlack() as slack:
        yield Desk(slack)


async def test_a_message_is_posted_changed_read_and_deleted(desk: Desk) -> None:
    metadata = {"event_type": "digest", "event_payload": {"key": "k1"}}
    posted = await desk.web.chat_postMessage(channel=desk.channel.id, text="one", metadata=metadata)
    await desk.web.chat_postMessage(channel=desk.channel.id, text="below", thread_ts=posted["ts"])
    await desk.web.chat_update(channel=desk.channel.id, ts=posted["ts"], text="two")
    page = await desk.web.conversations_history(channel=desk.channel.id, include_all_metadata=True)
    (message,) = page["messages"]
    assert (message["text"], message["metadata"], message["reply_count"]) == ("two", metadata, 1)
    bare = await desk.web.conversations_history(channel=desk.channel.id)
    assert "metadata" not in bare["messages"][0]
    thread = await desk.web.conversations_replies(channel=desk.channel.id, ts=posted["ts"])
    assert [one["text"] for one in thread["messages"]] == ["two", "below"]
    await desk.web.chat_delete(channel=desk.channel.id, ts=posted["ts"])
    assert [one["text"] for one in desk.slack.history(desk.channel)] == ["below"]


async def test_histories_have_pages_bounds_and_a_lag(desk: Desk) -> None:
    stamps = [(await desk.web.chat_postMessage(channel=desk.channel.id, text=str(n)))["ts"] for n in range(5)]
    first = await desk.web.conversations_history(channel=desk.channel.id, limit=3)
    assert [one["text"] for one in first["messages"]] == ["4", "3", "2"]
    cursor = first["response_metadata"]["next_cursor"]
    second = await desk.web.conversations_history(channel=desk.channel.id, limit=3, cursor=cursor)
    assert ([one["text"] for one in second["messages"]], second["has_more"]) == (["1", "0"], False)
    later = await desk.web.conversations_history(channel=desk.channel.id, oldest=stamps[3])
    assert [one["text"] for one in later["messages"]] == ["4"]
    desk.slack.lag_history(30)
    assert (await desk.web.conversations_history(channel=desk.channel.id))["messages"] == []
    assert await desk.code("conversations.history", channel=desk.channel.id, cursor="x") == "invalid_cursor"


async def test_who_may_not(desk: Desk) -> None:
    elsewhere = desk.team.channel("other", creator=desk.ada)
    secret = desk.team.channel("secret", creator=desk.ada, private=True)
    old = desk.team.channel("old", creator=desk.ada, bot=True)
    old.archived = True
    post = "chat.postMessage"
    assert await desk.code(post, channel=elsewhere.id, text="x") == "not_in_channel"
    assert await desk.code(post, channel=secret.id, text="x") == "channel_not_found"
    assert await desk.code(post, channel=old.id, text="x") == "is_archived"
    assert await desk.code(post, channel="CNONE", text="x") == "channel_not_found"
    assert await desk.code(post, channel=desk.channel.id) == "no_text"
    assert await desk.code(post, channel=desk.channel.id, text="x", thread_ts="1.2") == "invalid_thread_ts"
    assert await desk.code(post, channel=desk.channel.id, text="x", thread_ts="1700000000.000001") == "thread_not_found"
    assert await desk.code("conversations.join", channel=old.id) == "is_archived"
    assert await desk.code("conversations.history", channel=elsewhere.id) == "not_in_channel"
    assert await desk.code("chat.update", channel=desk.channel.id, ts="1.2", text="x") == "message_not_found"
    assert await desk.code("users.info", user="UNONE") == "user_not_found"
    assert await desk.code("no.such") == "unknown_method"
    desk.team.scopes.add("chat:write.public")
    await desk.web.chat_postMessage(channel=elsewhere.id, text="x")


async def test_private_answers_need_both_in_the_channel(desk: Desk) -> None:
    eve = desk.team.user("eve")
    whisper: dict[str, Any] = {"channel": desk.channel.id, "text": "psst"}
    assert await desk.code("chat.postEphemeral", user=eve.id, **whisper) == "user_not_in_channel"
    said = await desk.web.chat_postEphemeral(user=desk.ada.id, **whisper)
    assert [one["text"] for one in desk.slack.private(desk.channel, desk.ada)] == ["psst"]
    assert desk.slack.private(desk.channel, desk.bob) == []
    code = await desk.code("chat.update", channel=desk.channel.id, ts=said["message_ts"], text="x")
    assert code == "message_not_found"


async def test_people_and_places(desk: Desk) -> None:
    user = (await desk.web.users_info(user=desk.ada.id))["user"]
    assert (user["tz"], user["is_admin"], user["team_id"]) == ("Asia/Tokyo", True, desk.team.id)
    direct = (await desk.web.conversations_open(users=desk.ada.id))["channel"]["id"]
    assert direct == desk.team.dm(desk.ada).id
    await desk.web.chat_postMessage(channel=desk.ada.id, text="hello")
    assert [one["text"] for one in desk.slack.history(desk.team.dm(desk.ada))] == ["hello"]
    info = (await desk.web.conversations_info(channel=desk.channel.id))["channel"]
    assert (info["creator"], info["is_member"], info["is_private"]) == (desk.ada.id, True, False)
    assert desk.ada.id in (await desk.web.conversations_members(channel=desk.channel.id))["members"]
    listed = await desk.web.conversations_list(limit=1)
    assert [one["name"] for one in listed["channels"]] == ["reading"]
    desk.bob.deleted = True
    assert await desk.code("conversations.open", users=desk.bob.id) == "user_disabled"
    assert await desk.code("conversations.open", users=desk.team.bot_user) == "cannot_dm_bot"
    assert await desk.code("conversations.info", channel=direct) == "missing_scope"


async def test_scopes_and_tokens(desk: Desk) -> None:
    answer = await desk.web.auth_test()
    assert "chat:write" in answer.headers["x-oauth-scopes"]
    desk.team.scopes.discard("chat:write")
    refused = await desk.refused("chat.postMessage", channel=desk.channel.id, text="x")
    assert (refused["error"], refused["needed"]) == ("missing_scope", "chat:write")
    assert "users:read" in refused["provided"]
    desk.web.token = "xoxb-none"
    assert await desk.code("auth.test") == "invalid_auth"
    desk.web.token = desk.slack.app_token
    assert await desk.code("auth.test") == "not_allowed_token_type"
    desk.web.token = desk.team.bot_token
    assert await desk.code("apps.connections.open") == "not_allowed_token_type"
    await desk.slack.uninstall(desk.team)
    assert await desk.code("auth.test") == "account_inactive"


async def test_limits_that_are_on(desk: Desk) -> None:
    desk.slack.limits.messages = True
    await desk.web.chat_postMessage(channel=desk.channel.id, text="1")
    with pytest.raises(SlackApiError) as caught:
        await desk.web.chat_postMessage(channel=desk.channel.id, text="2")
    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "1")
    desk.slack.limits.a_minute = 2
    rooms = [desk.team.channel(f"c{n}", bot=True) for n in range(3)]
    await desk.web.chat_postMessage(channel=rooms[0].id, text="x")
    desk.slack.limits.tiers = True
    for _ in range(20):
        await desk.web.users_list()
    assert await desk.code("users.list") == "ratelimited"
    desk.slack.limits.outside = True
    await desk.web.conversations_history(channel=desk.channel.id)
    assert await desk.code("conversations.history", channel=desk.channel.id) == "ratelimited"
    assert desk.slack.limits.refused == 3


async def test_faults_come_as_told(desk: Desk) -> None:
    post: dict[str, Any] = {"channel": desk.channel.id, "text": "x"}
    desk.slack.fail("chat.postMessage", "fatal_error")
    assert await desk.code("chat.postMessage", **post) == "fatal_error"
    desk.slack.fail("chat.postMessage", "ratelimited", after=7)
    with pytest.raises(SlackApiError) as caught:
        await desk.web.chat_postMessage(**post)
    assert caught.value.response.headers["Retry-After"] == "7"
    desk.slack.fail("chat.postMessage", "drop", take=True)
    with pytest.raises(aiohttp.ClientError):
        await desk.web.chat_postMessage(**post)
    assert len(desk.slack.history(desk.channel)) == 1
    desk.slack.fail("chat.postMessage", 503)
    with pytest.raises(SlackApiError):
        await desk.web.chat_postMessage(**post)
    desk.slack.fail("chat.postMessage", "hang")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await desk.web.chat_postMessage(**post)
    await desk.web.chat_postMessage(**post)
    assert [call.error for call in desk.slack.called("chat.postMessage")] == [
        *("fatal_error", "ratelimited", "drop", "503", "hang", ""),
    ]


async def test_files_go_up_in_three_steps(desk: Desk) -> None:
    await desk.web.files_upload_v2(filename="a.bib", content="@misc{a}", channel=desk.channel.id)
    assert desk.slack.history(desk.channel)[0]["files"][0]["name"] == "a.bib"
    ticket = await desk.web.files_getUploadURLExternal(filename="b", length=3)
    files = [{"id": ticket["file_id"]}]
    assert await desk.code("files.completeUploadExternal", files=files) == "file_not_found"


async def test_oauth(desk: Desk) -> None:
    slack, back = desk.slack, "https://bot.example/slack/oauth_redirect"
    team = slack.team("New", installed=False)
    slack.consent.team = team
    query = {"client_id": slack.client_id, "scope": "chat:write,commands", "state": "s1", "redirect_uri": back}
    async with (
        aiohttp.ClientSession() as browser,
        browser.get(slack.authorize_url, params=query, allow_redirects=False) as page,
    ):
        place = page.headers["Location"]
    assert (page.status, place.startswith(f"{back}?code="), "state=s1" in place) == (302, True, True)
    code = place.partition("code=")[2].partition("&")[0]
    web = AsyncWebClient(base_url=slack.api_url)  # its own method warns with this aiohttp
    keys: dict[str, Any] = {"client_id": slack.client_id, "client_secret": slack.client_secret, "code": code}
    with pytest.raises(SlackApiError, match="bad_client_secret"):
        await web.api_call("oauth.v2.access", data={**keys, "client_secret": "no"})
    granted = await web.api_call("oauth.v2.access", data={**keys, "redirect_uri": back})
    assert (granted["team"]["id"], granted["scope"]) == (team.id, "chat:write,commands")
    with pytest.raises(SlackApiError, match="invalid_code"):
        await web.api_call("oauth.v2.access", data=keys)
    mine = AsyncWebClient(token=granted["access_token"], base_url=slack.api_url)
    assert (await mine.auth_test())["team_id"] == team.id


async def test_a_bench_tells_it_by_http_what_to_do() -> None:
    slack = FakeSlack()
    slack.extend(Control(slack).add)
    async with slack, aiohttp.ClientSession() as bench:
        desk = Desk(slack)
        told = described(slack)
        assert (told["teams"][0]["bot_token"], told["api_url"]) == (desk.team.bot_token, slack.api_url)

        async def tell(what: str, **said: Any) -> Any:
            async with bench.post(f"{slack.url}/control/{what}", json=said) as response:
                return await response.json()

        await tell("settings", messages=True, history_lag=5)
        assert (slack.limits.messages, slack.history_lag) == (True, 5)
        await tell("fail", method="auth.test", fault="internal_error")
        assert await desk.code("auth.test") == "internal_error"
        found = await tell("commands", text="search x", count=3, within=0.01)
        assert found == {"acks": [None] * 3, "answers": [None] * 3, "lost": 3}
        await desk.web.chat_postMessage(channel=desk.channel.id, text="x")
        async with bench.get(f"{slack.url}/control/counts") as response:
            assert (await response.json())["messages"] == {desk.team.id: 1}
