"""What is shown of what was scored."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recommender.bar import THRESHOLDS
from recommender.calibrate import PRIOR, Calibration
from recommender.index import Index
from recommender.pool import Pool
from recommender.select import (
    AUTHOR,
    FOLLOWED,
    NEWEST,
    RELEVANCE,
    Candidate,
    Rules,
    by,
    choose,
    fresh,
    mentions,
    select,
)  # fmt: skip
from recommender.text import plain
from recommender.types import Paper, Ranked, Why

NOW = datetime(2026, 6, 1, tzinfo=UTC)
RELAXED = Rules(least=THRESHOLDS["relaxed"])
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
    shown = picked(papers, scores, rules=Rules(least=THRESHOLDS[strictness]))
    assert set(shown) == {one.id for one, score in zip(papers, scores, strict=True) if score >= THRESHOLDS[strictness]}


def test_ties_go_to_the_newest_and_then_by_id() -> None:
    papers = [paper(3), paper(1), paper(2), paper(9, published=NOW - timedelta(days=1))]
    assert picked(papers, [2.0, 2.0, 2.0, 2.0], 1) == ["p:1"]
    assert picked(papers[::-1], [2.0, 2.0, 2.0, 2.0], 1) == ["p:1"]


def test_nothing_told_apart_falls_back_to_the_newest_and_says_so() -> None:
    papers = [paper(3), paper(1), paper(2), paper(4, published=None, year=2020), paper(5, published=None)]
    shown = ranked(papers, [0.0] * 5, 10, Rules(least=THRESHOLDS["strict"]))
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
    assert picked(papers, [3.0, 2.0, 1.0], rules=Rules(seen={"p:0", "arxiv:1"}, least=THRESHOLDS["relaxed"])) == ["p:2"]


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
    rules = Rules(least=THRESHOLDS["relaxed"], followed=("Lovelace",), muted=("gradient descent", "protein folding"))
    assert picked(papers, [9.0, 8.0, 0.0], rules=rules) == ["p:2"]
    assert picked(papers, [9.0, 8.0, 7.0], rules=Rules(muted=("ada lovelace",))) == ["p:1"]
    assert picked(papers, [0.0, 0.0, 0.0], rules=Rules(muted=("lovelace",))) == ["p:1"]


def test_a_followed_author_passes_the_threshold_and_moves_up() -> None:
    papers = [paper(i, authors=("Ada Lovelace",) if i == 3 else ()) for i in range(4)]
    shown = ranked(papers, [3.0, 2.5, 2.2, -0.5], 4, Rules(least=THRESHOLDS["strict"], followed=("Ada Lovelace",)))
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
    assert set(picked(papers, [2.0] * 8, rules=Rules(least=THRESHOLDS["relaxed"], now=NOW, days=3))) == {
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
    shown = select(index, [Candidate(paper(i), 2.0 - i) for i in range(3)], 2, Rules(least=THRESHOLDS["relaxed"]))
    assert [one.paper for one in shown] == ["p:0", "p:1"]


def test_following_adds_to_the_log_odds_whatever_ratings_made_of_scores() -> None:
    papers = [paper(i, authors=("Ada Lovelace",) if i == 3 else ()) for i in range(4)]
    scores, steep = [9.0, 8.0, 7.0, 6.0], Calibration(-1.0, 20.0)
    assert steep.probability(6.0 + FOLLOWED / steep.steepness) == pytest.approx(
        1 / (1 + np.exp(-(-1.0 + 20.0 * 6.0 + FOLLOWED)))
    )
    far = Rules(followed=("Ada Lovelace",), steepness=steep.steepness)  # 20 log-odds a score: a wish moves nothing
    assert picked(papers, scores, rules=far)[-1] == "p:3"
    near = replace(far, steepness=0.1)
    assert picked(papers, scores, rules=near)[0] == "p:3"


def test_many_candidates_are_bounded() -> None:
    papers = [paper(i, title=f"Title number{i} of some length") for i in range(400)]
    shown = picked(papers, list(np.linspace(5, 1, 400)), 5)
    assert len(shown) == 5


# --- the same, read off one paper at a time: what a prepared pool must agree with

WORDS = ("graph", "speech", "video", "protein", "market", "robot", "图像", "naïve", "of", "theorem")
AUTHORS = (
    "Ada Lovelace",
    "Lovelace, Grace",
    "Aäron van den Oord",
    "Oord",
    "Łukasz Kaiser",
    "M. Beck",
    "李 明",
    "",
    "Bo",
)
NAMES = (*AUTHORS, "a lovelace", "a. oord", "den Oord", "beck", "o", "b beck", "m beck", "l kaiser")


def world(draw: random.Random, n: int) -> list[Paper]:
    """Papers of few words, so that titles, texts and dates often meet."""
    papers: list[Paper] = []
    for at in range(n):
        if papers and draw.random() < 0.2:
            papers.append(replace(draw.choice(papers), id=f"copy:{at}"))
            continue
        title, body = (" ".join(draw.choices(WORDS, k=draw.randint(1, most))) for most in (5, 40))
        published = draw.choice([None, NOW - timedelta(days=draw.randint(0, 5))])
        papers.append(
            Paper(
                f"p:{at}",
                title,
                body + f" item{at}" * draw.randint(0, 1),
                authors=tuple(draw.choices(AUTHORS, k=draw.randint(0, 3))),
                published=published,
                year=draw.choice([None, 2025, 2026]),
                ids=(f"other:{at}",),
            )
        )
    return papers


def plainly(index: Index, candidates: Sequence[Candidate], k: int, rules: Rules) -> list[Ranked]:
    """`select` as its docstring reads, a paper at a time."""
    allowed = [one for one in candidates if not _hidden(one.paper, rules)]
    told = any(abs(one.score) > 1e-5 for one in allowed)
    pool = []
    for one in allowed:
        followed, score = by(one.paper, rules.followed), one.score if told else 0.0
        if followed or not told or score >= rules.least:
            note = AUTHOR if followed else "" if told else NEWEST
            pool.append(
                (score + FOLLOWED / PRIOR.steepness * followed, one.paper, Ranked(one.paper.id, score, Why(note=note)))
            )
    pool.sort(key=lambda entry: (-entry[0], -_came(entry[1]), entry[1].id))
    kept: list[tuple[float, Paper, Ranked]] = []
    for entry in pool:
        if not any(_same(index, entry[1], other) for _, other, _ in kept):
            kept.append(entry)
    if not told:
        return [ranked for _, _, ranked in kept[:k]]
    lifted = np.array([score for score, _, _ in kept])
    span = np.ptp(lifted) if kept else 0.0
    meaning = index.lsa(index.rows([paper.id for _, paper, _ in kept]))
    order: list[int] = []
    while len(order) < min(k, len(kept)):
        nearest = np.max([meaning @ meaning[at] for at in order], axis=0).clip(0) if order else np.zeros(len(kept))
        worth = RELEVANCE * ((lifted - lifted.min()) / span if span else 0.0) - (1 - RELEVANCE) * nearest
        worth[order] = -np.inf
        order.append(int(np.argmax(worth)))
    chosen = [kept[at] for at in order]
    owed = [entry for entry in kept if entry[2].why.note == AUTHOR][: (k + 1) // 2]
    missing = [entry for entry in owed if entry not in chosen]
    while missing and len(chosen) + len(missing) > k:
        chosen.remove([entry for entry in chosen if entry not in owed][-1])
    return [ranked for _, _, ranked in [*chosen, *missing]]


def _hidden(paper: Paper, rules: Rules) -> bool:
    seen = bool({paper.id, *paper.ids} & set(rules.seen))
    return seen or mentions(paper, rules.muted) or by(paper, rules.muted)


def _came(paper: Paper) -> float:
    year = datetime(paper.year, 1, 1).timestamp() if paper.year else -np.inf  # noqa: DTZ001
    return paper.published.timestamp() if paper.published else year


def _same(index: Index, one: Paper, other: Paper) -> bool:
    title = plain(one.title)
    first, second = (set(index.counts(index.rows([paper.id])).indices.tolist()) for paper in (one, other))
    alike = first and second and len(first & second) >= np.float32(0.7) * np.sqrt(np.float32(len(first) * len(second)))
    return bool(alike) or (title == plain(other.title) and len(title.split()) >= 4)


@pytest.mark.parametrize("seed", range(40))
def test_a_prepared_pool_selects_what_reading_paper_by_paper_selects(seed: int) -> None:
    draw = random.Random(seed)
    papers = world(draw, draw.choice([0, 1, 5, 60]))
    index = Index()
    index.append(papers)
    index.fit()
    pool = Pool(index, papers, [None] * len(papers))
    for _ in range(6):
        flat = draw.random() < 0.2
        scores = [0.0 if flat else float(np.float32(draw.choice([draw.gauss(1, 1), 1.5]))) for _ in papers]
        rules = Rules(
            seen={draw.choice(["p:1", "p:2", "other:3", "copy:4", "zzz"]) for _ in range(draw.randint(0, 60))},
            least=draw.choice(list(THRESHOLDS.values())),
            followed=tuple(draw.sample(NAMES, draw.randint(0, 2))),
            muted=tuple(draw.sample((*NAMES, "graph speech", "图像", "zzz"), draw.randint(0, 2))),
        )
        k, candidates = draw.randint(0, 8), [Candidate(*pair) for pair in zip(papers, scores, strict=True)]
        expected = plainly(index, candidates, k, rules)
        assert choose(pool, np.array(scores, np.float32), k, rules) == expected
        assert select(index, candidates, k, rules) == expected


@pytest.mark.parametrize("seed", range(10))
def test_names_and_words_of_a_pool_are_those_of_its_papers(seed: int) -> None:
    papers = world(random.Random(seed), 30)
    pool = Pool(Index(), papers, [None] * 30)
    for word in (*NAMES, *WORDS, "graph speech", "...", "\x00", "\ud800"):
        assert pool.by((word,)).tolist() == [by(paper, (word,)) for paper in papers]
        assert pool.mentioning((word,)).tolist() == [mentions(paper, (word,)) for paper in papers]
    assert pool.muted(("Oord", "graph")).tolist() == [
        by(paper, ("Oord", "graph")) or mentions(paper, ("Oord", "graph")) for paper in papers
    ]


def test_only_some_of_a_pool_can_be_looked_at() -> None:
    papers = [paper(i) for i in range(6)]
    index = Index()
    index.append(papers)
    pool = Pool(index, papers, [None] * 6)
    among = np.array([False, True, True, False, False, True])
    shown = choose(pool, np.array([9.0, 8.0, 7.0, 6.0, 5.0, 4.0]), 10, RELAXED, among)
    assert {one.paper for one in shown} == {"p:1", "p:2", "p:5"}
