"""Words with a slip of the pen find what was meant, wherever no title comes near by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recommender.index import Index
from recommender.mended import mended
from recommender.search import search
from recommender.types import Paper

KINDS = ("graphs", "images", "speech", "proteins", "music", "maps")
NETS = [
    Paper(f"t:{at}", f"Neural networks for {kind}", f"We train networks on {kind}.") for at, kind in enumerate(KINDS)
]
ODD = Paper("t:odd", "Of nueral tissue", "A paper that has the slip itself, and no other.")
NAMED = [
    Paper("t:1st", "Kernels", "On kernels.", ("Bernhard Schölkopf",)),
    Paper("t:2nd", "Worlds", "On dreams.", ("Schmidhuber, Jürgen",)),
    Paper("t:3rd", "Trees", "On trees.", ("Netwroks, Ada",)),
]


def made(*papers: Paper) -> Index:
    index = Index()
    index.append(papers)
    return index


@pytest.fixture(scope="module")
def shelf() -> Index:
    many = [replace(one, id=f"{one.id}:{at}", title=f"{one.title} {at}") for one in NETS for at in range(60)]
    return made(*many, *NAMED[:2])


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("nueral netwroks", "neural networks"),
        ("neural network", "neural network"),
        ("nuerall", "nuerall"),  # two slips in one word: what was meant is a guess
        ("netwroks of protiens and speach", "networks of proteins and speech"),
        ("zzzzqq", "zzzzqq"),
        ("nets", "nets"),
        ("schoelkopf", "scholkopf"),
        ("bernhard", "bernhard"),
        ("大语言模型综述", "大语言模型综述"),
        ("", ""),
    ],
)
def test_what_was_meant(shelf: Index, said: str, meant: str) -> None:
    assert mended(shelf, said) == meant


def test_a_slip_in_each_word_finds_what_was_meant(shelf: Index) -> None:
    hits = search(shelf, "nueral netwroks", 5)
    assert len(hits) == 5
    assert all(one.startswith("t:") and ":" in one[2:] for one in shelf.ids([hit.row for hit in hits]))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.row for hit in hits] == [hit.row for hit in search(shelf, "neural networks", 5)]


def test_each_paper_is_found_once(shelf: Index) -> None:
    rows = [hit.row for hit in search(shelf, "netwroks for images", 500)]
    assert len(rows) == len(set(rows)) > 60


def test_a_mask_holds_for_what_was_meant(shelf: Index) -> None:
    mask = shelf.live.copy()
    mask[:300] = False
    assert min(hit.row for hit in search(shelf, "nueral netwroks", 500, mask)) == 300


def test_an_umlaut_may_be_two_letters(shelf: Index) -> None:
    assert shelf.ids([search(shelf, "Schoelkopf")[0].row]) == ["t:1st"]
    assert shelf.ids([search(shelf, "Juergen Schmidhuber")[0].row]) == ["t:2nd"]


def test_a_word_that_papers_use_stays(shelf: Index) -> None:
    few = made(*NETS, ODD)
    assert mended(few, "nueral") == "nueral"
    assert few.ids([search(few, "nueral")[0].row]) == [ODD.id]


def test_a_slip_that_stands_in_a_paper_is_one() -> None:
    many = [replace(one, id=f"{one.id}:{at}") for one in NETS for at in range(60)]
    index = made(*many, ODD)
    assert mended(index, "nueral") == "neural"


def test_an_authors_name_is_no_slip() -> None:
    many = [replace(one, id=f"{one.id}:{at}") for one in NETS for at in range(60)]
    index = made(*many, *NAMED)
    assert mended(index, "netwroks") == "netwroks"
    assert index.ids([search(index, "netwroks")[0].row]) == ["t:3rd"]


def test_words_that_no_lookup_counts_are_no_slips() -> None:
    """All papers say them and none is found by them: "there" was mended to "three", and "could" to "cold"."""
    many = [Paper(f"t:{at}", f"Three skills of bound codes in the cold {at}") for at in range(60)]
    assert mended(made(*many), "there still could be coodes") == "there still could be codes"


def test_a_right_word_that_few_use_finds_its_papers_first() -> None:
    """A lookup of "sexting" showed papers of settings alone, with the word in their titles."""
    many = [Paper(f"t:{at}", f"Setting {at}", "A setting of nets.") for at in range(700)]
    rare = [
        Paper(f"r:{at}", f"On what teenagers write {at}", "They write, and sexting is a part of it.") for at in (1, 2)
    ]
    index = made(*rare, *many)
    for query in ("sexting", "sexting of teenagers"):
        hits = search(index, query, 5)
        assert set(index.ids([hit.row for hit in hits])[:2]) == {"r:1", "r:2"}
        assert len(hits) == len({hit.row for hit in hits}) == 5
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert search(index, "Sexting 7", 5)[0].exact_title


def test_it_can_be_left() -> None:
    index = made(*NETS)
    assert search(index, "netwroks") != []
    assert search(index, "nueral", mend=False) == []


def test_of_no_papers_nothing_is_mended() -> None:
    assert mended(Index(), "netwroks") == "netwroks"
