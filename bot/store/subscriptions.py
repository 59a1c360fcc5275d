"""Subscriptions: one or several interests of one owner that come together as one digest, by a schedule."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, func, insert, or_, select, update

from bot.core.due import Schedule, after_change, next_due
from bot.store import interests as interest_table
from bot.store.promises import FRESH
from bot.store.statements import chunks
from bot.store.tables import interests, outbox, owners, papers, subscriptions
from bot.store.text import key, storable


@dataclass(frozen=True, slots=True)
class Subscription:
    """An interest with the subscription that it comes in. Interests that come together have one `number`.

    `owner` is whom the interest belongs to, `asked_by` the person who asked. `at` is local time, HH:MM, in the IANA
    `time_zone`; `weekdays` are digits, Monday is 1; `gap` are days from one digest to the next, at least. It is paused
    if `paused_at` is set, until the local date `paused_until` if that is not empty. `platform` and `workspace` are
    where the owner is, `place` and `place_kind` its name and kind ("person" or "channel"), `asker` names who asked.
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
    gap: int
    cross_lists: bool
    silent: bool
    created_at: datetime
    paused_at: datetime | None
    paused_until: str
    paused_why: str
    next_due_at: datetime | None
    last_date: str
    covered_to: datetime
    covered_id: int
    said_at: datetime
    platform: str
    workspace: str
    place: str
    place_kind: str
    asker: str

    @property
    def schedule(self) -> Schedule:
        """When its digests are due."""
        return Schedule(self.at, self.weekdays, self.time_zone, self.gap)

    def paused(self, now: datetime) -> bool:
        """Say whether nothing comes for now (aware): paused without end, or until a date that is not here yet."""
        if self.paused_at is None:
            return False
        return not self.paused_until or (self.next_due_at is not None and now < self.next_due_at)


def add(conn: Connection, owner: int, interest: int, asked_by: int, values: Mapping[str, Any], now: datetime) -> int:
    """Give an interest a digest of its own, and return the subscription's number. The first is due after `now`.

    `values` are `at`, `time_zone`, `weekdays`, `at_most`, `strictness`, and any of `gap`, `cross_lists`, `silent`.
    """
    rest = {"gap": 0, "cross_lists": False, "silent": False} | dict(values)
    schedule = Schedule(rest["at"], rest["weekdays"], rest["time_zone"], rest["gap"])
    new = insert(subscriptions).values(
        owner_id=owner,
        asked_by=asked_by,
        **rest,
        created_at=now,
        paused_until="",
        paused_why="",
        next_due_at=next_due(schedule, now)[1],
        last_date="",
        covered_to=now,
        covered_id=select(func.coalesce(func.max(papers.c.id), 0)).scalar_subquery(),
        said_at=now,
    )
    number = int(conn.execute(new.returning(subscriptions.c.id)).scalar_one())
    join(conn, interest, number)
    return number


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
    beside: int = 0,
) -> tuple[Subscription, bool]:
    """Make an interest and its subscription, and say whether it is new; of one that is there, change what is `chosen`.

    Topics that one of that name does not have are added to it. `usual` are the values of `add` for a new subscription,
    where nothing is chosen. `beside` is the number of a subscription of this owner that it comes in, if not 0.
    """
    held = next((one for one in interest_table.of(conn, owner) if key(one.interest.name) == key(name)), None)
    interest = held.number if held else interest_table.add(conn, owner, name, topics, now)
    if held:
        interest_table.add_topics(conn, held, topics)
    there = next((sub for sub in of(conn, owner) if sub.interest == interest), None)
    if beside:
        join(conn, interest, beside)
        change(conn, beside, chosen, now)
    elif there is None:
        add(conn, owner, interest, asked_by, {**usual, **chosen}, now)
    else:
        change(conn, there.number, chosen, now)
    return next(sub for sub in of(conn, owner) if sub.interest == interest), held is None


def join(conn: Connection, interest: int, number: int) -> None:
    """Let an interest come in this subscription of its owner. One that is left without interests is deleted.

    What was not considered for the interest yet will be; what was shown to it, or is on its way, stays so.
    """
    before = conn.execute(select(interests.c.subscription_id).where(interests.c.id == interest)).scalar()
    conn.execute(update(interests).where(interests.c.id == interest).values(subscription_id=number))
    if before is None or before == number:
        return
    old = _one(conn, before)
    consider_from(conn, number, old["covered_to"], old["covered_id"])
    if not conn.execute(select(interests.c.id).where(interests.c.subscription_id == before)).first():
        conn.execute(update(outbox).where(outbox.c.subscription_id == before).values(subscription_id=number))
        conn.execute(delete(subscriptions).where(subscriptions.c.id == before))


def consider_from(conn: Connection, number: int, covered_to: datetime, covered_id: int) -> None:
    """Let the next digest consider papers from there on again, if it would begin later."""
    for column, value in (("covered_to", covered_to), ("covered_id", covered_id)):
        later = and_(subscriptions.c.id == number, subscriptions.c[column] > value)
        conn.execute(update(subscriptions).where(later).values({column: value}))


def part(conn: Connection, interest: int, now: datetime) -> int:
    """Give an interest that comes with others a digest of its own, of the same schedule; return its number.

    One that comes alone stays as it is. What was considered for it together counts.
    """
    here = conn.execute(select(interests.c.subscription_id).where(interests.c.id == interest)).scalar_one()
    others = select(interests.c.id).where(
        interests.c.subscription_id == here, interests.c.id != interest, interest_table.KEPT
    )
    if not conn.execute(others).first():
        return int(here)
    row = dict(conn.execute(select(subscriptions).where(subscriptions.c.id == here)).mappings().one())
    del row["id"]
    row |= {"created_at": now, "planning_until": None}
    number = int(conn.execute(insert(subscriptions).values(row).returning(subscriptions.c.id)).scalar_one())
    join(conn, interest, number)
    return number


def change(conn: Connection, number: int, values: Mapping[str, Any], now: datetime) -> None:
    """Change some of the values of `add`. A date never gets a second digest by it, and today's is not lost."""
    if not values:
        return
    old = _one(conn, number)
    new = {name: values.get(name, old[name]) for name in ("at", "weekdays", "time_zone", "gap")}
    moved: dict[str, Any] = {}
    if old["next_due_at"] is not None and any(new[name] != old[name] for name in new):
        before = Schedule(old["at"], old["weekdays"], old["time_zone"], old["gap"])
        last, until = _date(old["last_date"]), _date(old["paused_until"])
        _, due = after_change(before, Schedule(**new), old["next_due_at"], now, last, until)
        moved = {"next_due_at": due, "planning_until": None}
    if values.get("strictness", old["strictness"]) != old["strictness"]:
        moved |= FRESH
    conn.execute(update(subscriptions).where(subscriptions.c.id == number).values(**dict(values), **moved))


def pause(conn: Connection, number: int, now: datetime, until: date | None = None, why: str = "") -> None:
    """Let nothing come, without end or until a local date, on which it goes on. `why`: what made the bot do it."""
    row = _one(conn, number)
    schedule = Schedule(row["at"], row["weekdays"], row["time_zone"], row["gap"])
    due = next_due(schedule, now, _date(row["last_date"]), until)[1] if until else None
    values = {"paused_at": now, "paused_until": until.isoformat() if until else "", "paused_why": storable(why)}
    conn.execute(update(subscriptions).where(subscriptions.c.id == number).values(**values, next_due_at=due))


def resume(conn: Connection, number: int, now: datetime) -> None:
    """Go on by the schedule; what came meanwhile is covered by the next digest."""
    row = _one(conn, number)
    schedule = Schedule(row["at"], row["weekdays"], row["time_zone"], row["gap"])
    due = next_due(schedule, now, _date(row["last_date"]))[1]
    values = {"paused_at": None, "paused_until": "", "paused_why": "", "said_at": now}
    conn.execute(update(subscriptions).where(subscriptions.c.id == number).values(**values, next_due_at=due))


def hand_over(conn: Connection, number: int, person: int) -> None:
    """Let another person be the one who asked for it."""
    conn.execute(update(subscriptions).where(subscriptions.c.id == number).values(asked_by=person))


def of(conn: Connection, owner: int) -> list[Subscription]:
    """Return the subscriptions of an owner's interests, in the order the interests were made."""
    return _read(conn, _query().where(interests.c.owner_id == owner))


def of_number(conn: Connection, number: int) -> list[Subscription]:
    """Return the interests of one subscription; none if it is gone."""
    return _read(conn, _query().where(subscriptions.c.id == number))


def of_numbers(conn: Connection, numbers: Collection[int]) -> list[Subscription]:
    """Return the interests of several subscriptions, in the order they were made."""
    return [sub for some in chunks(numbers) for sub in _read(conn, _query().where(subscriptions.c.id.in_(some)))]


def asked_by(conn: Connection, person: int) -> list[Subscription]:
    """Return the subscriptions that a person asked for, in channels too, in the order they were made."""
    return _read(conn, _query().where(subscriptions.c.asked_by == person))


def listed(conn: Connection, who: Sequence[int], workspace: str) -> list[Subscription]:
    """Return what these owners follow, and what the first of them, a person, asked for in other channels.

    Those are of one workspace, if it is not empty.
    """
    rows = [sub for owner in who for sub in of(conn, owner)]
    asked = asked_by(conn, who[0])
    return rows + [sub for sub in asked if sub.owner not in who and workspace in ("", sub.workspace)]


def in_workspace(conn: Connection, platform: str, workspace: str) -> list[Subscription]:
    """Return every subscription of a workspace, in the order they were made."""
    return _read(conn, _query().where(owners.c.platform == platform, owners.c.workspace == workspace))


def everywhere(conn: Connection) -> list[Subscription]:
    """Return every subscription there is, in the order they were made: for the administrator's own verbs."""
    return _read(conn, _query())


def unwanted(conn: Connection, numbers: Collection[int]) -> set[int]:
    """Return which of these subscriptions bring nothing now, since somebody paused or unsubscribed them."""
    kept = select(interests.c.id).where(interests.c.subscription_id == subscriptions.c.id, interest_table.KEPT).exists()
    by_a_person = and_(subscriptions.c.paused_at.is_not(None), subscriptions.c.paused_why == "")
    query = select(subscriptions.c.id).where(or_(~kept, by_a_person))
    return {
        one for some in chunks(numbers) for one in conn.execute(query.where(subscriptions.c.id.in_(some))).scalars()
    }


def asker_of(conn: Connection, interest: int) -> int | None:
    """Return the person who asked for an interest's subscription, of a removed interest too."""
    query = (
        select(subscriptions.c.asked_by)
        .join(interests, interests.c.subscription_id == subscriptions.c.id)
        .where(interests.c.id == interest)
    )
    found: int | None = conn.execute(query).scalar()
    return found


def remove(conn: Connection, number: int) -> None:
    """Delete a subscription. Its interests stay, with their marks."""
    conn.execute(delete(subscriptions).where(subscriptions.c.id == number))


def _one(conn: Connection, number: int) -> Any:
    return conn.execute(select(subscriptions).where(subscriptions.c.id == number)).mappings().one()


def _date(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


def _query() -> Select[Any]:
    mine = (interests.c.id.label("interest"), interests.c.owner_id.label("owner"), interests.c.name, interests.c.topics)
    asker = owners.alias("asker")
    place = (
        owners.c.platform,
        owners.c.workspace,
        owners.c.name.label("place"),
        owners.c.kind.label("place_kind"),
        asker.c.name.label("asker"),
    )
    return (
        select(subscriptions, *mine, *place)
        .join(interests, interests.c.subscription_id == subscriptions.c.id)
        .join(owners, owners.c.id == interests.c.owner_id)
        .join(asker, asker.c.id == subscriptions.c.asked_by)
        .where(interest_table.KEPT)
        .order_by(interests.c.id)
    )


_FIELDS = [(field.name, "id" if field.name == "number" else field.name) for field in fields(Subscription)]


def _read(conn: Connection, query: Select[Any]) -> list[Subscription]:
    return [
        Subscription(**{name: _value(row[column]) for name, column in _FIELDS})
        for row in conn.execute(query).mappings()
    ]


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
