"""What digests showed and what was said of it, read back on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, insert, update

from bot.core.message import Message
from bot.core.request import Address
from bot.store import feedback, interests, marks, outbox, owners, records
from bot.store import tables as t
from bot.store.engine import Store
from recommender.types import Mark, Paper

NOW = datetime(2026, 12, 2, 8, 30, tzinfo=UTC)
BEFORE = NOW - timedelta(days=9)


def show(conn: Connection, key: str, owner: int, interest: int, papers: list[int], *, state: str = "sent") -> None:
    number = outbox.put(
        conn,
        key=key,
        kind="digest",
        subscription=None,
        owner=owner,
        address=Address("post", "lab", "ada", ""),
        message=Message(text="Good morning"),
        due_at=NOW,
        window_from=BEFORE,
        window_id=0,
        now=NOW,
    )
    conn.execute(update(t.outbox).where(t.outbox.c.id == number).values(state=state))
    for place, paper in enumerate(papers, 1):
        values = {"interest_id": interest, "place": place, "score": 3.0 - place, "generation": 4, "chance": 0.5}
        conn.execute(insert(t.shown).values(outbox_id=number, paper_id=paper, **values))


def test_what_was_shown_comes_with_what_was_said_of_it(store: Store) -> None:
    with store.writing() as conn:
        made = [Paper(f"s2:{index}", f"Title {index}", authors=("Ada",)) for index in (1, 2, 3, 4)]
        records.add(conn, made, "local", BEFORE)
        ada, bo = (owners.get(conn, "post", "lab", "person", name, name, NOW).number for name in ("ada", "bo"))
        interest = interests.add(conn, ada, "vision", ["vision"], BEFORE)
        other = interests.add(conn, bo, "vision", ["vision"], BEFORE)
        show(conn, "a", ada, interest, [1, 2, 3])
        show(conn, "b", ada, interest, [4], state="dead")
        marks.set_(conn, interest, 1, ada, "more", NOW)
        marks.set_(conn, interest, 2, ada, "less", NOW)
        marks.set_(conn, interest, 3, ada, "less", NOW)
        marks.set_(conn, interest, 3, bo, "more", NOW)
        marks.set_(conn, other, 1, bo, "less", NOW)
    with store.reading() as conn:
        found = feedback.read(conn)
    seen = [(one.interest, one.paper, one.place, one.score, one.generation, one.chance, one.liked) for one in found.log]
    assert seen == [
        (str(interest), "1", 1, 2.0, 4, 0.5, True),
        (str(interest), "2", 2, 1.0, 4, 0.5, False),
        (str(interest), "3", 3, 0.0, 4, 0.5, None),  # one said more, one said less
    ]
    assert {one.at for one in found.log} == {NOW}
    assert [one.name for one in found.interests] == [str(interest), str(other)]
    assert Mark("1", NOW) in found.interests[0].liked
    assert [(at, one.id, one.title) for at, one in found.papers] == [
        (BEFORE, str(index), f"Title {index}") for index in (1, 2, 3, 4)
    ]


def test_nothing_was_shown_yet(store: Store) -> None:
    with store.reading() as conn:
        found = feedback.read(conn)
    assert (found.log, found.interests, found.papers) == ([], [], [])
