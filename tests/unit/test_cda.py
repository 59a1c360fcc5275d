"""Centroid discriminant analysis, piece by piece, on data whose right answer is known by reasoning."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.metrics import f1_score, recall_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from recommender.cda import CDA, LEAST
from recommender.centroid import between, reweighted, turns, upright
from recommender.cut import Floats, best_cuts, groups, performance
from recommender.explain import explain
from recommender.index import Index
from recommender.rankers.cda import Cda
from recommender.types import Interest, Mark, Paper

DAY = datetime(2026, 1, 1, tzinfo=UTC)
POINTS = st.integers(0, 2**32 - 1)


@parametrize_with_checks([CDA()])  # type: ignore[untyped-decorator]
def test_it_is_an_estimator(estimator: CDA, check: Callable[[CDA], None]) -> None:
    check(estimator)


def crossing(seed: int = 0, n: int = 60, aside: float = 2.0) -> tuple[Floats, Floats]:
    """Two classes of long parallel clouds, shifted along their length too: the line between centroids is askew."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) * [4.0, 0.3]
    return X + np.outer(y, [aside, 1.5]), y.astype(np.float64)


class TestTheLineBetweenCentroids:
    def test_of_two_points_it_is_what_joins_them_cut_in_the_middle(self) -> None:
        model = CDA().fit([[1.0, 1.0], [4.0, 5.0]], [0, 1])
        assert model.coef_ == pytest.approx(np.array([[0.6, 0.8]]))
        assert model.intercept_ == pytest.approx(-(0.6 * 2.5 + 0.8 * 3.0))
        assert model.n_iter_ == 0

    def test_heavier_samples_pull_the_centroid(self) -> None:
        X, target = np.array([[0.0, 0], [3, 0], [0, 3]]), np.array([False, True, True])
        assert between(X, target, np.ones(3)) == pytest.approx(np.array([1, 1]) / 2**0.5)
        assert between(X, target, np.array([1.0, 3, 0])) == pytest.approx([1, 0])

    def test_one_centroid_for_both_gives_no_line(self) -> None:
        X = np.array([[0.1, 0.2, 0.3]] * 7)
        assert not between(X, np.arange(7) < 3, np.linspace(0.1, 0.7, 7)).any()
        model = CDA().fit(X, np.arange(7) < 3)
        assert np.isfinite(model.decision_function(X)).all()

    @pytest.mark.parametrize("rare", [1, LEAST - 1, LEAST])
    def test_with_fewer_than_ten_of_a_class_it_stays(self, rare: int) -> None:
        X, _ = crossing()
        y = np.arange(60) % (60 // rare) == 0
        y &= y.cumsum() <= rare
        assert y.sum() == rare
        for target in (y, ~y):
            plain, full = CDA(max_steps=0).fit(X, target), CDA().fit(X, target)
            assert (full.n_iter_ == 0) == (rare < LEAST)
            assert rare >= LEAST or np.array_equal(plain.coef_, full.coef_)

    def test_in_one_dimension_there_is_nothing_to_turn_to(self) -> None:
        X, y = crossing()
        full = CDA().fit(X[:, :1], y)
        assert (full.n_iter_, full.coef_.tolist()) == (0, [[1.0]])


class TestTheCut:
    def test_the_score_is_that_of_its_parts(self) -> None:
        true = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
        called = np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0])
        recalls = recall_score(true, called), recall_score(true, called, pos_label=0)
        harmonic = 2 / sum(1 / one for one in recalls)
        expected = (f1_score(true, called, average="macro") + harmonic) / 2
        found = performance(*(np.array([float(one)]) for one in (3, 2, 4, 6)))
        assert found == pytest.approx([expected])

    def test_all_on_one_side_scores_a_sixth(self) -> None:
        # positives: F1 = 2/3, negatives: 0, harmonic mean of 1 and 0: 0
        assert performance(*(np.array([float(one)]) for one in (5, 5, 5, 5))) == pytest.approx([1 / 6])

    def test_by_hand(self) -> None:
        line, target = np.array([0.0, 1, 2, 3, 4, 5]), np.array([False, False, True, False, True, True])
        # above the second cut (1.5): all three + and one -: F1 6/7 and 4/5, recalls 1 and 2/3, harmonic 4/5;
        # above the fourth (3.5): two +: F1 4/5 and 6/7, recalls 2/3 and 1: as good, so the wider gap counts.
        ps = ((6 / 7 + 4 / 5) / 2 + 4 / 5) / 2
        (cut,), (score,) = best_cuts(line[None, :], groups(target, 1))
        assert (cut, score) == (1.5, pytest.approx(ps))
        (cut,), (score,) = best_cuts(np.array([[0.0, 1, 2, 3, 4.5, 5.5]]), groups(target, 1))
        assert (cut, score) == (3.75, pytest.approx(ps))

    def test_it_is_the_best_of_all_cuts_in_the_mean_of_the_folds(self) -> None:
        rng = np.random.default_rng(3)
        target = rng.random(40) < 0.4
        line, group = rng.normal(size=40) + target, groups(target, 3)
        (cut,), (score,) = best_cuts(line[None, :], group)

        def mean(at: float) -> float:
            found = []
            for fold in range(3):
                here = group // 2 == fold
                tp, fp = (np.array([float((line[here & side] > at).sum())]) for side in (target, ~target))
                found += performance(tp, fp, (here & target).sum(), (here & ~target).sum()).tolist()
            return float(np.mean(found))

        middles = [(one + other) / 2 for one, other in pairwise(np.sort(line).tolist())]
        assert score == pytest.approx(max(mean(at) for at in middles))
        assert mean(float(cut)) == pytest.approx(score)

    def test_no_cut_parts_what_is_equal(self) -> None:
        (cut,), _ = best_cuts(np.array([[1.0, 1, 1, 1, 2, 2]]), groups(np.arange(6) % 2 == 0, 1))
        assert cut == 1.5
        assert best_cuts(np.ones((1, 6)), groups(np.arange(6) % 2 == 0, 1)) == (np.array([1.0]), np.array([0.0]))

    def test_every_fold_has_both_classes_in_turn(self) -> None:
        target = np.array([True] * 10 + [False] * 33)
        assert np.bincount(groups(target, 5)).tolist() == [7, 2, 7, 2, 7, 2, 6, 2, 6, 2]


class TestSteps:
    def test_what_is_near_the_cut_weighs_more(self) -> None:
        # shares 0, 1/4 and 3/4: max + min - share = 3/4, 1/2 and 0, times 1, 1 and 2, in the mean 1
        assert reweighted(np.array([1.0, 1, 2]), np.array([0.0, 1, 3])) == pytest.approx([1.8, 1.2, 0])
        assert reweighted(np.array([1.0, 2]), np.zeros(2)) == pytest.approx([1, 2])

    def test_weights_never_underflow(self) -> None:
        weights, distances = np.ones(5_000), np.linspace(1, 2, 5_000)
        for _ in range(200):
            weights = reweighted(weights, distances)
        assert weights.mean() == pytest.approx(1)

    @given(POINTS)
    def test_the_second_line_is_orthogonal_to_the_first(self, seed: int) -> None:
        one, other = np.random.default_rng(seed).normal(size=(2, 5))
        one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
        found = upright(other, one)
        assert found @ one == pytest.approx(0, abs=1e-12)
        assert np.linalg.norm(found) == pytest.approx(1)
        assert found @ other > 0
        assert not upright(one, one).any()
        assert not upright(-one, one).any()

    def test_turns_go_from_none_to_a_right_angle(self) -> None:
        found = turns(5)
        assert found[0].tolist() == [1, 0]
        assert found[-1] == pytest.approx([0, 1], abs=1e-12) or found[-1] == pytest.approx([0, -1], abs=1e-12)
        assert np.linalg.norm(found, axis=1) == pytest.approx(1)

    def test_it_turns_towards_what_parts_the_classes(self) -> None:
        X, y = crossing()
        plain, full = CDA(max_steps=0).fit(X, y), CDA().fit(X, y)
        assert plain.score_ < 0.8
        assert full.score_ > 0.97
        assert abs(full.coef_[0, 1]) > 0.97

    def test_it_stops_when_ten_scores_are_alike(self) -> None:
        X, y = crossing(aside=0.0)
        X[:, 1] += 10 * y  # perfect from the start
        assert CDA().fit(X, y).n_iter_ == 9
        assert CDA(max_steps=4).fit(X, y).n_iter_ == 4

    @pytest.mark.parametrize("seed", range(5))
    def test_it_never_scores_less_than_it_began_with(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 6)), rng.random(80) < 0.4
        assert CDA(n_angles=4).fit(X, y).score_ >= CDA(max_steps=0).fit(X, y).score_
        assert CDA(n_angles=4).fit(X, y).n_iter_ <= 50


class TestWhatChangesNothing:
    @settings(max_examples=12)
    @given(POINTS, st.sampled_from([2.0**-20, 1e-6, 3.0, 1e5]))
    def test_a_scale(self, seed: int, scale: float) -> None:
        X, y = crossing(seed)
        model, scaled = CDA().fit(X, y), CDA().fit(scale * X, y)
        assert scaled.coef_ == pytest.approx(model.coef_, abs=1e-9)
        assert np.array_equal(model.predict(X), scaled.predict(scale * X))

    @settings(max_examples=12)
    @given(POINTS)
    def test_other_names_of_the_classes(self, seed: int) -> None:
        X, y = crossing(seed)
        model, mirrored = CDA().fit(X, y), CDA().fit(X, 1 - y)
        assert np.array_equal(mirrored.coef_, -model.coef_)
        assert np.array_equal(mirrored.decision_function(X), -model.decision_function(X))
        assert np.array_equal(mirrored.predict(X), 1 - model.predict(X))
        assert np.array_equal(CDA().fit(X, np.where(y > 0, "b", "a")).coef_, model.coef_)

    def test_sparse_or_dense_or_once_more(self) -> None:
        X, y = crossing()
        model = CDA().fit(X, y)
        for other in (X, csr_matrix(X), csr_array(X)):
            assert CDA().fit(other, y).decision_function(other) == pytest.approx(model.decision_function(X))


class TestTheRanker:
    @staticmethod
    def ranker() -> Cda:
        words = ["lens camera image", "verb noun grammar", "node edge graph", "proof lemma theorem"]
        papers = [
            Paper(f"p:{i}", f"{words[i % 4]} study", f"{words[i % 4]} word{i % 13} word{i % 7}") for i in range(80)
        ]
        made = Cda(Index())
        made.fit(papers)
        return made

    @pytest.mark.parametrize("n", [3, 12])
    def test_few_likes_and_many_find_their_own(self, n: int) -> None:
        ranker = self.ranker()
        liked = tuple(Mark(f"p:{4 * i}", DAY) for i in range(n))
        scores = ranker.score([Interest("a", liked=liked)], np.arange(80))[0]
        assert set(np.argsort(-scores)[:20] % 4) == {0}

    def test_the_words_of_a_query_give_their_part(self) -> None:
        ranker = self.ranker()
        interest = Interest("a", ("camera",), tuple(Mark(f"p:{4 * i}", DAY) for i in range(12)))
        query = ranker.query(interest, 5)
        assert query.shape == (1, ranker.index.n_terms)
        camera = ranker.index.vectorise(["camera"]).indices[0]
        assert query[0, camera] > 0
        paper = Paper("p:4", "lens camera image study", "lens camera image word4")
        why, score = explain(ranker, interest, paper), ranker.score([interest], np.array([4]))[0, 0]
        assert sum(value for _, value in why.parts) == pytest.approx(score, abs=1e-5)
        assert any("camera" in term for term in why.terms)

    @pytest.mark.parametrize(
        "interest",
        [
            Interest("none"),
            Interest("disliked", disliked=(Mark("p:0", DAY),)),
            Interest("all", liked=tuple(Mark(f"p:{i}", DAY) for i in range(80))),
        ],
        ids=lambda interest: interest.name,
    )
    def test_without_both_classes_all_score_zero(self, interest: Interest) -> None:
        ranker = self.ranker()
        assert not ranker.score([interest], np.arange(80)).any()
        assert not ranker.query(interest, 0).nnz

    def test_reading_its_module_does_not_import_scikit_learn(self) -> None:
        tree = ast.parse(Path(inspect.getfile(Cda)).read_text())
        names = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        assert not [name for name in names if "sklearn" in name or "recommender.cda" in name]
