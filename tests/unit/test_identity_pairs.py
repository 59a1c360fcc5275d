"""Pairs of records that are one paper, and pairs that are two: each goes through the store, in both orders.

The papers are made up, or well known ones by their bibliographic facts alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.core.ids import normalise
from bot.store import papers, records
from bot.store.engine import Store
from recommender.types import Paper
from tests.fakes.stores import in_memory

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
PAIRS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "pairs.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def made() -> Iterator[Store]:
    """One store for all pairs: each is rolled back."""
    store = in_memory()
    yield store
    store.close()


def paper(said: dict[str, Any]) -> Paper:
    ids = [normalise(each) for each in said["ids"]]
    assert None not in ids, said["ids"]
    first, *others = [each for each in ids if each]
    return Paper(
        first, said["title"], authors=tuple(said["authors"]), year=said["year"], venue=said.get("venue", ""),
        source=said.get("said", said["source"]), ids=tuple(others),
    )  # fmt: skip


class Undone(Exception):
    """Ends a transaction without a trace."""


def is_one(store: Store, *said: dict[str, Any]) -> bool:
    found = 0
    try:
        with store.writing() as conn:
            for each in said:
                records.add(conn, [paper(each)], each["source"], NOW)
            found = papers.count(conn)
            for each in said:  # whichever way it went, each is found by its own id
                assert papers.by_id(conn, paper(each).id) is not None or found == 2
            raise Undone
    except Undone:
        return found == 1


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["what"] for pair in PAIRS])
def test_each_pair(made: Store, pair: dict[str, Any]) -> None:
    assert is_one(made, pair["a"], pair["b"]) is pair["one"]
    assert is_one(made, pair["b"], pair["a"]) is pair["one"]


def test_how_many_pairs_hold(made: Store) -> None:
    held = [pair["what"] for pair in PAIRS if is_one(made, pair["a"], pair["b"]) is pair["one"]]
    same = sum(pair["one"] for pair in PAIRS)
    print(f"{len(held)} of {len(PAIRS)} pairs hold: {same} that are one paper, {len(PAIRS) - same} that are two")
    assert len(held) == len(PAIRS) == len(set(held))
    assert min(same, len(PAIRS) - same) >= 30
