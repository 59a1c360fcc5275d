"""Rankers from outside that fail: the digest goes out all the same, one line is logged, and the doctor tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from bot.errors import RankerError
from bot.jobs import checkup
from bot.jobs.rehearse import rehearse
from bot.store import failing, fallback, tables
from bot.store.engine import Store
from bot.store.failing import Failing
from bot.store.library import Library
from recommender.index import Index
from recommender.rankers.default import Default
from recommender.types import FloatArray, Interest, Paper, RowArray
from tests.fakes.bot import Bot, make_bot, titles
from tests.jobs.test_hostile_corpora import planned, some

NEW = [Paper(f"new:{n}", one.title, one.abstract) for n, one in enumerate(some(3, "Study {n} of memory and the mind"))]
MEMORY = Interest("memory", ("memory",))


class Raises(Default):
    name = "raises"

    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        raise RuntimeError("no\nmore tokens")


class Shapes(Default):
    name = "shapes"

    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        return super().score(interests, rows)[:, 1:]


class NoNumbers(Default):
    name = "no numbers"

    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        return super().score(interests, rows) * np.float32(np.nan)


class NoReasons(Default):
    name = "no reasons"

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        if rows.size == 1:
            raise KeyError(interest.name)
        return super().parts(interest, rows)


class NotMade(Default):
    name = "not made"

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        raise ImportError("no module named torch")


class Nothing:
    """Not even a name."""

    def __init__(self, index: Index) -> None:
        self.index = index


BROKEN: dict[str, tuple[Callable[[Index], Any], str]] = {
    "raises": (Raises, "the ranker raises: RuntimeError: no more tokens"),
    "shapes": (Shapes, "the ranker shapes: it gave scores of shape (1, "),
    "no numbers": (NoNumbers, "the ranker no numbers: it gave no paper a score that is a number"),
    "no reasons": (NoReasons, "the ranker no reasons: KeyError: 'memory'"),
    "not made": (NotMade, "the ranker not made: ImportError: no module named torch"),
    "Nothing": (Nothing, "the ranker Nothing: AttributeError: 'Nothing' object has no attribute 'score'"),
}


def make(store: Store, chosen: Callable[[Index], Any]) -> Bot:
    bot = make_bot(some(20, "Study {n} of cooking", "Soup number{n}."), store)
    bot.app.library = Library(store, None, chosen)
    bot.app.library.update(learn=True)
    return bot


def told(store: Store) -> dict[str, tuple[str, str]]:
    with store.reading() as conn:
        return failing.of(conn)


def lines(logged: Sequence[Any]) -> list[str]:
    return [one["event"] for one in logged if "ranker" in one["event"]]


@pytest.mark.parametrize("name", list(BROKEN))
async def test_the_digest_goes_out_by_the_default_ranker(memory_store: Store, name: str) -> None:
    broken, why = BROKEN[name]
    bot = make(memory_store, broken)
    for user in ("ada", "bob", "eve"):
        await bot.ask("subscribe memory at=09:00 on=daily", user=user)
    with capture_logs() as logged:
        messages = await planned(bot, memory_store, NEW)
    assert len([one for one in messages if all(paper.title in one for paper in NEW)]) == 3
    assert all("why" in one for one in messages)
    assert lines(logged) == [], "subscribing showed it already, and logged it"
    ((found, (since, kept)),) = told(memory_store).items()
    assert found == name
    assert kept.startswith(why)
    check = checkup.ranker(memory_store, bot.app.settings)
    assert check.verdict == "wrong"
    assert check.line == f"{name} fails: the default ranker ranks for it where it does"
    assert check.details[0].startswith(f"since {since}: {why}")
    assert checkup.facts(memory_store)["rankers failing"].startswith(f"since {since}: {why}")


async def test_whoever_asks_has_an_answer_too(memory_store: Store) -> None:
    bot = make(memory_store, Raises)
    await bot.ask("subscribe cooking at=09:00 on=daily")
    assert len(titles(await bot.ask("digest"))) == 5
    for line in ("show t:3", "similar t:3", "more t:3", "profile", "search cooking"):
        assert "not work" not in (await bot.ask(line)).text, line
    assert rehearse(memory_store, bot.app.library, bot.app.settings, 1, None).pages


async def test_where_the_default_ranker_fails_too_the_newest_come(
    memory_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Default2(Raises):
        name = "default"

    monkeypatch.setattr(fallback, "Default", Default2)
    bot = make(memory_store, Shapes)
    await bot.ask("subscribe memory at=09:00 on=daily")
    (message,) = await planned(bot, memory_store, NEW)
    assert message.count("it is among the newest") >= 3
    assert set(told(memory_store)) == {"shapes", "default"}
    assert "the newest papers come first" in checkup.ranker(memory_store, bot.app.settings).line
    with memory_store.reading() as conn:
        rows = conn.execute(select(tables.shown.c.score, tables.shown.c.aside)).all()
    assert [tuple(row) for row in rows] == [(0.0, True)] * 3, "outside the promise"


async def test_one_line_when_it_begins_and_one_when_it_has_passed(memory_store: Store) -> None:
    class Sometimes(Default):
        name, broken = "sometimes", True

        def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
            if self.broken:
                raise OSError("away")
            return super().score(interests, rows)

    bot = make(memory_store, Sometimes)
    memory_store.clock = lambda conn: bot.at
    with capture_logs() as logged:
        for user in ("ada", "bob"):
            await bot.ask("subscribe memory at=09:00 on=daily", user=user)
        first = told(memory_store)["sometimes"][0]
        await planned(bot, memory_store, NEW[:1])
        await planned(bot, memory_store, NEW[1:2])
    assert lines(logged) == ["a ranker fails; another one ranks for it"]
    assert told(memory_store)["sometimes"] == (first, "the ranker sometimes: OSError: away")
    Sometimes.broken = False
    with capture_logs() as logged:
        await planned(bot, memory_store, NEW[2:])
        await planned(bot, memory_store, [])
    assert lines(logged) == ["a ranker works again"]
    assert told(memory_store) == {}
    assert checkup.ranker(memory_store, bot.app.settings).verdict == "ok"


async def test_one_interest_that_a_ranker_fails_at_costs_no_other(memory_store: Store) -> None:
    class Picky(Default):
        name = "picky"

        def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
            if any("soup" in one.topics for one in interests):
                raise ValueError("soup")
            return super().score(interests, rows) + np.float32(7.0)

    bot = make(memory_store, Picky)
    await bot.ask("subscribe memory at=09:00 on=daily")
    await bot.ask("subscribe soup at=09:00 on=daily", user="bob")
    soup = [Paper("new:9", "A soup of words", "Soup, soup and soup again, with robots.")]
    await planned(bot, memory_store, [*NEW, *soup])
    with memory_store.reading() as conn:
        query = select(tables.shown.c.interest_id, tables.shown.c.score)
        scores = [(row.interest_id, row.score) for row in conn.execute(query)]
    assert all(score > 6 for interest, score in scores if interest == 1)
    assert {score < 6 for interest, score in scores if interest == 2} == {True}


def test_what_an_earlier_process_noted_ends_with_the_first_run_that_works(memory_store: Store) -> None:
    Failing(memory_store).note(RankerError("gone", "\x00away"))
    assert told(memory_store)["gone"][1] == "the ranker gone: away"
    Library(memory_store, None, Default).pick_many([])
    assert told(memory_store), "no digest, no sign that it works"
    now = Failing(memory_store)
    now.begin()
    now.end()
    assert told(memory_store) == {}


async def test_scores_of_another_ranker_are_not_learnt_from_in_its_place(memory_store: Store) -> None:
    bot = make(memory_store, Raises)
    with pytest.raises(RankerError):
        bot.app.library.picker().scores(MEMORY, [1])
    with pytest.raises(RankerError):
        make(memory_store, NotMade).app.library.picker()
