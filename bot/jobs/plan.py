"""Turn subscriptions that are due into messages: rank, put into words, and freeze them in the outbox."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import structlog

from bot import metrics
from bot.config import Settings
from bot.core.card import clip
from bot.core.digest import Trouble, because, falls_short, head, troubles, upcoming
from bot.core.pages import content_of
from bot.core.plain import plain
from bot.errors import StoreError
from bot.store import digests, planning
from bot.store.digests import Draft, Order
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.planning import Due, Frozen
from bot.store.promises import Promise
from bot.store.subscriptions import Subscription

BATCH = 50  # subscriptions that are planned together: what they share is read once
QUIET = timedelta(days=7)  # silence longer than this is broken
STRETCHED = timedelta(hours=2)  # by which a digest covers more than usual before it says so

log = structlog.get_logger()


class Planner:
    """Plans what is due on these platforms, in batches. Any number of processes may; each subscription is one's."""

    def __init__(self, store: Store, library: Library, settings: Settings, platforms: Collection[str]) -> None:
        self._store = store
        self._library = library
        self._settings = settings
        self._platforms = platforms
        self.stopping = False

    async def tick(self, until: datetime | None = None) -> int:
        """Plan all that is due, and return how many digests and silences that were. Raises StoreError.

        After `until` (aware) no more is begun: what is left is for the next time.
        What cannot be planned for a fault of ours is logged, tried again after a lease, and keeps nobody else waiting.
        """
        planned = 0
        while not self.stopping:
            batch = await asyncio.to_thread(self._claim, until)
            if not batch:
                break
            planned += await asyncio.to_thread(self._plan, batch)
        return planned

    def _claim(self, until: datetime | None) -> list[Due]:
        with self._store.writing() as conn:
            now = self._store.clock(conn)
            if until is not None and now > until:
                return []
            return planning.claim(conn, now, self._settings.lease_seconds, BATCH, self._platforms)

    def _plan(self, batch: Sequence[Due]) -> int:
        try:
            return self._settle([self._freeze(*pair) for pair in self._drafts(batch)])
        except StoreError:
            raise
        except Exception:
            if len(batch) > 1:  # one of them has a fault: the others shall not wait for it
                return sum(self._plan([due]) for due in batch)
            log.exception("a digest cannot be planned", subscription=batch[0].sub.number, date=str(batch[0].date))
            return 0

    def _drafts(self, batch: Sequence[Due]) -> list[tuple[Due, Draft | None]]:
        """Rank what is due; a subscription of which nothing is due for a date gets its next date alone."""
        asked = [due for due in batch if due.date is not None and self._may(due)]
        with self._store.reading() as conn:
            now = self._store.clock(conn)
            reader = digests.Reader(conn, self._settings.fresh_days, self._library.everybody.crowd(conn, now))
            reader.expect([sub for due in asked for sub in due.subs])
            reader.news(min((due.sub.covered_id for due in asked), default=0))
            orders = [reader.scheduled(due.subs, now, aside=self._settings.wildcard) for due in asked]
            known = digests.troubles_of(conn)
        self._library.update()  # what the orders name is in the index then
        made: dict[int, Draft] = dict(zip([due.sub.number for due in asked], self._ranked(orders, known), strict=True))
        return [(due, made.get(due.sub.number)) for due in batch]

    def _may(self, due: Due) -> bool:
        return self._settings.allows(due.sub.platform, due.sub.workspace)

    def _ranked(self, orders: Sequence[Order], known: Sequence[Trouble]) -> list[Draft]:
        return digests.draft(self._store, self._library, orders, tuple(known)) if orders else []

    def _freeze(self, due: Due, draft: Draft | None) -> Frozen:
        if draft is None:
            return Frozen(due, "", {}, (), (), due.sub.covered_to, due.sub.covered_id)
        return frozen(due, draft)

    def _settle(self, made: Sequence[Frozen]) -> int:
        with self._store.writing() as conn:
            now = self._store.clock(conn)
            settled = [one for one in made if planning.settle(conn, one, now)]
        for one in settled:
            if one.due.date is not None:
                (metrics.PLANNED if one.shown else metrics.NOTHING).inc()
        return len(settled)


def frozen(due: Due, draft: Draft) -> Frozen:
    """Put a ranked digest into words. One with nothing to show says why, or stays silent where that was chosen."""
    sub, order = due.sub, draft.order
    footer = _footer(due, draft)
    shown_to = 0 if sub.place_kind == "channel" else sub.owner
    rest = (order.until, order.up_to, _promise(sub, draft))
    if draft.entries:
        text = head(draft.came, sub.time_zone, stretched=_stretched(due, order.until))
        content = content_of(text, draft.entries, footer=footer, shown_to=shown_to)
        return Frozen(due, text, content, draft.shown, (), *rest)
    if sub.silent and due.next_due_at - sub.said_at <= QUIET:  # the next one can still break it in time
        return Frozen(due, "", {}, (), (), *rest)
    text = because(draft.came, sub.time_zone)
    if sub.silent:
        text += "\nYou asked for silence where there is nothing; after a week of it, I say so once."
    show = (("Show it", f"show {draft.closest.paper.id}"),) if draft.closest and falls_short(draft.came) else ()
    return Frozen(due, text, {"footer": footer}, (), show, *rest)


def _promise(sub: Subscription, draft: Draft) -> Promise | None:
    """Return where the promise stands behind this digest: one for which nothing was near enough wastes no place."""
    promise = draft.order.promise
    if promise is not None and not draft.entries and falls_short(draft.came):
        return promise.lost(0.0, sub.strictness)
    return promise


def _stretched(due: Due, until: datetime) -> bool:
    """Say whether a digest covers more than the schedule's usual time: after a pause, or when nobody ran the bot."""
    since = due.sub.covered_to
    early = due.usual_since is not None and since < due.usual_since - STRETCHED
    return early or (due.sub.next_due_at is not None and until - due.sub.next_due_at > STRETCHED)


def _footer(due: Due, draft: Draft) -> str:
    sub = due.sub
    asker = f"asked for by {clip(plain(sub.asker), 60)}" if sub.place_kind == "channel" else ""
    known = troubles(draft.came, sub.time_zone) if draft.entries else ""
    parts = (known, upcoming(due.next_due_at, sub.time_zone), asker, f"/papers schedule {clip(plain(sub.name), 60)}")
    return " · ".join(part for part in parts if part)
