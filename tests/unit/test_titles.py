"""Titles that are found as one types them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.store.titles import Titles, folded

KNOWN = Titles(
    [
        ("a", "Attention Is All You Need"),
        ("b", "You need all the attention"),
        ("c", "Schrödinger’s 猫: a “study”"),
        ("d", "Self-attention, $O(n)$"),
        ("e", ""),
    ]
)


def ids(typed: str, most: int = 9) -> list[str]:
    return [id_ for id_, _ in KNOWN.find(typed, most)]


def test_words_begin_as_they_are_typed() -> None:
    assert ids("atten") == ["a", "b", "d"]
    assert ids("tention") == []
    assert ids("SELF-ATT") == ["d"]
    assert ids("schrodinger") == ids("Schrödinger's") == ids("猫") == ["c"]


def test_what_goes_on_as_was_typed_comes_first() -> None:
    assert ids("need all") == ["b", "a"]
    assert ids("attention is al") == ["a"]


def test_nothing_typed_is_the_first_papers() -> None:
    assert ids("", 2) == ["a", "b"]
    assert ids("“ ”", 2) == ["a", "b"]
    assert Titles().find("x", 5) == []
    assert Titles().find("", 5) == []


def test_no_more_than_asked_for() -> None:
    assert ids("a", 1) == ["a"]


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(0, 7), st.integers(1, 30))
def test_every_beginning_of_a_title_finds_it(titles: list[str], at: int, length: int) -> None:
    made = Titles((str(place), title) for place, title in enumerate(titles))
    if at < len(titles):
        begun = folded(titles[at])[:length]
        assert str(at) in [id_ for id_, _ in made.find(begun, 99)]
