"""What has to be known of whoever asks for something before any work begins: one look for all of it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from bot.store import catalogue, delivered, owners, workspaces
from bot.store.owners import Owner

Named = tuple[str, str]  # the platform's own id, and the name; empty if it is not known


@dataclass(frozen=True, slots=True)
class Visit:
    """`me` and `place` are None for those who were not met yet, or have another name now.

    `time_zone` is the workspace's, empty if none was chosen. `held` are the notices that wait for this person: number
    and text, the oldest first. `newest` is the number of the latest change of any paper.
    """

    me: Owner | None
    place: Owner | None
    time_zone: str
    held: tuple[tuple[int, str], ...]
    newest: int


def glance(
    conn: Connection, platform: str, workspace: str, person: str, channel: str, people: str = ""
) -> tuple[Owner | None, Owner | None, int]:
    """Return who and where somebody is who only types, by the platform's own ids, and the number `Visit.newest`.

    `channel` is empty where it is none; `people` as in `look`.
    """
    me = owners.known(conn, platform, people or workspace, "person", person, "")
    place = owners.known(conn, platform, workspace, "channel", channel, "") if channel else None
    return me, place, catalogue.last_change(conn)


def look(
    conn: Connection, platform: str, workspace: str, person: Named, channel: Named | None, people: str = ""
) -> Visit:
    """Look up a person, and the channel of a workspace that is asked from, if it is one.

    `people` is the workspace in which people are kept, where it is not this one.
    """
    me = owners.known(conn, platform, people or workspace, "person", *person)
    return Visit(
        me=me,
        place=owners.known(conn, platform, workspace, "channel", *channel) if channel else None,
        time_zone="" if me and me.time_zone else workspaces.get(conn, platform, workspace).time_zone,
        held=tuple(delivered.held(conn, me.number)) if me else (),
        newest=catalogue.last_change(conn),
    )
