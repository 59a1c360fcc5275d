"""Which records are one paper: the title rule by pairs, conflicts, and independence of order."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.store import records
from bot.store.facts import Facts, conflict, facts, proof, surname
from bot.store.identity import CROWD, partition, same_title
from bot.store.papers import changed_since
from bot.store.text import ID_LIMIT, fold, key, paper_id, short, storable, title_key
from recommender.types import Paper
from tests.fakes.stores import in_memory

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
TITLE = "Short Window Attention Enables Long-Term Memorization"
WHO = ("Loïc Cabannes", "Maximilian Beck")


def paper(title: str = TITLE, authors: tuple[str, ...] = WHO, year: int | None = 2026, name: str = "x:1") -> Paper:
    return Paper(name, title, authors=authors, year=year)


def one(left: Paper, right: Paper) -> bool:
    return same_title(facts(left, "a"), facts(right, "b"))


ONE = [
    (paper(), paper()),
    (paper(), paper("Short window attention enables long-term memorization")),
    (paper(), paper("SHORT WINDOW ATTENTION ENABLES LONG-TERM MEMORIZATION.")),
    (paper(), paper("Short Window Attention Enables Long–Term Memorization")),
    (paper(), paper("Short  Window\nAttention: Enables 'Long-Term' Memorization!")),
    (paper(), paper("{S}hort {W}indow \\textbf{Attention} Enables $Long$-Term Memorization")),
    (paper(), paper(year=2024)),
    (paper(), paper(year=2028)),
    (paper(), paper(authors=("L. Cabannes",))),
    (paper(), paper(authors=("Cabannes, Loic",))),
    (paper(), paper(authors=("CABANNES L",))),
    (paper(), paper(authors=("Cabannes LM",))),
    (paper(), paper(authors=("Someone Else", "M. Beck Jr."))),
    (paper(authors=("Erik Sandström",)), paper(authors=("E. Sandstrom",))),
    (paper(authors=("Søren Ørsted",)), paper(authors=("S. Orsted",))),
    (paper(authors=("Laurens van der Maaten",)), paper(authors=("van der Maaten, L.",))),
    (paper(authors=("Héctor García-Molina",)), paper(authors=("H. Molina",))),
    (paper(authors=("Siobhán O’Brien",)), paper(authors=("S. O'Brien",))),
    (paper("Schrödinger bridges for score matching"), paper("Schrodinger Bridges for Score Matching")),
    (paper("Effiﬁcient ﬁne-tuning of large models"), paper("Effificient fine-tuning of large models")),
    (paper("On the Möbius function of sets"), paper('On the M\\"obius function of sets')),
    (paper("学习 表示 的 方法", ("张伟",)), paper("学习 表示 的 方法", ("张伟",))),
    (paper("Part-of-speech tagging with few labels"), paper("Part of Speech Tagging with Few Labels")),
    (paper("Error correction codes for quantum memories"), paper("Error Correction Codes for Quantum Memories")),
    (paper(), Paper("y:1", TITLE, authors=WHO, published=datetime(2025, 9, 30, tzinfo=UTC))),
]
TWO = [
    (paper(), paper("Long Window Attention Enables Short-Term Memorization")),
    (paper(), paper(TITLE + " in Mice")),
    (paper(), paper(year=2029)),
    (paper(), paper(year=2023)),
    (paper(), paper(year=None)),
    (paper(year=None), paper(year=None)),
    (paper(), paper(authors=())),
    (paper(authors=()), paper(authors=())),
    (paper(), paper(authors=("Loïc Other", "Maximilian Someone"))),
    (paper(authors=("Anonymous",)), paper(authors=("Anonymous",))),
    (paper(authors=("et al.",)), paper(authors=("et al.",))),
    (paper(authors=("A. Lovelace", "et al.")), paper(authors=("B. Babbage", "et al."))),
    (paper("Attention is everything"), paper("Attention is everything")),
    (paper("Introduction"), paper("Introduction")),
    (paper(""), paper("")),
    (paper("A theory of learned windows, part II"), paper("A theory of learned windows, part II")),
    (paper("A theory of learned windows. Part 2"), paper("A theory of learned windows. Part 2")),
    (paper("A theory of learned windows III"), paper("A theory of learned windows III")),
    (paper(f"Erratum: {TITLE}"), paper(f"Erratum: {TITLE}")),
    (paper(f"Corrigendum to “{TITLE}”"), paper(f"Corrigendum to “{TITLE}”")),
    (paper(f"Reply to “{TITLE}”"), paper(f"Reply to “{TITLE}”")),
    (paper(f"A reply to {TITLE}"), paper(f"A reply to {TITLE}")),
    (paper(f"Comment on {TITLE}"), paper(f"Comment on {TITLE}")),
    (paper(f"Author Correction: {TITLE}"), paper(f"Author Correction: {TITLE}")),
    (paper(f"Retraction of {TITLE}"), paper(f"Retraction of {TITLE}")),
    (
        Paper("x:1", TITLE, authors=WHO, year=2026, title_guessed=True),
        Paper("x:2", TITLE, authors=WHO, year=2026, title_guessed=True),
    ),
]


@pytest.mark.parametrize(("left", "right"), ONE)
def test_one_paper_by_title(left: Paper, right: Paper) -> None:
    assert one(left, right)
    assert one(right, left)


@pytest.mark.parametrize(("left", "right"), TWO)
def test_two_papers_by_title(left: Paper, right: Paper) -> None:
    assert not one(left, right)
    assert not one(right, left)


@pytest.mark.parametrize("name", ["", " ", ".", ",", "…", "🙂", "et al.", "Anonymous", "\x00", "\ud800"])
def test_a_name_without_a_surname(name: str) -> None:
    assert surname(name) == ""


@pytest.mark.parametrize(
    ("ids", "clash"),
    [
        (("arxiv:2401.01234", "arxiv:2401.01234"), False),
        (("arxiv:2401.01234", "arxiv:2401.01235"), True),
        (("doi:10.1038/a", "doi:10.1145/b"), True),
        (("doi:10.1101/2020.01.01.123456", "doi:10.1038/a"), False),
        (("doi:10.1101/gr.1", "doi:10.1038/a"), True),
        (("openreview:a", "openreview:b", "s2:a", "s2:b", "arxiv:2401.01234", "doi:10.1038/a"), False),
        ((), False),
    ],
)
def test_ids_that_cannot_be_of_one_paper(ids: tuple[str, ...], clash: bool) -> None:
    assert conflict(ids) is clash


def test_of_two_arxiv_ids_in_one_record_the_own_counts() -> None:
    assert facts(Paper("arxiv:2", "T", ids=("arxiv:1", "s2:a")), "h").ids == ("arxiv:2", "s2:a")


def look(
    name: str,
    *ids: str,
    title: str = "",
    who: str = "beck",
    year: int | None = 2026,
    place: int | None = None,
    held: bool = False,
) -> Facts:
    return Facts(name, ids, title, frozenset({who} - {""}), year, place, held)


def names(groups: list[list[Facts]]) -> set[str]:
    return {"".join(sorted(each.hash for each in group)) for group in groups}


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([], set()),
        ([look("a", "s2:1"), look("b", "s2:1")], {"ab"}),
        ([look("a", "s2:1"), look("b", "s2:2"), look("c", "s2:1", "s2:2")], {"abc"}),
        ([look("a", "arxiv:1"), look("b", "arxiv:2"), look("c", "s2:1")], {"a", "b", "c"}),
        # The third has an id of each, and the two must not merge: it stays with the first that fits.
        ([look("a", "arxiv:1", "s2:1"), look("b", "arxiv:2", "s2:2"), look("c", "s2:1", "s2:2")], {"ac", "b"}),
        ([look("a", "s2:1", "arxiv:1"), look("b", "s2:1", "arxiv:2")], {"a", "b"}),
        # Refused by the first, taken by the second that shares the id.
        ([look("a", "s2:1", "arxiv:1"), look("b", "s2:1", "arxiv:2"), look("c", "s2:1", "doi:10.1/x")], {"ac", "b"}),
        ([look("a", "s2:1", title="t"), look("b", "s2:2", title="t")], {"ab"}),
        ([look("a", "arxiv:1", title="t"), look("b", "arxiv:2", title="t")], {"a", "b"}),
        # 2022 and 2026 are too far apart, and 2024 between them does not join what does not match by itself.
        (
            [
                look("a", "s2:1", title="t", year=2022),
                look("b", "s2:2", title="t", year=2024),
                look("c", "s2:3", title="t"),
            ],
            {"ab", "c"},
        ),
        # A paper matches by any of its own records, and those are one paper by an id.
        (
            [
                look("a", "s2:1", title="t", year=2022),
                look("b", "s2:1", title="u", year=2026),
                look("c", "s2:2", title="u"),
                look("d", "s2:3", title="t", year=2021),
            ],
            {"abc", "d"},
        ),
        # What a hand put together stays, and what it parted stays parted.
        (
            [look("a", "s2:1", place=1, held=True), look("b", "s2:2", place=1, held=True), look("c", "s2:2")],
            {"abc"},
        ),
        (
            [look("a", "s2:1", place=1, held=True), look("b", "s2:1", place=2, held=True), look("c", "s2:1")],
            {"ac", "b"},
        ),
    ],
)
def test_groups(seen: list[Facts], expected: set[str]) -> None:
    for turn in range(6):
        shuffled = seen.copy()
        random.Random(turn).shuffle(shuffled)
        assert names(partition(shuffled)) == expected


@pytest.mark.parametrize(("papers", "groups"), [(CROWD, 1), (CROWD + 1, CROWD + 1)])
def test_a_title_that_a_crowd_bears_proves_nothing(papers: int, groups: int) -> None:
    assert len(partition([look(f"{n:03}", f"s2:{n}", title="t") for n in range(papers)])) == groups


_IDS = st.sampled_from([f"{kind}:{n}" for kind in ("arxiv", "doi:10.1", "openreview", "s2") for n in range(3)])
_PAPERS = st.builds(
    Paper,
    id=_IDS,
    ids=st.lists(_IDS, max_size=3).map(tuple),
    title=st.sampled_from([TITLE, TITLE.upper(), "Another title of four words", "Short one", ""]),
    abstract=st.sampled_from(["", "one", "a longer one"]),
    authors=st.sampled_from([(), ("M. Beck",), ("Beck, Max", "Ada Lovelace"), ("Ada Lovelace",)]),
    year=st.sampled_from([None, 2021, 2023, 2024, 2026]),
    source=st.sampled_from(["", "openreview", "arxiv", "local"]),
    venue=st.sampled_from(["", "ICLR"]),
    categories=st.lists(st.sampled_from(["cs.LG", "Vision", "vision"]), max_size=2).map(tuple),
    keywords=st.lists(st.sampled_from(["x", "y"]), max_size=2).map(tuple),
    title_guessed=st.booleans(),
)
_FEED = st.lists(st.tuples(_PAPERS, st.sampled_from(["local", "arxiv", "openreview"])), min_size=1, max_size=9)


def told(feed: list[tuple[Paper, str]], size: int) -> set[object]:
    """Import the papers in batches and return all papers, without numbers and times."""
    store = in_memory()
    for start in range(0, len(feed), size):
        with store.writing() as conn:
            for each, source in feed[start : start + size]:
                records.add(conn, [each], source, NOW + timedelta(days=start))
    with store.reading() as conn:
        found = [change.stored for change in changed_since(conn, 0, 1000) if change.stored]
    store.close()
    assert len({each for stored in found for each in stored.ids}) == sum(len(stored.ids) for stored in found)
    return {(stored.paper, stored.ids) for stored in found}


@settings(max_examples=60, deadline=None)
@given(_FEED, st.randoms(use_true_random=False), st.integers(1, 4))
def test_the_order_of_imports_does_not_matter(feed: list[tuple[Paper, str]], chance: random.Random, size: int) -> None:
    shuffled = feed.copy()
    chance.shuffle(shuffled)
    assert told(feed, len(feed)) == told(shuffled, size)


@settings(max_examples=200, deadline=None)
@given(st.text(), st.integers(20, 300))
def test_text_keys_are_bounded_and_stable(text: str, limit: int) -> None:
    assert len(short(text, limit)) <= limit
    assert len(key(text)) <= 300
    assert len(title_key(text)) <= 300
    assert len(paper_id(text)) <= ID_LIMIT
    assert fold(fold(text)) == fold(text)
    storable(text).encode()


def test_long_ids_become_hashes_and_long_titles_stay_apart() -> None:
    assert paper_id("s2:" + "a" * 300).startswith("s2:sha256-")
    assert paper_id("s2:" + "a" * 300) != paper_id("s2:" + "a" * 301)
    assert title_key("word " * 100 + "one") != title_key("word " * 100 + "two")
    assert proof(paper("word " * 100)) != ""
