"""Subscriptions: an interest with a schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, delete, select, update

from bot.errors import UsageError
from bot.store import interests as interest_table
from bot.store.statements import insert
from bot.store.tables import interests, owners, subscriptions
from bot.store.text import key


@dataclass(frozen=True, slots=True)
class Subscription:
    """An interest with its schedule. `owner` is whom the interest belongs to, `asked_by` the person who asked.

    `at` is local time, HH:MM, in the IANA `time_zone`; `weekdays` are digits, Monday is 1. `place` and `place_kind`
    are the owner's name and kind ("person" or "channel").
    """

    number: int
    interest: int
    owner: int
    asked_by: int
    name: str
    topics: tuple[str, ...]
    at: str
    time_zone: str
    weekdays: str
    at_most: int
    strictness: str
    created_at: datetime
    place: str
    place_kind: str


def add(
    conn: Connection,
    interest: int,
    asked_by: int,
    at: str,
    time_zone: str,
    weekdays: str,
    at_most: int,
    strictness: str,
    now: datetime,
) -> int:
    """Give an interest its schedule and return the subscription's number. Raises UsageError if it has one."""
    new = insert(conn, subscriptions).values(
        interest_id=interest,
        asked_by=asked_by,
        at=at,
        time_zone=time_zone,
        weekdays=weekdays,
        at_most=at_most,
        strictness=strictness,
        created_at=now,
    )
    number = conn.execute(new.on_conflict_do_nothing().returning(subscriptions.c.id)).scalar()
    if number is None:
        raise UsageError("This interest has a subscription already.")
    return int(number)


def keep(
    conn: Connection,
    owner: int,
    asked_by: int,
    name: str,
    topics: Sequence[str],
    *,
    usual: Mapping[str, Any],
    chosen: Mapping[str, Any],
    now: datetime,
) -> tuple[Subscription, bool]:
    """Make an interest and its subscription, and say whether it is new; of one that is there, change what is `chosen`.

    Topics that one of that name does not have are added to it.
    `usual` are the values of `change` for a new subscription, where nothing is chosen.
    """
    held = next((one for one in interest_table.of(conn, owner) if key(one.interest.name) == key(name)), None)
    interest = held.number if held else interest_table.add(conn, owner, name, topics, now)
    if held:
        interest_table.add_topics(conn, held, topics)
    there = next((sub for sub in of(conn, owner) if sub.interest == interest), None)
    if there is None:
        add(conn, interest, asked_by, **{**usual, **chosen}, now=now)
    else:
        change(conn, there.number, chosen)
    return next(sub for sub in of(conn, owner) if sub.interest == interest), held is None


def change(conn: Connection, number: int, values: Mapping[str, Any]) -> None:
    """Change some of a subscription's `at`, `time_zone`, `weekdays`, `at_most` and `strictness`."""
    if values:
        conn.execute(update(subscriptions).where(subscriptions.c.id == number).values(dict(values)))


def of(conn: Connection, owner: int) -> list[Subscription]:
    """Return the subscriptions of an owner's interests, in the order they were made."""
    return _read(conn, _query().where(interests.c.owner_id == owner))


def asked_by(conn: Connection, person: int) -> list[Subscription]:
    """Return the subscriptions that a person asked for, in channels too, in the order they were made."""
    return _read(conn, _query().where(subscriptions.c.asked_by == person))


def asker_of(conn: Connection, interest: int) -> int | None:
    """Return the person who asked for an interest's subscription, of a removed interest too."""
    query = select(subscriptions.c.asked_by).where(subscriptions.c.interest_id == interest)
    found: int | None = conn.execute(query).scalar()
    return found


def remove(conn: Connection, number: int) -> None:
    """Delete a subscription. Its interest stays, with its marks."""
    conn.execute(delete(subscriptions).where(subscriptions.c.id == number))


def _query() -> Select[Any]:
    mine = (interests.c.owner_id.label("owner"), interests.c.name, interests.c.topics)
    place = (owners.c.name.label("place"), owners.c.kind.label("place_kind"))
    return (
        select(subscriptions, *mine, *place)
        .join(interests, interests.c.id == subscriptions.c.interest_id)
        .join(owners, owners.c.id == interests.c.owner_id)
        .where(interest_table.KEPT)
        .order_by(subscriptions.c.id)
    )


def _read(conn: Connection, query: Select[Any]) -> list[Subscription]:
    renamed = {"number": "id", "interest": "interest_id"}
    names = [field.name for field in fields(Subscription)]
    return [
        Subscription(**{name: _value(row[renamed.get(name, name)]) for name in names})
        for row in conn.execute(query).mappings()
    ]


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
