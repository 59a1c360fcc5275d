"""The index kept up with the database, on each kind of database: changes, merges, damage, and other processes."""

from __future__ import annotations

import asyncio
import copy
import errno
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from bot.jobs.ingest import ingest
from bot.store import picks, records
from bot.store.engine import Store
from bot.store.library import Library, Pick, Picked, Wish
from recommender.bar import Bar, plain
from recommender.calibrate import Calibration
from recommender.index import Index
from recommender.rankers.default import ranker
from recommender.types import Interest, Mark, Paper, Profile
from tests.fakes.bot import button, labels, make_bot, titles

NOW = datetime(2026, 12, 2, tzinfo=UTC)
RELAXED, NORMAL, STRICT = plain("relaxed"), plain("normal"), plain("strict")
WORDS = ("attention", "graph", "video", "protein", "market", "galaxy", "theorem", "robot")


def paper(number: int, **changes: object) -> Paper:
    word = WORDS[number % len(WORDS)]
    base = Paper(
        id=f"arxiv:2401.{number:05}",
        title=f"A paper on {word} number {number}",
        abstract=f"We study {word} models and show that {word} helps.",
        authors=(f"Ada Author{number}",),
        year=2026,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def library(store: Store, folder: Path | None = None) -> Library:
    made = Library(store, folder, ranker)
    made.update()
    return made


async def found(held: Library, words: str) -> list[int]:
    return [hit.number for hit in await held.search(words, 50)]


async def test_what_is_stored_is_found_and_what_changes_follows(store: Store, tmp_path: Path) -> None:
    ingest(store, [paper(n) for n in range(8)], "local", NOW)
    held = library(store, tmp_path / "index")
    assert len(held.index) == 8
    first = await found(held, "attention")
    ingest(store, [paper(0, abstract="Now it is all about zeppelins, at some length.")], "arxiv", NOW)
    ingest(store, [paper(8)], "local", NOW)
    await held.refresh()
    assert await found(held, "zeppelins") == first
    assert len(held.index) == 9


async def test_papers_that_are_merged_are_found_once(store: Store) -> None:
    ingest(store, [paper(0), paper(8)], "local", NOW)
    held = library(store)
    assert len(await found(held, "attention")) == 2
    with store.writing() as conn:
        both = numbers_in(held)
        other = Paper(id="doi:10.1000/x", title="Another record", ids=("openreview:x1",))
        records.add(conn, [other], "local", NOW)
    held.update()
    assert len(held.index) == 3
    with store.writing() as conn:
        keep, gone = both[0], max(numbers_in(held))
        records.merge(conn, keep, gone, NOW)
    held.update()
    assert len(held.index) == 2


async def test_papers_that_come_while_it_learns_are_there_when_it_has_learnt(
    memory_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(memory_store, [paper(n) for n in range(8)], "local", NOW)
    held = library(memory_store, tmp_path / "index")
    learn = Index.fit

    def learn_meanwhile(index: Index, above: int) -> None:
        learn(index, above)
        ingest(memory_store, [paper(8)], "local", NOW)
        held.update()  # as the planner does before it ranks
        assert len(held.index) == 9

    monkeypatch.setattr(Index, "fit", learn_meanwhile)
    held.update(learn=True)
    assert len(held.index) == 9


def numbers_in(held: Library) -> list[int]:
    return [int(id_) for id_ in held.index.ids(held.index.live.nonzero()[0].tolist())]


async def test_two_processes_share_the_index(store: Store, tmp_path: Path) -> None:
    one, other = library(store, tmp_path / "index"), library(store, tmp_path / "index")
    ingest(store, [paper(n) for n in range(5)], "local", NOW)
    one.update(learn=True)
    other.update()
    assert (len(other.index), other.index.last, other.index.generation) == (
        len(one.index),
        one.index.last,
        one.index.generation,
    )
    assert await found(other, "graph") == await found(one, "graph")


@pytest.mark.parametrize("damage", ["cut", "garbage", "gone"])
async def test_a_damaged_index_is_rebuilt_from_the_database(memory_store: Store, tmp_path: Path, damage: str) -> None:
    ingest(memory_store, [paper(n) for n in range(20)], "local", NOW)
    library(memory_store, tmp_path / "index").update(learn=True)
    for file in (tmp_path / "index").rglob("*.npy"):
        content = file.read_bytes()
        if damage == "gone":
            file.unlink()
        else:
            file.write_bytes(content[: len(content) // 2] if damage == "cut" else b"\x80\x04pickle" * 20)
    held = library(memory_store, tmp_path / "index")
    assert len(held.index) == 20
    assert await found(held, "galaxy")


async def test_a_database_brought_back_from_a_copy_is_believed(tmp_path: Path) -> None:
    newer, older = Store.open("sqlite://"), Store.open("sqlite://")
    ingest(newer, [paper(n) for n in range(9)], "local", NOW)
    ingest(older, [paper(n) for n in range(2)], "local", NOW)
    library(newer, tmp_path / "index")
    assert len(library(older, tmp_path / "index").index) == 2
    newer.close()
    older.close()


async def test_without_a_folder_to_write_to_it_works_in_memory(memory_store: Store) -> None:
    ingest(memory_store, [paper(1)], "local", NOW)
    held = library(memory_store, Path("/proc/none/index"))
    assert await found(held, "graph")


def broken(folder: Path) -> None:
    """Let nothing be written there, as on a disk that is read-only: root is refused by nothing else."""
    (folder / "LOCK").unlink()
    for name in ("LOCK", "PROBE"):
        (folder / name).mkdir()


def mended(folder: Path) -> None:
    for name in ("LOCK", "PROBE"):
        (folder / name).rmdir()


@pytest.mark.parametrize("learn", [True, False])
async def test_while_the_folder_cannot_be_written_it_goes_on_from_what_it_holds(
    memory_store: Store, tmp_path: Path, learn: bool
) -> None:
    ingest(memory_store, [paper(n) for n in range(10)], "local", NOW)
    folder = tmp_path / "index"
    held = Library(memory_store, folder, ranker)
    held.update(learn=True)
    before = held.index.generation
    broken(folder)
    with capture_logs() as logged:
        for n in range(10, 16):
            ingest(memory_store, [paper(n)], "local", NOW)
            held.update(learn=learn)
            held.update(most=300)
            wish = Wish(Profile((Interest("a", (WORDS[n % 8],)),)), [n + 1], [3], 3, [RELAXED])
            assert [pick.number for pick in held.pick_many([wish])[0].picks] == [n + 1]
        assert (await found(held, paper(15).title))[0] == 16
        assert (held.index.generation, held.index.fitted) == (before, 10), "scores stay of one scale"
        mended(folder)
        held.update(learn=learn)
        held.update(learn=learn)
    events = [one["event"] for one in logged]
    assert events == [
        "the index cannot be written; it goes on in memory until it can",
        "the index is written again",
    ]
    assert (len(held.index), len(Index(folder))) == (16, 16)
    assert held.index.fitted == (16 if learn else 10)
    assert held.index.generation > before or not learn


async def test_a_folder_that_is_gone_is_made_up_for_in_memory(memory_store: Store, tmp_path: Path) -> None:
    ingest(memory_store, [paper(n) for n in range(10)], "local", NOW)
    held = library(memory_store, tmp_path / "index")
    (tmp_path / "index").rename(tmp_path / "kept")
    (tmp_path / "index").write_text("no folder")
    ingest(memory_store, [paper(10)], "local", NOW)
    held.update()
    assert len(held.index) == 11
    (tmp_path / "index").unlink()
    held.update()
    assert len(Index(tmp_path / "index")) == 11


async def test_a_disk_that_is_full_for_what_is_learnt_alone(
    memory_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(memory_store, [paper(n) for n in range(10)], "local", NOW)
    held = Library(memory_store, tmp_path / "index", ranker)

    def full(self: Index, above: int = 0) -> None:
        if self.folder is not None:
            raise OSError(errno.ENOSPC, "No space left on device")
        fit(self, above)

    fit = Index.fit
    monkeypatch.setattr(Index, "fit", full)
    with capture_logs() as logged:
        for _ in range(3):
            held.update(learn=True)
            assert held.index.fitted == 10, "there was no basis at all"
    assert [one["event"] for one in logged if one["log_level"] == "warning"] == [
        "the index cannot be written; it goes on in memory until it can"
    ]
    monkeypatch.setattr(Index, "fit", fit)
    held.update(learn=True)
    assert Index(tmp_path / "index").fitted == held.index.fitted == 10


async def test_a_folder_that_breaks_again_while_it_is_caught_up(
    memory_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(memory_store, [paper(1)], "local", NOW)
    held = library(memory_store, tmp_path / "index")
    broken(tmp_path / "index")
    ingest(memory_store, [paper(2)], "local", NOW)
    held.update()
    monkeypatch.setattr("bot.store.library.writable", lambda folder: True)
    held.update()
    assert len(held.index) == 2
    mended(tmp_path / "index")
    held.update()
    assert len(Index(tmp_path / "index")) == 2


async def test_copies_of_one_paper_are_shown_once(memory_store: Store) -> None:
    copies = [
        paper(0, id=f"local:{n}", authors=(), year=None, title="One and the same paper on attention")
        for n in range(100)
    ]
    ingest(memory_store, [*copies, *(paper(n) for n in range(1, 8))], "local", NOW)
    held = library(memory_store)
    profile = Profile((Interest("a", ("attention",)),))
    shown = await held.pick(profile, numbers_in(held), (), [10], [RELAXED])
    assert len([pick for pick in shown if "attention" in pick.why.terms or pick.score > 1]) == 1


@pytest.mark.parametrize("size", [0, 1, 2, 19, 20])
async def test_small_stores_work(memory_store: Store, size: int) -> None:
    ingest(memory_store, [paper(n) for n in range(size)], "local", NOW)
    held = library(memory_store)
    held.update(learn=True)
    numbers = numbers_in(held)
    profile = Profile((Interest("a", ("graph",), tuple(Mark(str(n), NOW) for n in numbers[:1])), Interest("b")))
    shown = await held.pick(profile, numbers, (), [5, 5], [RELAXED] * 2)
    assert len(shown) <= min(5, size)
    assert await held.closest(profile.interests, numbers) in [None, *numbers]
    assert len(await found(held, "paper")) == size


async def test_the_whole_bot_on_each_database(store: Store) -> None:
    bot = make_bot(store=store)
    first = await bot.ask("subscribe language models in=here", channel="reading")
    await bot.press(button(first, "More like this", card=0), user="lin", channel="reading")
    await bot.ask("subscribe transformers name=mine; too")
    await bot.ask("more 1")
    await bot.ask("less 2 because=\x00 not 🙂 mine")
    gone = await bot.ask("unsubscribe 1")
    back = await bot.press(button(gone, "Undo"))
    assert back.text.startswith("Undone: it is followed as before")
    assert "more like 1 paper" in (await bot.ask("profile")).text
    assert (await bot.ask("export")).files
    assert "page 1" in (await bot.ask("topics")).footer
    question = await bot.ask("forget")
    assert labels(question) == ["Delete all of it"]
    await bot.press(question.buttons[0])
    assert titles(await bot.ask("subscriptions")) == []


# --- many digests at once


def drawn(draw: random.Random, numbers: Sequence[int], pools: Sequence[Sequence[int]]) -> Wish:
    """A wish for one of the pools, with up to three interests, likes, dislikes, names and muted words."""

    def marks(most: int) -> tuple[Mark, ...]:
        return tuple(Mark(str(draw.choice(numbers)), NOW) for _ in range(draw.randint(0, most)))

    interests = tuple(
        Interest(f"i{at}", tuple(draw.sample(WORDS, draw.randint(0, 2))), marks(4), marks(1))
        for at in range(draw.randint(0, 3))
    )
    followed = tuple(f"Author{draw.randint(0, 30)}" for _ in range(draw.randint(0, 2)))
    muted = tuple(draw.sample((*WORDS, "Ada Author7"), draw.randint(0, 1)))
    most = [draw.randint(0, 6) for _ in interests]
    bars = [draw.choice([RELAXED, NORMAL, STRICT]) for _ in interests]
    seen = draw.sample(numbers, draw.randint(0, 10))
    pool = draw.choice(pools)
    return Wish(Profile(interests, followed, muted), pool, most, max(most, default=0), bars, seen)


async def alone(held: Library, wish: Wish) -> list[Pick]:
    """What a digest shows that is ranked by itself, with nothing prepared."""
    fresh = Library(held._store, None, ranker)
    fresh.index = held.index
    return await fresh.pick(wish.profile, wish.pool, wish.seen, wish.most, wish.bars)


@pytest.fixture
def full(memory_store: Store) -> Library:
    """A library of forty papers, each with words of its own, and a basis."""
    own = [" ".join(f"term{n * 20 + at}" for at in range(20)) for n in range(40)]
    texts = [paper(n, abstract=f"We study {WORDS[n % 8]} models. Here {own[n]} helps.") for n in range(40)]
    ingest(memory_store, texts, "local", NOW)
    held = library(memory_store)
    held.update(learn=True)
    return held


@pytest.mark.parametrize("few", [4_000, 12], ids=["prepared", "too many to prepare"])
@pytest.mark.parametrize("seed", range(2))
async def test_many_digests_are_those_ranked_one_by_one(
    full: Library, monkeypatch: pytest.MonkeyPatch, few: int, seed: int
) -> None:
    draw, numbers = random.Random(seed), numbers_in(full)
    pools = [numbers, np.array(numbers[:15]), set(numbers[25:]), [], [7, 10**9], draw.sample(numbers, 10)]
    wishes = [drawn(draw, numbers, pools) for _ in range(30)]  # type: ignore[arg-type]
    expected = [await alone(full, wish) for wish in wishes]
    monkeypatch.setattr(picks, "KEPT", few)
    assert [one.picks for one in full.pick_many(wishes)] == expected
    assert [one.picks for one in full.pick_many(wishes[::-1])] == expected[::-1]


async def test_only_the_best_of_a_large_pool_are_looked_at(full: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picks, "CONSIDERED", 5)
    numbers = numbers_in(full)
    profile = Profile((Interest("a", ("graph",)), Interest("b")), followed=("Ada Author30",))
    found = {}
    for few in (4_000, 3):
        monkeypatch.setattr(picks, "KEPT", few)
        wish = Wish(profile, numbers, [9, 9], 9, [RELAXED] * 2)
        found[few] = Library.pick_many(full, [wish])[0].picks
        full.index = copy.copy(full.index)
    assert found[4_000] == found[3]
    assert 31 in {pick.number for pick in found[3]}
    assert len(found[3]) == 9


async def test_what_was_prepared_goes_when_papers_change(full: Library, memory_store: Store) -> None:
    numbers = numbers_in(full)
    wish = Wish(Profile((Interest("a", ("graph",)),)), numbers, [3], 3, [RELAXED])
    before = full.pick_many([wish])[0].picks
    text = "Graph graph graph: we study graph models, and nothing else but graph."
    ingest(memory_store, [paper(2, title="All about graph models", abstract=text)], "arxiv", NOW)
    full.update()
    after = full.pick_many([wish])[0].picks
    assert after != before
    assert text in {pick.why.sentence for pick in after}
    assert after == await alone(full, wish)


async def test_the_closest_fell_short_and_is_neither_seen_nor_muted(full: Library) -> None:
    numbers = numbers_in(full)
    profile = Profile((Interest("a", ("graph",)),), muted=("Ada Author9", "Ada Author17"))
    strict = Wish(profile, numbers, [0], 0, [STRICT], seen=[2])
    (nothing,) = full.pick_many([strict])
    assert nothing.picks == []
    assert nothing.closest is not None
    assert nothing.closest % len(WORDS) == 2
    assert nothing.closest not in {2, 10, 18}
    assert nothing.muted == 2
    (some,) = full.pick_many([replace(strict, most=[2], total=2)])
    assert some.closest not in {pick.number for pick in some.picks}
    assert full.pick_many([replace(strict, seen=numbers)])[0] == Picked([], None, 0)
    assert full.pick_many([Wish(Profile((Interest("b"),)), numbers, [2], 2, [STRICT])])[0].closest is None


async def test_in_all_no_more_than_the_total(full: Library) -> None:
    profile = Profile((Interest("a", ("graph",)), Interest("b", ("video",))))
    wish = Wish(profile, numbers_in(full), [5, 5], 7, [RELAXED] * 2)
    shown = full.pick_many([wish])[0].picks
    assert [pick.interest for pick in shown] == [0, 1, 0, 1, 0, 1, 0]


async def test_a_paper_that_two_interests_want_belongs_to_the_more_probable_one(full: Library) -> None:
    profile = Profile((Interest("all", ("graph",)), Interest("same", ("graph",))))
    shy = Bar(0.1, Calibration(-3.0, 1.0))
    wish = Wish(profile, numbers_in(full), [4, 4], 4, [shy, RELAXED])
    (shown,) = full.pick_many([wish])
    assert [pick.interest for pick in shown.picks] == [1, 1, 1, 1]
    assert [pick.number for pick in shown.picks] == [
        pick.number for pick in full.pick_many([replace(wish, bars=[RELAXED, shy])])[0].picks
    ]
    assert {one.interest for one in await full.left_out(wish, 3)} == {1}


async def test_a_topic_that_nobody_uses_takes_no_places_of_the_others(full: Library) -> None:
    profile = Profile((Interest("zzz", ("zzz",)), Interest("a", ("graph",))))
    wish = Wish(profile, numbers_in(full), [4, 4], 4, [RELAXED] * 2)
    loose, scheduled = full.pick_many([wish, replace(wish, loose=False)])
    assert [pick.interest for pick in loose.picks] == [0, 1, 0, 1]
    assert [pick.interest for pick in scheduled.picks] == [1, 1, 1, 1]


async def test_what_a_digest_leaves_out_has_a_reason(full: Library, memory_store: Store) -> None:
    ingest(memory_store, [paper(50, title="A paper on graph number 1")], "local", NOW)  # as number 2 is called
    full.update()
    numbers = numbers_in(full)
    profile = Profile((Interest("a", ("graph",)),), muted=("Ada Author17",))
    wish = Wish(profile, numbers, [2], 2, [NORMAL], seen=[10])
    shown = await full.pick(profile, numbers, [10], [2], [NORMAL])
    left = await full.left_out(wish, 40)
    reasons = {one.number: one.reason for one in left}
    assert reasons.keys() == set(numbers) - {pick.number for pick in shown}
    assert [one.score for one in left] == sorted((one.score for one in left), reverse=True)
    assert (reasons[10], reasons[18]) == ("already shown", "muted: Ada Author17")
    assert reasons[1].startswith("below the threshold (-")
    assert reasons[1].endswith(" of 1.0)")
    assert {"the digest is full", "others are more varied"} & set(reasons.values())
    assert len(await full.left_out(wish, 5)) == 5
    assert await full.left_out(wish, 0) == await full.left_out(replace(wish, pool=[]), 5) == []


async def test_a_copy_of_what_is_shown_is_left_out_as_such(memory_store: Store) -> None:
    same = [
        paper(0, id=f"local:{n}", authors=(), year=None, title="One and the same on attention") for n in range(3)
    ]  # so is 8
    ingest(memory_store, [*same, *(paper(n) for n in range(1, 12))], "local", NOW)
    held = library(memory_store)
    wish = Wish(Profile((Interest("a", ("attention",)),)), numbers_in(held), [1], 1, [RELAXED])
    left = await held.left_out(wish, 20)
    assert [one.reason for one in left].count("nearly the same as “One and the same on attention”") == 3


async def test_requests_get_their_turn_while_many_digests_are_ranked(full: Library) -> None:
    wish = Wish(Profile((Interest("a", ("graph",)),)), numbers_in(full), [5], 5, [RELAXED])
    done: list[str] = []

    async def many() -> None:
        await asyncio.to_thread(full.pick_many, [wish] * 400)
        done.append("many")

    async def asked() -> None:
        await asyncio.sleep(0.01)
        await full.pick(wish.profile, wish.pool, (), [5], [RELAXED])
        await found(full, "graph")
        done.append("asked")

    await asyncio.gather(many(), asked())
    assert done == ["asked", "many"]
