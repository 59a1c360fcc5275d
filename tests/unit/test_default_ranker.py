"""The parts of the default ranker, each against what it says it is."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.rankers._block import Block
from recommender.rankers._vectors import said, unit, vectors
from recommender.rankers.default import CLOSE, RAREST, Default
from recommender.types import Interest, Mark, Paper, RowArray

DAY = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = (
    "graph",
    "node",
    "edge",
    "pixel",
    "image",
    "camera",
    "token",
    "sentence",
    "grammar",
    "robot",
    "gripper",
    "torque",
)


def likes(*ids: int) -> tuple[Mark, ...]:
    return tuple(Mark(f"p:{one}", DAY) for one in ids)


@pytest.fixture(scope="module")
def ranker() -> Default:
    """200 papers of four subjects and some noise; one in ten is of the area "tools"."""
    rng = np.random.default_rng(1)
    papers = []
    for number in range(200):
        own = WORDS[number % 4 * 3 : number % 4 * 3 + 3]
        words = [*rng.choice(own, 12), *rng.choice(WORDS, 4), *(f"noise{rng.integers(40)}" for _ in range(8))]
        areas = ("tools",) if number % 10 == 0 else ("other",)
        papers.append(Paper(f"p:{number}", f"Paper number{number}", " ".join(words), categories=areas))
    ranker = Default(Index())
    ranker.fit(papers)
    return ranker


@pytest.fixture(scope="module")
def rows(ranker: Default) -> RowArray:
    return np.arange(ranker.index.n_rows)


def test_of_a_topic_words_weigh_less_than_meaning(ranker: Default, rows: RowArray) -> None:
    parts = ranker.parts(Interest("a", ("camera",)), rows)
    assert parts["words"].std() == pytest.approx(CLOSE * parts["meaning"].std(), rel=1e-4)


def test_parts_are_centred_and_the_sum_is_in_deviations(ranker: Default, rows: RowArray) -> None:
    own = (0, 4, 8, 12, 16)
    found = ranker.parts(Interest("a", ("camera",), likes(*own)), rows)
    assert set(found) == {"words", "meaning"}
    parts = {
        name: np.delete(part, own) for name, part in found.items()
    }  # a paper is like itself: it says nothing usual
    assert parts["words"].mean() == pytest.approx(0, abs=1e-4)
    total = np.sum(list(parts.values()), axis=0)
    assert total.mean() == pytest.approx(0, abs=1e-4)
    assert total.std() == pytest.approx(1, rel=1e-4)


def test_a_named_area_is_worth_its_rarity(ranker: Default, rows: RowArray) -> None:
    part = ranker.parts(Interest("a", ("Tools",)), rows)["area"]
    inside, outside = part[0], part[1]
    assert part[::10] == pytest.approx(np.full(20, inside))
    assert np.delete(part, np.arange(0, 200, 10)) == pytest.approx(np.full(180, outside))
    assert inside / outside == pytest.approx(-(1 - 0.1) / 0.1, rel=1e-4)
    assert inside <= RAREST


def test_likes_make_a_named_area_weigh_less(ranker: Default, rows: RowArray) -> None:
    alone = ranker.parts(Interest("a", ("tools",)), rows)["area"]
    among = ranker.parts(Interest("a", ("tools",), likes(*range(1, 30))), rows)["area"]
    assert np.ptp(among) < np.ptp(alone) / 3


def test_an_area_of_every_paper_tells_nothing() -> None:
    ranker = Default(Index())
    ranker.fit([Paper(f"p:{i}", f"{WORDS[i]} here", categories=("all",)) for i in range(9)])
    assert not ranker.parts(Interest("a", ("all",)), np.arange(9))["area"].any()


def test_a_dislike_lowers_only_what_is_nearer_to_it_than_to_any_like(ranker: Default, rows: RowArray) -> None:
    liked, disliked = (0, 1, 4), (2, 9)
    without = ranker.score([Interest("a", liked=likes(*liked))], rows)[0]
    with_them = ranker.score([Interest("a", liked=likes(*liked), disliked=likes(*disliked))], rows)[0]
    index = ranker.index
    block = Block(index, rows, rows)
    near = block.similarity(vectors(index, np.array(liked)))[:, :200].max(axis=0)
    far = block.similarity(vectors(index, np.array(disliked)))[:, :200].max(axis=0)
    lowered = with_them < without
    assert not lowered[far <= near].any()
    assert np.array_equal(with_them[~lowered], without[~lowered])
    assert lowered[[2, 9]].all()
    assert 10 < lowered.sum() < 120


def test_many_interests_beside_a_whole_store_take_bounded_memory() -> None:
    """Two hundred interests beside 38,000 papers held gigabytes at once."""
    rng = np.random.default_rng(0)
    index = Index()
    index.append([Paper(f"p:{at}", ". ".join(f"w{one}x" for one in rng.permutation(800)[:40])) for at in range(1500)])
    rows = np.arange(index.n_rows)
    block, wide = Block(index, rows, rows[:0]), csr_matrix(rng.random((120, index.n_terms), np.float32))
    tracemalloc.start()
    try:
        found, (_, peak) = block.words(wide), tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == pytest.approx((wide @ unit(index, index.counts(rows)).T).toarray(), rel=1e-4)
    assert peak < 150e6


def test_blocks_give_plain_cosines(ranker: Default) -> None:
    index = ranker.index
    some, other = np.array([5, 3, 77]), np.array([1, 9])
    block = Block(index, some, other)
    words = unit(index, index.counts(np.arange(20)))
    counts = index.counts(np.array([5, 3, 77, 1, 9]))
    often = said(index, counts.copy())
    assert block.words(words) == pytest.approx((words @ unit(index, counts).T).toarray(), abs=1e-6)
    assert block.said(words) == pytest.approx((words @ often.T).toarray(), abs=1e-6)
    assert np.abs(block.said(words) - block.words(words)).max() > 0.01
    assert block.meanings(index.lsa([7])) == pytest.approx(index.lsa([7]) @ index.lsa([5, 3, 77, 1, 9]).T, abs=1e-6)


def test_a_changed_index_is_noticed(ranker: Default) -> None:
    other = Default(Index())
    other.fit([Paper(f"p:{i}", f"{WORDS[i]} {WORDS[i + 1]}") for i in range(9)])
    interest = Interest("a", ("graph robots",), likes(3))
    before = other.score([interest], np.arange(9))
    other.index.remove(["p:8"])
    other.append([Paper("new:1", "graph robots"), Paper("new:2", "pixel")])
    after = other.score([interest], np.arange(11))
    anew = Default(other.index).score([interest], np.arange(11))
    assert np.array_equal(after, anew)
    assert not np.array_equal(before[0], after[0, :9])


def test_ranking_picking_and_explaining_do_not_import_scikit_learn() -> None:
    script = """
import sys, numpy as np
from recommender.index import Index
from recommender.types import Interest, Mark, Paper
from recommender.rankers import default, recent, svm, tfidf
from recommender.select import Candidate, select
from recommender.explain import explain
papers = [Paper(f"p:{i}", f"Title {i} of graphs", "An abstract on graphs.") for i in range(5)]
for module in (default, tfidf, recent):
    ranker = module.ranker(Index())
    ranker.append(papers)
    interest = Interest("a", ("graphs",))
    scores = ranker.score([interest], np.arange(5))[0]
    select(ranker.index, [Candidate(p, float(s)) for p, s in zip(papers, scores)], 3)
    explain(ranker, interest, papers[0])
assert "sklearn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[2], timeout=60)


def test_a_dislike_lowers_what_is_near_it_within_a_topic(ranker: Default, rows: RowArray) -> None:
    """Every paper of a topic is near the topic's words: those must not shield it, or "less" would do nothing."""
    topic = Interest("a", ("graph node edge",))
    without = ranker.score([topic], rows)[0]
    with_it = ranker.score([Interest("a", topic.topics, disliked=likes(0))], rows)[0]
    same_subject, others = np.arange(4, 200, 4), np.setdiff1d(rows, np.arange(0, 200, 4))
    assert (with_it < without)[same_subject].mean() > 0.9
    assert (with_it < without)[others].mean() < 0.5
    assert (without - with_it)[same_subject].mean() > 5 * (without - with_it)[others].mean()
