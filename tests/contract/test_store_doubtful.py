"""What a person should look at: papers that may be two and pairs that may be one, and that a decision settles it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection
from typer.testing import CliRunner

from bot.core.message import Message
from bot.core.request import Address
from bot.errors import NotFound, UsageError, UserError
from bot.jobs.doubts import same
from bot.papers_cli import papers as verbs
from bot.store import doubtful, outbox, owners, papers, records
from bot.store.address import sqlite_url
from bot.store.engine import Store
from recommender.types import Paper

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
TITLE = "Weaving Long Memories with Sparse Looms"
ADA = ("Ada Weaver", "Bruno Threadneedle")


def add(store: Store, source: str, *some: Paper) -> None:
    with store.writing() as conn:
        records.add(conn, some, source, NOW)


def number(conn: Connection, alias: str) -> int:
    found = papers.by_id(conn, alias)
    assert found is not None
    return found


def found(store: Store) -> doubtful.Doubts:
    with store.reading() as conn:
        return doubtful.find(conn)


def show(conn: Connection, *numbers: int) -> int:
    """Let these papers be shown to somebody, and return who that is."""
    ada = owners.get(conn, "test", "lab", "person", "ada", "Ada", NOW).number
    outbox.put(
        conn, key=f"digest:{numbers}", kind="digest", subscription=None, owner=ada, now=NOW, papers=list(numbers),
        address=Address("test", "lab", "ada"), message=Message("x"), due_at=NOW, window_from=NOW, window_id=0,
    )  # fmt: skip
    return ada


def test_nothing_is_doubtful_where_nothing_speaks_against_it(store: Store) -> None:
    assert found(store) == doubtful.Doubts((), ())
    add(store, "arxiv", Paper("arxiv:2401.00001", TITLE, authors=ADA, year=2024))
    add(store, "openreview", Paper("openreview:aaaaaa", TITLE, authors=ADA, year=2025, venue="ICLR"))
    assert found(store) == doubtful.Doubts((), ())
    assert same(store).verdict == "ok"


def test_merged_by_title_though_most_authors_or_venue_and_year_differ(store: Store) -> None:
    crowd = ("Ada Weaver", "Clara Spindle", "Denis Bobbin", "Edna String")
    add(store, "arxiv", Paper("arxiv:2401.00001", TITLE, authors=("Ada Weaver", "B. One", "C. Two"), year=2024))
    add(store, "openreview", Paper("openreview:aaaaaa", TITLE, authors=crowd, year=2024))
    other = "Another Title About Very Long Memories"
    add(store, "acl", Paper("acl:2023.acl-long.1", other, authors=ADA, year=2023, venue="ACL"))
    add(store, "openreview", Paper("openreview:bbbbbb", other, authors=ADA, year=2025, venue="ICLR 2025"))
    doubts = found(store)
    assert [doubt.why for doubt in doubts.merged] == [
        "united by the title alone, but venue and year differ",
        "united by the title alone, but most authors differ",
    ]
    assert doubts.merged[1].todo == "paperround papers unmerge arxiv:2401.00001"
    check = same(store)
    assert check.verdict == "look"
    assert check.line == "2 papers may be two, 0 pairs may be one"
    with store.writing() as conn:
        records.keep(conn, [number(conn, "arxiv:2401.00001")])
    assert len(found(store).merged) == 1


def test_a_collectors_word_alone_is_doubtful_where_titles_differ(store: Store) -> None:
    add(store, "arxiv", Paper("arxiv:2401.00001", TITLE, authors=ADA, year=2024))
    add(store, "semanticscholar", Paper("s2:1", "Sparse looms", authors=ADA, year=2024, ids=("arxiv:2401.00001",)))
    (doubt,) = found(store).merged
    assert "collector" in doubt.why


def test_pairs_that_can_never_be_one_are_in_doubt_only_if_they_share_an_id(store: Store) -> None:
    add(store, "crossref", Paper("doi:10.1000/a", TITLE, authors=ADA, year=2024))
    add(store, "crossref", Paper("doi:10.1000/b", TITLE, authors=ADA, year=2025))
    add(store, "arxiv", Paper("arxiv:2401.00001", "One", ids=("openreview:shared",)))
    add(store, "arxiv", Paper("arxiv:2401.00002", "Two", ids=("openreview:shared",)))
    (doubt,) = found(store).apart
    assert doubt.todo == "paperround papers keep arxiv:2401.00001 arxiv:2401.00002"
    with store.writing() as conn:
        for one, other in ((1, 2), (3, 4)):
            with pytest.raises(UserError, match="stay two papers"):
                records.merge(conn, one, other, NOW)
        records.keep(conn, [3, 4])
    assert found(store) == doubtful.Doubts((), ())


def test_what_comes_in_later_stays_with_what_a_hand_put_together(store: Store) -> None:
    add(store, "crossref", Paper("doi:10.1000/a", TITLE, authors=ADA, year=2024))
    add(store, "openreview", Paper("openreview:aaaaaa", "Two"))
    with store.writing() as conn:
        records.merge(conn, 1, 2, NOW)
    add(store, "openreview", Paper("openreview:aaaaaa", "Two, revised", authors=ADA, year=2025))
    with store.reading() as conn:
        assert number(conn, "openreview:aaaaaa") == number(conn, "doi:10.1000/a") == 1
        assert papers.count(conn) == 1


def test_a_wrong_cross_id_leads_to_whom_it_belongs_whoever_came_first(store: Store) -> None:
    add(store, "semanticscholar", Paper("s2:1", "Moss on stones", authors=("M. Medic",), ids=("arxiv:2401.00001",)))
    with store.reading() as conn:
        assert number(conn, "arxiv:2401.00001") == number(conn, "s2:1")
    add(store, "arxiv", Paper("arxiv:2401.00001", TITLE, authors=ADA, year=2024))
    with store.reading() as conn:
        mine = papers.get(conn, [number(conn, "arxiv:2401.00001")])
        assert [each.paper.title for each in mine.values()] == [TITLE]
        assert number(conn, "s2:1") != number(conn, "arxiv:2401.00001")
    (doubt,) = found(store).apart
    assert "collector" in doubt.why


@pytest.mark.parametrize("source", ["openreview", "crossref", "semanticscholar"])
def test_what_was_shown_is_not_new_when_another_source_brings_it(store: Store, source: str) -> None:
    ids = {"openreview": "openreview:aaaaaa", "crossref": "doi:10.1000/a", "semanticscholar": "s2:1"}
    add(store, "arxiv", Paper("arxiv:2401.00001", TITLE, authors=ADA, year=2024))
    with store.writing() as conn:
        ada = show(conn, 1)
    add(store, source, Paper(ids[source], TITLE, authors=ADA, year=2025))
    with store.writing() as conn:
        assert papers.count(conn) == 1
        assert set(outbox.shown_to(conn, ada)) == {number(conn, ids[source])}
        (part,) = [one.number for one in records.of(conn, [1]) if one.source == source]
        made = records.unmerge(conn, [part or 0], NOW)
        assert set(outbox.shown_to(conn, ada)) == {1, made}


def test_what_was_shown_before_a_merge_counts_for_both_after_it_is_undone(store: Store) -> None:
    add(store, "arxiv", Paper("arxiv:2401.00001", "One"), Paper("openreview:aaaaaa", "Two"))
    with store.writing() as conn:
        ada = show(conn, 2)
        records.merge(conn, 1, 2, NOW)
        assert set(outbox.shown_to(conn, ada)) == {1}
        (part,) = [one.number for one in records.of(conn, [1]) if one.content["title"] == "Two"]
        assert records.unmerge(conn, [part or 0], NOW) == 2
        assert set(outbox.shown_to(conn, ada)) == {1, 2}


def test_an_import_that_parts_a_paper_shows_no_part_again(store: Store) -> None:
    add(store, "semanticscholar", Paper("s2:1", TITLE, authors=ADA, year=2024, ids=("doi:10.1000/b",)))
    add(store, "openreview", Paper("openreview:aaaaaa", TITLE, authors=ADA, year=2024, ids=("doi:10.1000/a",)))
    add(store, "acl", Paper("acl:2024.acl-long.1", TITLE, authors=ADA, year=2024))
    with store.writing() as conn:
        before = {row.number for row in papers.get(conn, [1, 2, 3]).values()}
        ada = show(conn, *before)
    add(store, "crossref", Paper("doi:10.1000/b", TITLE, authors=ADA, year=2026))
    with store.reading() as conn:
        assert {number(conn, "s2:1"), number(conn, "acl:2024.acl-long.1")} <= set(outbox.shown_to(conn, ada))


def test_the_verbs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERROUND_DATA_DIR", str(tmp_path))
    store = Store.open(sqlite_url(tmp_path / "paperround.sqlite"))
    add(store, "arxiv", Paper("arxiv:2401.00001", "One"))
    add(store, "openreview", Paper("openreview:aaaaaa", "Two"))
    monkeypatch.setattr("bot.papers_cli.log.configure", lambda *_: None)  # to what is closed when the test ends
    runner = CliRunner()

    def typed(*words: str) -> str:
        done = runner.invoke(verbs, list(words))
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.stdout

    assert typed("doubtful") == "Nothing is doubtful.\n"
    assert typed("merge", "https://arxiv.org/abs/2401.00001v2", "openreview:aaaaaa") == "One paper now: Two\n"
    listed = typed("unmerge", "arxiv:2401.00001")
    assert "2  openreview: Two (no year; openreview:aaaaaa)" in listed
    with pytest.raises(UsageError, match="no record 9"):
        typed("unmerge", "arxiv:2401.00001", "9")
    assert typed("unmerge", "arxiv:2401.00001", "2").splitlines() == [
        "Two papers now: One [arxiv:2401.00001]",
        "and Two [openreview:aaaaaa]",
    ]
    assert typed("keep", "arxiv:2401.00001") == "Kept as it is: 1 paper.\n"
    with pytest.raises(UsageError, match="No paper here"):
        typed("keep", "arxiv:2401.99999")
    with store.writing() as conn, pytest.raises(NotFound):
        records.keep(conn, [77])
    store.close()
