"""Own feedback: only what was before counts, the unrated are unknown, and rare chances weigh more."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recommender.evaluate.own import Feedback, Shown, halfway, own_feedback
from recommender.evaluate.propensity import AS_SHOWN, AUC, LEAST, as_seldom, auc, own_told
from recommender.rankers.tfidf import Tfidf
from recommender.types import Interest, Mark
from tests.fakes.worlds import world

START = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def lived() -> Feedback:
    """Return 30 days: a paper comes and is shown each day; vision is liked, language disliked, graphs stay unrated."""
    papers = [(day(at - 0.5), one) for at, one in enumerate(world(30))]
    said = {0: True, 1: False, 2: None}
    log = [
        Shown(day(at), "1", f"t:{at}", 1, score=float(at % 2), generation=2, chance=1.0, liked=said[at % 3])
        for at in range(30)
    ]
    liked = tuple(Mark(one.paper, one.at) for one in log if one.liked)
    disliked = tuple(Mark(one.paper, one.at) for one in log if one.liked is False)
    return Feedback(log, [Interest("1", (), liked, disliked)], papers)


def test_only_what_was_before_is_known() -> None:
    given = lived()
    at = halfway(given.log)
    assert at == day(15), "ten of twenty ratings were before"
    task = own_feedback(given, at)
    [case] = task.cases
    assert {mark.paper for mark in case.interest.liked} == {f"t:{n}" for n in range(0, 15, 3)}
    assert {mark.paper for mark in case.interest.disliked} == {f"t:{n}" for n in range(1, 15, 3)}
    assert case.size == 5
    assert [one.id for one in task.stored] == [f"t:{n}" for n in range(16)], "first seen before"
    assert set(case.pool) == {f"t:{n}" for n in range(15, 30) if n % 3 < 2}, "unrated is unknown, not disliked"
    assert case.grades["t:15"] == 1.0
    assert case.grades["t:16"] == 0.0
    assert {one.id for one in task.candidates} == set(case.pool) - {"t:15"}
    assert task.alone


def test_a_ranking_that_knows_the_kinds_is_perfect_and_the_logged_scores_are_told_beside_it() -> None:
    [told] = own_told(lived(), {"tfidf": Tfidf}, (0,))
    assert told.outcome.name == "own-feedback"
    assert told.metrics == (AUC, "pair_accuracy")
    assert told.outcome.values("tfidf", AUC).tolist() == [1.0]
    liked, disliked = [n % 2 for n in range(15, 30, 3)], [n % 2 for n in range(16, 30, 3)]
    right = np.mean([1.0 if a > b else 0.5 if a == b else 0.0 for a in liked for b in disliked])
    assert told.outcome.values(AS_SHOWN, AUC)[0] == pytest.approx(right)


def test_what_was_seldom_shown_weighs_more() -> None:
    assert auc([3, 1, 2], [1, 1, 0], [1, 1, 1]) == (1.0, 2.0)
    assert auc([3, 1, 2], [1, 1, 0], [1, 4, 1]) == (1.0, 5.0)
    assert auc([1, 1], [1, 0], [2, 3]) == (3.0, 6.0)
    assert auc([], [], []) == (0.0, 0.0)
    given = lived()
    log = [replace(one, chance=1e-9 if one.paper == "t:27" else 1.0) for one in given.log]
    [case] = own_feedback(replace(given, log=log), day(15)).cases
    ids = ["t:15", "t:27", "t:16"]
    found = as_seldom(log)(case, ids, [1, 0, 0.5], [1, 1, 0])
    assert found[AUC] == (1.0, 1.0 + 1 / LEAST)
    assert found["pair_accuracy"] == (1.0, 2.0)


def test_a_paper_that_was_marked_before_is_no_candidate() -> None:
    given = lived()
    again = replace(given, log=[*given.log, Shown(day(40), "1", "t:0", liked=True)])
    assert "t:0" not in own_feedback(again, day(15)).cases[0].pool


def test_papers_and_interests_that_are_gone_are_left_out() -> None:
    given = lived()
    log = [*given.log, Shown(day(20), "1", "t:gone", liked=True), Shown(day(20), "gone", "t:20", liked=True)]
    [case] = own_feedback(replace(given, log=log), day(15)).cases
    assert case.name == "1"
    assert "t:gone" not in case.pool


def test_too_little_says_so() -> None:
    said: list[str] = []
    given = lived()
    few = replace(given, log=[one for one in given.log if not one.liked][1:2])
    assert list(own_told(few, {"tfidf": Tfidf}, tell=said.append)) == []
    assert said == ["Nobody has rated enough of what digests showed: at least two papers, before and after a time."]
    assert halfway([]) is None
