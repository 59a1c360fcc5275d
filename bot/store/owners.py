"""Whoever can have interests: persons and channels, told apart by platform, workspace and the platform's own id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, func, or_, select, update

from bot.errors import NotFound
from bot.store.papers import get as get_papers
from bot.store.statements import insert
from bot.store.tables import interests, marks, notes, outbox, owners, saved, subscriptions, wishes
from bot.store.text import key, short, storable


@dataclass(frozen=True, slots=True)
class Owner:
    """A person or a channel. `kind` is "person" or "channel"; `time_zone` is an IANA name, or empty if unknown."""

    number: int
    platform: str
    workspace: str
    kind: str
    external: str
    name: str
    time_zone: str
    created_at: datetime


_KNOWN = select(owners).where(
    *(owners.c[name] == bindparam(name) for name in ("platform", "workspace", "kind", "external"))
)


def known(conn: Connection, platform: str, workspace: str, kind: str, external: str, name: str) -> Owner | None:
    """Return the owner, or None for one who was not met yet, or has another name now: `get` writes that down."""
    row: Any = conn.execute(_KNOWN, _key(platform, workspace, kind, external)).mappings().first()
    return None if row is None or storable(name) not in ("", row["name"]) else _owner(row)


def get(conn: Connection, platform: str, workspace: str, kind: str, external: str, name: str, now: datetime) -> Owner:
    """Return the owner, made on first contact. A name that is given and differs replaces the old one."""
    values = _key(platform, workspace, kind, external)
    name = storable(name)
    who = _is(values)
    row: Any = conn.execute(select(owners).where(*who)).mappings().one_or_none()
    if row is None:
        new = insert(conn, owners).values(**values, name=name, time_zone="", created_at=now, menu=[])
        conn.execute(new.on_conflict_do_nothing())  # another process may have met them this very moment
        row = conn.execute(select(owners).where(*who)).mappings().one()
    if name and name != row["name"]:
        conn.execute(update(owners).where(owners.c.id == row["id"]).values(name=name))
    return _owner({**row, "name": name or row["name"]})


def _key(platform: str, workspace: str, kind: str, external: str) -> dict[str, str]:
    return {
        "platform": short(platform, 40),
        "workspace": short(workspace, 120),
        "kind": kind,
        "external": short(external, 200),
    }


def _is(values: Mapping[str, str]) -> list[Any]:
    return [owners.c[column] == value for column, value in values.items()]


def by_number(conn: Connection, number: int) -> Owner:
    """Return the owner of that number. Raises NotFound if it is not there, or forgotten."""
    row: Any = conn.execute(select(owners).where(owners.c.id == number)).mappings().one_or_none()
    if row is None:
        raise NotFound("Nothing is stored about this person or channel any more.")
    return _owner(row)


def people(conn: Connection, platform: str, workspace: str, text: str) -> list[Owner]:
    """Return the persons of a workspace whom a text names: by the platform's own id, or else by name, case aside."""
    here = (owners.c.platform == short(platform, 40), owners.c.workspace == short(workspace, 120))
    persons = select(owners).where(*here, owners.c.kind == "person").order_by(owners.c.id)
    by_id: Any = conn.execute(persons.where(owners.c.external == short(text, 200))).mappings().one_or_none()
    if by_id is not None:
        return [_owner(by_id)]
    return [_owner(dict(row)) for row in conn.execute(persons).mappings() if key(row["name"]) == key(text)]


def _owner(row: Mapping[str, Any]) -> Owner:
    who = (row["platform"], row["workspace"], row["kind"], row["external"])
    return Owner(row["id"], *who, row["name"], row["time_zone"], row["created_at"])


def set_zone(conn: Connection, number: int, time_zone: str) -> None:
    """Keep an owner's time zone: an IANA name, checked by the caller."""
    conn.execute(update(owners).where(owners.c.id == number).values(time_zone=time_zone))


def remember_menu(conn: Connection, number: int, actions: list[str]) -> None:
    """Keep the actions of the message shown last, for platforms that number buttons."""
    conn.execute(update(owners).where(owners.c.id == number).values(menu=[storable(action) for action in actions]))


def menu(conn: Connection, number: int) -> list[str]:
    """Return the actions of the message shown last, in order; empty if there were none."""
    return list(conn.execute(select(owners.c.menu).where(owners.c.id == number)).scalar() or [])


def _asked(number: int) -> Any:
    """Subscriptions that this person asked for, of which the interest is somebody else's: a channel's."""
    return and_(subscriptions.c.asked_by == number, subscriptions.c.owner_id != number)


def summary(conn: Connection, number: int) -> dict[str, int]:
    """Return how much is stored about a person, by kind, in words for the confirmation; kinds with nothing stay at 0.

    "channel subscriptions" are those the person asked for: they go too, while the channels' interests stay.
    """
    mine = and_(interests.c.owner_id == number, interests.c.removed_at.is_(None))
    own = select(interests.c.id).where(mine)
    scheduled = select(interests.c.subscription_id).where(mine)
    conditions = {
        "interests": (interests, mine),
        "subscriptions": (subscriptions, subscriptions.c.id.in_(scheduled)),
        "channel subscriptions": (subscriptions, _asked(number)),
        "marks": (marks, or_(marks.c.person_id == number, marks.c.interest_id.in_(own))),
        "saved papers": (saved, saved.c.owner_id == number),
        "follows": (wishes, and_(wishes.c.owner_id == number, wishes.c.kind == "follow")),
        "mutes": (wishes, and_(wishes.c.owner_id == number, wishes.c.kind == "mute")),
    }
    return {
        name: conn.execute(select(func.count()).select_from(table).where(condition)).scalar_one()
        for name, (table, condition) in conditions.items()
    }


def forget(conn: Connection, number: int) -> None:
    """Delete everything of a person: interests, marks in channels too, and the channel subscriptions asked for."""
    own = select(interests.c.id).where(interests.c.owner_id == number)
    conn.execute(
        delete(subscriptions).where(or_(subscriptions.c.asked_by == number, subscriptions.c.owner_id == number))
    )
    conn.execute(delete(marks).where(or_(marks.c.person_id == number, marks.c.interest_id.in_(own))))
    for table in (interests, saved, wishes, notes):
        conn.execute(delete(table).where(table.c.owner_id == number))
    conn.execute(delete(owners).where(owners.c.id == number))


def export(conn: Connection, number: int) -> dict[str, Any]:
    """Return everything stored about a person as plain JSON: papers by id and title, times in ISO 8601, UTC.

    Raises NotFound if nothing is stored.
    """
    owner = by_number(conn, number)
    row = conn.execute(select(owners).where(owners.c.id == number)).mappings().one()
    person = {"platform": owner.platform, "workspace": owner.workspace, "id": owner.external, "name": owner.name}
    return {
        "person": {**person, "kind": owner.kind, "time zone": owner.time_zone, "since": row["created_at"].isoformat()},
        "interests": _export_interests(conn, number),
        "subscriptions": _export_subscriptions(conn, number),
        "marks": _export_marks(conn, number),
        "saved": _export_saved(conn, number),
        "follows": _export_wishes(conn, number, "follow"),
        "mutes": _export_wishes(conn, number, "mute"),
        "notes": [
            {"kind": note.kind, "content": note.content, "at": note.at.isoformat()}
            for note in conn.execute(select(notes).where(notes.c.owner_id == number).order_by(notes.c.id))
        ],
        "messages": [
            {"key": sent.key, "state": sent.state, "message": sent.message, "at": sent.created_at.isoformat()}
            for sent in conn.execute(select(outbox).where(outbox.c.owner_id == number).order_by(outbox.c.id))
        ],
        "last buttons": list(row["menu"]),
    }


def _export_interests(conn: Connection, number: int) -> list[dict[str, Any]]:
    query = select(interests).where(interests.c.owner_id == number).order_by(interests.c.id)
    return [
        {"name": row.name, "topics": row.topics, "since": row.created_at.isoformat()} for row in conn.execute(query)
    ]


def _export_subscriptions(conn: Connection, number: int) -> list[dict[str, Any]]:
    query = (
        select(subscriptions, interests.c.name, owners.c.kind, owners.c.name.label("place"))
        .join(interests, interests.c.subscription_id == subscriptions.c.id)
        .join(owners, owners.c.id == interests.c.owner_id)
        .where(or_(subscriptions.c.asked_by == number, interests.c.owner_id == number))
        .order_by(subscriptions.c.id)
    )
    names = ("at", "time_zone", "weekdays", "at_most", "strictness", "gap", "cross_lists", "silent", "last_date")
    times = ("paused_at", "next_due_at", "covered_to")
    return [
        {
            "interest": row["name"],
            "for": "me" if row["kind"] == "person" else row["place"],
            "number": row["id"],
            **{name.replace("_", " "): row[name] for name in names},
            **{name.replace("_", " "): row[name].isoformat() if row[name] else None for name in times},
            "paused until": row["paused_until"],
            "since": row["created_at"].isoformat(),
        }
        for row in conn.execute(query).mappings()
    ]


def _export_marks(conn: Connection, number: int) -> list[dict[str, Any]]:
    own = select(interests.c.id).where(interests.c.owner_id == number)
    query = (
        select(marks, interests.c.name)
        .join(interests, interests.c.id == marks.c.interest_id)
        .where(or_(marks.c.person_id == number, marks.c.interest_id.in_(own)))
        .order_by(marks.c.at, marks.c.paper_id, marks.c.interest_id)
    )
    rows = list(conn.execute(query))
    told = _told(conn, [row.paper_id for row in rows])
    return [
        {**told[row.paper_id], "interest": row.name, "kind": row.kind, "because": row.because, "at": row.at.isoformat()}
        for row in rows
    ]


def _export_saved(conn: Connection, number: int) -> list[dict[str, Any]]:
    query = select(saved).where(saved.c.owner_id == number).order_by(saved.c.at, saved.c.paper_id)
    rows = list(conn.execute(query))
    told = _told(conn, [row.paper_id for row in rows])
    return [{**told[row.paper_id], "at": row.at.isoformat()} for row in rows]


def _export_wishes(conn: Connection, number: int, kind: str) -> list[dict[str, str]]:
    query = select(wishes).where(wishes.c.owner_id == number, wishes.c.kind == kind).order_by(wishes.c.at)
    return [{"words": row.words, "at": row.at.isoformat()} for row in conn.execute(query)]


def _told(conn: Connection, numbers: list[int]) -> dict[int, dict[str, str]]:
    return {
        number: {"paper": stored.paper.id, "title": stored.paper.title}
        for number, stored in get_papers(conn, numbers).items()
    }
