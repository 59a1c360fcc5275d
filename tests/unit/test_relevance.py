"""Relevance weights, and how often a paper says a word, each against what they are by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recommender.index import Index
from recommender.rankers._relevance import PRIOR, holding, relevance
from recommender.rankers._vectors import SATURATION, idf, mixed, said, unit, vectors
from recommender.rankers.default import FEW, Default
from recommender.types import Interest, Mark, Paper

DAY = datetime(2026, 1, 1, tzinfo=UTC)
PAPERS = [
    Paper("p:0", "Quokkas graph"),
    Paper("p:1", "Quokkas robots"),
    Paper("p:2", "Robots"),
    Paper("p:3", "Pixels pixels pixels robots"),
    *(Paper(f"p:{number}", f"Robots noise{number}") for number in range(4, 30)),
]


@pytest.fixture(scope="module")
def index() -> Index:
    made = Index()
    made.append(PAPERS)
    return made


def column(index: Index, word: str) -> int:
    return int(index.vectorise([word]).indices[0])


def weights(index: Index, rows: list[int], mass: list[float]) -> dict[int, float]:
    held = mixed(holding(vectors(index, np.array(rows)).words), np.array(mass, np.float32))
    found = relevance(index, held, np.array([sum(mass)], np.float32))
    return dict(zip(found.indices.tolist(), found.data.tolist(), strict=True))


def test_weights_are_those_of_the_formula(index: Index) -> None:
    found = weights(index, [0, 1], [1.0, 1.0])
    quokka, graph = column(index, "quokkas"), column(index, "graph")
    n = len(PAPERS)
    by_hand = np.log((2 + PRIOR) / PRIOR) + np.log((n - 2 + 0.5) / 2.5)
    assert found[quokka] == pytest.approx(by_hand / idf(index, np.array([quokka]))[0], rel=1e-5)
    by_hand = np.log((1 + PRIOR) / (1 + PRIOR)) + np.log((n - 1 + 0.5) / 1.5)
    assert found[graph] == pytest.approx(by_hand / idf(index, np.array([graph]))[0], rel=1e-5)


def test_what_nearly_all_papers_say_weighs_nothing(index: Index) -> None:
    assert column(index, "robots") not in weights(index, [0, 1], [1.0, 1.0])


def test_an_older_like_tells_less(index: Index) -> None:
    graph = column(index, "graph")
    assert weights(index, [0, 1], [0.5, 1.5])[graph] < weights(index, [0, 1], [1.0, 1.0])[graph]


def test_mass_that_does_not_quite_add_up_is_no_error(index: Index) -> None:
    held = mixed(holding(vectors(index, np.array([0])).words), np.array([1.0000001], np.float32))
    assert np.isfinite(relevance(index, held, np.array([1.0], np.float32)).data).all()


def test_a_repeated_word_counts_more_but_not_without_end(index: Index) -> None:
    made = Index()
    made.append([Paper("a:1", "graph node"), Paper("a:2", "graph. Graph node"), Paper("a:3", "graph. " * 99 + "node")])
    own, plain = (weigh(made, made.counts(np.arange(3))) for weigh in (said, unit))
    graph, node = column(made, "graph"), column(made, "node")
    ratio = [own[at, graph] / own[at, node] * plain[at, node] / plain[at, graph] for at in range(3)]
    assert ratio[0] == pytest.approx(1)
    assert 1.3 < ratio[1] < 1.4 < ratio[2] < 1 + SATURATION
    assert np.asarray(own.multiply(own).sum(axis=1)).ravel() == pytest.approx(np.ones(3))


def test_what_many_likes_share_raises_a_paper_more_than_what_one_of_them_says() -> None:
    """Each like is as near to either paper: only what the likes have in common tells them apart."""
    common, single = Paper("x:1", "quokkas habitat"), Paper("x:2", "fossils habitat")
    likes = [Paper(f"l:{at}", f"quokkas word{at}a word{at}b word{at}c") for at in range(6)]
    likes.append(Paper("l:6", "fossils word6a word6b word6c"))
    noise = [Paper(f"n:{at}", f"noise{at} quokkas" if at < 7 else f"noise{at} fossils") for at in range(14)]
    filler = [Paper(f"f:{at}", f"filler{at} other{at}") for at in range(40)]
    ranker = Default(Index())
    ranker.append([common, single, *likes, *noise, *filler])
    marks = tuple(Mark(one.id, DAY - timedelta(days=at)) for at, one in enumerate(likes))
    first, second = ranker.score([Interest("a", liked=marks)], ranker.index.rows(["x:1", "x:2"]))[0]
    assert first > second


def test_to_a_topic_counts_how_often_a_paper_says_it_to_a_like_only_whether() -> None:
    often, once = Paper("x:1", "quokkas. Quokkas. Quokkas", "habitat"), Paper("x:2", "quokkas", "habitat")
    filler = [Paper(f"f:{at}", f"filler{at} other{at}") for at in range(60)]
    ranker = Default(Index())
    ranker.append([often, once, Paper("l:1", "quokkas", "marsupial"), *filler])
    rows = ranker.index.rows(["x:1", "x:2"])
    topic, like = Interest("a", ("quokkas",)), Interest("b", liked=(Mark("l:1", DAY),))
    first, second = ranker.parts(topic, rows)["words"]
    assert first > second
    first, second = ranker.parts(like, rows)["words"]
    assert first == pytest.approx(second)


def test_a_like_too_old_to_count_tells_nothing_alone_or_in_a_batch() -> None:
    """Its rare words were worth as much as those of a like of today where an interest was ranked by itself."""
    ranker = Default(Index())
    ranker.append([*PAPERS, *(Paper(f"f:{number}", f"Filler robots thing{number}") for number in range(200))])
    today, old = Mark("p:0", DAY), Mark("p:4", DAY - timedelta(days=365 * 56))
    rows = np.arange(len(PAPERS))
    (alone,) = ranker.score([Interest("a", liked=(today, old))], rows)
    many = ranker.score([Interest(str(at), liked=(today, old)) for at in range(FEW + 1)], rows)
    assert many == pytest.approx(np.tile(alone, (FEW + 1, 1)), abs=1e-4)
    noise = column(ranker.index, "noise4")
    assert noise not in weights(ranker.index, [0, 4], [2.0, 0.0])
    assert weights(ranker.index, [0, 4], [1.9, 0.1])[noise] < weights(ranker.index, [0, 4], [1.5, 0.5])[noise] / 3
