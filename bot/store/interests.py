"""Named interests: what is ranked, with the marks that people gave in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from sqlalchemy import Connection, Row, delete, exists, select, update

from bot.errors import UsageError
from bot.store import wishes
from bot.store.papers import resolve_all
from bot.store.statements import chunks, insert
from bot.store.tables import interests, marks, subscriptions
from bot.store.text import key, storable
from recommender.types import Interest, Mark, Profile

KEPT = interests.c.removed_at.is_(None)


@dataclass(frozen=True, slots=True)
class Held:
    """An interest as it is stored. Marks name papers by their number, as text; `owner` is the owner's number."""

    number: int
    owner: int
    interest: Interest
    created_at: datetime


def add(conn: Connection, owner: int, name: str, topics: Sequence[str], now: datetime) -> int:
    """Make an interest and return its number. Raises UsageError if the owner has one of that name, case aside."""
    name = storable(name).strip()
    values = {"owner_id": owner, "name": name, "name_key": key(name), "created_at": now}
    new = insert(conn, interests).values(**values, topics=[storable(topic) for topic in topics])
    number = conn.execute(new.on_conflict_do_nothing().returning(interests.c.id)).scalar()
    if number is None:
        raise UsageError(f'There is an interest called "{name}" already. Give this one another name: name="…".')
    return int(number)


def ensure(conn: Connection, owner: int, name: str, topics: Sequence[str], now: datetime) -> None:
    """Make an interest unless the owner has one of that name."""
    if not any(key(each.interest.name) == key(name) for each in of(conn, owner)):
        add(conn, owner, name, topics, now)


def of(conn: Connection, owner: int) -> list[Held]:
    """Return the owner's interests in the order they were made, with their marks.

    In a channel's interest each person has one voice a paper; the voices stand as marks side by side.
    """
    return of_many(conn, [owner])[owner]


def of_many(conn: Connection, owners: Collection[int]) -> dict[int, list[Held]]:
    """Return `of` each of these owners."""
    query = select(interests).where(KEPT).order_by(interests.c.id)
    rows = [row for some in chunks(owners) for row in conn.execute(query.where(interests.c.owner_id.in_(some)))]
    liked, disliked = marked(conn, [row.id for row in rows])
    found: dict[int, list[Held]] = {owner: [] for owner in owners}
    for row in rows:
        interest = Interest(row.name, tuple(row.topics), liked[row.id], disliked[row.id])
        found[row.owner_id].append(Held(row.id, row.owner_id, interest, row.created_at))
    return found


def by_name(conn: Connection, owner: int, text: str) -> Held | None:
    """Return the interest meant: by its name, by its number in the list ("2"), or by the only one that starts so."""
    held, wanted = of(conn, owner), key(text)
    exact = [each for each in held if key(each.interest.name) == wanted]
    if exact:
        return exact[0]
    digits = wanted.removeprefix("#")
    if digits.isdecimal() and len(digits) < 10 and 1 <= int(digits) <= len(held):
        return held[int(digits) - 1]
    near = [each for each in held if wanted and key(each.interest.name).startswith(wanted)]
    return near[0] if len(near) == 1 else None


def suggest(conn: Connection, owner: int, text: str) -> list[str]:
    """Return at most three names of the owner's interests that look like the text, the nearest first."""
    rows = conn.execute(select(interests.c.name_key, interests.c.name).where(interests.c.owner_id == owner, KEPT))
    names = {row.name_key: row.name for row in rows}
    wanted = key(text)
    inside = [each for each in names if wanted and wanted in each]
    return [names[each] for each in dict.fromkeys([*inside, *get_close_matches(wanted, names, n=3, cutoff=0.5)])][:3]


def add_topics(conn: Connection, held: Held, topics: Sequence[str]) -> None:
    """Add the topics that an interest does not have yet, case and accents aside."""
    known = {key(topic) for topic in held.interest.topics}
    more = [storable(topic) for topic in topics if key(topic) not in known]
    if more:
        values = {"topics": [*held.interest.topics, *more]}
        conn.execute(update(interests).where(interests.c.id == held.number).values(values))


def rename(conn: Connection, number: int, name: str) -> None:
    """Call an interest otherwise. Raises UsageError if its owner has another one of that name, case aside."""
    name = storable(name).strip()
    mine = select(interests.c.owner_id).where(interests.c.id == number).scalar_subquery()
    taken = (interests.c.owner_id == mine, interests.c.name_key == key(name), interests.c.id != number)
    if conn.execute(select(interests.c.id).where(*taken)).first():
        raise UsageError(f"name: there is an interest called “{name}” already. Say another name.")
    conn.execute(update(interests).where(interests.c.id == number).values(name=name, name_key=key(name)))


def owner_of(conn: Connection, number: int) -> int | None:
    """Return the number of whom an interest belongs to, a removed one too; None if there is no such interest."""
    found: int | None = conn.execute(select(interests.c.owner_id).where(interests.c.id == number)).scalar()
    return found


def remove(conn: Connection, number: int, now: datetime) -> None:
    """Put an interest away with its marks and its subscription: it counts for nothing, and `restore` brings it back."""
    away = update(interests).where(interests.c.id == number, KEPT)
    conn.execute(away.values(removed_at=now, name_key=f"removed:{number}"))  # its name is free again


def restore(conn: Connection, number: int) -> bool:
    """Bring a removed interest back; say False if it is gone for good, or if its name was taken since."""
    row = conn.execute(select(interests).where(interests.c.id == number)).one_or_none()
    if row is None or row.removed_at is None:
        return row is not None
    same = select(interests.c.id).where(interests.c.owner_id == row.owner_id, interests.c.name_key == key(row.name))
    if conn.execute(same).first():
        return False
    values = {"removed_at": None, "name_key": key(row.name)}
    conn.execute(update(interests).where(interests.c.id == number).values(values))
    return True


def prune(conn: Connection, before: datetime) -> None:
    """Delete for good what was removed before a time, and subscriptions that bring nothing any more."""
    conn.execute(delete(interests).where(interests.c.removed_at < before))
    used = exists().where(interests.c.subscription_id == subscriptions.c.id)
    conn.execute(delete(subscriptions).where(~used))


def profile(conn: Connection, owner: int) -> Profile:
    """Return all that ranking knows of an owner: interests, followed authors and muted words."""
    return profile_of(conn, owner, [each.interest for each in of(conn, owner)])


def profile_of(conn: Connection, owner: int, held: Sequence[Interest]) -> Profile:
    """Return what ranking knows of an owner, with these interests alone."""
    followed, muted = (tuple(wishes.of(conn, owner, kind)) for kind in ("follow", "mute"))
    return Profile(tuple(held), followed, muted)


_Marks = defaultdict[int, tuple[Mark, ...]]


def marked(conn: Connection, numbers: Iterable[int]) -> tuple[_Marks, _Marks]:
    """Return liked and disliked papers by interest, oldest first.

    Of two papers that were merged, a person's later word counts.
    """
    query = select(marks).order_by(marks.c.at, marks.c.person_id, marks.c.paper_id)
    rows = [row for some in chunks(list(numbers)) for row in conn.execute(query.where(marks.c.interest_id.in_(some)))]
    moved = resolve_all(conn, {row.paper_id for row in rows})
    last: dict[tuple[int, int, int], Row[Any]] = {}
    for row in rows:
        voice = (row.interest_id, row.person_id, moved.get(row.paper_id, row.paper_id))
        last.pop(voice, None)
        last[voice] = row
    liked: _Marks = defaultdict(tuple)
    disliked: _Marks = defaultdict(tuple)
    for (interest, _, paper), row in last.items():
        (liked if row.kind == "more" else disliked)[interest] += (Mark(str(paper), row.at),)
    return liked, disliked
