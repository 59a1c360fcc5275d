"""The doctor's look at the machine, and that one check that fails does not end the others."""

from __future__ import annotations

import asyncio
import shutil
import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import text

from bot.config import Settings
from bot.core.check import Check
from bot.errors import SettingsError, StoreError
from bot.jobs import doctor, machine
from bot.store import health
from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.library import Library
from recommender.rankers.default import ranker

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)


def settings(folder: Path) -> Settings:
    return Settings(data_dir=folder)


def never() -> tuple[Store, Library]:
    raise AssertionError("opening would make or change the database")


def nothing(_store: Store) -> dict[str, Any]:
    """No platform is there."""
    return {}


def by_name(checks: list[Check]) -> dict[str, Check]:
    found = {check.name: check for check in checks}
    assert len(found) == len(checks)
    for check in checks:
        assert check.line
        assert "\n" not in check.line + check.todo
    return found


def test_without_a_database_nothing_is_made_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    found = by_name(doctor.examine(settings(tmp_path), sqlite_url(tmp_path / "none.db"), never, nothing, lambda: NOW))
    assert list(found) == ["migrations", "time zones", "platforms", "packages", "disk"]
    assert found["migrations"].verdict == "look"
    assert "none yet" in found["migrations"].line
    assert list(tmp_path.iterdir()) == []


def revised(folder: Path, revision: str) -> str:
    url = sqlite_url(folder / "paper.db")
    store = Store.open(url)
    with store.writing() as conn:
        conn.execute(text("UPDATE paperround_version SET version_num = :new"), {"new": revision})
    store.close()
    return url


@pytest.mark.parametrize(
    ("revision", "verdict", "said", "todo"),
    [("0001", "look", "revision 0001", "backup first"), ("0999", "wrong", "0999 is newer", "newer Paperround")],
)
def test_a_database_of_another_revision_is_left_as_it_is(
    tmp_path: Path, revision: str, verdict: str, said: str, todo: str
) -> None:
    url = revised(tmp_path, revision)
    found = by_name(doctor.examine(settings(tmp_path), url, never, nothing, lambda: NOW))
    check = found["migrations"]
    assert (check.verdict, said in check.line, todo in check.todo) == (verdict, True, True)
    assert health.revision(url) == revision


@pytest.mark.parametrize("url", ["mysql://me:sEcret@host/x", "postgresql://me:sEcret@127.0.0.1:9/x", "sqlite:////proc"])
def test_a_database_that_is_no_use_is_named_without_its_password(tmp_path: Path, url: str) -> None:
    found = by_name(doctor.examine(settings(tmp_path), url, never, nothing, lambda: NOW))
    assert found["database"].verdict == "wrong"
    assert "sEcret" not in found["database"].line
    assert "disk" in found


def test_a_database_that_goes_away_between_is_said(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "paper.db")
    Store.open(url).close()

    def fail() -> tuple[Store, Library]:
        raise StoreError("it is gone")

    found = by_name(doctor.examine(settings(tmp_path), url, fail, nothing, lambda: NOW))
    assert (found["database"].verdict, found["database"].line) == ("wrong", "it is gone")


@contextmanager
def opened(folder: Path) -> Iterator[tuple[str, Store, Library]]:
    url = sqlite_url(folder / "paper.db")
    store = Store.open(url)
    yield url, store, Library(store, None, ranker)
    store.close()


def test_a_new_database_is_well_but_for_the_bot_that_does_not_run(tmp_path: Path) -> None:
    with opened(tmp_path) as (url, store, library):
        found = by_name(doctor.examine(settings(tmp_path), url, lambda: (store, library), nothing, lambda: NOW))
    assert next(iter(found)) == "database"
    assert str(tmp_path / "paper.db") in found["database"].line
    assert {name for name, check in found.items() if check.verdict != "ok"} <= {
        "processes",
        "disk",
        "platforms",
        "sources",
    }
    assert found["processes"].verdict == "look"


def test_a_check_that_fails_is_said_and_the_others_go_on(tmp_path: Path) -> None:
    with opened(tmp_path) as (url, store, library):
        with store.writing() as conn:
            conn.execute(text("DROP TABLE heartbeats"))
        found = by_name(doctor.examine(settings(tmp_path), url, lambda: (store, library), nothing, lambda: NOW))
    assert found["processes"].verdict == "wrong"
    assert "OperationalError" in found["processes"].line
    assert found["index"].verdict == "ok"


def test_the_time_zones_of_this_machine_are_right() -> None:
    check = machine.time_zones()
    assert (check.verdict, "tzdata 20" in check.line) == ("ok", True)


def zone_file(folder: Path, name: str, source: str) -> None:
    """Put one zone's data under another's name."""
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    from importlib.resources import files

    target.write_bytes(files("tzdata").joinpath("zoneinfo", *source.split("/")).read_bytes())


@pytest.fixture
def system_zones(tmp_path: Path) -> Iterator[Path]:
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath([str(tmp_path)])
    zoneinfo.ZoneInfo.clear_cache()
    yield tmp_path
    zoneinfo.reset_tzpath(before)
    zoneinfo.ZoneInfo.clear_cache()


@pytest.mark.parametrize("source", ["Europe/Moscow", "Europe/London", "America/New_York", "Africa/Algiers", "UTC"])
def test_old_or_wrong_zone_data_are_found(system_zones: Path, source: str) -> None:
    zone_file(system_zones, "Europe/Berlin", source)
    assert not machine.berlin_is_right()
    assert machine.time_zones().verdict == "wrong"


@dataclass
class Chat:
    """A platform that says how it is."""

    name: str = "chat"
    found: tuple[Check, ...] = (Check("chat", "ok", "well"), Check("chat rights", "wrong", "one is missing", "Ask."))
    fault: Exception | None = None
    waits: float = 0
    closed: int = 0

    async def check(self) -> tuple[Check, ...]:
        await asyncio.sleep(self.waits)
        if self.fault is not None:
            raise self.fault
        return self.found

    async def close(self) -> None:
        self.closed += 1


def unfinished() -> None:
    raise SettingsError("PAPERROUND_CHAT_TOKEN is missing.")


def not_wanted() -> None:
    """The settings do not ask for it."""


def ask(memory_store: Store, **opens: Any) -> dict[str, Check]:
    return by_name(doctor.ask_platforms(lambda _store: opens, memory_store))


def test_a_platform_says_how_it_is_and_is_closed(memory_store: Store) -> None:
    chat = Chat()
    found = ask(memory_store, chat=lambda: chat, plain=lambda: SimpleNamespace(name="plain"), none=not_wanted)
    assert list(found) == ["platforms", "chat", "chat rights"]
    assert found["platforms"] == Check("platforms", "ok", "chat set up, plain set up")
    assert found["chat rights"].todo == "Ask."
    assert chat.closed == 1


def test_a_platform_that_lacks_a_setting_is_named_and_the_others_are_asked(memory_store: Store) -> None:
    found = ask(memory_store, half=unfinished, chat=Chat)
    assert found["platforms"].line == "chat set up, half not ready"
    assert (found["half"].verdict, found["half"].line) == ("wrong", "PAPERROUND_CHAT_TOKEN is missing.")
    assert found["chat"].verdict == "ok"


def test_no_platform_is_something_to_look_at(memory_store: Store) -> None:
    found = ask(memory_store, none=not_wanted)
    assert (found["platforms"].verdict, "README" in found["platforms"].todo) == ("look", True)


def test_a_platform_that_fails_or_hangs_is_said_and_closed(
    memory_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_PATIENCE", 0.05)
    broken, slow = Chat("broken", fault=RuntimeError("sEcret")), Chat("slow", waits=9)
    found = ask(memory_store, broken=lambda: broken, slow=lambda: slow)
    assert (found["broken"].verdict, "RuntimeError" in found["broken"].line) == ("wrong", True)
    assert "sEcret" not in found["broken"].line
    assert (found["slow"].verdict, "did not answer" in found["slow"].line) == ("wrong", True)
    assert (broken.closed, slow.closed) == (1, 1)


def test_platforms_are_asked_without_a_database_too(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "none.db")
    opens: dict[str, Any] = {"chat": Chat}
    found = by_name(doctor.examine(settings(tmp_path), url, never, lambda _store: opens, lambda: NOW))
    assert found["chat"].line == "well"
    assert list(tmp_path.iterdir()) == []


def test_a_platform_that_cannot_be_loaded_is_said(tmp_path: Path) -> None:
    def fail(_store: Store) -> dict[str, Any]:
        raise ImportError("no such module")

    found = by_name(doctor.examine(settings(tmp_path), sqlite_url(tmp_path / "none.db"), never, fail, lambda: NOW))
    assert found["platforms"].verdict == "wrong"
    assert "ImportError" in found["platforms"].line


@pytest.mark.parametrize(
    ("homes", "verdict"),
    [
        ({}, "ok"),
        ({"bot": ["paperround"], "recommender": ["paperround", "paperround"]}, "ok"),
        ({"bot": ["paperround", "some-bot"]}, "wrong"),
        ({"recommender": ["lightrec"]}, "wrong"),
    ],
)
def test_another_package_of_the_same_name_is_found(homes: dict[str, list[str]], verdict: str) -> None:
    check = machine.packages(homes)
    assert check.verdict == verdict
    assert all(name in check.line for names in homes.values() for name in names if name != "paperround")


def test_an_installed_distribution_that_brings_a_bot_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "chatty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: chatty\nVersion: 1.0\n")
    (info / "RECORD").write_text("bot/__init__.py,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    check = machine.packages()
    assert (check.verdict, "chatty" in check.line) == ("wrong", True)


@pytest.mark.parametrize(("free", "verdict"), [(5e9, "ok"), (5e8, "look"), (5e7, "wrong"), (0, "wrong")])
def test_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: float, verdict: str) -> None:
    def usage(_path: Any) -> SimpleNamespace:
        return SimpleNamespace(free=free)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert machine.disk(tmp_path / "not" / "there").verdict == verdict


def test_clocks_far_from_each_other_are_told(tmp_path: Path) -> None:
    from bot.jobs import checkup

    class Far:
        """A database whose time differs."""

        dialect = "postgresql"

        def __init__(self, off: float) -> None:
            self.clock = lambda _conn: NOW + timedelta(seconds=off)

        @contextmanager
        def reading(self) -> Iterator[None]:
            yield None

    for off, verdict in ((0.5, "ok"), (-1.9, "ok"), (5, "look"), (-5, "look"), (31, "wrong"), (-400, "wrong")):
        assert checkup.clock(Far(off), lambda: NOW).verdict == verdict  # type: ignore[arg-type]
