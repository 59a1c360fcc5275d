"""What somebody who manages a workspace chose for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, and_, select

from bot.store.statements import insert
from bot.store.tables import workspaces
from bot.store.text import short

Who = Literal["", "managers", "everyone"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """The choices of one workspace; an empty one means what the settings of the bot say.

    `time_zone` is an IANA name: that of people whose platform does not tell theirs. `channels`: who may subscribe
    channels and change what they get, "managers" or "everyone".
    """

    time_zone: str = ""
    channels: Who = ""


def get(conn: Connection, platform: str, workspace: str) -> Workspace:
    """Return what was chosen; empty choices where nothing was."""
    row: Any = conn.execute(select(workspaces).where(_is(platform, workspace))).mappings().one_or_none()
    return Workspace() if row is None else Workspace(row["time_zone"], row["channels"])


def set_zone(conn: Connection, platform: str, workspace: str, time_zone: str) -> None:
    """Keep the workspace's time zone: an IANA name, checked by the caller, or empty."""
    _set(conn, platform, workspace, "time_zone", time_zone)


def set_channels(conn: Connection, platform: str, workspace: str, who: Who) -> None:
    """Keep who may subscribe channels there: "managers", "everyone", or empty."""
    _set(conn, platform, workspace, "channels", who)


def _is(platform: str, workspace: str) -> Any:
    table = workspaces.c
    return and_(table.platform == short(platform, 40), table.workspace == short(workspace, 120))


def _set(conn: Connection, platform: str, workspace: str, name: str, value: str) -> None:
    """Set one choice and leave the others, also where two processes choose at once."""
    row = {"platform": short(platform, 40), "workspace": short(workspace, 120), "time_zone": "", "channels": ""}
    new = insert(conn, workspaces).values(row | {name: value})
    conn.execute(new.on_conflict_do_update(index_elements=["platform", "workspace"], set_={name: value}))
