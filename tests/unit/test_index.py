from __future__ import annotations

import copy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recommender import segment, text
from recommender.index import Index
from recommender.search import search
from recommender.types import Paper
from tests.fakes.worlds import numbers, paper, world

WORDS = ["graph", "graphs", "neural", "network", "vision", "speech", "the", "protein", "multi-modal", "量子計算"]


papers = st.builds(
    lambda n, title, abstract, area, author: paper(n, title, abstract, categories=area, authors=author),
    st.integers(0, 6),
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    st.lists(st.sampled_from(["a", "b"]), max_size=2).map(tuple),
    st.lists(st.sampled_from(["Ada Lovelace", "Bo Li"]), max_size=2).map(tuple),
)


@given(st.lists(papers, max_size=12), st.lists(st.integers(0, 12), max_size=4), st.lists(st.integers(0, 7), max_size=2))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_appending_in_parts_is_appending_at_once(batch: list[Paper], cuts: list[int], gone: list[int]) -> None:
    whole, parts = Index(), Index()
    whole.append(batch)
    edges = [0, *sorted(cuts), len(batch)]
    for start, end in pairwise(edges):
        parts.append(batch[start:end])
    for index in (whole, parts):
        index.remove([f"t:{n}" for n in gone])
    assert numbers(whole) == numbers(parts)


def test_many_papers_are_counted_in_pieces_as_at_once() -> None:
    many = [*world(2_500), paper(3, "Written anew"), paper(1_300, "量子計算", "É" * 70)]
    whole, parts = Index(), Index()
    whole.append(many)
    for start, end in pairwise([0, 5, 1_030, 1_100, 2_400, len(many)]):
        parts.append(many[start:end])
    assert numbers(whole) == numbers(parts)
    assert [one.tolist() for one in whole.parts[0].data.arrays().values()] == [
        one.tolist() for one in segment.merge([part.data for part in parts.parts]).arrays().values()
    ]


@given(st.lists(papers, max_size=10), st.lists(papers, max_size=5), st.lists(st.integers(0, 7), max_size=2))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_fitting_is_building_anew_from_what_is_live(first: list[Paper], second: list[Paper], gone: list[int]) -> None:
    grown = Index()
    grown.append(first)
    grown.fit()
    grown.append(second)
    grown.remove([f"t:{n}" for n in gone])
    order = grown.ids(np.flatnonzero(grown.live))
    newest = {one.id: one for one in [*first, *second]}
    grown.fit()
    fresh = Index()
    fresh.append([newest[one] for one in order])
    fresh.fit()
    after, before = numbers(fresh), numbers(grown)
    for changing in ("sample", "near"):  # drawn anew in each generation; knows spellings of removed papers
        after.pop(changing)
        before.pop(changing)
    assert before == after


@given(st.lists(papers, max_size=10))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_document_frequencies_are_those_of_live_papers(batch: list[Paper]) -> None:
    index = Index()
    for one in batch:
        index.append([one])
        assert np.array_equal(index.df, (index.counts(np.flatnonzero(index.live)) > 0).sum(axis=0).A1)


def test_counts_are_those_of_the_text() -> None:
    index = Index()
    index.append(world(5))
    row = index.counts([3])
    wanted = [*text.term_hashes(text.paper_text(world(5)[3])).tolist(), text.area_hash("vision")]
    held = index.hashes[row.indices]
    assert dict(zip(held.tolist(), row.data.tolist(), strict=True)) == {h: wanted.count(h) for h in set(wanted)}
    assert row.dtype == np.float32
    assert row.has_sorted_indices
    assert row.shape == (1, index.n_terms)


def test_rows_in_any_order_and_twice() -> None:
    index = Index()
    for at in range(0, 40, 8):
        index.append(world(8, at))
    rows = np.array([39, 0, 17, 17, 3])
    dense = index.counts(np.arange(40)).toarray()
    assert np.array_equal(index.counts(rows).toarray(), dense[rows])
    assert index.counts([]).shape == (0, index.n_terms)
    assert index.ids(rows) == ["t:39", "t:0", "t:17", "t:17", "t:3"]
    assert index.rows(["t:17", "nobody", "t:39"]).tolist() == [17, -1, 39]
    assert index.lsa(rows).shape == (5, 0)


def test_segments_stay_few() -> None:
    index = Index()
    for at in range(64):
        index.append(world(1, at))
    assert len(index.parts) <= 7
    assert len(index) == 64


def test_removed_and_appended_again() -> None:
    index = Index()
    index.append(world(4), last=4)
    index.remove(["t:1", "t:1", "unknown"], last=5)
    assert (len(index), index.n_rows, index.last) == (3, 4, 5)
    assert index.rows(["t:1"]).tolist() == [-1]
    index.append([paper(1, "Quite another title")], last=6)
    assert index.rows(["t:1"]).tolist() == [4]
    assert index.live.tolist() == [True, False, True, True, True]
    index.append([paper(1, "A third title")])
    assert (len(index), index.rows(["t:1"]).tolist(), index.last) == (4, [5], 6)
    index.fit()
    assert (len(index), index.n_rows, index.last) == (4, 4, 6)
    assert index.ids(index.rows(["t:1", "t:0"])) == ["t:1", "t:0"]


def test_the_last_of_one_batch_wins() -> None:
    index = Index()
    index.append([paper(1, "old words"), paper(2), paper(1, "new terms")])
    assert len(index) == 2
    assert index.rows(["t:1"]).tolist() == [2]
    assert not search(index, "old words")
    assert search(index, "new terms")[0].row == 2


def test_live_is_not_changed_under_a_reader() -> None:
    index = Index()
    index.append(world(3))
    held = index.live
    index.remove(["t:0"])
    assert held.all()
    assert not index.live.all()


def test_a_copy_stays_as_it_is() -> None:
    index = Index()
    index.append(world(30))
    index.fit()
    kept, before = copy.copy(index), numbers(index)
    index.append(world(5, 30))
    index.remove(["t:3"])
    assert numbers(kept) == before
    after = numbers(index)
    work = copy.copy(index)
    work.append([paper(4, "Another title")])
    work.fit()
    work.append(world(20, 50))
    assert numbers(kept) == before
    assert numbers(index) == after
    assert work.generation > index.generation


def test_a_write_that_fails_changes_nothing() -> None:
    index = Index()
    index.append(world(5), last=5)
    before = numbers(index)
    with pytest.raises(AttributeError):
        index.append([*world(3, 5), None], last=9)  # type: ignore[list-item]
    assert numbers(index) == before
    assert index.last == 5


def test_vectorise_drops_unknown_terms_and_knows_areas() -> None:
    index = Index()
    index.append(world(6))
    counts = index.vectorise(["pixels and zebras", "VISION!", "zzz", ""])
    assert counts.shape == (4, index.n_terms)
    assert counts.sum(axis=1).A1.tolist() == [1, 2, 0, 0]
    assert set(index.hashes[counts[1].indices].tolist()) == {
        text.area_hash("vision"),
        *text.hash_terms(["vision"]).tolist(),
    }
    assert index.columns(np.zeros(0, np.uint64)).tolist() == []


def test_sample_stays_while_papers_come() -> None:
    index = Index()
    index.append(world(400))
    index.fit()
    before = index.sample(300)
    assert len(set(before.tolist())) == 300
    index.append(world(50, 400))
    assert np.array_equal(index.sample(300), before)
    index.remove(index.ids(before[:10]))
    assert len(index.sample(300)) == 300
    assert not set(before[:10].tolist()) & set(index.sample(300).tolist())
    assert Index().sample().tolist() == []


def test_sample_of_a_small_fit_is_of_all_papers() -> None:
    index = Index()
    index.append(world(10))
    index.fit()
    index.append(world(100, 10))
    assert len(index.sample(300)) == 110


def test_nearest_words() -> None:
    index = Index()
    assert index.nearest_words("grapf") == []
    index.append([paper(1, "Graph theory", "graph graphs language"), paper(2, "Grape", "languages"), paper(3, "graph")])
    assert index.nearest_words("grapf") == ["graph", "grape"]
    assert index.nearest_words("GRPAH")[0] == "graph"
    assert index.nearest_words("langauge")[0] == "language"
    assert index.nearest_words("zzz") == []
    assert index.nearest_words("") == []
    index.remove(["t:2"])
    assert "grape" not in index.nearest_words("grapf")


@pytest.mark.parametrize("n", [0, 1, 2, 19, 20])
def test_small_corpora(n: int, tmp_path: Path) -> None:
    index = Index(tmp_path)
    index.append(world(n))
    index.fit()
    assert len(index) == n
    assert index.lsa(np.arange(n)).shape == (n, index.k)
    assert np.isfinite(index.lsa(np.arange(n))).all()
    index.append(world(3, n))
    assert len(index) == n + 3
    assert numbers(Index(tmp_path)) == numbers(index)
    assert search(index, f"Study {n} of")[0].row == n


@pytest.mark.parametrize(
    "abstract",
    ["", "the of and", "1 2 3 4", "a a a", "x", "量子計算機", r"$\alpha_\b{c$ \textbf{", "\u200b\u202e\ufeff", "ﬁ\x00ﬂ",
     "😀" * 50, "\ud800", "word " * 200_000],
)  # fmt: skip
def test_hostile_abstracts(abstract: str, tmp_path: Path) -> None:
    index = Index(tmp_path)
    same = [
        Paper(f"t:{n}\ud800", abstract[:90], abstract, (abstract[:50],), keywords=(abstract[:20],)) for n in range(5)
    ]
    index.append([*same, *(Paper(f"e:{n}", "") for n in range(3))])
    index.fit()
    index.append([Paper("late", "x", abstract)])
    assert len(index) == 9
    assert numbers(Index(tmp_path)) == numbers(index)
    search(index, abstract)


def test_identical_papers() -> None:
    index = Index()
    index.append([Paper(f"t:{n}", "Same title here", "Same abstract about graphs.") for n in range(50)])
    index.fit()
    lsa = index.lsa(np.arange(50))
    assert np.allclose(lsa, lsa[0])


def test_every_array_has_a_type() -> None:
    assert set(segment.DTYPES) == set(segment.build([], lambda hashes: np.zeros(0, np.int64), 0).arrays())
