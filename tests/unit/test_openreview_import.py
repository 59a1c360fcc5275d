"""`paperround import openreview:…`: the whole list in one command, over real sockets and through the polite client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bot import importing
from bot.app import App
from bot.cli import cli
from bot.config import Settings
from bot.errors import FileError, SettingsError
from bot.jobs.bring import bring
from bot.jobs.ingest import BATCH, Report
from bot.sources._http import Client
from bot.sources._openreview_api import Api
from bot.sources.openreview import OpenReview
from bot.store import papers
from tests.fakes.openreview_server import VENUE, MemoryHttp, OpenReviewWorld, note, openreview_server

SPEC = f"openreview:{VENUE}"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    opened = App.open(Settings(data_dir=tmp_path / "data"))
    yield opened
    opened.close()


def served(papers_: int, **more: Any) -> OpenReviewWorld:
    return OpenReviewWorld(notes=[note(number) for number in range(papers_)], **more)


def stored(app: App) -> int:
    with app.store.reading() as conn:
        return papers.count(conn)


class Bridge(MemoryHttp):
    """A client for the program's own loop that can be closed."""

    async def close(self) -> None:
        """Nothing is open."""


def brought(app: App, world: OpenReviewWorld, words: list[str]) -> list[importing.Brought]:
    client: Any = lambda: Bridge(world)  # noqa: E731
    return importing.bring_all(app, importing.wanted(words, app.settings), client)


def test_the_whole_list_comes_and_a_second_time_changes_nothing(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    world = served(1200)
    importing.tell(brought(app, world, [SPEC]))
    assert capsys.readouterr().out == f"{SPEC}: 1,200 papers read: 1,200 new, 0 already known, 0 merged, 0 refused\n"
    assert stored(app) == 1200
    importing.tell(brought(app, world, [SPEC]))
    assert capsys.readouterr().out == f"{SPEC}: 1,200 papers read: 0 new, 1,200 already known, 0 merged, 0 refused\n"


def test_a_list_that_breaks_off_keeps_what_came_and_says_so(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as caught:
        importing.tell(brought(app, served(1200, faults=[None, (500, b"")]), [SPEC]))
    said = capsys.readouterr()
    assert caught.value.exit_code == 1
    assert said.out.startswith(f"{SPEC}: 1,000 papers read: 1,000 new")
    assert said.err.strip() == f"paperround: {SPEC}: api2.openreview.net answered 500."
    assert stored(app) == 1000


def test_a_venue_that_does_not_exist_is_named(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as caught:
        importing.tell(brought(app, served(0), [SPEC]))
    assert caught.value.exit_code == 2
    assert capsys.readouterr().err.strip() == f"paperround: {SPEC}: OpenReview has no venue called {VENUE}."


def test_files_and_sources_stand_in_one_line_and_a_path_that_exists_wins(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openreview:mine.jsonl").write_text('{"title": "A paper in a file", "abstract": "It is there."}\n')
    done = brought(app, served(3), ["openreview:mine.jsonl", SPEC])
    assert [(one.name, one.report.new) for one in done] == [("openreview:mine.jsonl", 1), (SPEC, 3)]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("opnreview:ICLR.cc/2026/Conference", "Did you mean openreview"),
        ("openreview", "name a venue"),
        ("openreview:two words", "no venue's name"),
        ("local:x", "paperround import FILE"),
    ],
)
def test_what_is_neither_file_nor_source_is_refused_by_name(app: App, word: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        importing.wanted([word], app.settings)


def test_a_file_that_is_missing_is_still_a_missing_file(app: App) -> None:
    with pytest.raises(FileError, match="no such file"):
        importing.wanted(["papers.jsonl"], app.settings)


def test_a_kind_of_which_nothing_can_be_chosen_is_taken_by_its_name(app: App) -> None:
    plugin = SimpleNamespace(name="plugin")
    assert importing.wanted(["plugin"], app.settings, {"plugin": plugin}) == [plugin]


def test_the_command_reads_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERROUND_DATA_DIR", str(tmp_path / "data"))
    done = CliRunner().invoke(cli, ["import", "openreview:not a venue"])
    assert isinstance(done.exception, SettingsError)
    assert not (tmp_path / "data").exists()


async def test_over_sockets_through_the_polite_client_and_no_more_than_a_batch_is_held(app: App) -> None:
    world, reports = served(2100), list[Report]()
    async with openreview_server(world) as url:
        http = Client(private=True, pace={})
        try:
            venue = OpenReview(venue=VENUE, api=Api(new=url, old=f"{url}/old"))
            await bring(app.store, venue, http, app.now, reports.append)
            assert await venue.find("openreview:note000007", http) is not None
            assert await venue.find("openreview:nothing00", http) is None
        finally:
            await http.close()
    totals = [report.new for report in reports]
    assert totals[-1] == stored(app) == 2100
    assert max(b - a for a, b in zip([0, *totals], totals, strict=False)) <= BATCH
