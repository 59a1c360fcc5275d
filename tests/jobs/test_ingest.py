"""Bringing papers in: counts, batches, and what a second run changes (nothing)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.core.ports import Bad
from bot.errors import FileError
from bot.jobs.ingest import BAD_KEPT, BATCH, Report, ingest
from bot.sources.local import read
from bot.store.engine import Store
from bot.store.tables import metadata
from recommender.types import Paper

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SEED = Path(__file__).parents[2] / "seeds" / "iclr2026-abstracts.txt"


def papers(count: int, start: int = 0) -> list[Paper]:
    return [Paper(f"local:{number:016x}", f"A paper that is number {number}") for number in range(start, start + count)]


def dump(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store.reading() as conn:
        return {
            name: sorted(tuple(map(str, row)) for row in conn.execute(select(table)))
            for name, table in metadata.tables.items()
        }


def test_the_seeds_twice(store: Store) -> None:
    assert ingest(store, read(SEED), "local", NOW) == Report(new=19)
    before = dump(store)
    assert len(before["papers"]) == len(before["records"]) == 19
    assert ingest(store, read(SEED), "local", NOW + timedelta(days=1)) == Report(known=19)
    assert dump(store) == before


def test_the_same_paper_by_another_file_is_merged(memory_store: Store, tmp_path: Path) -> None:
    ingest(memory_store, read(SEED), "local", NOW)
    path = tmp_path / "more.jsonl"
    entry = {"id": "c1bTcrDmt4", "title": "Rubrics as Rewards", "url": "https://openreview.net/forum?id=c1bTcrDmt4"}
    path.write_text(json.dumps(entry) + "\n{broken\n" + json.dumps({"title": "Quite Another Paper"}))
    report = ingest(memory_store, read(path), "local", NOW)
    assert (report.new, report.known, report.merged, report.refused) == (1, 0, 1, 1)
    assert report.bad[0].line == 2


def test_batches_are_told_and_counted(memory_store: Store) -> None:
    told: list[Report] = []
    report = ingest(memory_store, papers(2 * BATCH + 1), "local", NOW, told.append)
    assert report == Report(new=2 * BATCH + 1) == told[-1]
    assert [each.new for each in told] == [BATCH, 2 * BATCH, 2 * BATCH + 1]
    assert ingest(memory_store, [], "local", NOW, told.append) == Report()


def test_refused_ones_are_counted_and_the_first_kept(memory_store: Store) -> None:
    bad = [Bad(number, "not JSON") for number in range(1, 3 * BATCH)]
    report = ingest(memory_store, [*papers(2), *bad, *papers(2, 2)], "local", NOW)
    assert report.new == 4
    assert report.refused == len(bad)
    assert list(report.bad) == bad[:BAD_KEPT]


def test_a_paper_twice_in_one_file(memory_store: Store) -> None:
    report = ingest(memory_store, papers(3) + papers(3), "local", NOW)
    assert (report.new, report.new + report.known + report.merged) == (3, 6)


def test_what_breaks_leaves_whole_batches(memory_store: Store) -> None:
    def breaking() -> Iterator[Paper]:
        yield from papers(BATCH + 10)
        raise FileError("a.txt: cannot be read")

    with pytest.raises(FileError):
        ingest(memory_store, breaking(), "local", NOW)
    assert len(dump(memory_store)["papers"]) == BATCH
    assert ingest(memory_store, papers(BATCH + 10), "local", NOW) == Report(new=10, known=BATCH)
