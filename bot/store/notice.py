"""What a person is told directly because somebody else did something: a message on its way, put in once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from bot.core import notices
from bot.core.message import Message
from bot.core.request import Address
from bot.store import outbox, owners
from bot.store.owners import Owner
from bot.store.subscriptions import Subscription


def put(conn: Connection, key: str, person: Owner, text: str, now: datetime) -> None:
    """Tell a person something directly. What has the same `key` is told once."""
    outbox.put(
        conn,
        key=f"notice:{key}",
        kind="notice",
        subscription=None,
        owner=person.number,
        address=Address(person.platform, person.workspace, person.external),
        message=Message(text=text),
        due_at=now,
        window_from=now,
        window_id=0,
        now=now,
    )


def changed(conn: Connection, subs: Sequence[Subscription], by: Owner, done: str, now: datetime) -> None:
    """Tell those who asked for these subscriptions of one place what somebody else has `done` to them, each once."""
    for asker in dict.fromkeys(sub.asked_by for sub in subs if sub.asked_by != by.number):
        theirs = [sub for sub in subs if sub.asked_by == asker]
        numbers = sorted({sub.number for sub in theirs})
        place = theirs[0].place if theirs[0].place_kind == "channel" else ""
        topics = [topic for sub in theirs for topic in sub.topics] if done == notices.REMOVED else []
        text = notices.changed([sub.name for sub in theirs], place, by.name, done, numbers, topics)
        key = f"changed:{numbers[0]}:{asker}:{done}:{now.isoformat()}"
        put(conn, key, owners.by_number(conn, asker), text, now)
