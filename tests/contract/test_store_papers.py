"""Papers: what imports make of records, how papers are read, merged and parted, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, event, select

from bot.core.message import Message
from bot.core.request import Address
from bot.errors import NotFound, UserError
from bot.store import outbox, owners, papers, records
from bot.store.engine import Store
from bot.store.papers import Area
from bot.store.records import Outcome
from bot.store.tables import metadata
from bot.store.tables import records as record_table
from recommender.types import Paper

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
TITLE = "Short Window Attention Enables Long-Term Memorization"
SEED = Paper(
    id="openreview:a",
    title=TITLE,
    abstract="A counter-intuitive finding.",
    authors=("Loïc Cabannes", "Maximilian Beck"),
    year=2026,
    url="https://openreview.net/forum?id=a",
    source="openreview",
    venue="ICLR",
    categories=("Deep Learning", "deep learning", "Théorie"),
    keywords=("xLSTM",),
    ids=("arxiv:2509.24552",),
)
OTHER = Paper("arxiv:2401.00001", "Another paper of many words", authors=("Ada Lovelace",), source="arxiv")
HOSTILE = (
    "NUL \x00 lone \ud800\udfff RTL \u202eabc\u200f emoji 🙂👩\u200d🔬 CJK 表示 combining e\u0301 quotes '\"`;--"
    " DROP TABLE papers; %s :x {} \x1b[31m \\x00 \u2028 \U0010ffff"
)


def dump(conn: Connection) -> dict[str, list[Any]]:
    return {
        table.name: [tuple(row) for row in conn.execute(select(table).order_by(*table.primary_key))]
        for table in metadata.sorted_tables
    }


def add(store: Store, *some: Paper, source: str = "local", now: datetime = NOW) -> Outcome:
    with store.writing() as conn:
        return records.add(conn, some, source, now)


def number(store: Store, alias: str) -> int:
    with store.reading() as conn:
        found = papers.by_id(conn, alias)
    assert found is not None
    return found


def stored(store: Store, alias: str) -> papers.Stored:
    with store.reading() as conn:
        return papers.get(conn, [number(store, alias)])[number(store, alias)]


@contextmanager
def counted(store: Store) -> Iterator[list[str]]:
    said: list[str] = []

    def note(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        said.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(store.engine, "before_cursor_execute", note)


def test_a_paper_comes_back_as_it_was(store: Store) -> None:
    paper = replace(SEED, published=datetime.fromisoformat("2024-03-10T13:30:45-08:00"))
    assert add(store, paper) == Outcome(new=1)
    got = stored(store, "openreview:a")
    assert got.paper == replace(
        paper, id="arxiv:2509.24552", ids=("openreview:a",), categories=("Deep Learning", "Théorie")
    )
    assert got.ids == ("arxiv:2509.24552", "openreview:a")
    assert got.first_seen == NOW
    assert got.paper.published is not None
    assert got.paper.published.tzinfo is UTC
    assert number(store, "arxiv:2509.24552") == number(store, "openreview:a")


def test_the_smallest_paper(store: Store) -> None:
    assert add(store, Paper("local:1", "")) == Outcome(new=1)
    assert stored(store, "local:1").paper == Paper("local:1", "", source="local")


def test_nothing_at_all(store: Store) -> None:
    assert add(store) == Outcome()
    with store.reading() as conn:
        assert papers.count(conn) == 0
        assert papers.get(conn, []) == {}
        assert papers.get(conn, [7]) == {}
        assert papers.by_id(conn, "arxiv:none") is None
        assert papers.newest(conn, 5) == []
        assert papers.changed_since(conn, 0, 5) == []
        assert papers.areas(conn, NOW) == []
        assert papers.in_area(conn, "x") == set()
        assert papers.area_of(conn, "x") is None
        assert papers.from_source(conn, "x") == set()
        assert papers.resolve(conn, 7) == 7


def test_a_second_import_changes_nothing(store: Store) -> None:
    some = [SEED, OTHER, replace(SEED, id="s2:9"), Paper("local:1", HOSTILE, HOSTILE)]
    assert add(store, *some) == Outcome(new=3, merged=1)
    with store.reading() as conn:
        before = dump(conn)
    assert add(store, *reversed(some), now=LATER) == Outcome(known=4)
    with store.reading() as conn:
        assert dump(conn) == before


def test_the_same_record_twice_in_one_batch(store: Store) -> None:
    assert add(store, SEED, SEED) == Outcome(new=1, known=1)


def test_a_record_joins_the_paper_that_its_id_leads_to(store: Store) -> None:
    add(store, SEED)
    assert add(store, replace(OTHER, id="arxiv:2509.24552"), source="arxiv") == Outcome(merged=1, changed=1)
    assert stored(store, "openreview:a").paper.title == "Another paper of many words"
    assert add(store, OTHER) == Outcome(new=1)


def test_a_record_joins_by_title(store: Store) -> None:
    add(store, SEED)
    match = Paper("doi:10.1/x", TITLE.upper(), authors=("Beck, M.",), year=2025)
    assert add(store, match, now=LATER) == Outcome(merged=1, changed=1)
    assert stored(store, "doi:10.1/x").ids == ("arxiv:2509.24552", "doi:10.1/x", "openreview:a")
    assert add(store, replace(match, id="arxiv:2001.00001", year=2028)) == Outcome(new=1)


def test_a_record_that_leads_to_two_papers_merges_them(store: Store) -> None:
    add(store, Paper("s2:1", "One"), Paper("doi:10.1/x", "Two", abstract="long"), OTHER)
    first, second = number(store, "s2:1"), number(store, "doi:10.1/x")
    assert add(store, Paper("openreview:z", "Three", ids=("s2:1", "doi:10.1/x")), now=LATER).merged == 1
    with store.reading() as conn:
        assert papers.resolve(conn, second) == first
        assert papers.count(conn) == 2
        both = papers.get(conn, [first, second])
        assert both[first] == both[second]
        assert both[second].number == first
        assert both[first].ids == ("doi:10.1/x", "openreview:z", "s2:1")
        changes = papers.changed_since(conn, 3, 10)
    assert [(change.number, change.gone, change.stored is None) for change in changes] == [
        (first, False, False),
        (second, True, True),
    ]


def test_two_arxiv_ids_never_merge(store: Store) -> None:
    add(store, Paper("arxiv:1", "One", ids=("s2:1",)), Paper("arxiv:2", "Two", ids=("s2:2",)))
    one, two = number(store, "arxiv:1"), number(store, "arxiv:2")
    assert add(store, Paper("openreview:z", "Three", ids=("s2:1", "s2:2"))) == Outcome(merged=1, changed=1)
    with store.reading() as conn:
        assert papers.count(conn) == 2
        assert {papers.by_id(conn, name) for name in ("s2:1", "s2:2", "openreview:z")} == {one, two}
    assert one != two


def test_a_conflicting_id_is_not_taken(store: Store) -> None:
    add(store, Paper("arxiv:1", "One", ids=("s2:1",)), Paper("arxiv:2", "Two", ids=("s2:1",)))
    with store.reading() as conn:
        assert papers.count(conn) == 2
        assert papers.by_id(conn, "s2:1") in {papers.by_id(conn, "arxiv:1"), papers.by_id(conn, "arxiv:2")}


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_fields_come_by_precedence_whatever_the_order(store: Store, order: tuple[int, ...]) -> None:
    feed = [
        (Paper("arxiv:1", "A guess.", "The long abstract of the archive", ("A B",), title_guessed=True), "local"),
        (Paper("arxiv:1", "From arXiv", "Abstract", published=NOW, categories=("cs.LG",)), "arxiv"),
        (
            Paper("openreview:1", "", "", ids=("arxiv:1",), venue="ICLR", year=2027, categories=("Vision",)),
            "openreview",
        ),
    ]
    for index in order:
        add(store, feed[index][0], source=feed[index][1], now=NOW + timedelta(hours=index))
    got = stored(store, "arxiv:1")
    assert got.paper == Paper(
        id="arxiv:1",
        title="From arXiv",
        abstract="Abstract",
        authors=("A B",),
        published=NOW,
        year=2027,
        source="openreview",
        venue="ICLR",
        categories=("Vision", "cs.LG"),
        ids=("openreview:1",),
    )
    assert got.first_seen == NOW


@pytest.mark.parametrize("text", [HOSTILE, "🙂" * 10_000, "\x00", "表示学習", "x" * 100_000])
def test_hostile_text_is_stored_and_read_back(store: Store, text: str) -> None:
    clean = text.replace("\x00", "").replace("\ud800", "").replace("\udfff", "")
    paper = Paper(
        f"local:{text}", text, text, (text, text), NOW, 2024, text, text, text, (text,), (text,), (f"s2:{text}",)
    )
    add(store, paper)
    assert add(store, paper) == Outcome(known=1)
    got = stored(store, f"local:{text}").paper
    assert (got.title, got.abstract, got.url, got.venue) == (clean, clean, clean, clean)
    assert got.authors == (clean, clean)
    assert got.keywords == (clean,)
    with store.reading() as conn:
        assert papers.by_id(conn, f"s2:{text}") is not None
        assert papers.in_area(conn, text) == ({got_number(conn)} if clean.strip() else set())


def got_number(conn: Connection) -> int:
    return papers.newest(conn, 1)[0]


@pytest.mark.parametrize("year", [None, 0, -1, 10**30, 99999])
def test_years_that_are_none(store: Store, year: int | None) -> None:
    add(store, Paper("local:1", "T", year=year))
    assert stored(store, "local:1").paper.year is None


def test_the_ends_of_the_calendar(store: Store) -> None:
    first, last = (
        datetime.fromisoformat("0001-01-01T00:00:00+14:00"),
        datetime.fromisoformat("9999-12-31T23:59:59-14:00"),
    )
    add(store, Paper("local:1", "T", published=first), Paper("local:2", "U", published=last))
    assert stored(store, "local:1").paper.published is None
    assert stored(store, "local:2").paper.published is None


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="time zone"):
        add(store, Paper("local:1", "T", published=datetime(2024, 1, 1)))  # noqa: DTZ001


def test_merge_and_unmerge(store: Store) -> None:
    add(store, Paper("s2:1", "One"), Paper("doi:10.1/x", "Two"))
    first, second = number(store, "s2:1"), number(store, "doi:10.1/x")
    with store.writing() as conn:
        before = {change.number: change.changed for change in papers.changed_since(conn, 0, 9)}
        records.merge(conn, second, first, NOW)
    with store.reading() as conn:
        assert papers.resolve(conn, first) == second
        assert papers.by_id(conn, "s2:1") == second
        assert papers.count(conn) == 1
        after = {change.number: change.changed for change in papers.changed_since(conn, 0, 9)}
        assert min(after.values()) > max(before.values())
        mine = record_numbers(conn, "s2:1")
    add(store, Paper("openreview:z", "Three", ids=("s2:1",)))
    assert number(store, "openreview:z") == second
    with store.writing() as conn:
        assert records.unmerge(conn, mine, LATER) == first
    with store.reading() as conn:
        assert papers.resolve(conn, first) == first
        assert papers.count(conn) == 2
        assert papers.get(conn, [first])[first].paper.title == "One"
        last = papers.changed_since(conn, max(after.values()), 9)
        assert {change.number for change in last if not change.gone} == {first, second}
    # What a hand parted stays parted, whatever comes in later.
    add(store, Paper("s2:1", "One again", ids=("doi:10.1/x",)), now=LATER)
    assert number(store, "doi:10.1/x") == second
    with store.reading() as conn:
        assert papers.count(conn) == 2


def test_what_was_shown_as_one_paper_is_shown_for_the_part_that_is_taken_out_too(store: Store) -> None:
    add(store, Paper("s2:1", "One", ids=("doi:10.1/x",)), Paper("doi:10.1/x", "Two", ids=("s2:1",)))
    whole = number(store, "s2:1")
    with store.writing() as conn:
        ada = owners.get(conn, "test", "lab", "person", "ada", "Ada", NOW).number
        outbox.put(
            conn, key="digest:1:2026-12-02", kind="digest", subscription=None, owner=ada, now=NOW, papers=[whole],
            address=Address("test", "lab", "ada"), message=Message("x"), due_at=NOW, window_from=NOW, window_id=0,
        )  # fmt: skip
        part = records.unmerge(conn, record_numbers(conn, "s2:1"), LATER)
        assert part != whole
        assert set(outbox.shown_to(conn, ada)) == {whole, part}


def record_numbers(conn: Connection, source_id: str) -> list[int]:
    return list(conn.execute(select(record_table.c.id).where(record_table.c.source_id == source_id)).scalars())


def test_unmerge_of_records_that_never_were_a_paper(store: Store) -> None:
    add(store, Paper("s2:1", "One"), Paper("s2:1", "Two"))
    with store.writing() as conn:
        one = records.unmerge(conn, record_numbers(conn, "s2:1")[:1], NOW)
        assert papers.count(conn) == 2
        assert len(papers.get(conn, [one, 1])) == 2
        assert papers.by_id(conn, papers.get(conn, [one])[one].paper.id) == one


def test_merges_and_partings_that_cannot_be(store: Store) -> None:
    add(store, Paper("arxiv:1", "One"), Paper("arxiv:2", "Two"), Paper("s2:1", "Three"))
    with store.writing() as conn:
        with pytest.raises(UserError, match="arXiv"):
            records.merge(conn, 1, 2, NOW)
        for keep, gone in ((1, 1), (1, 99), (99, 98)):
            with pytest.raises(NotFound):
                records.merge(conn, keep, gone, NOW)
        for numbers in ([], [99], [1], [1, 2]):
            with pytest.raises(NotFound):
                records.unmerge(conn, numbers, NOW)
    with store.reading() as conn:
        assert papers.count(conn) == 3


def test_merging_twice_leads_to_the_last(store: Store) -> None:
    add(store, Paper("s2:1", "One"), Paper("s2:2", "Two"), Paper("s2:3", "Three"))
    with store.writing() as conn:
        records.merge(conn, 2, 1, NOW)
        records.merge(conn, 3, 2, NOW)
        assert {papers.resolve(conn, each) for each in (1, 2, 3)} == {3}
        assert papers.get(conn, [1])[1].ids == ("s2:1", "s2:2", "s2:3")


def test_changes_come_in_order_and_in_parts(store: Store) -> None:
    add(store, *(Paper(f"s2:{index}", f"Paper {index}") for index in range(10)))
    add(store, Paper("s2:3", "Paper 3", "with an abstract"))
    seen: list[int] = []
    last = 0
    with store.reading() as conn:
        while part := papers.changed_since(conn, last, 3):
            assert len(part) <= 3
            seen += [change.number for change in part]
            assert all(change.stored and change.stored.number == change.number for change in part)
            last = part[-1].changed
    assert sorted(seen) == list(range(1, 11))
    assert seen[-1] == number(store, "s2:3")


def test_new_first_and_since(store: Store) -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    add(store, Paper("s2:1", "only a year", year=2026), Paper("s2:2", "a day", published=day, year=2026))
    add(store, Paper("s2:3", "nothing"), Paper("s2:4", "older", published=day - timedelta(days=100)), now=LATER)
    add(store, Paper("s2:5", "newest", published=day + timedelta(days=1)), now=LATER)
    order = [number(store, f"s2:{index}") for index in (5, 2, 1, 4, 3)]
    with store.reading() as conn:
        assert papers.newest(conn, 9) == order
        assert papers.newest(conn, 2) == order[:2]
        assert papers.seen_since(conn, LATER) == sorted(number(store, f"s2:{index}") for index in (3, 4, 5))
        assert len(papers.seen_since(conn, NOW)) == 5
        assert papers.seen_since(conn, LATER + timedelta(seconds=1)) == []


def test_areas(store: Store) -> None:
    add(
        store,
        Paper("s2:1", "1", categories=("Learning theory", "Optimization")),
        Paper("s2:2", "2", categories=("Ünified",)),
    )
    add(store, Paper("s2:3", "3", categories=("learning THEORY", "Causal reasoning")), now=LATER)
    with store.reading() as conn:
        everything = papers.areas(conn, LATER)
        assert (everything[0].total, everything[0].new) == (2, 1)
        assert everything[1:] == [Area("Causal reasoning", 1, 1), Area("Optimization", 1, 0), Area("Ünified", 1, 0)]
        assert papers.area_of(conn, " UNIFIED ") == "Ünified"
        assert papers.area_of(conn, "learning theory") in ("Learning theory", "learning THEORY")
        assert papers.area_of(conn, "learning") is None
        both = {number(store, "s2:1"), number(store, "s2:3")}
        assert papers.in_area(conn, "LEARNING THEORY") == both
        assert papers.in_area(conn, "learn") == both
        assert papers.in_area(conn, "reasoning") == {number(store, "s2:3")}
        assert papers.in_area(conn, "o") == {number(store, "s2:1")}
        assert papers.in_area(conn, "nothing") == set()
        assert papers.in_area(conn, "%") == set()


def test_an_area_that_could_be_two_is_none(store: Store) -> None:
    add(store, Paper("s2:1", "1", categories=("Vision and language", "Vision alone", "Robot vision")))
    with store.reading() as conn:
        assert papers.in_area(conn, "vision") == set()
        assert len(papers.in_area(conn, "vision and")) == 1
        assert len(papers.in_area(conn, "robot")) == 1


def test_by_source(store: Store) -> None:
    add(store, SEED, OTHER)
    add(store, Paper("s2:1", "One"), source="semanticscholar")
    with store.reading() as conn:
        assert papers.from_source(conn, "OpenReview") == {number(store, "openreview:a")}
        assert len(papers.from_source(conn, "local")) == 2
        assert papers.from_source(conn, "semanticscholar") == {number(store, "s2:1")}
        assert papers.from_source(conn, "arx") == set()


def test_many_papers_take_few_statements(store: Store) -> None:
    made = [
        Paper(f"s2:{index}", f"The made up paper of number {index}", "Words. " * 50, (f"A. Name{index}",), year=2020)
        for index in range(5000)
    ]
    with counted(store) as said:
        for start in range(0, 5000, 500):
            assert add(store, *made[start : start + 500]) == Outcome(new=500)
    assert len(said) < 10 * 30
    with counted(store) as said:
        for start in range(0, 5000, 500):
            assert add(store, *made[start : start + 500]) == Outcome(known=500)
    assert len(said) < 10 * 12
    again = [replace(paper, abstract="Other words. " * 50, authors=(*paper.authors, "B. Second")) for paper in made]
    with counted(store) as said:
        for start in range(0, 5000, 500):
            assert add(store, *again[start : start + 500]) == Outcome(merged=500, changed=500)
    assert len(said) < 10 * 40
    with counted(store) as said, store.reading() as conn:
        assert len(papers.get(conn, range(1, 5001))) == 5000
    assert len(said) < 20
