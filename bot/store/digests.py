"""What a digest is made of: the papers that are new for its reader, ranked, with reasons, or why there are none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from bot.core.card import clip, paper_card
from bot.core.digest import Came, Trouble, called
from bot.core.pages import Entry
from bot.core.plain import plain
from bot.store import catalogue, delivered, interests, papers, promises, ratings, sources
from bot.store.catalogue import News
from bot.store.engine import Store
from bot.store.interests import Held
from bot.store.known import known_to
from bot.store.library import Library
from bot.store.papers import Stored
from bot.store.picks import Pick, Picked, Wish
from bot.store.promises import Crowd, Promise
from bot.store.ratings import Rating, Shown
from bot.store.subscriptions import Subscription
from recommender.bar import Bar
from recommender.select import NEWEST
from recommender.text import words
from recommender.types import Profile


@dataclass(frozen=True, slots=True)
class Order:
    """A digest to be made: interests of one owner, each with its limit and what papers have to reach, over papers.

    `pool` are the new papers' numbers, (n,), those that were `seen` among them. `up_to` is the number of the last
    paper that is considered by it. `since` and `until` are aware. With `everything`, the pool is all that is stored.
    `promise` is what the subscription's strictness stands at; `aside` draws the wildcard, if there shall be one.
    """

    owner: int
    held: tuple[Held, ...]
    profile: Profile
    most: tuple[int, ...]
    bars: tuple[Bar, ...]
    pool: NDArray[np.int64]
    seen: frozenset[int]
    since: datetime
    until: datetime
    up_to: int = 0
    everything: bool = False
    promise: Promise | None = None
    aside: int | None = None

    @property
    def wish(self) -> Wish:
        """What is to be ranked."""
        total = max(self.most, default=0)
        return Wish(self.profile, self.pool, self.most, total, self.bars, self.seen, self.aside)


@dataclass(frozen=True, slots=True)
class Draft:
    """A digest as it was ranked: what came, the cards, how their papers came there, the best one that fell short."""

    order: Order
    came: Came
    entries: list[Entry]
    shown: tuple[Shown, ...]
    closest: Stored | None = None


class Reader:
    """Reads what orders need, in one transaction: papers that several orders share are read once."""

    def __init__(self, conn: Connection, fresh_days: int, crowd: Crowd | None = None) -> None:
        self._conn = conn
        self._fresh_days = fresh_days
        self._news: tuple[int, News] | None = None
        self._crowd = crowd or promises.crowd(conn)
        self._promises: dict[int, Promise] = {}
        self._ratings: Mapping[int, Sequence[Rating]] = {}
        self._held: dict[int, list[Held]] = {}
        self._seen: dict[int, set[int]] = {}

    def expect(self, subs: Sequence[Subscription]) -> None:
        """Read at once what these subscriptions' owners want, know already, and said of what was brought."""
        owners = {sub.owner for sub in subs}
        self._promises |= promises.read(self._conn, {sub.number for sub in subs}, self._crowd)
        self._ratings = {**self._ratings, **ratings.of(self._conn, {sub.interest for sub in subs})}
        self._held |= interests.of_many(self._conn, owners)
        came = delivered.shown_to_many(self._conn, owners)
        self._seen |= {owner: papers.union(came[owner]) for owner, papers in known_to(self._conn, owners).items()}

    def news(self, after: int) -> News:
        """Return the papers stored after this number."""
        if self._news is None or after < self._news[0]:
            self._news = after, catalogue.news(self._conn, after)
        return self._news[1]

    def scheduled(self, subs: Sequence[Subscription], now: datetime, *, aside: bool = False) -> Order:
        """Return the order of a subscription (its interests): what came since the last digest, shown papers left out.

        With `aside`, it may have a wildcard.
        """
        sub = subs[0]
        if sub.number not in self._promises:
            self.expect(subs)
        promise, everybody = self._promises[sub.number], self._crowd.calibration
        news = self.news(sub.covered_id)
        days = self._fresh_days + max((now - sub.covered_to).days, 0)
        pool = news.after(sub.covered_id, _hour(now), days, cross_lists=sub.cross_lists)
        held = [one for one in self._held[sub.owner] if one.number in {each.interest for each in subs}]
        return Order(
            owner=sub.owner,
            held=tuple(held),
            profile=interests.profile_of(self._conn, sub.owner, [one.interest for one in held]),
            most=(sub.at_most,) * len(held),
            bars=tuple(ratings.bar(promise.tau, self._ratings.get(one.number, ()), everybody) for one in held),
            pool=pool,
            seen=frozenset(self._seen[sub.owner]),
            since=sub.covered_to,
            until=now,
            up_to=max(news.last, sub.covered_id),
            promise=promise,
            aside=(sub.number << 32) + now.toordinal() if aside else None,
        )


def on_demand(
    conn: Connection,
    owner: int,
    wanted: Sequence[tuple[Held, int, str]],
    fresh: Collection[int],
    since: datetime,
    now: datetime,
    everybody: Crowd | None = None,
) -> tuple[Order, tuple[Trouble, ...]]:
    """Return an order for the papers that are `fresh`, or, if none is left, for all that is stored; and the troubles.

    `wanted` are interests, each with its limit and strictness; one that comes in digests has the threshold of those.
    """
    seen = known_to(conn, [owner])[owner]
    everything = not set(fresh) - seen
    numbers = catalogue.numbers(conn) if everything else fresh
    held = tuple(one for one, _, _ in wanted)
    order = Order(
        owner=owner,
        held=held,
        profile=interests.profile_of(conn, owner, [one.interest for one in held]),
        most=tuple(most for _, most, _ in wanted),
        bars=bars(conn, [(one.number, strictness) for one, _, strictness in wanted], everybody),
        pool=np.array(sorted(numbers), np.int64),
        seen=frozenset(seen),
        since=since,
        until=now,
        everything=everything,
    )
    return order, troubles_of(conn)


def bars(conn: Connection, wanted: Sequence[tuple[int, str]], everybody: Crowd | None = None) -> tuple[Bar, ...]:
    """Return what papers have to reach for interests, given as (number, strictness where nothing was planned yet)."""
    everybody = everybody or promises.crowd(conn)
    standing = promises.of_interests(conn, [number for number, _ in wanted])
    rated = ratings.of(conn, [number for number, _ in wanted])
    return tuple(
        ratings.bar(standing.get(number, everybody.starts[strictness]), rated.get(number, ()), everybody.calibration)
        for number, strictness in wanted
    )


def troubles_of(conn: Connection) -> tuple[Trouble, ...]:
    """Return the sources that do not give what they should, or rest."""
    return tuple(
        Trouble(state.name, state.failing_since, state.behind_since, state.rests)
        for state in sources.all(conn)
        if state.failing_since or state.behind_since or state.rests
    )


def _hour(now: datetime) -> datetime:
    """Return the hour: orders of one hour then agree on what is fresh."""
    return now.replace(minute=0, second=0, microsecond=0)


def draft(
    store: Store, library: Library, orders: Sequence[Order], troubles: tuple[Trouble, ...] = (), *, loose: bool = False
) -> list[Draft]:
    """Rank the orders and make the cards; for threads, since it takes time.

    Papers that are there for being new alone, since no topic tells them apart, come only if it is `loose`.
    """
    # every morning, what is new and no more would be noise
    ranked = library.pick_many([replace(order.wish, loose=loose) for order in orders])
    numbers = {number for one in ranked for number in _named(one)}
    with store.reading() as conn:
        stored = papers.get(conn, sorted(numbers))
        anything = bool(papers.count(conn))
    return [
        _draft(library, order, picked, stored, troubles, anything=anything)
        for order, picked in zip(orders, ranked, strict=True)
    ]


def _named(picked: Picked) -> set[int]:
    """Return the numbers of all papers that a digest speaks of."""
    near = {int(pick.why.near) for pick in picked.picks if pick.why.near.isdecimal()}
    return {pick.number for pick in picked.picks} | near | ({picked.closest} if picked.closest is not None else set())


def _draft(
    library: Library,
    order: Order,
    picked: Picked,
    stored: Mapping[int, Stored],
    troubles: tuple[Trouble, ...],
    *,
    anything: bool,
) -> Draft:
    numbers = [held.number for held in order.held]
    made = entries(stored, picked.picks, numbers)
    untold = not made or any(pick.why.note == NEWEST for pick in picked.picks)
    topics = [topic for held in order.held for topic in held.interest.topics]
    unknown = tuple(unknown_topics(library, topics)) if untold else ()
    closest = stored.get(picked.closest) if picked.closest is not None and not made else None
    came = Came(
        name=called([held.interest.name for held in order.held]),
        new=int(order.pool.size),
        unseen=len(set(order.pool.tolist()) - order.seen),
        picked=len(made),
        since=order.since,
        until=order.until,
        muted=picked.muted,
        unknown=unknown if made or len(unknown) == len(topics) else (),
        closest=closest.paper.title if closest else "",
        closest_fits=picked.closest_fits if closest else None,
        asked=min((bar.tau for bar in order.bars), default=0.0),
        troubles=troubles,
        anything=anything,
        everything=order.everything,
    )
    shown = [_shown(library, order, pick, numbers) for pick in picked.picks if pick.number in stored]
    return Draft(order, came, made, tuple(shown), closest)


def _shown(library: Library, order: Order, pick: Pick, numbers: Sequence[int]) -> Shown:
    """Return how a picked paper came to be shown."""
    bar, generation = order.bars[pick.interest], library.index.generation
    aside = pick.score < bar.least  # the wildcard, and authors that are followed: no threshold holds these back
    return Shown(pick.number, numbers[pick.interest], pick.score, generation, bar.tau, pick.chance, aside)


def entries(
    stored: Mapping[int, Stored], picks: Sequence[Pick], of: Sequence[int] = (), *, reasons: bool = True
) -> list[Entry]:
    """Make the cards of picked papers, in their order. `of` are the interests that `Pick.interest` counts."""
    made = []
    for pick in picks:
        if pick.number not in stored:
            continue
        paper = stored[pick.number].paper
        near = stored.get(int(pick.why.near)) if pick.why.near.isdecimal() else None
        card = paper_card(
            paper, why=pick.why if reasons else None, near_title=near.paper.title if near else "", fits=pick.fits
        )
        made.append(Entry(card, paper.id, of[pick.interest] if 0 <= pick.interest < len(of) else 0))
    return made


def unknown_topics(library: Library, topics: Sequence[str]) -> list[str]:
    """Say which topics no stored paper uses, with the nearest words that do occur; nothing if all are used."""
    said = []
    for topic in topics:
        near = library.lacks(topic)
        if near is not None:
            hint = f" Near it: {', '.join(near)}." if near else ""
            shown = f"“{clip(plain(topic), 60)}”"
            wordless = "is too common to follow" if any(map(str.isalnum, topic)) else "has no word to look for"
            said.append(f"No paper here uses {shown}.{hint}" if words(topic) else f"{shown} {wordless}.")
    return said


def local_date(at: datetime, zone: str) -> date:
    """Return the date of an instant in a zone."""
    return at.astimezone(ZoneInfo(zone)).date()
