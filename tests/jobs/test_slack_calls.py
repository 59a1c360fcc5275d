"""The one way to Slack's Web API: what each fault of the network and each answer ends in. On a socket."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import pytest
from structlog.testing import capture_logs

from bot import metrics
from bot.core.message import File
from bot.errors import DeliveryError, Refused, Retry, StoreError, Uncertain
from bot.platforms.slack import calls as module
from bot.platforms.slack.calls import Calls


@dataclass
class Token:
    token: str = "xoxb-secret-1"
    bot_user: str = "UBOT"
    bot_id: str = "BBOT"


@dataclass
class Tokens:
    told: list[tuple[str, str]] = field(default_factory=list)
    error: Exception | None = None

    async def of(self, workspace: str) -> Token:
        if self.error:
            raise self.error
        if workspace != "T1":
            raise Refused("The app is not installed there.")
        return Token()

    async def ended(self, workspace: str, code: str) -> None:
        self.told.append((workspace, code))


@dataclass
class Asked:
    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


@dataclass
class Server:
    """Answers each request with the bytes of `answer`, or by what `acts` does with the connection."""

    url: str = ""
    answer: bytes = b""
    acts: Callable[[asyncio.StreamWriter], Awaitable[None]] | None = None
    asked: list[Asked] = field(default_factory=list)
    open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)

    def says(self, body: Any, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(content)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.answer = "\r\n".join(lines).encode() + b"\r\n\r\n" + content

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.open[task] = writer
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = head.strip().split("\r\n")
                headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.asked.append(Asked(lines[0], headers, body))
                if self.acts is not None:
                    return await self.acts(writer)
                writer.write(self.answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
    try:
        yield server
    finally:
        listening.close()
        for task, writer in server.open.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*server.open)
        await asyncio.sleep(0)  # a transport lets go of its socket in the loop's next turn


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server


@pytest.fixture
def tokens() -> Tokens:
    return Tokens()


@pytest.fixture
async def calls(server: Server, tokens: Tokens) -> AsyncIterator[Calls]:
    made = Calls(tokens, server.url + "api/", deadline=5.0)
    yield made
    await made.close()


async def failed(doing: Awaitable[Any]) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        await doing
    assert "xoxb" not in str(caught.value)
    return caught.value


async def test_a_call_is_a_form_with_the_workspaces_token(server: Server, calls: Calls) -> None:
    server.says({"ok": True, "ts": "1.2"})
    said = await calls.call(
        "T1", "chat.postMessage", channel="C1", blocks=[{"é": "漢"}], unfurl_links=False, thread_ts=None
    )
    assert said["ts"] == "1.2"
    (asked,) = server.asked
    assert asked.line == "POST /api/chat.postMessage HTTP/1.1"
    assert asked.headers["authorization"] == "Bearer xoxb-secret-1"
    assert asked.form == {"channel": "C1", "blocks": '[{"é": "漢"}]', "unfurl_links": "false"}


async def test_halves_of_surrogate_pairs_do_not_stop_it(server: Server, calls: Calls) -> None:
    server.says({"ok": True})
    await calls.call("T1", "chat.postMessage", text="a\ud800b", blocks=["\udc80"])
    assert server.asked[0].form == {"text": "a?b", "blocks": '["?"]'}


async def test_a_method_outside_the_table_is_not_called(server: Server, calls: Calls) -> None:
    with pytest.raises(KeyError):
        await calls.call("T1", "admin.users.remove")
    assert not server.asked


async def test_another_workspace_is_refused_before_anything_leaves(server: Server, calls: Calls) -> None:
    assert isinstance(await failed(calls.call("T2", "auth.test")), Refused)
    assert not server.asked


async def test_no_token_for_want_of_the_database_is_tried_again(server: Server, calls: Calls, tokens: Tokens) -> None:
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
async def test_an_error_code_has_its_class(server: Server, calls: Calls, code: str, status: int, kind: type) -> None:
    server.says({"ok": False, "error": code, "needed": "chat:write"}, status)
    error = await failed(calls.call("T1", "chat.postMessage", channel="C1"))
    assert type(error) is kind
    assert len(server.asked) == 1


@pytest.mark.parametrize("code", ["account_inactive", "invalid_auth", "token_revoked", "token_expired"])
async def test_a_token_that_ended_is_told(server: Server, calls: Calls, tokens: Tokens, code: str) -> None:
    server.says({"ok": False, "error": code}, 401)
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Refused)
    assert tokens.told == [("T1", code)]


async def test_an_unknown_code_is_refused_logged_and_counted(server: Server, calls: Calls) -> None:
    server.says({"ok": False, "error": "brand_new"})
    before = metrics.REGISTRY.get_sample_value("paperround_slack_unknown_codes_total") or 0.0
    with capture_logs() as logs:
        error = await failed(calls.call("T1", "chat.postMessage"))
    assert isinstance(error, Refused)
    assert "brand_new" in str(error)
    assert [(line["log_level"], line["code"]) for line in logs] == [("error", "brand_new")]
    assert metrics.REGISTRY.get_sample_value("paperround_slack_unknown_codes_total") == before + 1


async def test_the_missing_permission_is_named(server: Server, calls: Calls) -> None:
    server.says({"ok": False, "error": "missing_scope", "needed": "chat:write"})
    assert "chat:write" in str(await failed(calls.call("T1", "chat.postMessage")))


@pytest.mark.parametrize(
    ("told", "after"), [("60", 60.0), ("", 0.0), ("soon", 0.0), ("-1", 0.0), ("nan", 0.0), ("inf", 0.0), ("1.5", 1.5)]
)
async def test_a_429_says_for_how_long(server: Server, calls: Calls, told: str, after: float) -> None:
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
    server: Server, calls: Calls, body: bytes, kind: str, status: int
) -> None:
    server.says(body, status, kind)
    error = await failed(calls.call("T1", "chat.postMessage"))
    assert isinstance(error, Uncertain)
    assert len(str(error)) < 200


async def test_an_answer_without_an_end_is_cut(server: Server, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BODY_LIMIT", 1 << 20)

    async def pour(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(400):
            writer.write(b"10000\r\n" + b"[" * 65536 + b"\r\n")
            await writer.drain()

    server.acts = pour
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)


async def test_a_connection_that_drops_is_uncertain_and_not_tried_again(server: Server, calls: Calls) -> None:
    async def drop(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    server.acts = drop
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)
    assert len(server.asked) == 1


async def test_a_connection_that_drops_in_the_middle_of_the_answer(server: Server, calls: Calls) -> None:
    server.says({"ok": True, "ts": "1.2"})

    async def half(writer: asyncio.StreamWriter) -> None:
        writer.write(server.answer[:-4])
        await writer.drain()

    server.acts = half
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)


async def test_one_that_hangs_is_given_up(server: Server, tokens: Tokens) -> None:
    async def hang(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(2)

    server.acts = hang
    calls = Calls(tokens, server.url, deadline=0.1)
    try:
        assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)
        assert isinstance(await failed(calls.respond(server.url + "r", {})), Uncertain)
    finally:
        await calls.close()


async def test_what_could_not_connect_is_tried_again(tokens: Tokens) -> None:
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
async def test_tls_that_fails_or_hangs_is_tried_again(tokens: Tokens, said: bytes, deadline: float) -> None:
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


async def test_an_endless_redirect_ends(server: Server, calls: Calls) -> None:
    server.says(b"", 307, Location=server.url + "again")
    assert isinstance(await failed(calls.call("T1", "chat.postMessage")), Uncertain)
    assert len(server.asked) < 20


async def test_whoever_cancels_it_is_not_told_something_else(server: Server, calls: Calls) -> None:
    async def hang(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)

    server.acts = hang
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await calls.call("T1", "chat.postMessage")


async def test_an_answer_goes_to_the_response_url(server: Server, calls: Calls) -> None:
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
    server: Server, calls: Calls, status: int, body: bytes, kind: type
) -> None:
    server.says(body, status, "text/plain", Retry_After="7")
    error = await failed(calls.respond(server.url + "commands/1/secret", {"text": "x"}))
    assert type(error) is kind
    assert "secret" not in str(error)


async def test_a_file_goes_up_in_three_steps(server: Server, calls: Calls) -> None:
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


async def test_it_opens_again_after_it_was_closed(server: Server, calls: Calls) -> None:
    server.says({"ok": True})
    await calls.close()
    await calls.call("T1", "auth.test")
    await calls.close()
    await calls.close()
