"""The one way to Slack's Web API: what each fault of the network and each answer ends in. On a socket."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot import metrics
from bot.core.message import File
from bot.errors import DeliveryError, Refused, Retry, StoreError, Uncertain
from bot.platforms.slack import calls as module
from bot.platforms.slack.calls import Calls
from tests.fakes.canned_http import CannedServer, serving
from tests.fakes.known_tokens import KnownTokens


@pytest.fixture
async def server() -> AsyncIterator[CannedServer]:
    async with serving() as server:
        yield server


@pytest.fixture
def tokens() -> KnownTokens:
    return KnownTokens([SimpleNamespace(id="T1", bot_token="xoxb-secret-1", bot_user="UBOT", bot_id="BBOT")])


@pytest.fixture
async def calls(server: CannedServer, tokens: KnownTokens) -> AsyncIterator[Calls]:
    made = Calls(tokens, server.url + "api/", deadline=5.0)
    yield made
    await made.close()


async def failed(doing: Awaitable[Any]) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        await doing
    assert "xoxb" not in str(caught.value)
    return caught.value


async def test_a_call_is_a_form_with_the_workspaces_token(server: CannedServer, calls: Calls) -> None:
    server.says({"ok": True, "ts": "1.2"})
    said = await calls.call(
        "T1", "chat.postMessage", channel="C1", blocks=[{"é": "漢"}], unfurl_links=False, thread_ts=None
    )
    assert said["ts"] == "1.2"
    (asked,) = server.asked
    assert asked.line == "POST /api/chat.postMessage HTTP/1.1"
    assert asked.headers["authorization"] == "Bearer xoxb-secret-1"
    assert asked.form == {"channel": "C1", "blocks": '[{"é": "漢"}]', "unfurl_links": "false"}


async def test_halves_of_surrogate_pairs_do_not_stop_it(server: CannedServer, calls: Calls) -> None:
    server.says({"ok": True})
    await calls.call("T1", "chat.postMessage", text="a\ud800b", blocks=["\udc80"])
    assert server.asked[0].form == {"text": "a?b", "blocks": '["?"]'}


async def test_a_method_outside_the_table_is_not_called(server: CannedServer, calls: Calls) -> None:
    with pytest.raises(KeyError):
        await calls.call("T1", "admin.users.remove")
    assert not server.asked


async def test_another_workspace_is_refused_before_anything_leaves(server: CannedServer, calls: Calls) -> None:
    assert isinstance(await failed(calls.call("T2", "auth.test")), Refused)
    assert not server.asked


async def test_no_token_for_want_of_the_database_is_tried_again(
    server: CannedServer, calls: Calls, tokens: KnownTokens
) -> None:
    tokens.error = StoreError("away")
    assert isinstance(await failed(calls.call("T1", "auth.test")), Retry)
    assert not server.asked


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("channel_not_found", 200, Refused),
        ("is_archived", 200, Refused),
        ("missing_scope", 200, Refused),
        ("missing_scope", 403, Refused),
        ("rate_limited", 200, Retry),
        ("team_added_to_org", 200, Retry),
        ("request_timeout", 408, Retry),
        ("internal_error", 200, Uncertain),
        ("fatal_error", 200, Uncertain),
        ("service_unavailable", 503, Uncertain),
        ("channel_not_found", 500, Uncertain),
    ],
)
async def test_an_error_code_has_its_class(
    server: CannedServer, calls: Calls, code: str, status: int, kind: type
) -> None:
    server.says({"ok": False, "error": code, "needed": "chat:write"}, status)
    error = await failed(calls.call("T1", "chat.postMessage", channel="C1"))
    assert type(error) is kind
    assert len(server.asked) == 1


@pytest.mark.parametrize("code", ["account_inactive", "invalid_auth", "token_revoked", "token_expired"])
async def test_a_token_that_ended_is_told(server: CannedServer, calls: Calls, tokens: KnownTokens, code: str) -> None:
    server.says({"ok": False, "error": code}, 401)
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Refused)
    assert tokens.told == [("T1", code)]


async def test_an_unknown_code_is_refused_logged_and_counted(server: CannedServer, calls: Calls) -> None:
    server.says({"ok": False, "error": "brand_new"})
    before = metrics.REGISTRY.get_sample_value("paperround_slack_unknown_codes_total") or 0.0
    with capture_logs() as logs:
        error = await failed(calls.call("T1", "chat.postMessage"))
    assert isinstance(error, Refused)
    assert "brand_new" in str(error)
    assert [(line["log_level"], line["code"]) for line in logs] == [("error", "brand_new")]
    assert metrics.REGISTRY.get_sample_value("paperround_slack_unknown_codes_total") == before + 1


async def test_the_missing_permission_is_named(server: CannedServer, calls: Calls) -> None:
    server.says({"ok": False, "error": "missing_scope", "needed": "chat:write"})
    assert "chat:write" in str(await failed(calls.call("T1", "chat.postMessage")))


@pytest.mark.parametrize(
    ("told", "after"), [("60", 60.0), ("", 0.0), ("soon", 0.0), ("-1", 0.0), ("nan", 0.0), ("inf", 0.0), ("1.5", 1.5)]
)
async def test_a_429_says_for_how_long(server: CannedServer, calls: Calls, told: str, after: float) -> None:
    server.says({"ok": False, "error": "ratelimited"}, 429, Retry_After=told)
    error = await failed(calls.call("T1", "chat.postMessage"))
    assert isinstance(error, Retry)
    assert (error.after, error.everywhere) == (after, after > 0)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b"null", "application/json"),
        (b"7", "application/json"),
        (b'"ok"', "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"\xff\xfe{", "application/json; charset=nonsense"),
        (b"<html>proxy</html>", "text/html"),
        (b"ok", "text/plain"),
        (b"", "application/gzip"),
        (b'{"ok": false}', "application/json"),
        (b'{"ok": false, "error": 7}', "application/json"),
        (b'{"ok": false, "error": ""}', "application/json"),
    ],
)
@pytest.mark.parametrize("status", [200, 403, 502])
async def test_an_answer_that_nobody_can_read_is_uncertain(
    server: CannedServer, calls: Calls, body: bytes, kind: str, status: int
) -> None:
    server.says(body, status, kind)
    error = await failed(calls.call("T1", "chat.postMessage"))
    assert isinstance(error, Uncertain)
    assert len(str(error)) < 200


async def test_an_answer_without_an_end_is_cut(
    server: CannedServer, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BODY_LIMIT", 1 << 20)

    async def pour(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(400):
            writer.write(b"10000\r\n" + b"[" * 65536 + b"\r\n")
            await writer.drain()

    server.acts = pour
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)


async def test_a_connection_that_drops_is_uncertain_and_not_tried_again(server: CannedServer, calls: Calls) -> None:
    async def drop(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    server.acts = drop
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)
    assert len(server.asked) == 1


async def test_a_connection_that_drops_in_the_middle_of_the_answer(server: CannedServer, calls: Calls) -> None:
    server.says({"ok": True, "ts": "1.2"})

    async def half(writer: asyncio.StreamWriter) -> None:
        writer.write(server.answer[:-4])
        await writer.drain()

    server.acts = half
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)


async def test_one_that_hangs_is_given_up(server: CannedServer, tokens: KnownTokens) -> None:
    async def hang(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(2)

    server.acts = hang
    calls = Calls(tokens, server.url, deadline=0.1)
    try:
        assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)
        assert isinstance(await failed(calls.respond(server.url + "r", {})), Uncertain)
    finally:
        await calls.close()


async def test_what_could_not_connect_is_tried_again(tokens: KnownTokens) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{free.getsockname()[1]}/"
        for url in (refused, "http://nowhere.invalid/", "http://"):
            calls = Calls(tokens, url, deadline=5.0)
            try:
                error = await failed(calls.call("T1", "chat.postMessage"))
                assert isinstance(error, Retry), url
                assert not error.everywhere
            finally:
                await calls.close()


@pytest.mark.parametrize(("said", "deadline"), [(b"HTTP/1.1 400 No TLS here\r\n\r\n", 5.0), (b"", 0.3)])
async def test_tls_that_fails_or_hangs_is_tried_again(tokens: KnownTokens, said: bytes, deadline: float) -> None:
    ended = asyncio.Event()

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await reader.read()
        writer.transport.abort()
        ended.set()

    listening = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    calls = Calls(tokens, f"https://127.0.0.1:{port}/", deadline=deadline)
    try:
        assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Retry)
        await ended.wait()
        await asyncio.sleep(0)
    finally:
        listening.close()
        await calls.close()


async def test_an_endless_redirect_ends(server: CannedServer, calls: Calls) -> None:
    server.says(b"", 307, Location=server.url + "again")
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)
    assert len(server.asked) < 20


async def test_whoever_cancels_it_is_not_told_something_else(server: CannedServer, calls: Calls) -> None:
    async def hang(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)

    server.acts = hang
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await calls.call("T1", "chat.postMessage")


async def test_an_answer_goes_to_the_response_url(server: CannedServer, calls: Calls) -> None:
    server.says(b"ok", kind="text/plain")
    await calls.respond(server.url + "commands/1", {"text": "漢\ud800", "response_type": "ephemeral"})
    (asked,) = server.asked
    assert json.loads(asked.body) == {"text": "漢?", "response_type": "ephemeral"}
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (404, b"used_url", Refused),
        (404, b"expired_url", Refused),
        (403, b"action_prohibited", Refused),
        (200, b'{"ok":false,"error":"invalid_blocks"}', Refused),
        (500, b"rollup_error", Uncertain),
        (429, b"rate_limited", Retry),
    ],
)
async def test_a_response_url_that_takes_nothing(
    server: CannedServer, calls: Calls, status: int, body: bytes, kind: type
) -> None:
    server.says(body, status, "text/plain", Retry_After="7")
    error = await failed(calls.respond(server.url + "commands/1/secret", {"text": "x"}))
    assert type(error) is kind
    assert "secret" not in str(error)


async def test_a_file_goes_up_in_three_steps(server: CannedServer, calls: Calls) -> None:
    server.says({"ok": True, "upload_url": server.url + "upload/v1/x", "file_id": "F1"})
    await calls.upload("T1", "D1", File("mine.json", b"{}"))
    assert [asked.line.split()[1] for asked in server.asked] == [
        "/api/files.getUploadURLExternal",
        "/upload/v1/x",
        "/api/files.completeUploadExternal",
    ]
    assert server.asked[0].form == {"filename": "mine.json", "length": "2"}
    assert server.asked[1].body == b"{}"
    assert server.asked[2].form == {"channel_id": "D1", "files": '[{"id": "F1", "title": "mine.json"}]'}


@pytest.mark.parametrize(
    ("ticket", "status", "kind"),
    [
        ({}, 200, Retry),
        ({"upload_url": 7}, 200, Retry),
        (None, 429, Retry),
        (None, 500, Uncertain),
        (None, 413, Uncertain),
    ],
)
async def test_a_file_that_does_not_go_up(
    server: CannedServer, calls: Calls, ticket: dict[str, Any] | None, status: int, kind: type
) -> None:
    good = {"upload_url": server.url + "upload/v1/x", "file_id": "F1"}
    server.says({"ok": True, **(good if ticket is None else ticket)})
    server.first.append(server.answer)
    server.says(b"", status, "text/plain", Retry_After="3")
    assert type(await failed(calls.upload("T1", "D1", File("mine.json", b"{}")))) is kind
    assert len(server.asked) == (2 if ticket is None else 1)


async def test_no_connection_for_an_answer_is_tried_again(tokens: KnownTokens) -> None:
    calls = Calls(tokens, "http://nowhere.invalid/")
    try:
        assert isinstance(await failed(calls.respond("http://nowhere.invalid/x", {})), Retry)
    finally:
        await calls.close()


async def test_it_opens_again_after_it_was_closed(server: CannedServer, calls: Calls) -> None:
    server.says({"ok": True})
    await calls.close()
    await calls.call("T1", "auth.test")
    await calls.close()
    await calls.close()
