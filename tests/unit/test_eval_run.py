"""Running sets: known answers on tiny worlds, chance, leaks, seeds and protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import pytest

from recommender.evaluate.background import Background
from recommender.evaluate.folder import load
from recommender.evaluate.jsonl import BadSetError
from recommender.evaluate.known import known_items
from recommender.evaluate.measures import FIRST, LOSS, MRR, NDCG, PAIRS
from recommender.evaluate.remembered import half, rarest, slip
from recommender.evaluate.report import as_json
from recommender.evaluate.run import Protocol, prepare, run
from recommender.evaluate.topics import topic_words
from recommender.index import Index
from recommender.rankers.default import Default
from recommender.rankers.recent import Recent
from recommender.rankers.tfidf import Tfidf
from recommender.types import FloatArray, Interest, Paper, RowArray
from tests.fakes import judged
from tests.fakes.worlds import paper, world


class Constant(Tfidf):
    name = "constant"

    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        return np.zeros((len(interests), rows.size), np.float32)


BACKGROUND = Background(world(30))


def test_words_that_tell_the_kinds_apart_are_perfect(tmp_path: Path) -> None:
    found = run(load(judged.people(tmp_path / "toy")), BACKGROUND, {"default": Default, "tfidf": Tfidf}, (0, 1))
    for name in ("default", "tfidf"):
        assert found.values(name, LOSS).tolist() == [0.0, 0.0]
        assert found.values(name, PAIRS).tolist() == [1.0, 1.0]
        assert found.values(name, NDCG) == pytest.approx([1.0, 1.0])


def test_a_constant_scorer_scores_as_chance(tmp_path: Path) -> None:
    found = run(load(judged.people(tmp_path / "toy")), BACKGROUND, {"constant": Constant}, (0,))
    assert found.values("constant", LOSS) == found.values("constant", PAIRS) == 0.5
    discounts = [1 / np.log2(place + 2) for place in range(10)]  # four of twelve candidates are good
    assert found.values("constant", NDCG)[0] == pytest.approx(sum(discounts) / 3 / sum(discounts[:4]))
    places = [comb(12 - first, 3) / comb(12, 4) / first for first in range(1, 10)]
    assert found.values("constant", MRR)[0] == pytest.approx(sum(places))


class Broken(Tfidf):
    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        return np.full((len(interests), rows.size), np.nan, np.float32)


def test_a_ranker_that_gives_no_numbers_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSetError, match="The ranker broken gives u0 a score that is no number"):
        run(load(judged.people(tmp_path / "toy")), BACKGROUND, {"broken": Broken}, (0,))


def test_the_order_of_the_candidates_tells_nothing(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "toy")
    rows = sorted((folder / "qrels.tsv").read_text().splitlines()[1:], key=lambda row: row.split()[2])
    (folder / "qrels.tsv").write_text("\n".join(rows))  # the good ones last
    found = run(load(folder), BACKGROUND, {"recent": Recent}, range(8)).values("recent", PAIRS)
    assert found.mean() == pytest.approx(0.5, abs=0.2)


def test_only_the_sets_own_papers_describe_them(tmp_path: Path) -> None:
    task = load(judged.people(tmp_path / "toy"))
    twins = [replace(paper(f"twin{at}"), title=f" {one.title.upper()}! ") for at, one in enumerate(task.candidates)]
    twins += [paper("own", task.stored[0].title), paper("else", "Another thing")]
    background = Background([*world(30), *twins])
    for protocol in Protocol:
        held = prepare(task, background, 0, protocol)
        ids = set(held.ids(np.flatnonzero(held.live)))
        assert {one.id for one in (*task.stored, *task.candidates)} <= ids
        assert {one for one in ids if one.startswith("t:twin") or one == "t:own"} == set()
        assert "t:else" in ids
    assert len(background.index) == 30 + len(twins), "the next set gets the whole background"


def test_as_deployed_the_candidates_are_not_learnt_from(tmp_path: Path) -> None:
    task = load(judged.people(tmp_path / "toy"))
    deployed, refit = (prepare(task, BACKGROUND, 0, protocol) for protocol in Protocol)
    assert deployed.fitted == 30 + len(task.stored)
    assert refit.fitted == len(deployed) == len(refit) == 30 + len(task.stored) + len(task.candidates)
    assert (deployed.rows([one.id for one in task.candidates]) >= deployed.fitted).all()


def test_a_seed_moves_the_basis_the_sample_and_the_order_and_gives_the_same_again(tmp_path: Path) -> None:
    task = load(judged.people(tmp_path / "toy", n=60))
    background = Background(world(330))
    first, again, other = (prepare(task, background, seed, Protocol.DEPLOYED) for seed in (1, 1, 2))
    rows = np.arange(50)
    assert np.array_equal(first.lsa(rows), again.lsa(rows))
    assert not np.array_equal(first.lsa(rows), other.lsa(rows))
    assert not np.array_equal(first.sample(), other.sample())
    late = range(first.fitted, first.n_rows)
    assert first.ids(late) == again.ids(late) != other.ids(late)
    assert sorted(first.ids(late)) == sorted(other.ids(late))


def test_what_was_typed_is_looked_up_by_default(tmp_path: Path) -> None:
    task = load(judged.queries(tmp_path / "asked"))
    found = run(task, BACKGROUND, {"default": Default, "tfidf": Tfidf, "random": None}, (0,))
    assert found.values("default", MRR).tolist() == found.values("tfidf", MRR).tolist() == [1.0]


def test_topic_words_never_see_the_keywords() -> None:
    rows = [
        paper(at, f"Title {at}", "about cats" if at < 12 else "about dogs", keywords=("Felines!",) if at < 12 else ())
        for at in range(40)
    ]
    rows += [paper(f"many{at}", "Other", keywords=("common",)) for at in range(201)]
    rows += [paper(f"few{at}", "Other", keywords=("rare",)) for at in range(9)]
    task = topic_words(rows)
    assert [case.name for case in task.cases] == ["felines"], "10 to 200 papers hold it"
    assert set(task.cases[0].grades) == {f"t:{at}" for at in range(12)}
    assert len(task.cases[0].pool) == 250
    assert all(not one.keywords for one in task.stored)
    found = run(task, Background(world(9)), {"tfidf": Tfidf}, (0,))
    assert found.values("tfidf", PAIRS).tolist() == [0.5], "the word is in no title and no abstract"


def test_topic_words_are_drawn_by_a_fixed_seed() -> None:
    rows = [paper(at, keywords=tuple(f"word {at % 5 + 5 * n}" for n in range(60))) for at in range(60)]
    first, again = topic_words(rows), topic_words(rows)
    assert len(first.cases) == 200
    assert [case.name for case in first.cases] == [case.name for case in again.cases]
    assert [case.name for case in topic_words(rows, 1).cases] != [case.name for case in first.cases]


def titled(n: int) -> list[Paper]:
    """Return papers whose titles share no word."""
    names = ["kappa", "delta", "sigma", "omega", "theta", "gamma"]
    return [
        paper(
            at,
            " ".join(f"{name}{chr(97 + at)}{name[::-1]}" for name in names),
            " ".join(f"{chr(97 + at)}{chr(97 + m)}word" for m in range(14)),
        )
        for at in range(n)
    ]


def test_known_items_are_found() -> None:
    papers = titled(20)
    index = Index()
    index.append(papers)
    found = known_items(index, [*papers, paper("short", "Too short", papers[0].abstract)])
    assert [one.name for one in found] == [
        "known-items (with a slip)", "known-items (half the words)", "known-items (six rare words)",
    ]  # fmt: skip
    for one in found:
        assert len(one.groups) == 20
        assert one.values("default", FIRST).tolist() == one.values("default", MRR).tolist() == [1.0]
    assert known_items(index, []) == []


def test_twins_count_as_the_same_paper_and_what_is_not_there_is_not_found() -> None:
    papers = titled(3)
    index = Index()
    index.append([*papers[:2], replace(papers[0], id="t:twin")])
    found = known_items(index, [*papers[:1], replace(papers[0], id="t:twin"), papers[2]])
    assert [one.values("default", FIRST)[0] for one in found] == [pytest.approx(2 / 3)] * 3


def test_slips_of_the_pen() -> None:
    rng = np.random.default_rng(0)
    title = "Attention Is All You Need, indeed"
    slips = {slip(title, rng) for _ in range(300)}
    assert title not in slips
    assert {len(one) - len(title) for one in slips} == {-1, 0, 1}
    assert len(slips) > 100
    assert all("Is All You" in one for one in slips), "short words are spelt right"
    assert slip("量子计算", rng) == "量子计"


def test_half_of_the_words_and_the_rare_ones() -> None:
    rng = np.random.default_rng(0)
    kept = half("one two three four five", rng).split()
    assert len(kept) == 3
    assert kept == sorted(kept, key=["one", "two", "three", "four", "five"].index)
    index = Index()
    index.append(world(30))
    assert rarest(index, "We learn vision from cameras, unknownword") == "vision cameras learn"


def test_where_nothing_is_graded_above_zero_there_is_nothing_to_measure(tmp_path: Path) -> None:
    folder = judged.people(tmp_path / "toy")
    rows = [row.split("\t") for row in (folder / "qrels.tsv").read_text().splitlines()[1:]]
    (folder / "qrels.tsv").write_text("\n".join(f"{user}\t{one}\t0" for user, one, _ in rows))
    found = run(load(folder), BACKGROUND, {"tfidf": Tfidf}, (0,))
    told = as_json(found)["toy"]["tfidf"]
    assert all(0.0 <= value <= 1.0 for metric in told.values() for value in metric.values())
