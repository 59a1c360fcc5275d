"""Papers, topics and rankers that are no use: the digest still goes out, and says what is the matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import select

from bot.jobs.ingest import ingest
from bot.jobs.plan import Planner
from bot.store import picks, tables
from bot.store.engine import Store
from bot.store.library import Library, Wish
from recommender.bar import plain
from recommender.index import Index
from recommender.rankers.default import Default
from recommender.types import FloatArray, Interest, Mark, Paper, Profile, RowArray
from tests.fakes.bot import Bot, make_bot, titles

NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
MILLION = "memory of language models " + " ".join(f"term{n}" for n in range(1_000_000))


def some(
    n: int, title: str = "Study {n} of memory", abstract: str = "The memory of language models, {n}."
) -> list[Paper]:
    own = [" ".join(f"its{at}word{word}" for word in range(12)) if "{n}" in abstract else "" for at in range(n)]
    texts = [(title.format(n=at), f"{abstract.format(n=at)} {own[at]}") for at in range(n)]
    return [Paper(f"t:{at}", *text, year=2026) for at, text in enumerate(texts)]


CORPORA: dict[str, list[Paper]] = {
    **{f"{n} papers": some(n) for n in (0, 1, 2, 19, 20)},
    "all the same": some(20, "One and the same title", "One and the same abstract."),
    "stop words": some(20, "The of and", "it is the of and this"),
    "digits": some(20, "{n} 11 22", "3 141592 65"),
    "one letter": some(20, "a", "b"),
    "nothing but titles": some(20, abstract=""),
    "a million terms": [*some(5), Paper("t:6", "A long one on memory", MILLION)],
    "Chinese": some(20, "图神经网络第{n}号", "我们研究语言模型的记忆，{n}。"),
}
TOPICS = ("memory of language models", "zzz", "注意力机制", "深層学習", "the of and", "7")


async def planned(bot: Bot, store: Store, papers: Sequence[Paper]) -> list[str]:
    """Let a day go by with these papers, plan, and return what stands in the messages."""
    bot.at += timedelta(days=1)
    store.clock = lambda conn: bot.at
    ingest(store, papers, "arxiv", bot.at - timedelta(minutes=5))
    await Planner(store, bot.app.library, bot.app.settings, ["test"]).tick()
    with store.reading() as conn:
        rows = conn.execute(select(tables.outbox.c.message).order_by(tables.outbox.c.id)).scalars()
        return [str(row) for row in rows]


@pytest.mark.parametrize("name", list(CORPORA))
async def test_the_digest_of_odd_papers_goes_out(memory_store: Store, name: str) -> None:
    bot = make_bot(CORPORA[name], memory_store)
    bot.app.library.update(learn=True)
    for topic in TOPICS:
        await bot.ask(f'subscribe "{topic}" at=09:00 on=daily')
    for line in (
        "digest",
        "profile",
        "search memory",
        "search 记忆",
        "show 1",
        "similar 1",
        "more 1",
        "less 1",
        "digest 2",
    ):
        assert "could not" not in (await bot.ask(line)).text, line
    messages = await planned(
        bot, memory_store, [Paper("new:1", "A new one on memory", "The memory of language models.")]
    )
    assert len(messages) == len(TOPICS), "each has its digest, or the reason why there is nothing"


async def test_what_tells_nothing_apart_gives_the_newest_and_says_so(memory_store: Store) -> None:
    bot = make_bot(some(20), memory_store)
    await bot.ask("subscribe zzz at=09:00 on=daily")
    now = await bot.ask("digest")
    assert "No paper here uses “zzz”." in now.text
    assert all("it is among the newest" in "\n".join(card.lines) for card in now.cards)
    assert len(now.cards) == 5
    (said,) = await planned(bot, memory_store, [Paper("new:1", "Another study of memory", "Memory again.")])
    assert "No paper here uses “zzz”." in said


@pytest.mark.parametrize("kind", ["only likes", "only dislikes", "a like that is disliked later"])
async def test_marks_of_one_kind(memory_store: Store, kind: str) -> None:
    bot = make_bot(CORPORA["19 papers"], memory_store)
    await bot.ask("subscribe memory at=09:00 on=daily")
    marks = {"only likes": ["more t:1"], "only dislikes": ["less t:1"]}.get(kind, ["more t:1", "less t:1"])
    for line in marks:
        bot.pass_(minutes=1)
        await bot.ask(line)
    now = await bot.ask("digest")
    assert len(now.cards) == 5 if kind == "only likes" else "none is near enough. The closest:" in now.text
    assert ("less like 1 paper" if "dislike" in kind else "more like 1 paper") in (await bot.ask("profile")).text
    assert len(await planned(bot, memory_store, some(1, "New memory"))) == 1


# --- a ranker from outside that gives no numbers


class Broken(Default):
    """Gives `odd` for every `step`th paper."""

    odd, step = float("nan"), 2

    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        scores = super().score(interests, rows)
        scores[:, :: self.step] = self.odd
        return scores


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("step", [1, 2])
async def test_a_ranker_that_gives_no_numbers_loses_those_papers_alone(
    memory_store: Store, odd: float, step: int
) -> None:
    def make(index: Index) -> Default:
        ranker = Broken(index)
        ranker.odd, ranker.step = odd, step
        return ranker

    bot = make_bot(some(20, "Study {n} of cooking", "Soup number{n}."), memory_store)
    held = bot.app.library = Library(memory_store, None, make)
    held.update(learn=True)
    await bot.ask("subscribe memory at=09:00 on=daily")
    shown = titles(await bot.ask("digest"))
    assert len(shown) == 5, "of what tells nothing apart, the newest"
    new = some(8, "Study {n} of memory and mind")
    await planned(bot, memory_store, [Paper(f"new:{n}", one.title, one.abstract) for n, one in enumerate(new)])
    with memory_store.reading() as conn:
        scores = list(conn.execute(select(tables.shown.c.score)).scalars())
    assert np.isfinite(scores).all()
    assert sum(score > 1 for score in scores) == (5 if step == 1 else 4), (
        "where no paper has a number, the default ranker ranks"
    )
    for line in ("show new:1", "similar new:1", "more new:2"):
        assert "nan" not in str(await bot.ask(line))
    wish = Wish(Profile((Interest("a", ("memory",)),)), np.arange(1, 29), [3], 3, [plain("strict")])
    assert all(np.isfinite(one.score) for one in await held.left_out(wish, 30))
    assert await held.closest(wish.profile.interests, range(1, 29)) is not None


def test_what_has_no_number_is_no_step_aside(memory_store: Store) -> None:
    new = [replace(one, id=f"new:{one.id}") for one in some(8, "Study {n} of memory and mind")]
    ingest(memory_store, [*some(20, "Study {n} of cooking", "Soup number{n}."), *new], "local", NOW)
    held = Library(memory_store, None, Broken)
    held.update(learn=True)
    numbers = np.arange(21, 29)
    rows = held.index.rows([str(number) for number in numbers])
    odd = {int(number) for number, place in zip(numbers, np.argsort(np.argsort(rows)), strict=True) if place % 2 == 0}
    wish = Wish(Profile((Interest("a", ("memory",)),)), numbers, [5], 5, [plain("relaxed")])
    for seed in range(10):
        (made,) = held.pick_many([replace(wish, aside=seed)])
        assert made.picks
        assert odd.isdisjoint(pick.number for pick in made.picks)
        assert made.closest not in odd


async def test_of_ten_thousand_liked_papers_the_latest_are_read(
    memory_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(memory_store, some(30), "local", NOW)
    held = Library(memory_store, None, Default)
    held.update(learn=True)
    monkeypatch.setattr(picks, "MOST", 3)
    liked = tuple(Mark(str(1 + n % 30), NOW + timedelta(minutes=n)) for n in range(10_000))
    read: list[int] = []
    before = picks.Picker._load

    def load(self: picks.Picker, numbers: Sequence[int]) -> object:
        read.extend(numbers)
        return before(self, numbers)

    monkeypatch.setattr(picks.Picker, "_load", load)
    assert await held.weights(Interest("a", ("memory",), liked), 5)
    assert sorted(read) == sorted(1 + n % 30 for n in range(9_997, 10_000))
