"""The index kept up with the database, on each kind of database: changes, merges, damage, and other processes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.jobs.ingest import ingest
from bot.store import records
from bot.store.engine import Store
from bot.store.library import Library
from recommender.rankers.default import ranker
from recommender.types import Interest, Mark, Paper, Profile
from tests.fakes.bot import button, labels, make_bot, titles

NOW = datetime(2026, 12, 2, tzinfo=UTC)
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


async def test_copies_of_one_paper_are_shown_once(memory_store: Store) -> None:
    copies = [
        paper(0, id=f"local:{n}", authors=(), year=None, title="One and the same paper on attention")
        for n in range(100)
    ]
    ingest(memory_store, [*copies, *(paper(n) for n in range(1, 8))], "local", NOW)
    held = library(memory_store)
    profile = Profile((Interest("a", ("attention",)),))
    picks = await held.pick(profile, numbers_in(held), (), [10], ["relaxed"])
    assert len([pick for pick in picks if "attention" in pick.why.terms or pick.score > 1]) == 1


@pytest.mark.parametrize("size", [0, 1, 2, 19, 20])
async def test_small_stores_work(memory_store: Store, size: int) -> None:
    ingest(memory_store, [paper(n) for n in range(size)], "local", NOW)
    held = library(memory_store)
    held.update(learn=True)
    numbers = numbers_in(held)
    profile = Profile((Interest("a", ("graph",), tuple(Mark(str(n), NOW) for n in numbers[:1])), Interest("b")))
    picks = await held.pick(profile, numbers, (), [5, 5], ["relaxed", "relaxed"])
    assert len(picks) <= min(5, size)
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
