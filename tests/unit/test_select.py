"""What is shown of what was scored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recommender.index import Index
from recommender.select import (
    AUTHOR,
    NEWEST,
    THRESHOLDS,
    Candidate,
    Rules,
    by,
    fresh,
    interleave,
    mentions,
    select,
)  # fmt: skip
from recommender.types import Paper, Ranked

NOW = datetime(2026, 6, 1, tzinfo=UTC)
RELAXED = Rules(strictness="relaxed")
SUBJECTS = (
    "gradient descent converges on convex losses", "protein folding with equivariant transformers",
    "speech recognition of rare languages", "graph colouring by local search", "robots grasp deformable objects",
    "auction design under budgets", "video compression with learned codecs", "causal discovery from interventions",
)  # fmt: skip


def paper(number: int, **given: object) -> Paper:
    """A paper on a subject of its own."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    fields: dict[str, object] = {
        "id": f"p:{number}",
        "title": f"{subject.capitalize()}, study {number}",
        "abstract": f"We look at {subject}.",
        "published": NOW - timedelta(days=number),
    }
    return Paper(**(fields | given))  # type: ignore[arg-type]


def picked(papers: list[Paper], scores: list[float], k: int = 10, rules: Rules = RELAXED) -> list[str]:
    """Ids of what is selected, with the papers in an index of their own."""
    return [one.paper for one in ranked(papers, scores, k, rules)]


def ranked(papers: list[Paper], scores: list[float], k: int, rules: Rules) -> list[Ranked]:
    index = Index()
    index.append(papers)
    index.fit()
    return select(index, [Candidate(*pair) for pair in zip(papers, scores, strict=True)], k, rules)


def test_the_best_come_first_and_no_more_than_k() -> None:
    papers = [paper(i) for i in range(5)]
    assert picked(papers, [1.0, 5.0, 3.0, 4.0, 2.0], 3)[0] == "p:1"
    assert len(picked(papers, [1.0, 5.0, 3.0, 4.0, 2.0], 3)) == 3
    assert picked(papers, [1.0] * 5, 0) == []
    assert picked([], []) == []


@pytest.mark.parametrize("strictness", list(THRESHOLDS))
def test_a_stricter_interest_shows_less(strictness: str) -> None:
    papers = [paper(i) for i in range(5)]
    scores = [-1.0, 0.5, 1.5, 2.5, 3.5]
    shown = picked(papers, scores, rules=Rules(strictness=strictness))
    assert set(shown) == {one.id for one, score in zip(papers, scores, strict=True) if score >= THRESHOLDS[strictness]}


def test_an_unknown_strictness_is_refused() -> None:
    with pytest.raises(KeyError):
        picked([paper(0)], [1.0], rules=Rules(strictness="harsh"))


def test_ties_go_to_the_newest_and_then_by_id() -> None:
    papers = [paper(3), paper(1), paper(2), paper(9, published=NOW - timedelta(days=1))]
    assert picked(papers, [2.0, 2.0, 2.0, 2.0], 1) == ["p:1"]
    assert picked(papers[::-1], [2.0, 2.0, 2.0, 2.0], 1) == ["p:1"]


def test_nothing_told_apart_falls_back_to_the_newest_and_says_so() -> None:
    papers = [paper(3), paper(1), paper(2), paper(4, published=None, year=2020), paper(5, published=None)]
    shown = ranked(papers, [0.0] * 5, 10, Rules(strictness="strict"))
    assert [one.paper for one in shown] == ["p:1", "p:2", "p:3", "p:4", "p:5"]
    assert {one.why.note for one in shown} == {NEWEST}


def test_a_score_that_is_no_number_never_wins() -> None:
    papers = [paper(i) for i in range(4)]
    assert picked(papers, [float("nan"), float("inf"), 1.0, 2.0]) == ["p:3", "p:2"]
    assert picked(papers, [float("nan"), 0.0, 2.0, 1.0], 1) == ["p:2"]
    broken = ranked(papers, [float("nan")] * 4, 1, RELAXED)
    assert [(one.paper, one.score, one.why.note) for one in broken] == [("p:0", 0.0, NEWEST)]


def test_seen_papers_stay_away_under_each_of_their_ids() -> None:
    papers = [paper(0), paper(1, ids=("arxiv:1",)), paper(2)]
    assert picked(papers, [3.0, 2.0, 1.0], rules=Rules(seen={"p:0", "arxiv:1"}, strictness="relaxed")) == ["p:2"]


def test_a_hundred_copies_show_once() -> None:
    papers = [paper(0, id=f"copy:{i}", published=NOW) for i in range(100)] + [paper(1)]
    assert sorted(picked(papers, [2.0] * 100 + [1.0])) == ["copy:0", "p:1"]


def test_one_paper_under_two_titles_shows_once() -> None:
    text = "We study how " + " and ".join(f"{subject} {i}" for i, subject in enumerate(SUBJECTS)) + " meet."
    papers = [paper(0, title="Short", abstract=text), paper(1, title="Another name", abstract=text + " Code is there.")]
    assert picked(papers, [1.0, 2.0]) == ["p:1"]


def test_one_title_in_two_spellings_shows_once_but_short_titles_may_repeat() -> None:
    papers = [
        paper(0, title="A Study of Très Long Titles"), paper(1, title="a study of tres long  titles!"),
        paper(2, title="Editorial"), paper(3, title="Editorial"),
    ]  # fmt: skip
    assert sorted(picked(papers, [1.0, 2.0, 1.0, 1.0])) == ["p:1", "p:2", "p:3"]


def test_a_near_equal_paper_on_something_else_comes_before_more_of_the_same() -> None:
    words = "graph colouring by local search with tabu lists"
    same = [paper(i, title=f"On colouring, part{i}", abstract=f"{words} x{i} y{i} z{i} v{i} u{i}") for i in range(4)]
    other = paper(7)
    filler = [paper(20 + i, title=f"Plain{i}", abstract=SUBJECTS[i]) for i in range(6)]
    assert "p:7" in picked([*same, other, *filler], [3.0, 2.99, 2.98, 2.97, 2.9, *[0.0] * 6], 2)


@pytest.mark.parametrize(
    ("phrase", "text", "there"),
    [
        ("graph", "Graph search", True),
        ("graph", "Graphs and paragraphs", False),
        ("local search", "fast local-search heuristics", True),
        ("search local", "local search", False),
        ("NAÏVE bayes", "Naive Bayes", True),
        ("self-supervised", "Self supervised", True),
        ("c", "vitamin C", True),
        ("图像", "用于图像识别", True),
        ("", "anything", False),
        ("...", "anything", False),
        ("x", "$x$ is", True),
    ],
)
def test_muted_words_match_whole_words(phrase: str, text: str, there: bool) -> None:
    assert mentions(Paper("p", text), (phrase,)) is there
    assert mentions(Paper("p", "t", text), ("nothing here", phrase)) is there


def test_a_phrase_does_not_reach_from_title_into_abstract() -> None:
    assert not mentions(Paper("p", "On graph", "search is local"), ("graph search",))


@pytest.mark.parametrize(
    ("name", "author", "same"),
    [
        ("Yann LeCun", "Yann LeCun", True),
        ("lecun", "Yann LeCun", True),
        ("LeCun", "LeCun, Yann", True),
        ("Yann", "Yann LeCun", False),
        ("van den Oord", "Aäron van den Oord", True),
        ("aaron van den oord", "Oord, Aäron van den", True),
        ("Cun", "Yann LeCun", False),
        ("", "Yann LeCun", False),
    ],
)
def test_authors_match_in_full_or_by_surname(name: str, author: str, same: bool) -> None:
    assert by(Paper("p", "t", authors=("Someone Else", author)), (name,)) is same


def test_mute_is_absolute() -> None:
    papers = [paper(0, authors=("Ada Lovelace",)), paper(1), paper(2, authors=("Ada Lovelace",))]
    rules = Rules(strictness="relaxed", followed=("Lovelace",), muted=("gradient descent", "protein folding"))
    assert picked(papers, [9.0, 8.0, 0.0], rules=rules) == ["p:2"]
    assert picked(papers, [9.0, 8.0, 7.0], rules=Rules(muted=("ada lovelace",))) == ["p:1"]
    assert picked(papers, [0.0, 0.0, 0.0], rules=Rules(muted=("lovelace",))) == ["p:1"]


def test_a_followed_author_passes_the_threshold_and_moves_up() -> None:
    papers = [paper(i, authors=("Ada Lovelace",) if i == 3 else ()) for i in range(4)]
    shown = ranked(papers, [3.0, 2.5, 2.2, -0.5], 4, Rules(strictness="strict", followed=("Ada Lovelace",)))
    assert {one.paper for one in shown} == {"p:0", "p:1", "p:2", "p:3"}
    assert {one.paper: one.why.note for one in shown}["p:3"] == AUTHOR
    assert {one.paper: one.score for one in shown}["p:3"] == -0.5


@pytest.mark.parametrize("name", ["Lukasz Kaiser", "Łukasz Kaiser", "l. kaiser", "Kaiser", "Kaiser, Łukasz"])
def test_an_author_is_found_however_the_name_is_written(name: str) -> None:
    assert by(paper(1, authors=("Łukasz Kaiser",)), (name,))
    assert not by(paper(1, authors=("Łukasz Kaiserin",)), (name,))


def test_followed_authors_have_up_to_half_of_the_places() -> None:
    papers = [paper(i, authors=("Ada Lovelace",) if i >= 6 else ()) for i in range(10)]
    shown = ranked(papers, [9.0 - i for i in range(10)], 4, Rules(followed=("A. Lovelace",)))
    assert [one.paper for one in shown] == ["p:0", "p:1", "p:6", "p:7"]
    assert [one.why.note for one in shown] == ["", "", AUTHOR, AUTHOR]


def test_only_fresh_papers_where_days_are_given() -> None:
    papers = [paper(i) for i in range(8)]
    assert set(picked(papers, [2.0] * 8, rules=Rules(strictness="relaxed", now=NOW, days=3))) == {
        "p:0",
        "p:1",
        "p:2",
        "p:3",
    }


@pytest.mark.parametrize(
    ("published", "year", "seen", "new"),
    [
        (2, None, None, True),
        (9, None, 1, False),
        (-1, None, None, True),
        (None, 2026, 2, True),
        (None, 2025, 2, True),
        (None, 2024, 2, False),
        (None, 2026, 9, False),
        (None, None, 2, True),
        (None, None, 9, False),
        (None, None, None, True),
    ],
)
def test_fresh(published: int | None, year: int | None, seen: int | None, new: bool) -> None:
    def ago(days: int | None) -> datetime | None:
        return None if days is None else NOW - timedelta(days=days)

    assert fresh(Paper("p", "t", published=ago(published), year=year), ago(seen), NOW, 7) is new


def test_papers_the_index_does_not_hold_are_still_shown() -> None:
    index = Index()
    shown = select(index, [Candidate(paper(i), 2.0 - i) for i in range(3)], 2, Rules(strictness="relaxed"))
    assert [one.paper for one in shown] == ["p:0", "p:1"]


def test_interests_take_turns() -> None:
    first = [Ranked("a", 3.0), Ranked("b", 2.0), Ranked("c", 1.0)]
    second = [Ranked("x", 9.0), Ranked("b", 2.5)]
    assert [(at, one.paper) for at, one in interleave([first, second], 10)] == [(0, "a"), (1, "x"), (0, "c"), (1, "b")]
    assert [one.paper for _, one in interleave([first, second], 2)] == ["a", "x"]
    assert interleave([], 5) == interleave([[], []], 5) == interleave([first], 0) == []


def test_a_paper_level_in_two_interests_belongs_to_the_first() -> None:
    assert interleave([[Ranked("a", 1.0)], [Ranked("a", 1.0)]], 5) == [(0, Ranked("a", 1.0))]


def test_many_candidates_are_bounded() -> None:
    papers = [paper(i, title=f"Title number{i} of some length") for i in range(400)]
    shown = picked(papers, list(np.linspace(5, 1, 400)), 5)
    assert len(shown) == 5
