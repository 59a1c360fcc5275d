"""Where a platform's app is installed: the row of a workspace, with its token as it is kept, encrypted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, delete, select, union, update

from bot.store import workspaces
from bot.store.statements import insert
from bot.store.tables import installs, owners
from bot.store.tables import workspaces as chosen
from bot.store.text import short, storable

KEPT = timedelta(days=30)  # what is stored of a workspace that removed the app


@dataclass(frozen=True, slots=True)
class Install:
    """One workspace. `token` is encrypted, and empty once the app was `removed`; `ended_why` is in words.

    Times are aware. `installed_by` is the id of the person who did it.
    """

    workspace: str
    token: str
    bot_user: str
    bot_id: str
    app_id: str
    name: str
    scopes: tuple[str, ...]
    installed_by: str
    installed_at: datetime
    ended_at: datetime | None = None
    ended_why: str = ""
    removed: bool = False


def get(conn: Connection, platform: str, workspace: str) -> Install | None:
    """Return what is known of a workspace."""
    found = _read(conn, _is(platform, workspace))
    return found[0] if found else None


def every(conn: Connection, platform: str) -> list[Install]:
    """Return all workspaces of a platform, by name."""
    return sorted(_read(conn, installs.c.platform == platform), key=lambda one: (one.name, one.workspace))


def at_work(conn: Connection, platform: str) -> set[str]:
    """Return the workspaces of a platform of which something is stored and whose install has not ended."""
    stored = union(*(select(one.c.workspace).where(one.c.platform == platform) for one in (owners, chosen)))
    ended = select(installs.c.workspace).where(installs.c.platform == platform, installs.c.ended_at.is_not(None))
    return set(conn.execute(stored).scalars()) - set(conn.execute(ended).scalars())


def keep(conn: Connection, platform: str, install: Install, now: datetime) -> None:
    """Store an install, anew or again; what was paused since the app was away goes on."""
    _write(conn, platform, install)
    workspaces.reopen(conn, platform, install.workspace, now)


def renew(conn: Connection, platform: str, workspace: str, old: str, new: str) -> None:
    """Keep the same token as it is encrypted with another key, unless there is a new token by now."""
    mine = and_(_is(platform, workspace), installs.c.token == old)
    conn.execute(update(installs).where(mine).values(token=new))


def end(
    conn: Connection, platform: str, workspace: str, why: str, now: datetime, *, gone: bool, at: datetime | None = None
) -> bool:
    """Note that the app is not at work there, pause what comes there, and say whether that is news.

    `gone`: the app was removed, so the token is deleted, and 30 days later all data. An event of a time `at` which is
    not after the install is about an older one: nothing changes.
    """
    rows = _read(conn, _is(platform, workspace), lock=True)
    known = rows[0] if rows else Install(short(workspace, 120), "", "", "", "", "", (), "", now)
    if rows and at is not None and at <= known.installed_at:
        return False
    if known.ended_at is not None and (known.removed or not gone):
        return False
    values = asdict(known) | {"ended_at": now, "ended_why": why, "removed": gone}
    _write(conn, platform, Install(**(values | ({"token": ""} if gone else {}))))
    workspaces.close(conn, platform, workspace, why, now)
    return True


def works(conn: Connection, platform: str, workspace: str, now: datetime) -> bool:
    """Note that the app is at work again, and let what was paused for it go on; say whether that is news."""
    ended = and_(_is(platform, workspace), installs.c.ended_at.is_not(None))
    if conn.execute(update(installs).where(ended).values(ended_at=None, ended_why="", removed=False)).rowcount != 1:
        return False
    workspaces.reopen(conn, platform, workspace, now)
    return True


def prune(conn: Connection, now: datetime) -> list[str]:
    """Delete all that is stored of workspaces that removed the app 30 days ago, and return which."""
    old = and_(installs.c.removed, installs.c.ended_at < now - KEPT)
    gone = conn.execute(delete(installs).where(old).returning(installs.c.platform, installs.c.workspace)).all()
    for platform, workspace in gone:
        workspaces.forget(conn, platform, workspace)
    return [workspace for _, workspace in gone]


def _is(platform: str, workspace: str) -> Any:
    return and_(installs.c.platform == platform, installs.c.workspace == short(workspace, 120))


def _write(conn: Connection, platform: str, install: Install) -> None:
    values: dict[str, Any] = asdict(install) | {
        "workspace": short(install.workspace, 120),
        "name": storable(install.name),
        "scopes": list(install.scopes),
        "ended_why": storable(install.ended_why),
    }
    row = insert(conn, installs).values(platform=platform, **values)
    conn.execute(row.on_conflict_do_update(index_elements=["platform", "workspace"], set_=values))


def _read(conn: Connection, which: Any, *, lock: bool = False) -> list[Install]:
    query = select(installs).where(which)
    rows = conn.execute(query.with_for_update() if lock else query).mappings()
    return [
        Install(**{name: value for name, value in row.items() if name != "platform"} | {"scopes": tuple(row["scopes"])})
        for row in rows
    ]
