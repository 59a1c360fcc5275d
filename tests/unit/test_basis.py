from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from recommender import basis, text
from recommender.index import Index
from recommender.types import Paper
from tests.fakes.worlds import world


def learned(papers: list[Paper]) -> Index:
    index = Index()
    index.append(papers)
    index.fit()
    return index


@pytest.mark.parametrize("n", [0, 1, 2, 3, 19, 20, 300])
def test_shapes_and_unit_length(n: int) -> None:
    index = learned(world(n))
    lsa = index.lsa(np.arange(n))
    assert lsa.shape == (n, index.k)
    assert lsa.dtype == np.float32
    assert np.isfinite(lsa).all()
    norms = np.linalg.norm(lsa, axis=1)
    assert np.all(np.isclose(norms, 1, atol=1e-5) | (norms == 0))
    assert index.k <= min(basis.COMPONENTS, max(0, n - 1))
    if n >= 3:
        assert index.k > 0


def test_topics_come_apart() -> None:
    index = learned(world(30))
    similar = index.lsa(np.arange(30)) @ index.lsa(np.arange(30)).T
    kinds = np.arange(30) % 3
    same = kinds[:, None] == kinds[None, :]
    assert similar[same].mean() > similar[~same].mean() + 0.3


def test_a_text_lands_with_its_papers() -> None:
    index = learned(world(30))
    near = index.project(index.vectorise(["image and camera", "nodes and paths"])) @ index.lsa(np.arange(30)).T
    assert set((near[0].argsort()[-10:] % 3).tolist()) == {0}
    assert set((near[1].argsort()[-10:] % 3).tolist()) == {2}


def test_unknown_words_are_zero() -> None:
    index = learned(world(30))
    assert not index.project(index.vectorise(["zzz", ""])).any()


def test_appended_papers_are_projected_and_the_basis_stays() -> None:
    index = learned(world(30))
    before = index.lsa(np.arange(30))
    index.append([Paper("new", world(30)[4].title, world(30)[4].abstract, keywords=world(30)[4].keywords)])
    assert np.array_equal(index.lsa(np.arange(30)), before)
    assert np.allclose(index.lsa([30]), before[4], atol=1e-5)


def test_papers_with_the_same_terms_meet_however_often_they_say_them() -> None:
    index = learned([*world(20), Paper("a", "image camera"), Paper("b", "image camera", "image camera. image camera.")])
    lsa = index.lsa([20, 21])
    assert np.allclose(lsa[0], lsa[1], atol=1e-5)


def test_fits_are_repeatable() -> None:
    one, two = learned(world(60)), learned(world(60))
    assert np.array_equal(one.lsa(np.arange(60)), two.lsa(np.arange(60)))


def test_the_projection_is_u_times_the_root_of_s() -> None:
    index = Index()
    index.append(world(12))
    counts = index.counts(np.arange(12))
    found = basis.learn(counts, index.df, index.hashes)
    dense = found.weigh(counts).toarray()
    left, values, _ = np.linalg.svd(dense.astype(np.float64), full_matrices=False)
    wanted = left[:, : found.k] * np.sqrt(values[: found.k])
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    got = found.project(counts)
    assert np.allclose(got @ got.T, wanted @ wanted.T, atol=1e-3)


def test_weights_are_binary_tf_idf_of_unit_length() -> None:
    index = Index()
    index.append([Paper("a", "graph graph theory"), Paper("b", "graph theory"), Paper("c", "graph")])
    counts = index.counts(np.arange(3))
    weighed = basis.learn(counts, index.df, index.hashes).weigh(counts).toarray()
    graph, theory, pair = np.log(4 / 4) + 1, np.log(4 / 3) + 1, np.log(4 / 3) + 1
    norm = np.sqrt(graph**2 + theory**2 + pair**2)
    assert np.allclose(sorted(weighed[1][weighed[1] > 0]), sorted(np.array([graph, theory, pair]) / norm))
    assert sorted(weighed[2].tolist()) == pytest.approx([0, 0, 1])


def test_rare_terms_and_areas_stay_out(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index()
    index.append(world(30))
    counts, hashes = index.counts(np.arange(30)), index.hashes
    found = basis.learn(counts, index.df, hashes)
    assert index.df[found.cols].min() >= basis.MIN_DF
    assert not np.any((hashes[found.cols] & np.uint64(3)) >= text.AREA)
    monkeypatch.setattr(basis, "MAX_TERMS", 10)
    few = basis.learn(counts, index.df, hashes)
    assert len(few.cols) == 10
    assert index.df[few.cols].min() >= np.sort(index.df[found.cols])[-10:].min()


def test_nothing_in_common_is_no_basis() -> None:
    index = learned([Paper("a", "alpha"), Paper("b", "beta"), Paper("c", "gamma")])
    assert index.k == 0
    assert index.lsa([0, 1]).shape == (2, 0)
    assert index.project(index.vectorise(["alpha"])).shape == (1, 0)
    empty = basis.empty()
    assert empty.weigh(csr_matrix((2, 5), dtype=np.float32)).shape == (2, 0)
