"""A running bot with an embedder: papers get their vectors beside everything else, and digests go out without them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from bot.errors import EmbedderError
from bot.jobs import service as service_module
from bot.jobs.embed import Embedding
from bot.jobs.service import Role
from bot.jobs.upkeep import held
from bot.store import embeddings
from bot.store.engine import Store
from bot.store.vectors import Vectors
from recommender.types import Paper
from tests.fakes.bot import Bot, make_bot
from tests.fakes.small_embedder import SmallEmbedder
from tests.jobs.test_clock import until
from tests.jobs.test_service import TOPIC, Ear, Feed, running


async def due_bot(store: Store) -> Bot:
    """Return a bot with one digest that is due, and papers that are older."""
    made = make_bot([Paper(f"t:{n}", f"Cooking paper {n}", f"A robot cooks soup{n}.") for n in range(8)], store)
    made.app.library.update(learn=True)
    await made.ask(f"subscribe {TOPIC} at=09:00 on=daily")
    made.at = datetime(2026, 12, 3, 9, 0, 1, tzinfo=UTC)
    store.clock = lambda conn: made.at
    return made


@pytest.fixture
async def bot(memory_store: Store) -> Bot:
    return await due_bot(memory_store)


async def test_papers_and_topics_get_their_vectors(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "EMBED_EVERY", 0.2)
    embedder, store = SmallEmbedder(), bot.app.store
    vectors = bot.app.library.vectors = Vectors(store, embedder)
    async with running(bot, Ear(now=lambda: bot.at), feed=Feed()):
        await until(lambda: len(vectors.dense.places) == 10, 15)
    assert embedder.asked[0] == TOPIC
    assert TOPIC in vectors.dense.topics
    told = held(store, bot.app.library)
    assert (told["papers with a dense vector"], told["embedder"]) == (10, "no trouble")


async def test_an_embedder_that_fails_is_told_once_and_the_digest_goes_out(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "EMBED_EVERY", 0.1)
    embedder, store = SmallEmbedder(error=EmbedderError("the model was cut")), bot.app.store
    bot.app.library.vectors = Vectors(store, embedder)
    post = Ear(now=lambda: bot.at)
    with capture_logs() as logged:
        async with running(bot, post, feed=Feed()):
            await until(lambda: post.arrived, 15)
    (message,) = post.messages.values()
    assert "of 2 new papers" in message.text
    said = [one for one in logged if one.get("job") == "dense vectors"]
    assert [one["reason"] for one in said] == ["the model was cut"]
    assert held(store, bot.app.library)["embedder"].endswith(": the model was cut")
    with store.reading() as conn:
        assert embeddings.count(conn, embedder.name()) == 0


async def test_one_that_cannot_tell_its_name_keeps_no_digest_waiting(bot: Bot) -> None:
    bot.app.library.vectors = Vectors(bot.app.store, SmallEmbedder(model=""))
    post = Ear(now=lambda: bot.at)
    async with running(bot, post, feed=Feed()):
        await until(lambda: post.arrived, 15)
    assert held(bot.app.store, bot.app.library)["embedder"].endswith(": the files are gone")


async def test_a_process_that_only_answers_has_what_others_made(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "INDEX_EVERY", 0.1)
    embedder, store = SmallEmbedder(), bot.app.store
    vectors = bot.app.library.vectors = Vectors(store, embedder)
    async with running(bot, Ear(now=lambda: bot.at), Role.WEB):
        await until(lambda: vectors.dense is not None, 15)
        assert vectors.dense.places == {}
        await Embedding(store, Vectors(store, embedder)).tick()
        await until(lambda: len(vectors.dense.places) == 8, 15)
