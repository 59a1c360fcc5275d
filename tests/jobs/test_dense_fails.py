"""Embedders that fail in earnest, under a running bot: whatever they do, the digest goes out and status tells why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.core.ports import Embedder
from bot.embedders.endpoint import Endpoint
from bot.embedders.onnx import Onnx
from bot.jobs import service as service_module
from bot.jobs.upkeep import held
from bot.sources._http import Client
from bot.store import embeddings
from bot.store.engine import Store
from bot.store.vectors import Vectors
from recommender.dense import key_of, text_of
from tests.fakes.bot import Bot
from tests.fakes.canned_http import CannedServer, serving
from tests.fakes.small_embedder import SmallEmbedder
from tests.jobs.test_clock import until
from tests.jobs.test_service import TOPIC, Ear, Feed, running
from tests.jobs.test_service_dense import due_bot


@pytest.fixture
async def bot(memory_store: Store, monkeypatch: pytest.MonkeyPatch) -> Bot:
    """A bot with one digest that is due, and papers that are older; it embeds as often as it can."""
    monkeypatch.setattr(service_module, "EMBED_EVERY", 0.1)
    return await due_bot(memory_store)


async def delivered(bot: Bot, embedder: Embedder, why: str) -> None:
    """Run the bot until its digest is out and the failure is noted."""
    store = bot.app.store
    bot.app.library.vectors = Vectors(store, embedder)
    post = Ear(now=lambda: bot.at)

    def noted() -> bool:
        return bool(post.arrived) and why in held(store, bot.app.library)["embedder"]

    async with running(bot, post, feed=Feed()):
        await until(noted, 15)
    (message,) = post.messages.values()
    assert "of 2 new papers" in message.text
    assert all(any("why: " in line for line in card.lines) for card in message.cards)


def says(body: Any, status: int = 200) -> Callable[[CannedServer], None]:
    return lambda server: server.says(body, status)


def never(server: CannedServer) -> None:
    async def wait(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    server.acts = wait


@pytest.mark.parametrize(
    ("acts", "why"),
    [
        (never, "did not answer within"),
        (says({"data": []}), "embeddings"),
        (says(b"<html>no</html>"), "127.0.0.1"),
        (says({"error": "no"}, 401), "answered 401"),
    ],
    ids=["slow", "empty", "no JSON", "refused"],
)
async def test_an_endpoint_that_does_not_give_vectors(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, acts: Callable[[CannedServer], None], why: str
) -> None:
    monkeypatch.setattr("bot.embedders.endpoint.WITHIN", 0.3)
    async with serving() as server:
        acts(server)
        endpoint = Endpoint(f"{server.url}v1", "tiny", "", Client(private=True, pace={}))
        await delivered(bot, endpoint, why)


async def test_an_endpoint_whose_vectors_have_another_length_than_before(bot: Bot) -> None:
    embedder = SmallEmbedder(width=12)
    with bot.app.store.writing() as conn:
        embeddings.keep(conn, embedder.model, {key_of("before"): np.full(16, 0.25, np.float32)})
    store = bot.app.store
    bot.app.library.vectors = Vectors(store, embedder)
    post = Ear(now=lambda: bot.at)
    async with running(bot, post, feed=Feed()):
        await until(lambda: post.arrived and "gave 16 before" in held(store, bot.app.library)["embedder"], 15)


async def test_a_model_that_was_cut(bot: Bot, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(bytes(1000))
    (tmp_path / "tokenizer.json").write_text('{"version": "1.0", ')
    await delivered(bot, Onnx(tmp_path), "cannot be used")


async def test_a_model_that_is_gone(bot: Bot, tmp_path: Path) -> None:
    await delivered(bot, Onnx(tmp_path / "gone"), "cannot be read")


async def test_stored_vectors_that_are_cut_or_of_another_length_are_passed_over(bot: Bot) -> None:
    embedder, store = SmallEmbedder(), bot.app.store
    texts = [text_of(f"Cooking paper {n}", f"A robot cooks soup{n}.") for n in range(3)]
    made = await embedder.embed(texts)
    with store.writing() as conn:
        embeddings.keep(conn, embedder.model, {key_of(texts[0]): made[0], key_of(texts[1]): made[1][:7]})
        embeddings.keep(conn, embedder.model, {key_of(texts[2]): made[2], key_of(TOPIC): made[2][:5]})
    vectors = bot.app.library.vectors = Vectors(store, embedder)
    assert sorted(vectors.dense.places) == ["1", "3"]
    assert vectors.dense.topics == {}
    post = Ear(now=lambda: bot.at)
    async with running(bot, post, feed=Feed()):
        await until(lambda: post.arrived, 15)
