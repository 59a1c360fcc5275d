"""Interests of one owner share a digest: whose a paper is, and whose turn it is."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from recommender.aside import Looked, aside
from recommender.bar import Bar, plain
from recommender.calibrate import PRIOR, Calibration, calibrate
from recommender.index import Index
from recommender.pool import Pool
from recommender.select import Rules
from recommender.share import copies, interleave, owners
from recommender.types import Paper, Ranked

SHY = Bar(0.6, Calibration(-3.0, 1.0))
"""An interest whose reader likes little: 0.12 at a score of 1, 0.5 at 3."""
NOW = datetime(2026, 12, 2, tzinfo=UTC)


def test_a_paper_belongs_to_the_most_probable_interest_not_to_the_best_score() -> None:
    scores = np.array([[1.2, 4.0, 0.1], [1.0, 1.5, 0.0]], np.float32)
    assert owners(scores, [plain("normal"), plain("normal")]).tolist() == [0, 0, 0]
    assert owners(scores, [SHY, plain("normal")]).tolist() == [1, 1, 1]


def test_whoever_it_passes_comes_first_then_probability_then_score_then_order() -> None:
    loose, strict = Bar(0.2, SHY.calibration), Bar(0.99, PRIOR)
    assert owners(np.array([[1.9], [1.9]]), [loose, strict]).tolist() == [0]
    assert owners(np.array([[50.0], [60.0]]), [plain("normal")] * 2).tolist() == [1], "both are certain"
    assert owners(np.array([[2.0], [2.0]]), [plain("normal")] * 2).tolist() == [0]


@pytest.mark.parametrize("odd", [np.nan, -np.inf])
def test_what_is_no_number_never_wins(odd: float) -> None:
    assert owners(np.array([[odd, odd], [-3.0, odd]]), [plain("normal")] * 2).tolist() == [1, 0]


def test_no_papers() -> None:
    assert owners(np.zeros((2, 0), np.float32), [plain("normal")] * 2).shape == (0,)


def test_interests_take_turns() -> None:
    first = [Ranked("a", 3.0), Ranked("b", 2.0), Ranked("c", 1.0)]
    second = [Ranked("x", 9.0), Ranked("b", 2.5)]
    turns = [(0, "a"), (1, "x"), (0, "b"), (0, "c")]
    assert [(at, one.paper) for at, one in interleave([first, second], 10)] == turns
    assert [one.paper for _, one in interleave([first, second], 2)] == ["a", "x"]
    assert interleave([], 5) == interleave([[], []], 5) == interleave([first], 0) == []


def test_copies_of_one_paper_come_once_whatever_interests_they_belong_to() -> None:
    text = "One method with attention over long documents, its proofs, and nine experiments on memory."
    papers = [
        Paper("a", "Attention over long documents", text),
        Paper("b", "Attention over long documents, revised", text),
        Paper("c", "Soup", "Cooking soup with tomatoes in a kitchen of the old town."),
        Paper("d", "Attention over long documents", "Another abstract, of other words altogether, for this title."),
    ]
    index = Index()
    index.append(papers)
    pool = Pool(index, papers, [None] * 4)
    assert copies([pool, pool], "a") == {"b", "d"}
    assert copies([], "a") == copies([pool], "zzz") == copies([pool], "c") == set()
    both = [[Ranked("a", 3.0), Ranked("c", 1.0)], [Ranked("b", 3.0), Ranked("d", 2.0)]]
    assert [one.paper for _, one in interleave(both, 5, lambda id_: copies([pool], id_))] == ["a", "c"]


def test_the_wildcard_of_one_interest_never_suits_another() -> None:
    papers = [Paper(f"p{n}", f"Title {n}", f"abstract {n} of{n} its{n} own{n}") for n in range(3)]
    index = Index()
    index.append(papers)
    pool = Pool(index, papers, [None] * 3)
    bars = [plain("normal"), plain("normal")]
    scores = np.array([[0.7, 0.2, 3.0], [3.0, -0.1, 0.0]])
    of = owners(scores, bars)
    looked = [Looked(pool, own, Rules(), bar, of == at) for at, (own, bar) in enumerate(zip(scores, bars, strict=True))]
    drawn = {aside(looked, {"p2"}, seed) for seed in range(9)}
    assert {pool.ids[one.place] for one in drawn if one} == {"p1"}, "the first is the nearest to 1/2, but suits another"


def test_the_steepness_of_a_calibration_is_that_of_its_log_odds() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 2, 900)
    liked = (rng.random(900) < 1 / (1 + np.exp(-(0.5 + 1.5 * scores)))).tolist()
    crowd = calibrate(scores[:300].tolist(), liked[:300])
    own = calibrate([0.0, 1.0, 2.0], [False, True, True], crowd)
    logit = [np.log(p / (1 - p)) for p in own.probability([0.3, 1.3])]
    assert own.steepness == pytest.approx(logit[1] - logit[0])
    many = calibrate(scores.tolist(), liked)
    assert many.knots
    assert many.steepness == many.slope == pytest.approx(1.5, abs=0.25)
    assert Calibration(0.0, 1e-9).steepness > 0
