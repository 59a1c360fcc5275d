from __future__ import annotations

import random
import statistics
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recommender.index import Index
from recommender.search import Hit, search
from recommender.types import Paper
from tests.fakes.worlds import SHARED, corpus, seed_titles, slip, world

SHELF = [
    Paper("t:0", "Attention Is All You Need", "Transformers use attention only.", ("Ashish Vaswani", "Noam Shazeer")),
    Paper("t:1", "What Is It Like to Be a Bat?", "On consciousness.", ("Thomas Nagel",)),
    Paper("t:2", "Deep Residual Learning for Image Recognition", "Deep networks of layers.", ("Kaiming He", "X. Long")),
    Paper("t:3", "Long Context Language Models", "A long context window for long documents.", ("Ada Lovelace",)),
    Paper("t:4", "Graph Attention Networks", "Attention over neighbours.", ("Petar Veličković", "Yoshua Bengio")),
    Paper("t:5", "Properties of Neural Machine Translation", "Encoders.", ("Cho, Kyunghyun", "Bengio, Yoshua")),
    Paper("t:6", "大语言模型综述", "关于大语言模型的研究", ("李明",)),
    Paper("t:7", "An O(n log n) Café: Naïve Sorting", r"Sorts in $O(n\log n)$ with \textbf{heaps}.", ("José García",)),
    Paper("t:8", "", "A note that has no title and speaks of zeolites."),
]  # fmt: skip


@pytest.fixture(scope="module")
def shelf() -> Index:
    index = Index()
    index.append(SHELF)
    return index


def first(index: Index, query: str) -> str:
    hits = search(index, query, 1)
    return index.ids([hits[0].row])[0] if hits else ""


@pytest.mark.parametrize("one", [one for one in SHELF if one.title], ids=lambda one: one.id)
def test_a_title_is_found_first_and_exact(shelf: Index, one: Paper) -> None:
    for query in (one.title, one.title.upper(), f"  “{one.title}” "):
        hits = search(shelf, query)
        assert shelf.ids([hits[0].row]) == [one.id]
        assert [hit.exact_title for hit in hits] == [True] + [False] * (len(hits) - 1)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Atention Is All You Need", "t:0"),
        ("Attention Is Alll You Nede", "t:0"),
        ("attentionisallyouneed", "t:0"),
        ("what is it like", "t:1"),
        ("it is what", "t:1"),
        ("all you need", "t:0"),
        ("dep residaul lerning", "t:2"),
        ("residual recognition", "t:2"),
        ("cafe naive", "t:7"),
        ("sorting with heaps", "t:7"),
        ("zeolite", "t:8"),
        ("大语言模型", "t:6"),
        ("vaswani", "t:0"),
        ("Ashish Vaswani", "t:0"),
        ("Shazeer, Noam", "t:0"),
        ("velickovic", "t:4"),
        ("Bengio graph", "t:4"),
        ("kyunghyun cho", "t:5"),
        ("jose garcia", "t:7"),
        ("long context", "t:3"),
        ("don't pay attention over a graph's neighbours", "t:4"),
    ],
)
def test_found_first(shelf: Index, query: str, wanted: str) -> None:
    assert first(shelf, query) == wanted


def test_an_author_finds_all_papers_of_that_name(shelf: Index) -> None:
    for query in ("Yoshua Bengio", "bengio, yoshua", "BENGIO"):
        assert {shelf.ids([hit.row])[0] for hit in search(shelf, query)[:2]} == {"t:4", "t:5"}


@pytest.mark.parametrize(
    "query",
    ["", " ", "😀😀", "--", "“”", "\u200b\u202e", "\x00\x07", "_", "!!!", "zzzzqq", "xy"],
)
def test_nothing_to_find(shelf: Index, query: str) -> None:
    assert search(shelf, query) == []


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_gets_an_answer(shelf: Index, query: str) -> None:
    scores = [hit.score for hit in search(shelf, query)]
    assert np.isfinite(scores).all()
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "query",
    ["the of " * 700, "x" * 5000, "the of and " * 400, "語" * 5000, "a-" * 2500, " ".join(map(str, range(1100)))],
)
def test_five_thousand_characters(shelf: Index, query: str) -> None:
    search(shelf, query)
    assert first(shelf, SHELF[3].abstract + " " + query[:3000]) == "t:3"


def test_a_mask_hides_rows(shelf: Index) -> None:
    mask = np.ones(shelf.n_rows, np.bool_)
    mask[0] = False
    assert first(shelf, "attention") == "t:0"
    found = [hit.row for hit in search(shelf, SHELF[0].title, mask=mask)]
    assert 0 not in found
    assert search(shelf, "attention", mask=np.zeros(shelf.n_rows, np.bool_)) == []


def test_k_and_ties() -> None:
    index = Index()
    index.append([Paper(f"t:{n}", "Same title of graphs") for n in range(30)])
    assert [hit.row for hit in search(index, "graphs", 3)] == [29, 28, 27]
    assert len(search(index, "graphs", 100)) == 30
    assert search(index, "graphs", 0) == []
    assert all(hit.exact_title for hit in search(index, "same TITLE of graphs"))


def test_removed_papers_are_not_found_and_weigh_nothing() -> None:
    index, fresh = Index(), Index()
    index.append(world(12))
    index.remove([f"t:{n}" for n in range(6)])
    fresh.append(world(6, 6))

    ours, theirs = (search(some, "study graph models") for some in (index, fresh))
    assert index.ids([hit.row for hit in ours]) == fresh.ids([hit.row for hit in theirs])
    assert np.allclose([hit.score for hit in ours], [hit.score for hit in theirs])


def test_an_empty_index() -> None:
    assert search(Index(), "graph") == []


def test_a_hit_says_what_it_is(shelf: Index) -> None:
    (hit,) = search(shelf, "zeolites")
    assert hit == Hit(8, hit.score, exact_title=False)
    assert hit.score > 0


# --- known items among real papers


@pytest.fixture(scope="module")
def iclr() -> tuple[Index, list[Paper]]:
    if not SHARED.is_dir():
        pytest.skip("the shared corpora are not here")
    papers = corpus("iclr2026")
    index = Index()
    index.append(papers)
    return index, papers


def share_found(index: Index, papers: list[Paper], queries: list[str]) -> float:
    """Return the share of queries whose first hit has the paper's own title (some stand in the corpus twice)."""
    titles = {one.id: one.title.casefold() for one in papers}
    wanted = [one.title.casefold() for one in papers][: len(queries)]
    return statistics.mean(
        titles.get(first(index, query)) == title for query, title in zip(queries, wanted, strict=True)
    )


@pytest.mark.parametrize(
    ("kind", "least"), [("title", 1.0), ("slip", 0.98), ("two slips", 0.97), ("half", 0.92), ("no spaces", 0.9)]
)
def test_known_items(iclr: tuple[Index, list[Paper]], kind: str, least: float) -> None:
    index, papers = iclr
    draw = random.Random(7)
    sample = [one for one in draw.sample(papers, 260) if len(one.title.split()) > 3][:200]
    changes: dict[str, Callable[[str], str]] = {
        "title": lambda title: title,
        "slip": lambda title: slip(title, draw),
        "two slips": lambda title: slip(slip(title, draw), draw),
        "half": lambda title: " ".join(title.split()[::2]),
        "no spaces": lambda title: title.replace(" ", ""),
    }
    found = share_found(index, sample + papers, [changes[kind](one.title) for one in sample])
    print(f"{kind}: {found:.1%} first")
    assert found >= least


def test_seed_titles_are_found_first(iclr: tuple[Index, list[Paper]]) -> None:
    index, papers = iclr
    titles = {one.id: one.title for one in papers}
    for title in seed_titles():
        hit = search(index, title, 1)[0]
        assert hit.exact_title
        assert titles[index.ids([hit.row])[0]].casefold() == title.casefold()


def test_abstracts_find_their_papers(iclr: tuple[Index, list[Paper]]) -> None:
    index, papers = iclr
    sample = random.Random(3).sample(papers, 100)
    middles = [one.abstract[len(one.abstract) // 3 :][:400] for one in sample]
    assert share_found(index, sample + papers, middles) >= 0.97
