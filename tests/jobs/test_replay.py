"""After the index was learnt anew, ratings have scores of one generation again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from bot.errors import RankerError
from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.jobs.replay import Replay
from bot.store import interests, promises, ratings, replay, tables
from bot.store.engine import Store
from bot.store.library import Library
from recommender.rankers.default import Default
from recommender.types import FloatArray, Interest, Paper, RowArray
from tests.fakes.bot import Bot, make_bot

MEMORY, SOUP = "the memory of language models and how attention keeps facts", "soup, tomatoes and a robot that cooks it"
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


def papers(*numbers: int, about: str = MEMORY) -> list[Paper]:
    return [
        Paper(
            f"t:{n}",
            f"Study {WORDS[n % 10]} {n} of {about.split()[1]}",
            f"We look at {about}. Item{n} {WORDS[n // 10 % 10]} {WORDS[n % 7]} thing{n}.",
        )
        for n in numbers
    ]


@pytest.fixture
async def bot(store: Store) -> Bot:
    """One who liked two papers of a digest and disliked one, before the index is learnt anew."""
    bot = make_bot([*papers(*range(12), about=SOUP), *papers(50, 51)], store)
    bot.at = datetime(2026, 12, 2, 9, tzinfo=UTC)
    store.clock = lambda conn: bot.at
    bot.app.library.update(learn=True)
    await bot.ask("subscribe memory of language models at=09:00 on=daily max=4")
    bot.at += timedelta(days=1)
    ingest(store, papers(60, 61, 62, 63), "arxiv", bot.at - timedelta(minutes=5))
    await Planner(store, bot.app.library, bot.app.settings, ["test"]).tick()
    with store.writing() as conn:
        conn.execute(update(tables.outbox).values(state="sent"))
        first = [row.paper_id for row in conn.execute(select(tables.shown).order_by(tables.shown.c.place))]
        for kind, number in zip(("more", "more", "less"), first, strict=False):
            row = {"interest_id": 1, "paper_id": number, "person_id": 1, "kind": kind, "because": "", "at": bot.at}
            conn.execute(tables.marks.insert().values(**row))
    return bot


def rows(store: Store) -> list[Any]:
    with store.reading() as conn:
        return list(conn.execute(select(tables.shown).order_by(tables.shown.c.place)).mappings())


async def test_rated_papers_are_scored_again_as_the_interest_was_then(bot: Bot, store: Store) -> None:
    library, again = bot.app.library, Replay(store, bot.app.library)
    assert await again.tick() == 0, "all is of this generation"
    before, old = rows(store), library.index.generation
    with store.reading() as conn:
        library.everybody.crowd(conn, bot.at)
    ingest(store, papers(*range(100, 130), about=SOUP), "arxiv", bot.at)
    library.update(learn=True)
    new = library.index.generation
    assert new > old
    assert await again.tick() == 3
    after = rows(store)
    assert [row["again_in"] for row in after] == [new] * 3 + [None]
    assert [(row["score"], row["generation"]) for row in after] == [(row["score"], row["generation"]) for row in before]
    then = Interest("memory of language models", ("memory of language models",))
    assert [row["again"] for row in after[:3]] == library.picker().scores(then, [row["paper_id"] for row in after[:3]])
    assert after[0]["again"] != after[0]["score"]
    with store.reading() as conn:
        now = interests.of(conn, 1)[0].interest
        assert [one.score for one in ratings.of(conn, [1])[1]] == pytest.approx([row["again"] for row in after[:3]])
        assert library.everybody.crowd(conn, bot.at) == promises.crowd(conn)
    assert library.picker().scores(now, [after[0]["paper_id"]])[0] > after[0]["again"] + 0.5, "it is near itself now"
    assert await again.tick() == 0


async def test_what_the_index_lacks_keeps_its_score_and_no_earlier_generation_writes_over_a_later_one(
    bot: Bot, store: Store
) -> None:
    number = rows(store)[0]["paper_id"]
    with store.writing() as conn:
        (found,) = replay.stale(conn, 10**6)
        assert len(found.papers) == 3
        replay.keep(conn, {(found.message, number): None}, 10**6)
        replay.keep(conn, {(found.message, number): 5.0}, 10**6 - 1)
        assert len(replay.stale(conn, 10**6)[0].papers) == 2
        assert replay.stale(conn, 10**6, most=0) == []
    row = rows(store)[0]
    assert (row["again"], row["again_in"]) == (None, 10**6)
    assert bot.app.library.picker().scores(Interest("a", ("memory",)), [10**9]) == [None]


@pytest.mark.parametrize("kept_in", ["a folder", "memory"])
async def test_an_index_that_is_built_anew_is_of_a_later_generation_than_all_scores(
    bot: Bot, store: Store, tmp_path: Path, kept_in: str
) -> None:
    for _ in range(3):
        bot.app.library.index.fit()
    assert await Replay(store, bot.app.library).tick() == 3
    logged = bot.app.library.index.generation
    anew = Library(store, tmp_path / "index" if kept_in == "a folder" else None, Default)
    anew.update(learn=True)
    assert anew.index.generation > logged > 3
    assert await Replay(store, anew).tick() == 3
    assert await Replay(store, anew).tick() == 0
    again = Library(store, tmp_path / "index", Default)
    again.update(learn=True)
    assert again.index.generation == anew.index.generation or kept_in == "memory"


async def test_while_the_ranker_fails_old_scores_stay(bot: Bot, store: Store) -> None:
    class Raises(Default):
        def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
            raise RuntimeError("away")

    broken = Library(store, None, Raises)
    broken.update(learn=True)
    with pytest.raises(RankerError, match="away"):
        await Replay(store, broken).tick()
    assert [row["again"] for row in rows(store)] == [None] * len(rows(store))
