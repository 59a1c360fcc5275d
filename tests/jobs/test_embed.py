"""The job that gives papers their dense vectors: bounded, the newest first, and patient with an embedder that fails."""

from __future__ import annotations

import pytest

from bot.errors import EmbedderError
from bot.jobs import dense, embed
from bot.jobs.embed import Embedding
from bot.store import embeddings, records
from bot.store.engine import Store
from bot.store.vectors import Vectors
from recommender.types import Paper
from tests.contract.test_store_embeddings import NOW
from tests.fakes.small_embedder import SmallEmbedder


class Rig:
    """A store with papers, an embedder, and a clock that is set by hand."""

    def __init__(self, store: Store, n: int = 40) -> None:
        self.store, self.at = store, 1000.0
        self.embedder = SmallEmbedder()
        self.vectors = Vectors(store, self.embedder)
        self.job = Embedding(store, self.vectors, lambda: self.at)
        self.bring(*(f"Title {at}" for at in range(n)))

    def bring(self, *titles: str) -> None:
        with self.store.writing() as conn:
            made = [Paper(f"s2:{hash(title) % 10**9}", title, "On graphs.", authors=("Ada",)) for title in titles]
            records.add(conn, made, "local", NOW)

    def trouble(self) -> str:
        with self.store.reading() as conn:
            return embeddings.trouble_of(conn)[1]


async def test_a_turn_is_bounded_and_the_newest_come_first(
    memory_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "TURN", 24)
    rig = Rig(memory_store)
    assert await rig.job.tick() == 24
    assert rig.embedder.asked == [f"Title {at}. On graphs." for at in range(39, 15, -1)]
    assert len(rig.vectors.dense.places) == 24
    assert [await rig.job.tick(), await rig.job.tick()] == [16, 0]
    assert len(rig.embedder.asked) == 40
    assert dense.facts(rig.vectors) == {"papers with a dense vector": 40, "embedder": "no trouble"}


async def test_one_that_takes_its_time_ends_a_turn_early(memory_store: Store) -> None:
    rig = Rig(memory_store)
    usual = rig.embedder.embed

    async def slowly(texts: list[str]) -> object:
        rig.at += 20
        return await usual(texts)

    rig.embedder.embed = slowly  # type: ignore[assignment,method-assign]
    assert await rig.job.tick() == 2 * embed.BATCH


async def test_a_failure_is_kept_and_waited_for(memory_store: Store) -> None:
    rig = Rig(memory_store)
    rig.embedder.error = EmbedderError("it is away")
    with pytest.raises(EmbedderError, match="it is away"):
        await rig.job.tick()
    assert rig.trouble() == "it is away"
    rig.embedder.error = None
    rig.at += embed.WAITS[0] - 1
    with pytest.raises(EmbedderError, match="it is away"):
        await rig.job.tick()
    assert rig.embedder.asked == []
    rig.at += 1
    assert await rig.job.tick() == 40
    assert rig.trouble() == ""


async def test_the_waits_grow_and_what_the_server_asks_for_is_obeyed(memory_store: Store) -> None:
    rig = Rig(memory_store, 1)
    rig.embedder.error = EmbedderError("away")
    waits = []
    for _ in range(9):
        with pytest.raises(EmbedderError):
            await rig.job.tick()
        waits.append(rig.job._until - rig.at)
        rig.at = rig.job._until
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    rig.embedder.error = EmbedderError("busy", after=7200)
    with pytest.raises(EmbedderError):
        await rig.job.tick()
    assert rig.job._until - rig.at == 7200


async def test_a_text_that_cannot_be_embedded_keeps_no_other_waiting(memory_store: Store) -> None:
    rig = Rig(memory_store, 20)
    rig.bring("A poisoned one")
    rig.embedder.poison = "poison"
    for _ in range(4):
        with pytest.raises(EmbedderError):
            await rig.job.tick()
        rig.at = rig.job._until
    assert len(set(rig.embedder.asked)) == 20


async def test_vectors_of_another_length_are_refused(memory_store: Store) -> None:
    rig = Rig(memory_store)
    await rig.job.tick()
    rig.bring("Another")
    rig.embedder.width = 12
    with pytest.raises(EmbedderError, match="12 numbers now, and gave 16 before"):
        await rig.job.tick()
    assert len(rig.vectors.dense.places) == 40


async def test_the_vectors_of_another_model_are_forgotten_once_all_are_made(memory_store: Store) -> None:
    rig = Rig(memory_store)
    await rig.job.tick()
    again = SmallEmbedder(model="small:2", width=24)
    job = Embedding(memory_store, Vectors(memory_store, again))
    assert await job.tick() == 40
    with memory_store.reading() as conn:
        assert embeddings.count(conn, "small:1") == 40
    assert await job.tick() == 0
    with memory_store.reading() as conn:
        assert embeddings.count(conn, "small:1") == 0
        assert embeddings.count(conn, "small:2") == 40


class TestDoctor:
    def test_it_tells_how_many_there_are(self, memory_store: Store) -> None:
        rig = Rig(memory_store)
        found = dense.check(memory_store, rig.vectors)
        assert (found.verdict, found.line) == ("ok", "0 of 40 papers have one")
        assert rig.embedder.closed == 1

    def test_it_lets_the_embedder_try(self, memory_store: Store) -> None:
        rig = Rig(memory_store)
        rig.embedder.error = EmbedderError("The model in \x1b cannot be used")
        found = dense.check(memory_store, rig.vectors)
        assert (found.verdict, found.details) == ("wrong", ("The model in   cannot be used",))

    def test_what_failed_lately_is_told(self, memory_store: Store) -> None:
        rig = Rig(memory_store)
        with memory_store.writing() as conn:
            embeddings.say(conn, "it was away", NOW)
        found = dense.check(memory_store, rig.vectors)
        assert (found.verdict, found.details) == ("look", ("failed since 2026-12-02T08:30:00+00:00: it was away",))
