"""Dense vectors as a ranker compares by them: standardised by the usual papers, and nothing where there are none."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from recommender.dense import Dense
from recommender.explain import explain
from recommender.index import Index
from recommender.profile import weigh
from recommender.rankers._dense import ALONE, ENOUGH, WEIGHT, Density
from recommender.rankers.default import FEW, Default
from recommender.types import FloatArray, Interest, Mark, Paper

NOW = datetime(2026, 12, 2, tzinfo=UTC)
N, WIDTH = 60, 8


def unit(vectors: FloatArray) -> FloatArray:
    made: FloatArray = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return made


@pytest.fixture
def index() -> Index:
    """Papers with random vectors; p1 is next to p0, and the last five have none."""
    made = Index()
    made.append([Paper(f"p{at}", f"Title {at}", f"word{at} shared") for at in range(N)])
    vectors = np.random.default_rng(0).normal(size=(N - 5, WIDTH)).astype(np.float32)
    vectors[1] = vectors[0] + 0.1 * vectors[2]
    topic = unit(vectors[3] + 0.1 * vectors[4])
    made.dense = Dense().joined([f"p{at}" for at in range(N - 5)], unit(vectors), {"threes": topic})
    return made


def standard(index: Index, *interests: Interest) -> FloatArray | None:
    """Return what comes of papers 0 to N - 1, all of which are usual, too."""
    rows = np.arange(N)
    usual = np.ones((len(interests), N), np.bool_)
    return Density(index).part([weigh(index, one) for one in interests], np.concatenate([rows, rows]), usual)


def likes(*ids: str, topics: tuple[str, ...] = ()) -> Interest:
    return Interest("one", topics, tuple(Mark(one, NOW) for one in ids))


def test_the_nearest_is_next_and_usual_papers_are_standardised(index: Index) -> None:
    found = standard(index, likes("p0"))
    assert found is not None
    assert found.shape == (1, 2 * N)
    assert np.argsort(-found[0, :N])[:2].tolist() == [0, 1]
    usual = found[0, N : 2 * N - 5]
    assert usual.mean() == pytest.approx(0.0, abs=1e-5)
    assert usual.std() == pytest.approx(WEIGHT + ALONE, rel=1e-5)


def test_what_has_no_vector_is_as_usual(index: Index) -> None:
    found = standard(index, likes("p0"), likes("p59"), likes(topics=("unknown",)), likes())
    assert found is not None
    assert (found[:, N - 5 : N] == 0).all()
    assert (found[1:] == 0).all()
    left = standard(index, likes("p0", "p59"))
    assert left is not None
    assert np.array_equal(left, found[:1]), "a like without a vector is left out"


def test_the_more_papers_the_less_it_weighs(index: Index) -> None:
    found = standard(index, likes("p0", "p2", "p4"))
    assert found is not None
    assert found[0, N : 2 * N - 5].std() == pytest.approx(WEIGHT + ALONE / 3, rel=1e-5)


def test_a_topic_counts_as_three_papers(index: Index) -> None:
    found = standard(index, likes(topics=("threes",)))
    assert found is not None
    assert int(found[0, :N].argmax()) == 3
    vectors, mass = Density(index).liked(weigh(index, likes("p0", topics=("threes", "unknown"))))
    assert (vectors.shape, mass.tolist()) == ((4, WIDTH), [1, 1, 1, 1])


def test_many_are_as_one_by_one(index: Index) -> None:
    some = [likes("p0", "p5"), likes("p7", topics=("threes",)), likes("p59"), likes("p9", "p10", "p11", "p12")]
    together = standard(index, *some)
    assert together is not None
    for at, one in enumerate(some):
        alone = standard(index, one)
        assert alone is not None
        assert np.array_equal(alone, together[at : at + 1])


def test_papers_compared_last_are_not_those_of_later_vectors(index: Index) -> None:
    density, rows = Density(index), np.arange(N)
    weighted, usual = [weigh(index, likes("p0"))], np.ones((1, N), np.bool_)
    both = np.concatenate([rows, rows])
    first = density.part(weighted, both, usual)
    assert index.dense is not None
    index.dense = index.dense.joined(["p59"], index.dense.of(["p0"]), {})
    second = density.part(weighted, both, usual)
    assert first is not None
    assert second is not None
    assert (first[0, 59], int(second[0, :N].argmax())) == (0, 0)
    assert second[0, 59] == pytest.approx(second[0, 0], abs=1e-3)


def test_without_vectors_there_is_nothing(index: Index) -> None:
    dense = index.dense
    assert dense is not None
    index.dense = Dense().joined([f"p{at}" for at in range(ENOUGH - 1)], dense.matrix[: ENOUGH - 1], {})
    assert standard(index, likes("p0")) is None
    for nothing in (Dense(), None):
        index.dense = nothing
        assert standard(index, likes("p0")) is None


class TestDefault:
    """The default ranker with the part, and as it is without."""

    def test_single_calls_and_a_batch_agree(self, index: Index) -> None:
        ranker, rows = Default(index), np.arange(N)
        some = [likes(f"p{at}", f"p{at + 20}", topics=("threes",) if at % 2 else ()) for at in range(FEW + 8)]
        together = ranker.score(some, rows)
        alone = np.concatenate([ranker.score([one], rows) for one in some])
        assert together == pytest.approx(alone, abs=1e-4)

    def test_its_parts_sum_to_the_score(self, index: Index) -> None:
        ranker, one, paper = Default(index), likes("p0"), Paper("p1", "Title 1", "word1 shared")
        score = ranker.score([one], np.array([1]))[0, 0]
        why = explain(ranker, one, paper)
        assert "dense" in dict(why.parts)
        assert sum(value for _, value in why.parts) == pytest.approx(float(score), abs=1e-4)

    def test_what_only_the_vectors_know_comes_up(self, index: Index) -> None:
        scores = Default(index).score([likes("p0")], np.arange(1, N))[0]
        assert int(scores.argmax()) == 0, "p1 shares no more words with p0 than others do"

    def test_without_vectors_nothing_changes(self, index: Index) -> None:
        some, rows = [likes("p0"), likes("p7", topics=("word9",))], np.arange(N)
        index.dense = None
        plain = Default(index).score(some, rows)
        for nothing in (Dense(), Dense().joined(["p0"], np.ones((1, WIDTH), np.float32), {})):
            index.dense = nothing
            assert np.array_equal(Default(index).score(some, rows), plain)
            assert "dense" not in Default(index).parts(some[0], rows)
