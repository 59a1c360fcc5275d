"""The outbox: messages on their way. Each is put in once, claimed by one process at a time, sent, and marked.

`now` is always the database's time, read in the same transaction. A claim is a lease with a token; whoever has lost it
changes nothing any more. From the moment a send begins, its message counts as uncertain until the outcome is written:
so a process may die anywhere, and the next one knows that it must look first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, or_, select, update
from sqlalchemy import insert as plain_insert

from bot.core import notices
from bot.core.message import Message, from_json, to_json
from bot.core.request import Address, Receipt
from bot.core.timing import Timing
from bot.store import owners, subscriptions
from bot.store.columns import UTCDateTime
from bot.store.delivered import SET_ASIDE as SET_ASIDE
from bot.store.delivered import Depth as Depth
from bot.store.delivered import depth as depth
from bot.store.delivered import held as held
from bot.store.delivered import prune as prune
from bot.store.delivered import shown_to as shown_to
from bot.store.delivered import shown_to_many as shown_to_many
from bot.store.delivered import tell as tell
from bot.store.delivered import troubles as troubles
from bot.store.statements import chunks, insert
from bot.store.tables import outbox, shown
from bot.store.tables import subscriptions as subscription_table
from bot.store.text import short, storable, storable_json

_FREE: dict[str, Any] = {"token": "", "leased_until": None}


@dataclass(frozen=True, slots=True)
class Row:
    """A message that was claimed. Times are aware, in UTC.

    `kind` is "digest" or "notice"; `tries` counts sends that may have arrived, `looks` those in vain since the last of
    them, which began at `tried_at` (None: none yet). `uncertain`: it may have arrived. `claimed_at` is the first claim.
    """

    number: int
    key: str
    kind: str
    subscription: int | None
    owner: int
    address: Address
    message: Message
    due_at: datetime
    tries: int
    looks: int
    token: str
    leased_until: datetime
    claimed_at: datetime
    tried_at: datetime | None
    uncertain: bool


def put(
    conn: Connection,
    *,
    key: str,
    kind: str,
    subscription: int | None,
    owner: int,
    address: Address,
    message: Message,
    due_at: datetime,
    window_from: datetime,
    window_id: int,
    now: datetime,
    papers: Iterable[int] = (),
    state: str = "pending",
) -> int | None:
    """Put a message in and return its number, or None if one of this key was put in before: nothing changes then.

    `papers` are shown by it. If it does not arrive, the subscription's `covered_to` and `covered_id` go back to
    `window_from` and `window_id`.
    """
    new = insert(conn, outbox).values(
        key=short(key, 120),
        kind=kind,
        subscription_id=subscription,
        owner_id=owner,
        platform=short(address.platform, 40),
        workspace=short(address.workspace, 120),
        user=short(address.user, 200),
        channel=short(address.channel, 200),
        message=storable_json(to_json(message)),
        state=state,
        due_at=due_at,
        created_at=now,
        not_before=due_at,
        tries=0,
        looks=0,
        uncertain=False,
        window_from=window_from,
        window_id=window_id,
        receipt="",
        error="",
        **_FREE,
    )
    number: int | None = conn.execute(new.on_conflict_do_nothing().returning(outbox.c.id)).scalar()
    rows = [{"outbox_id": number, "paper_id": paper} for paper in sorted(set(papers))]
    if number is not None and rows:
        conn.execute(plain_insert(shown), rows)
    return number


def claim(
    conn: Connection,
    now: datetime,
    token: str,
    lease: float,
    most: int,
    platforms: Collection[str],
    user: str = "",
    channel: str = "",
) -> list[Row]:
    """Lease at most `most` messages for `lease` seconds, workspaces in turn, and return them in that order.

    Those of `platforms` are taken; with `user`, only what goes to this person directly, or to `channel`. What a process
    that died left uncertain is taken once it can be looked for. A stored message that cannot be read is set aside as
    dead, and a digest that is wanted no longer is dropped: its papers are free again.
    """
    if most < 1 or not platforms:
        return []
    ready = _ready(now, Timing(lease).look, platforms, user, channel)
    workspace = (outbox.c.platform, outbox.c.workspace)
    turn = func.row_number().over(partition_by=workspace, order_by=(outbox.c.due_at, outbox.c.id))
    # The turns are those of all that is ready, and only the outer query locks: it skips what others lock at this
    # moment, and goes on to the next, so that several processes each come home with something.
    turns = select(outbox.c.id, turn.label("turn")).where(ready).cte("turns")
    order = (turns.c.turn, outbox.c.due_at, outbox.c.id)
    picked = select(outbox.c.id).join(turns, turns.c.id == outbox.c.id).where(ready).order_by(*order).limit(most)
    ids = picked.with_for_update(skip_locked=True, of=outbox).cte("picked")
    leased = {"token": token, "leased_until": now + timedelta(seconds=lease)}
    first = func.coalesce(outbox.c.claimed_at, literal(now, UTCDateTime()))
    change = update(outbox).where(outbox.c.id.in_(select(ids.c.id))).values(**leased, claimed_at=first)
    rows = list(conn.execute(change.returning(outbox)).mappings())
    rows = _still_wanted(conn, rows, now)
    return [row for each in _in_turn(rows) if (row := _read(conn, each, now)) is not None]


def _still_wanted(conn: Connection, rows: list[Any], now: datetime) -> list[Any]:
    """Drop the digests that somebody paused or unsubscribed while they waited; one that may have arrived stays."""
    numbers = {row["subscription_id"] for row in rows if row["subscription_id"] is not None and not row["uncertain"]}
    unwanted = subscriptions.unwanted(conn, numbers)
    for row in rows:
        if row["subscription_id"] in unwanted and not row["uncertain"]:
            dropped(conn, row["id"], row["token"], now, "paused or unsubscribed before it was sent")
    return [row for row in rows if row["subscription_id"] not in unwanted or row["uncertain"]]


def _ready(now: datetime, look: float, platforms: Collection[str], user: str, channel: str) -> ColumnElement[bool]:
    """Say what may be claimed: it is time, and nobody has it. A send may have ended as late as its lease did."""
    since = timedelta(seconds=look)
    lapsed = case((outbox.c.uncertain, outbox.c.leased_until <= now - since), else_=outbox.c.leased_until <= now)
    free = or_(outbox.c.leased_until.is_(None), lapsed)
    direct = and_(outbox.c.user == user, outbox.c.channel == "")
    here = or_(direct, outbox.c.channel == channel) if channel else direct
    mine = here if user else literal(True)
    wanted = outbox.c.platform.in_(list(platforms))
    return and_(outbox.c.state == "pending", outbox.c.not_before <= now, free, wanted, mine)


def _in_turn(rows: Iterable[Any]) -> list[Any]:
    """Return the rows of all workspaces in turn, those due first before others."""
    turns: Counter[tuple[str, str]] = Counter()
    ordered = []
    for row in sorted(rows, key=lambda row: (row["due_at"], row["id"])):
        place = (row["platform"], row["workspace"])
        turns[place] += 1
        ordered.append((turns[place], row))
    return [row for _, row in sorted(ordered, key=lambda pair: pair[0])]


def _read(conn: Connection, row: Any, now: datetime) -> Row | None:
    try:
        message = from_json(row["message"])
    except (KeyError, TypeError, AttributeError) as error:
        dead(conn, row["id"], row["token"], now, f"the stored message cannot be read ({type(error).__name__})")
        return None
    return Row(
        number=row["id"],
        key=row["key"],
        kind=row["kind"],
        subscription=row["subscription_id"],
        owner=row["owner_id"],
        address=Address(row["platform"], row["workspace"], row["user"], row["channel"]),
        message=message,
        due_at=row["due_at"],
        tries=row["tries"],
        looks=row["looks"],
        token=row["token"],
        leased_until=row["leased_until"],
        claimed_at=row["claimed_at"],
        tried_at=row["tried_at"],
        uncertain=row["uncertain"],
    )


def start(conn: Connection, number: int, token: str, now: datetime, least_left: float) -> bool:
    """Note that a send begins: from here on the message may have arrived.

    Returns False, and changes nothing, if the lease is lost or has less than `least_left` seconds left.
    """
    enough = outbox.c.leased_until >= now + timedelta(seconds=least_left)
    begun = {"tried_at": now, "tries": outbox.c.tries + 1, "looks": 0, "uncertain": True}
    return _change(conn, and_(_has(number, token), enough), begun)


def sent(conn: Connection, number: int, token: str, receipt: Receipt, now: datetime) -> bool:
    """Mark a message as arrived. It counts though the lease was lost, as long as nothing else is decided."""
    del token  # the truth needs no lease
    still = and_(outbox.c.id == number, outbox.c.state == "pending")
    done = {"state": "sent", "done_at": now, "receipt": storable(str(receipt.id)), "uncertain": False, "error": ""}
    return _change(conn, still, done | _FREE)


def retry(conn: Connection, number: int, token: str, not_before: datetime, error: str) -> bool:
    """Note that a send was not taken, so that it does not count, and may be tried again from a time on.

    If an earlier one may have arrived, that is looked for again first.
    """
    values = {"not_before": not_before, "error": storable(error), "tries": outbox.c.tries - 1}
    return _change(conn, _has(number, token), values | {"uncertain": outbox.c.tries > 1} | _FREE)


def uncertain(conn: Connection, number: int, token: str, not_before: datetime, error: str) -> bool:
    """Note that nobody knows whether a message arrived; from a time on it may be looked for."""
    values = {"not_before": not_before, "error": storable(error), "uncertain": True}
    return _change(conn, _has(number, token), values | _FREE)


def looked(conn: Connection, number: int, token: str, not_before: datetime) -> bool:
    """Note that a message was looked for and not found; from a time on it may be looked for again."""
    return _change(conn, _has(number, token), {"not_before": not_before, "looks": outbox.c.looks + 1} | _FREE)


def release(conn: Connection, token: str, numbers: Collection[int], not_before: datetime | None = None) -> int:
    """Give back messages whose send was not begun, and return how many still were ours. They may go on at once.

    With `not_before`, from that time on.
    """
    values = _FREE if not_before is None else _FREE | {"not_before": not_before}
    count = 0
    for some in chunks(numbers):
        ours = and_(outbox.c.id.in_(some), outbox.c.token == token, outbox.c.state == "pending")
        count += conn.execute(update(outbox).where(ours).values(**values)).rowcount
    return count


def dead(conn: Connection, number: int, token: str, now: datetime, error: str) -> bool:
    """Set a message aside that cannot be sent. Its papers are free again, and the subscription goes on."""
    return _set_aside(conn, number, token, now, "dead", error) is not None


def dropped(conn: Connection, number: int, token: str, now: datetime, error: str) -> bool:
    """Set a message aside that shall not go out any more. Its papers are free again, and nobody is told."""
    return _set_aside(conn, number, token, now, "dropped", error) is not None


def unknown(conn: Connection, number: int, token: str, now: datetime, error: str) -> bool:
    """Set a message aside whose arrival cannot be looked up, and tell who asked for it. Its papers are free again."""
    row = _set_aside(conn, number, token, now, "unknown", error)
    if row is not None and row.kind == "digest" and row.subscription_id is not None:
        _tell(conn, row.subscription_id, row.key, now)
    return row is not None


def refused(conn: Connection, number: int, token: str, now: datetime, error: str) -> bool:
    """Set a message aside that its destination does not take; its papers are free again.

    The subscription is paused, and who asked for it is told why: once, however many digests were on their way. A
    notice that is refused is held, to be shown when the person asks for something.
    """
    row = _set_aside(conn, number, token, now, "refused", error)
    if row is None:
        return False
    if row.kind == "notice":
        conn.execute(update(outbox).where(outbox.c.id == number).values(state="held", done_at=None))
    elif row.subscription_id is not None:
        closed(conn, row.subscription_id, row.key, now, error)
    return True


def closed(conn: Connection, subscription: int, key: str, now: datetime, error: str) -> None:
    """Pause a subscription whose destination is closed, and tell who asked for it why, unless the bot did so before.

    `key` is that of the digest, or of the event, by which it came to light.
    """
    query = select(subscription_table.c.paused_why).where(subscription_table.c.id == subscription)
    if not conn.execute(query).scalar_one():
        subscriptions.pause(conn, subscription, now, why=storable(error))
        _tell(conn, subscription, key, now, error)


def _has(number: int, token: str) -> ColumnElement[bool]:
    return and_(outbox.c.id == number, outbox.c.token == token, outbox.c.state == "pending")


def _change(conn: Connection, which: ColumnElement[bool], values: dict[str, Any]) -> bool:
    return conn.execute(update(outbox).where(which).values(**values)).rowcount == 1


def _set_aside(conn: Connection, number: int, token: str, now: datetime, state: str, error: str) -> Any:
    """End a message without arrival, and let its subscription consider its papers anew; None if the lease is lost."""
    values = {"state": state, "done_at": now, "error": storable(error)} | _FREE
    back = (outbox.c.key, outbox.c.kind, outbox.c.subscription_id, outbox.c.window_from, outbox.c.window_id)
    row = conn.execute(update(outbox).where(_has(number, token)).values(**values).returning(*back)).one_or_none()
    if row is not None and row.kind == "digest" and row.subscription_id is not None:
        subscriptions.consider_from(conn, row.subscription_id, row.window_from, row.window_id)
    return row


def _tell(conn: Connection, subscription: int, key: str, now: datetime, reason: str | None = None) -> None:
    """Put in the notice on a digest that was refused for a `reason`, or of which nothing is known.

    What a person's own direct messages refuse is held; all else goes to the person who asked, directly.
    """
    subs = subscriptions.of_number(conn, subscription)
    if not subs:
        return
    names, one = [sub.name for sub in subs], subs[0]
    place = one.place if one.place_kind == "channel" else ""
    text = notices.unknown(names, place) if reason is None else notices.refused(names, place, reason)
    asker = owners.by_number(conn, one.asked_by)
    put(
        conn,
        key=f"notice:{key}",
        kind="notice",
        subscription=None,
        owner=asker.number,
        address=Address(asker.platform, asker.workspace, asker.external),
        message=Message(text=text),
        due_at=now,
        window_from=now,
        window_id=0,
        now=now,
        state="held" if reason is not None and not place else "pending",
    )
