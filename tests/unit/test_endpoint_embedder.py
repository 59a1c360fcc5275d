"""The embedder behind an HTTP endpoint: what it is asked, and every way in which its answer can be wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.config import Settings
from bot.embedders.endpoint import AT_ONCE, Endpoint, embedder
from bot.errors import EmbedderError, SettingsError
from bot.outside import embedder_of
from bot.sources._http import Client
from tests.fakes.canned_http import CannedServer, serving

TEXTS = ["On graphs.", "On trees."]


@pytest.fixture
async def server() -> AsyncIterator[CannedServer]:
    async with serving() as made:
        yield made


@pytest.fixture
async def endpoint(server: CannedServer) -> AsyncIterator[Endpoint]:
    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    http = Client(private=True, pace={}, sleep=at_once)
    made = Endpoint(f"{server.url}v1", "tiny", "sk-secret", http)
    yield made
    await made.close()


def told(*vectors: Any, **more: Any) -> dict[str, Any]:
    return {"data": [{"index": at, "embedding": one, **more} for at, one in enumerate(vectors)], "model": "tiny"}


async def test_it_asks_as_openai_is_asked(server: CannedServer, endpoint: Endpoint) -> None:
    server.says(told([3, 4], [0, 2]))
    found = await endpoint.embed([TEXTS[0], "\ud800" + "x" * 20_000])
    assert found.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 1]]
    (asked,) = server.asked
    assert asked.line.startswith("POST /v1/embeddings ")
    assert asked.headers["authorization"] == "Bearer sk-secret"
    body = json.loads(asked.body)
    assert (body["model"], body["encoding_format"]) == ("tiny", "float")
    assert [len(text) for text in body["input"]] == [10, 8000]


async def test_answers_in_another_order_belong_to_their_texts(server: CannedServer, endpoint: Endpoint) -> None:
    server.says({"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]})
    assert (await endpoint.embed(TEXTS)).tolist() == [[1, 0], [0, 1]]


async def test_many_texts_are_asked_in_parts(server: CannedServer, endpoint: Endpoint) -> None:
    server.says(told(*([1, 0] for _ in range(AT_ONCE))))
    assert (await endpoint.embed(["text"] * AT_ONCE * 2)).shape == (AT_ONCE * 2, 2)
    assert len(server.asked) == 2
    assert (await endpoint.embed([])).shape == (0, 0)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "no 2 embeddings"),
        ([], "no 2 embeddings"),
        ("so", "no 2 embeddings"),
        (None, "no 2 embeddings"),
        ({"data": None}, "no 2 embeddings"),
        ({"data": [1, 2]}, "no 2 embeddings"),
        (told([1, 0]), "no 2 embeddings"),
        (told([1, 0], [1, 0], [1, 0]), "no 2 embeddings"),
        ({"data": [{"index": 0, "embedding": [1, 0]}] * 2}, "no 2 embeddings"),
        (told([1, 0], [1, 0, 0]), "vectors of one length"),
        (told([1, 0], "AAAA"), "vectors of one length"),
        (told([1, 0], None), "vectors of one length"),
        (told([1], [1]), "array of"),
        (told([1, 0], [0, 0]), "zero"),
        (b'{"data": [{"index": 0, "embedding": [NaN, 1]}, {"index": 1, "embedding": [1, 1]}]}', "127.0.0.1"),
        (b'{"data": [{"index": 0, "embedding": [1e999, 1]}, {"index": 1, "embedding": [1, 1]}]}', "127.0.0.1"),
        (b"<html>no</html>", "127.0.0.1"),
        (b"", "127.0.0.1"),
        (b"[" * 100_000, "127.0.0.1"),
    ],
)
async def test_a_wrong_answer_is_a_clear_error(
    server: CannedServer, endpoint: Endpoint, body: object, why: str
) -> None:
    server.says(body)
    with pytest.raises(EmbedderError, match=why) as caught:
        await endpoint.embed(TEXTS)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "why"), [(401, "401"), (404, "404"), (400, "400"), (500, "500"), (301, "301"), (413, "413")]
)
async def test_a_status_that_is_no_answer_is_named(
    server: CannedServer, endpoint: Endpoint, status: int, why: str
) -> None:
    server.says({"error": {"message": "no"}}, status)
    with pytest.raises(EmbedderError, match=f"127.0.0.1.*answered {why}"):
        await endpoint.embed(TEXTS)


async def test_one_that_is_busy_is_left_alone_for_as_long_as_it_says(server: CannedServer, endpoint: Endpoint) -> None:
    server.says({}, 429, Retry_After="600")
    with pytest.raises(EmbedderError, match="429") as caught:
        await endpoint.embed(TEXTS)
    assert caught.value.after == pytest.approx(600, abs=5)
    assert len(server.asked) == 1


async def test_one_that_was_busy_for_a_moment_is_asked_again(server: CannedServer, endpoint: Endpoint) -> None:
    server.says({}, 503)
    server.first = [server.answer]
    server.says(told([1, 0], [0, 1]))
    assert (await endpoint.embed(TEXTS)).shape == (2, 2)


async def test_one_that_is_slow_is_given_up(
    server: CannedServer, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr("bot.embedders.endpoint.WITHIN", 0.2)
    server.acts = never
    with pytest.raises(EmbedderError, match="did not answer within"):
        await endpoint.embed(TEXTS)


async def test_one_that_sends_without_end_is_cut_off(server: CannedServer, endpoint: Endpoint) -> None:
    server.says(b"[" + b"1," * 1_000_000 + b"1]")
    with pytest.raises(EmbedderError, match="more than the"):
        await endpoint.embed(TEXTS)


async def test_one_that_is_not_there_is_named(endpoint: Endpoint, unused_tcp_port: int) -> None:
    endpoint._base = f"http://127.0.0.1:{unused_tcp_port}"
    with pytest.raises(EmbedderError, match="cannot be reached"):
        await endpoint.embed(TEXTS)


class TestSettings:
    async def test_an_address_chooses_it(self) -> None:
        chosen = embedder_of(
            Settings(embedder="http://localhost:11434/v1/", embedder_model=" tiny ", embedder_key="sk-1")  # type: ignore[arg-type]
        )
        assert isinstance(chosen, Endpoint)
        assert chosen.name() == "http://localhost:11434/v1#tiny"
        await chosen.close()

    def test_it_needs_a_model(self) -> None:
        with pytest.raises(SettingsError, match="PAPERROUND_EMBEDDER_MODEL"):
            embedder.open(Settings(embedder="https://api.example.org/v1"))

    def test_a_folder_and_nothing_are_not_for_it(self) -> None:
        assert embedder.open(Settings(embedder="models/minilm")) is None
        assert embedder_of(Settings()) is None

    def test_an_address_that_is_none_is_refused(self) -> None:
        with pytest.raises(ValueError, match="localhost:11434"):
            Settings(embedder="ftp://example.org")

    def test_the_key_is_told_to_nobody(self) -> None:
        assert "sk-1" not in repr(Settings(embedder_key="sk-1"))  # type: ignore[arg-type]
