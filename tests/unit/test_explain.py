"""Reasons: true, in the paper's own words, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from recommender.explain import Explainer, contributions, explain, sentences, spellings
from recommender.index import Index
from recommender.rankers import default, recent, svm, tfidf
from recommender.rankers._close import closeness, coefficients
from recommender.types import Interest, Mark, Paper, Why

DAY = datetime(2026, 1, 1, tzinfo=UTC)
GRAPHS = (
    "Spectral filters smooth the nodes of large graphs. We prove that graph neural networks, e.g. those of Kipf et al. "
    "and others, forget distant nodes. Code is at https://example.org/x. Results hold on nine data sets of biology."
)
PAPERS = [
    Paper("g:0", "Graph neural networks forget", GRAPHS, categories=("graphs",)),
    Paper(
        "g:1", "Deep graph neural networks", "Graph neural networks pass messages along edges.", categories=("graphs",)
    ),
    Paper(
        "g:2", "Edges", "We predict edges of graphs with spectral filters and $\\mathcal{L}_2$ penalties.", ("A. B.",)
    ),
    Paper("v:0", "Images", "Convolutional networks detect objects in images of streets.", categories=("vision",)),
    Paper("v:1", "Segmentation", "Pixels of images are labelled by convolutional networks.", categories=("vision",)),
    Paper("t:0", "Translation", "Sentences are translated from language to language.", categories=("text",)),
    Paper("t:1", "Parsing", "Sentences are parsed by reading their tokens in order.", categories=("text",)),
]
FIRST = next(one for one in PAPERS if one.id == "g:0")
INTEREST = Interest(
    "mine", ("graph neural networks", "graphs"), (Mark("g:1", DAY), Mark("t:0", DAY)), (Mark("v:0", DAY),)
)


def ranked(module: Any, papers: Sequence[Paper] = PAPERS) -> Any:
    ranker = module.ranker(Index())
    ranker.fit(papers)
    return ranker


@pytest.mark.parametrize("module", [default, tfidf, svm, recent], ids=lambda module: module.__name__.split(".")[-1])
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.id)
def test_parts_sum_to_the_score(module: Any, paper: Paper) -> None:
    ranker = ranked(module)
    score = float(ranker.score([INTEREST], ranker.index.rows([paper.id]))[0, 0])
    assert sum(value for _, value in explain(ranker, INTEREST, paper).parts) == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("topics", [(), ("graphs",)])
def test_contributions_sum_to_the_part_of_words_but_for_its_mean_and_the_unit_of_scores(
    topics: tuple[str, ...],
) -> None:
    ranker = ranked(default)
    rows = ranker.index.rows([paper.id for paper in PAPERS])
    interest = Interest("a", topics, INTEREST.liked)
    added = [sum(contributions(ranker, ranker.query(interest, row), row).values()) for row in rows.tolist()]
    part = ranker.parts(interest, rows)["words"]
    unit_of_scores, mean = np.polyfit(part, added, 1)
    assert unit_of_scores > 0
    assert added == pytest.approx(unit_of_scores * part + mean, abs=1e-5)


def test_coefficients_are_those_of_closeness() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 4, 30):
        similarities = rng.random((n, 7)).astype(np.float32)
        mass = rng.random(n).astype(np.float32) + np.float32(0.01)
        by_hand = [coefficients(one, mass) @ one for one in similarities.T]
        assert closeness(similarities, mass) == pytest.approx(by_hand, abs=1e-5)
    assert closeness(np.zeros((0, 4), np.float32), np.zeros(0, np.float32)).tolist() == [0.0] * 4


def test_equal_likes_make_the_mean_of_all_plus_the_mean_of_the_nearest_three() -> None:
    similarities = np.array([[0.1], [0.5], [0.2], [0.4], [0.3]], np.float32)
    assert closeness(similarities, np.ones(5, np.float32))[0] == pytest.approx(0.3 + 0.4)


def test_terms_are_the_papers_own_words_pairs_first_and_none_twice() -> None:
    why = explain(ranked(default), INTEREST, FIRST)
    assert why.terms[0] == "graph neural networks", "not half of a name"
    told = [word.lower().rstrip("s") for term in why.terms for word in term.replace("-", " ").split()]
    assert len(told) == len(set(told))
    assert len(why.terms) <= 3
    text = f"{FIRST.title} {FIRST.abstract}"
    assert all(term in text for term in why.terms)


def test_words_that_stand_apart_are_no_phrase() -> None:
    apart = Paper("a:0", "Neural networks", "A graph neural model of neural networks and other neural networks.")
    ranker = ranked(default, [*PAPERS, apart])
    assert "graph neural networks" not in explain(ranker, INTEREST, apart).terms
    assert "graph neural networks" in explain(ranker, INTEREST, FIRST).terms
    mixed = Paper("a:1", "Graph Neural Networks", "A graph neural model. Graph Neural Networks, or graph nets.")
    assert "Graph Neural Networks" in explain(ranked(default, [*PAPERS, mixed]), INTEREST, mixed).terms


def test_the_nearest_liked_paper_is_named() -> None:
    ranker = ranked(default)
    assert explain(ranker, INTEREST, FIRST).near == "g:1"
    assert explain(ranker, Interest("a", ("graph",)), FIRST).near == ""
    assert explain(ranker, Interest("a", liked=(Mark("g:0", DAY),)), FIRST).near == ""
    assert explain(ranker, Interest("a", liked=(Mark("v:1", DAY),)), FIRST).near == ""


def test_the_sentence_is_the_one_on_the_interest() -> None:
    sentence = explain(ranked(default), INTEREST, FIRST).sentence
    assert (
        sentence == "We prove that graph neural networks, e.g. those of Kipf et al. and others, forget distant nodes."
    )


def test_no_latex_in_a_reason() -> None:
    interest = Interest("a", ("mathcal penalties", "spectral filters"))
    why = explain(ranked(default), interest, next(one for one in PAPERS if one.id == "g:2"))
    assert "spectral filters" in why.terms
    assert not any(odd in text for odd in "\\${}" for text in (*why.terms, why.sentence))
    assert not any("mathcal" in term for term in why.terms)


@pytest.mark.parametrize("module", [default, tfidf, svm], ids=lambda module: module.__name__.split(".")[-1])
def test_where_nothing_can_be_told_nothing_is_told(module: Any) -> None:
    ranker = ranked(module)
    assert explain(ranker, Interest("empty"), FIRST) == Why()
    assert explain(ranker, Interest("zzz", ("zzz",)), FIRST) == Why()
    assert explain(ranker, INTEREST, Paper("nobody:1", "Unknown")) == Why()


def test_a_ranker_of_another_kind_has_no_reasons() -> None:
    class Other:
        name = "other"

        def fit(self, papers: Sequence[Paper]) -> None: ...

        def append(self, papers: Sequence[Paper]) -> None: ...

        def score(self, interests: Sequence[Interest], rows: Any) -> Any:
            return np.zeros((len(interests), len(rows)), np.float32)

    assert explain(Other(), INTEREST, FIRST) == Why()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "$x$",
        "\x00",
        "\ud800",
        "用于图像识别的深度学习方法。图神经网络用于节点分类。",
        "word. " * 5_000,
        "a" * 99_999,
    ],
)
def test_hostile_abstracts_do_not_break_a_reason(text: str) -> None:
    papers = [*PAPERS, Paper("bad:1", text, text)]
    why = explain(ranked(default, papers), Interest("a", (text, "word"), (Mark("g:1", DAY),)), papers[-1])
    assert isinstance(why, Why)
    assert len(why.sentence) <= 400


def test_sentences() -> None:
    text = "We see e.g. Fig. 2 and J. Doe et al. Nothing else.\n\nNew part. (It ends.) Is it 3.5 times? yes it is"
    assert sentences(text) == [
        "We see e.g. Fig. 2 and J. Doe et al. Nothing else.", "New part.", "(It ends.)", "Is it 3.5 times? yes it is",
    ]  # fmt: skip
    assert sentences(" \n ") == []


def test_words_weigh_nothing_where_the_query_is_empty() -> None:
    ranker = ranked(default)
    assert contributions(ranker, csr_matrix((1, ranker.index.n_terms), dtype=np.float32), 0) == {}


def test_words_that_all_abstracts_use_are_no_reason() -> None:
    text = "Extensive experiments demonstrate that our method outperforms the state of the art on quokkas."
    papers = [*PAPERS, Paper("q:1", "Quokkas", text), Paper("q:2", "Wombats", text.replace("quokkas", "wombats"))]
    terms = explain(ranked(default, papers), Interest("a", liked=(Mark("q:2", DAY),)), papers[-2]).terms
    assert not {"Extensive experiments", "method", "state", "art"} & set(terms)


def test_halves_of_hyphenated_words_are_not_told() -> None:
    papers = [*PAPERS, Paper("z:1", "Learning by example", "We see zero-shot generalisation of policies.")]
    why = explain(ranked(default, papers), Interest("a", ("shot generalisation",)), papers[-1])
    assert "shot generalisation" not in why.terms
    assert "generalisation" in why.terms


def test_a_word_that_also_stands_alone_is_told_though_it_is_half_of_another() -> None:
    """A paper on diffusion models that calls itself diffusion-based had no reason at all."""
    abstract = "Diffusion-based generators are strong. We see Diffusion Models remember whole images."
    papers = [*PAPERS, Paper("z:1", "Memory of images", abstract)]
    why = explain(ranked(default, papers), Interest("a", ("diffusion models",)), papers[-1])
    assert why.terms == ("Diffusion Models",)


def test_texts_that_never_end_a_sentence_or_a_word_are_read_once() -> None:
    """Initials without end, and one word of 100,000 letters: each took half a minute when read from the start."""
    assert len(sentences("A. " * 30_000)) == 1
    assert len(spellings("a" * 100_000)) == 1


def test_what_was_read_of_a_paper_serves_until_the_index_changes() -> None:
    ranker = ranked(default)
    kept = Explainer(ranker)
    interests = [INTEREST, Interest("a", ("images",)), Interest("b", liked=(Mark("t:0", DAY),))]
    for _ in range(2):
        for interest in interests:
            for paper in PAPERS:
                alone, together = explain(ranked(default), interest, paper), kept.why(interest, paper)
                assert together == replace(alone, parts=together.parts)
                assert dict(together.parts) == pytest.approx(dict(alone.parts), abs=1e-5)
        ranker.score(interests, np.arange(len(PAPERS)))  # what is compared for these serves the reasons as well
    changed = replace(FIRST, title="Lakes", abstract="Spectral filters of lakes tell of graphs under the water.")
    ranker.append([changed])
    assert kept.why(INTEREST, changed) == explain(ranker, INTEREST, changed)
    assert kept.why(INTEREST, changed).terms == ("graphs",)
