"""`paperround import arxiv:cs.CL`: all of a category by OAI-PMH, whatever becomes of tokens, servers and processes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bot import importing
from bot.app import App
from bot.cli import cli
from bot.config import Settings
from bot.core.ports import Cursor
from bot.errors import SettingsError, SourceError, UsageError
from bot.jobs.bring import IN_A_ROW, bring
from bot.jobs.ingest import Report
from bot.sources._arxiv_bulk import Bulk
from bot.sources._http import Client
from bot.sources.acl import Acl
from bot.sources.arxiv import source
from bot.store import catalogue, papers, sources
from bot.store.engine import Store
from recommender.types import Paper
from tests.fakes.arxiv_server import HTML, ArxivWorld, Made, MemoryHttp, arxiv_server
from tests.fakes.source_acl import FileHttp, written

NOW = datetime(2026, 4, 30, 12, tzinfo=UTC)
FIRST = date(2026, 4, 1)
OAI = "/oai"


def made(days: int, a_day: int = 2, **more: Any) -> list[Made]:
    """Make papers that were submitted and changed on each of some days."""
    return [
        Made(f"2604.{10000 + 100 * day + n}", FIRST + timedelta(day), submitted=noon(day), **more)
        for day in range(days)
        for n in range(a_day)
    ]


def noon(day: int) -> datetime:
    return datetime(2026, 4, 1, 12, tzinfo=UTC) + timedelta(day)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    opened = App.open(Settings(data_dir=tmp_path / "data"))
    yield opened
    opened.close()


class Http(MemoryHttp):
    """A client for the program's own loop that can be closed, and that breaks after some answers."""

    breaks = 1_000_000
    error: Exception = SourceError("oaipmh.arxiv.org answered 500.")

    async def get(self, url: str, **more: Any) -> Any:
        """Ask, or break."""
        self.breaks -= 1
        if self.breaks < 0:
            raise self.error
        return await super().get(url, **more)

    async def close(self) -> None:
        """Nothing is open."""


async def read(world: ArxivWorld, one: Bulk | None = None, cursor: str = "") -> tuple[list[str], list[str], str]:
    """Return the ids that came, the cursors, and the error that ended it."""
    found, cursors = list[str](), list[str]()
    try:
        async for item in (one or Bulk(OAI, "cs.CL")).fetch(None, MemoryHttp(world), cursor):
            if isinstance(item, Cursor):
                cursors.append(item.text)
            else:
                found.append(item.id.removeprefix("arxiv:"))
    except SourceError as error:
        return found, cursors, str(error)
    return found, cursors, ""


def ids(some: list[Made]) -> list[str]:
    return [each.id for each in some]


def stored(store: Store) -> int:
    with store.reading() as conn:
        return papers.count(conn)


def cursor_of(app: App) -> str:
    with app.store.reading() as conn:
        return sources.get(conn, "arxiv:cs.CL").cursor


# --- the list


@pytest.mark.parametrize("batch", [1, 2, 3, 7, 100])
async def test_the_whole_list_comes_once(batch: int) -> None:
    there = made(6)
    found, cursors, error = await read(ArxivWorld(there, batch=batch))
    assert (found, error) == (ids(there), "")
    assert cursors[-1] == ""
    assert len(cursors) == -(-len(there) // batch)


async def test_what_is_asked() -> None:
    world = ArxivWorld(made(3), batch=4)
    await read(world, Bulk(OAI, "cs.CL", date(2026, 4, 2), date(2026, 4, 3)))
    assert [asked for _, asked in world.asked] == [
        {"verb": "ListRecords", "metadataPrefix": "arXiv", "set": "cs:cs:CL", "from": "2026-04-02"}
    ]
    await read(world, Bulk(OAI, "cs.CL", date(1995, 1, 1)))
    assert "from" not in world.asked[1][1], "arXiv refuses days before its first"
    assert set(world.asked[2][1]) == {"verb", "resumptionToken"}


async def test_days_are_those_of_submission_also_of_what_changed_later() -> None:
    there = made(8)
    there[4].changed = there[5].changed = date(2026, 4, 20)  # they were revised
    old = Made("2001.00001", date(2026, 4, 5), submitted=datetime(2020, 1, 2, tzinfo=UTC))
    world = ArxivWorld([*there, old])
    found, _, _ = await read(world, Bulk(OAI, "cs.CL", date(2026, 4, 2), date(2026, 4, 4)))
    assert sorted(found) == ids(there[2:8])


async def test_cross_lists_are_marked_and_withdrawn_papers_left_out() -> None:
    there = made(1, 3)
    there[1].categories = ("math.ST", "cs.CL")
    there[2].comment = "This paper has been withdrawn by the author"
    world = ArxivWorld([*there, *made(2, categories=("hep-th",))])
    found = [item async for item in Bulk(OAI, "cs.CL").fetch(None, MemoryHttp(world)) if isinstance(item, Paper)]
    assert [(each.id, each.cross_listed) for each in found] == [
        (f"arxiv:{there[0].id}", False),
        (f"arxiv:{there[1].id}", True),
    ]


async def test_a_token_that_died_costs_a_day_and_no_paper() -> None:
    there = made(6)
    world = ArxivWorld(there, batch=3, dead={"cs:cs:CL|2026-04-03|2"})
    found, _, error = await read(world)
    assert error == ""
    assert set(found) == set(ids(there))
    assert len(found) == len(there) + 2  # of the day it was in
    assert [asked.get("from") for _, asked in world.asked if "set" in asked] == [None, "2026-04-03"]


async def test_tokens_that_always_die_end_with_what_to_do() -> None:
    there = made(1, 9)
    found, _, error = await read(ArxivWorld(there, batch=3, dead={"cs:cs:CL||3", "cs:cs:CL|2026-04-01|3"}))
    assert set(found) == set(ids(there[:3]))
    assert error == "arXiv's OAI-PMH lost its place in the list twice. Run it again later: it goes on."


async def test_a_list_in_no_order_begins_anew_when_the_place_is_lost() -> None:
    there = [*made(6)[6:], *made(3)]
    world = ArxivWorld(there, batch=4, shuffled=True, dead={"cs:cs:CL||8"})
    found, _, error = await read(world)
    assert set(found) >= set(ids(there[:8]))
    assert world.asked[3][1] == world.asked[0][1]
    assert "lost its place" in error


async def test_a_list_that_changes_under_way_loses_nothing() -> None:
    """What was revised meanwhile moves to the end: then fewer records of a day are there than a token skips."""
    there = made(4, 4)
    world = ArxivWorld(there, batch=4)
    seen = set[str]()
    http = MemoryHttp(world)
    cursor = ""
    for _ in range(12):  # broken off after each part
        async for item in Bulk(OAI, "cs.CL").fetch(None, http, cursor):
            if isinstance(item, Cursor):
                cursor = item.text
                break
            seen.add(item.id.removeprefix("arxiv:"))
        there[0].changed = date(2026, 4, 28)
        if not cursor:
            break
        world.batch += 1  # so that one long day is passed
    assert seen == set(ids(there))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is empty"),
        (HTML, "is a web page, no XML"),
        (b"<OAI-PMH><ListRecords/></OAI-PMH>", "a part of the list without records"),
        (b"<OAI-PMH><ListRecords><record>", "no XML, or was cut off"),
    ],
)
async def test_a_part_that_is_nonsense_is_asked_for_again(body: bytes, said: str) -> None:
    there = made(4)
    world = ArxivWorld(there, batch=3, faults=[(OAI, 200, {}, body)] * 2)
    assert await read(world) == (ids(there), (await read(ArxivWorld(there, batch=3)))[1], "")
    found, cursors, error = await read(ArxivWorld(there, batch=3, faults=[(OAI, 200, {}, body)] * 3))
    assert (found, cursors) == ([], [])
    assert said in error


async def test_a_list_with_nothing_in_it_is_an_answer() -> None:
    assert await read(ArxivWorld(made(2)), Bulk(OAI, "hep-th")) == ([], [""], "")


async def test_a_set_that_arxiv_does_not_have_is_refused_at_once() -> None:
    world = ArxivWorld(made(2))
    assert await read(world, Bulk(OAI, "math.NA")) == ([], [], "arXiv's OAI-PMH refuses: Set does not exist (math.NA).")
    assert len(world.asked) == 1


@pytest.mark.parametrize("cursor", ["nonsense", "[]", "{}", '["x"]', "[1, 2, 3]", '[null, null, "2026-13-01"]', "[[]]"])
async def test_a_cursor_that_is_none_is_the_beginning(cursor: str) -> None:
    there = made(2)
    assert (await read(ArxivWorld(there), None, cursor))[0] == ids(there)


# --- the command


def brought(app: App, http: Any, **days: str) -> list[importing.Brought]:
    span = importing.span(days.get("since", ""), days.get("until", ""), NOW.date())
    wanted = importing.wanted(["arxiv:cs.cl"], app.settings, days=span)
    return importing.bring_all(app, wanted, lambda: http)


def test_a_category_comes_whole_and_a_second_time_changes_nothing(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    world = ArxivWorld(made(10), batch=6)
    importing.tell(brought(app, Http(world)))
    importing.tell(brought(app, Http(world)))
    assert capsys.readouterr().out.splitlines() == [
        "arxiv:cs.CL: 20 papers read: 20 new, 0 already known, 0 merged, 0 refused",
        "arxiv:cs.CL: 20 papers read: 0 new, 20 already known, 0 merged, 0 refused",
    ]
    assert stored(app.store) == 20
    assert cursor_of(app) == ""


def test_an_import_that_broke_off_goes_on(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    world = ArxivWorld(made(10), batch=6)
    http = Http(world)
    http.breaks = 2
    with pytest.raises(typer.Exit) as caught:
        importing.tell(brought(app, http))
    assert caught.value.exit_code == 1
    assert capsys.readouterr().err.strip() == "paperround: arxiv:cs.CL: oaipmh.arxiv.org answered 500."
    assert stored(app.store) == 12
    world.asked.clear()
    importing.tell(brought(app, Http(world)))
    assert world.asked[0][1]["from"] == "2026-04-06"
    assert stored(app.store) == 20
    assert capsys.readouterr().out.startswith("arxiv:cs.CL: 10 papers read: 8 new, 2 already known")


def test_other_days_begin_at_their_own_first(app: App) -> None:
    world = ArxivWorld(made(10), batch=6)
    http = Http(world)
    http.breaks = 2
    brought(app, http, since="2026-04-02")
    assert cursor_of(app)
    world.asked.clear()
    brought(app, Http(world), since="2026-04-03", until="2026-04-05")
    assert world.asked[0][1]["from"] == "2026-04-03"


def test_old_papers_are_no_news_and_the_import_is_no_source_that_is_asked(app: App) -> None:
    there = [*made(2), Made("2604.29001", date(2026, 4, 29), submitted=noon(28))]
    app.now = lambda: NOW
    brought(app, Http(ArxivWorld(there)))
    with app.store.reading() as conn:
        assert len(catalogue.fresh(conn, NOW, 7)) == 1
        assert [(state.name, state.asked_at) for state in sources.all(conn)] == [("arxiv:cs.CL", None)]


@pytest.mark.parametrize("listed", [True, False])
def test_acl_comes_whole_and_is_no_news(app: App, listed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    (wanted,) = importing.wanted(["acl:2025.acl"], app.settings)
    body = written(["One paper", "Another one"]).replace(b' ingest-date="2025-07-14"', b"")  # no day, but the year
    assert isinstance(wanted, Acl)
    http: Any = FileHttp({"2025.acl.xml": body} if listed else {})
    http.close = Http(ArxivWorld()).close
    app.now = lambda: NOW
    done = importing.bring_all(app, [wanted], lambda: http)
    if not listed:
        assert done[0].error == "The ACL Anthology has no collection 2025.acl."
        return
    importing.tell(done)
    assert capsys.readouterr().out.startswith("acl:2025.acl: 2 papers read: 2 new")
    with app.store.reading() as conn:
        assert catalogue.fresh(conn, NOW, 7) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["arxiv:cs.XX"], "arXiv has no category “cs.XX”."),
        (["arxiv"], "arXiv needs a category"),
        (["arxiv:cs.CL", "--since", "yesterday"], "--since: “yesterday” is no date. Type it as 2026-12-24."),
        (["arxiv:cs.CL", "--until", "2026-02-30"], "--until: “2026-02-30” is no date."),
        (["arxiv:cs.CL", "--since", "9999-01-01"], "--since: 9999-01-01 is still to come."),
        (["arxiv:cs.CL", "--since", "2026-02-01", "--until", "2026-01-01"], "no day is left"),
        (["openreview:A/2026", "--since", "2026-02-01"], "--since and --until are for arxiv:CATEGORY only."),
        (["papers.jsonl", "--since", "2026-02-01"], "papers.jsonl: --since and --until are for arxiv:CATEGORY only."),
    ],
)
def test_what_cannot_be_is_refused_by_name_at_once(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERROUND_DATA_DIR", str(tmp_path / "data"))
    done = CliRunner().invoke(cli, ["import", *words])
    assert isinstance(done.exception, UsageError | SettingsError)
    assert said in str(done.exception)
    assert not (tmp_path / "data").exists()


# --- waiting


async def test_what_arxiv_asks_to_wait_is_waited_for_and_then_it_goes_on(memory_store: Store) -> None:
    world, slept = ArxivWorld(made(10), batch=6), list[float]()
    http = Http(world)
    http.breaks, http.error = 2, SourceError("oaipmh.arxiv.org answered 503.", 120.0)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        http.breaks = 2 if len(slept) > 1 else 0

    await bring(memory_store, source.whole("cs.CL", None, None), http, lambda: NOW, lambda _: None, sleep)
    assert slept == [120.0, 120.0]
    assert stored(memory_store) == 20


async def test_it_does_not_wait_for_ever(memory_store: Store) -> None:
    http, slept = Http(ArxivWorld(made(3))), list[float]()
    http.breaks, http.error = 0, SourceError("oaipmh.arxiv.org answered 503.", 120.0)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    with pytest.raises(SourceError, match="503"):
        await bring(memory_store, source.whole("cs.CL", None, None), http, lambda: NOW, lambda _: None, sleep)
    assert slept == [120.0] * IN_A_ROW


async def test_over_a_socket_with_the_client_and_a_503_that_says_how_long(memory_store: Store) -> None:
    world = ArxivWorld(made(5), batch=4, faults=[("/oai", 503, {"Retry-After": "7"}, b"")])
    clock, slept, reports = [0.0], list[float](), list[Report]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock[0] += seconds
        await asyncio.sleep(0)

    async with arxiv_server(world) as at:
        http = Client(private=True, pace={}, sleep=sleep, now=lambda: clock[0], chance=lambda: 0.0)
        try:
            await bring(memory_store, Bulk(at.oai, "cs.CL"), http, lambda: NOW, reports.append)
        finally:
            await http.close()
    assert slept == [7.0]
    assert reports[-1].new == stored(memory_store) == 10
    assert len(world.asked) == 4
