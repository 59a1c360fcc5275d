"""An interest as weighted rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recommender import profile
from recommender.index import Index
from recommender.profile import HALF_LIFE, decay, weigh
from recommender.types import Interest, Mark, Paper

DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def index() -> Index:
    index = Index()
    index.append([Paper(f"p:{i}", f"Paper {i}", "An abstract.") for i in range(6)])
    return index


def mark(number: int, days: float = 0) -> Mark:
    return Mark(f"p:{number}", DAY + timedelta(days=days))


def test_a_like_halves_in_a_half_life() -> None:
    older, newer = decay([DAY, DAY + timedelta(days=HALF_LIFE)])
    assert newer == pytest.approx(2 * older)
    assert older + newer == pytest.approx(2)


def test_only_differences_of_dates_matter() -> None:
    dates = [DAY + timedelta(days=days) for days in (0, 12, 345)]
    assert np.array_equal(decay(dates), decay([at + timedelta(days=1000) for at in dates]))
    assert decay([]).shape == (0,)


def test_decay_survives_a_century() -> None:
    weights = decay([DAY, DAY + timedelta(days=36_525)])
    assert np.isfinite(weights).all()
    assert weights.mean() == pytest.approx(1)


@pytest.mark.parametrize("days", [[0], [0, 0], [0, 2_900_000], [0, 1, 2_900_000, 2_900_000]])
def test_the_latest_like_never_weighs_nothing(days: list[int]) -> None:
    weights = decay([datetime(2, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in days])
    assert weights[-1] >= 1
    assert weights.sum() == pytest.approx(len(days)), "however old the others are, n likes count as n"


def test_rows_come_latest_first(index: Index) -> None:
    found = weigh(index, Interest("a", liked=(mark(1, 1), mark(2, 9), mark(3, 5)), disliked=(mark(4, 0), mark(5, 1))))
    assert found.likes.tolist() == index.rows(["p:2", "p:3", "p:1"]).tolist()
    assert found.dislikes.tolist() == index.rows(["p:5", "p:4"]).tolist()
    assert (np.diff(found.weights) < 0).all()


@pytest.mark.parametrize(("like", "dislike", "liked"), [(2, 1, True), (1, 2, False), (1, 1, False)])
def test_the_later_mark_counts(index: Index, like: int, dislike: int, liked: bool) -> None:
    found = weigh(index, Interest("a", liked=(mark(0, like),), disliked=(mark(0, dislike),)))
    assert (found.likes.size, found.dislikes.size) == ((1, 0) if liked else (0, 1))


def test_a_paper_marked_twice_counts_once_by_the_later_mark(index: Index) -> None:
    found = weigh(index, Interest("a", liked=(mark(0, 0), mark(1, 1), mark(0, 2))))
    assert found.likes.tolist() == index.rows(["p:0", "p:1"]).tolist()


def test_unknown_and_removed_papers_and_blank_topics_are_ignored() -> None:
    index = Index()
    index.append([Paper("p:1", "One"), Paper("p:2", "Two")])
    index.remove(["p:2"])
    found = weigh(index, Interest("a", ("x", " ", "x"), (Mark("p:9", DAY), mark(2), mark(1))))
    assert found.likes.tolist() == index.rows(["p:1"]).tolist()
    assert found.topics == ("x",)


def test_the_latest_likes_bound_the_work(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "MOST", 2)
    found = weigh(index, Interest("a", liked=tuple(mark(i, i) for i in range(6))))
    assert found.likes.tolist() == index.rows(["p:5", "p:4"]).tolist()
    assert found.weights.mean() == pytest.approx(1)
