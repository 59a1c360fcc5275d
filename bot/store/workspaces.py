"""Workspaces: what somebody who manages one chose for it, and that the bot cannot reach one for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, or_, select, update

from bot.store import outbox, subscriptions
from bot.store.statements import insert
from bot.store.tables import outbox as outbox_table
from bot.store.tables import owners, workspaces
from bot.store.tables import subscriptions as table
from bot.store.text import short, storable

AWAY = "The app is not at work in this workspace"  # how the reason of a pause begins that `reopen` ends

Who = Literal["", "managers", "everyone"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """The choices of one workspace; an empty one means what the settings of the bot say.

    `time_zone` is an IANA name: that of people whose platform does not tell theirs. `channels`: who may subscribe
    channels and change what they get, "managers" or "everyone"; so may the members of the role with the id `role`.
    """

    time_zone: str = ""
    channels: Who = ""
    role: str = ""
    role_name: str = ""


_CHOSEN = select(workspaces).where(*(workspaces.c[name] == bindparam(name) for name in ("platform", "workspace")))


def get(conn: Connection, platform: str, workspace: str) -> Workspace:
    """Return what was chosen; empty choices where nothing was."""
    here = {"platform": short(platform, 40), "workspace": short(workspace, 120)}
    row: Any = conn.execute(_CHOSEN, here).mappings().one_or_none()
    if row is None:
        return Workspace()
    return Workspace(row["time_zone"], row["channels"], row["role"], row["role_name"])


def set_zone(conn: Connection, platform: str, workspace: str, time_zone: str) -> None:
    """Keep the workspace's time zone: an IANA name, checked by the caller, or empty."""
    _set(conn, platform, workspace, time_zone=time_zone)


def set_channels(conn: Connection, platform: str, workspace: str, who: Who) -> None:
    """Keep who may subscribe channels there: "managers", "everyone", or empty."""
    _set(conn, platform, workspace, channels=who)


def set_role(conn: Connection, platform: str, workspace: str, role: str, name: str) -> None:
    """Keep the role whose members may subscribe channels there: its id and its name, or both empty."""
    _set(conn, platform, workspace, role=short(role, 40), role_name=storable(name))


def _set(conn: Connection, platform: str, workspace: str, **values: str) -> None:
    """Set one choice and leave the others, also where two processes choose at once."""
    row = {"platform": short(platform, 40), "workspace": short(workspace, 120)} | asdict(Workspace())
    new = insert(conn, workspaces).values(row | values)
    conn.execute(new.on_conflict_do_update(index_elements=["platform", "workspace"], set_=values))


def close(conn: Connection, platform: str, workspace: str, why: str, now: datetime) -> None:
    """Pause whatever comes to a workspace that the bot cannot reach, and take back what was on its way there.

    What somebody paused stays as it is. What may have arrived is left for the look; notices wait for their person.
    """
    for sub in _subscriptions(conn, platform, workspace):
        if sub.paused_at is None:
            subscriptions.pause(conn, sub.id, now, why=f"{AWAY} ({why}).")
        elif sub.paused_until and sub.next_due_at is not None:
            conn.execute(update(table).where(table.c.id == sub.id).values(next_due_at=None))
    here = (outbox_table.c.platform == short(platform, 40), outbox_table.c.workspace == short(workspace, 120))
    free = or_(outbox_table.c.leased_until.is_(None), outbox_table.c.leased_until <= now)
    waiting = (outbox_table.c.state == "pending", outbox_table.c.uncertain.is_(False), free)
    query = select(outbox_table.c.id, outbox_table.c.token, outbox_table.c.kind).where(*here, *waiting)
    for row in conn.execute(query).all():
        back = outbox.refused if row.kind == "notice" else outbox.dropped
        back(conn, row.id, row.token, now, f"{AWAY} ({why}).")


def reopen(conn: Connection, platform: str, workspace: str, now: datetime) -> None:
    """Let go on exactly what `close` paused, by its schedule. What somebody paused until a date goes on then."""
    for sub in _subscriptions(conn, platform, workspace):
        if sub.paused_why.startswith(AWAY):
            subscriptions.resume(conn, sub.id, now)
        elif sub.paused_until and sub.next_due_at is None:
            subscriptions.pause(conn, sub.id, now, date.fromisoformat(sub.paused_until), sub.paused_why)


def close_channel(
    conn: Connection, platform: str, workspace: str, channel: str, why: str, key: str, now: datetime
) -> int:
    """Pause what comes to a channel and is not paused, tell who asked for it why, and return how many that were.

    `key` names what closed it. What somebody paused until a date finds out by then.
    """
    open_ = [sub for sub in _subscriptions(conn, platform, workspace, channel) if sub.paused_at is None]
    for sub in open_:
        outbox.closed(conn, sub.id, f"{key}:{sub.id}", now, why)
    return len(open_)


def forget(conn: Connection, platform: str, workspace: str) -> None:
    """Delete everything of a workspace: its people and channels with all they have, and what was chosen for it."""
    for owned in (owners, workspaces):
        here = (owned.c.platform == short(platform, 40), owned.c.workspace == short(workspace, 120))
        conn.execute(delete(owned).where(*here))


def _subscriptions(conn: Connection, platform: str, workspace: str, channel: str = "") -> Sequence[Any]:
    """Return the subscriptions of a workspace, or of a channel in it."""
    columns = (table.c.id, table.c.paused_at, table.c.paused_until, table.c.paused_why, table.c.next_due_at)
    here = [owners.c.platform == short(platform, 40), owners.c.workspace == short(workspace, 120)]
    if channel:
        here += [owners.c.kind == "channel", owners.c.external == short(channel, 200)]
    mine = select(owners.c.id).where(*here)
    return conn.execute(select(*columns).where(table.c.owner_id.in_(mine)).order_by(table.c.id)).all()
