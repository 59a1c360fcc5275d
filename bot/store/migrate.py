"""Bring a database to the newest revision, once, however many processes start together."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, inspect, text

from bot.errors import StoreError
from bot.store.tables import metadata

HEAD = "0008"
VERSION_TABLE = "paperround_version"  # another program in the same schema may keep Alembic's own
FOLDER = Path(__file__).parent / "migrations"
_ADVISORY_LOCK = 7_027_316_420  # any number that other programs on the same server are unlikely to take
_alembic = Lock()  # Alembic keeps its context in module globals


def revision(conn: Connection) -> str | None:
    """Return the revision of this database, or None if no migration has run here."""
    if not inspect(conn).has_table(VERSION_TABLE):
        return None
    query = text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608 - a constant
    found: str | None = conn.execute(query).scalar()
    return found


def migrate(conn: Connection, label: str) -> None:
    """Bring the database to HEAD. `conn` is in a writing transaction; other processes wait and then find it done.

    Raises StoreError if the database is newer than this program or belongs to another one; `label` names it.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _ADVISORY_LOCK})
    present = revision(conn)
    if present == HEAD:
        return
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = conn
    config.attributes["version_table"] = VERSION_TABLE
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if present is None:
        _refuse_foreign(conn, label)
    elif present not in known:
        raise StoreError(
            f"The database {label} is at revision {present}, and this program knows revisions up to {HEAD}. "
            "Install a newer Paperround, or name another database."
        )
    with _alembic:
        command.upgrade(config, "head")


def _refuse_foreign(conn: Connection, label: str) -> None:
    """Raise StoreError if tables are in the way. A PostgreSQL schema may hold other programs' tables beside ours."""
    there = set(inspect(conn).get_table_names())
    in_the_way = there & set(metadata.tables) if conn.dialect.name == "postgresql" else there
    if in_the_way:
        raise StoreError(
            f"The database {label} belongs to another program: it has a table called {min(in_the_way)}. "
            "Name another database."
        )
