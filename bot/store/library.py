"""Where the stored papers meet the recommender: the index kept up with the database, lookups and rankings.

One lock a process: ranking and updating take turns, in threads, never on the event loop.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from threading import RLock
from typing import ParamSpec, TypeVar

import numpy as np
import structlog

from bot.store import catalogue, papers
from bot.store.catalogue import Keyword
from bot.store.engine import Store
from bot.store.papers import Stored
from recommender.explain import explain
from recommender.files import busy
from recommender.index import Index
from recommender.portrait import portrait
from recommender.search import search
from recommender.select import THRESHOLDS, Candidate, Rules, by, interleave, mentions, select
from recommender.text import area_hash, plain, term_hashes, words
from recommender.types import FloatArray, Interest, Mark, Paper, Profile, Ranked, Ranker, RowArray, Why

P = ParamSpec("P")
T = TypeVar("T")
log = structlog.get_logger()

CHANGES = 2000  # papers read from the database at a time
GROWTH = 1.2  # the basis is learnt anew when there are so many times the papers it was learnt from
CONSIDERED = 400  # best papers of an interest that are looked at whole
SAME_TITLE = 0.86  # likeness of two titles from which one is a slip of the pen of the other
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Found:
    """A paper that a search found; `exact` if the words are its title."""

    number: int
    score: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper picked for an interest (its place in the profile), its score in standard deviations, and why."""

    number: int
    interest: int
    score: float
    why: Why


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one paper would be picked for an interest. `muted` holds the words that keep it out."""

    interest: int
    picked: bool
    why: Why
    muted: str = ""


class Library:
    """The index and the ranker of one process. `folder` None, or one that cannot be written, keeps it in memory."""

    def __init__(self, store: Store, folder: Path | None, make: Callable[[Index], Ranker]) -> None:
        self._store = store
        self._make = make
        self._lock = RLock()
        self._folder = folder
        self.index = Index(folder)
        self.ranker = make(self.index)
        self._fresh: tuple[object, frozenset[int]] = (None, frozenset())
        self._starters: tuple[object, list[Keyword]] = (None, [])

    async def refresh(self, *, learn: bool = False, most: int | None = None) -> None:
        """Bring the index up to the database, in a thread; see `update`."""
        await asyncio.to_thread(self.update, learn=learn, most=most)

    def update(self, *, learn: bool = False, most: int | None = None) -> None:
        """Bring the index up to the database. With `learn`, learn a missing or old basis: slow, but lookups go on.

        With `most`, as a request does it: no more changes than that, and none while another process writes the index,
        which may be for half a minute; what is there already answers meanwhile.
        """
        if most is not None and self._folder is not None and len(self.index) and busy(self._folder):
            return
        try:
            self._update(learn, most)
        except OSError as error:
            log.warning("the index is kept in memory", reason=error.strerror or type(error).__name__)
            self._folder = None
            self._take(Index(None))
            self._update(learn, None)

    def _update(self, learn: bool, most: int | None) -> None:
        with self._lock:
            self._append(most)
            old = len(self.index) > GROWTH * self.index.fitted
            learner = copy.copy(self.index) if learn and old else None
        if learner is not None:
            learner.fit()
            self._take(learner)

    def _take(self, index: Index) -> None:
        with self._lock:
            self.index = index
            self.ranker = self._make(index)

    def _append(self, most: int | None) -> None:
        with self._store.reading() as conn:
            newest = catalogue.last_change(conn)
        if self.index.last != newest:
            self.index.refresh()
        if self.index.last > newest:  # the database is an older one, brought back from a copy
            self.index.clear()
        while self.index.last < newest:
            with self._store.reading() as conn:
                changes = papers.changed_since(conn, self.index.last, most or CHANGES)
            if not changes:
                break
            self.index.remove([str(change.number) for change in changes if change.gone])
            stored = [change.stored for change in changes if change.stored is not None]
            self.index.append([_numbered(one) for one in stored], last=changes[-1].changed)
            if most is not None:
                break

    async def _run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def work() -> T:
            with self._lock:
                return fn(*args, **kwargs)

        return await asyncio.to_thread(work)

    # --- lookups

    async def search(self, text: str, most: int, among: Collection[int] | None = None) -> list[Found]:
        """Return at most `most` papers for some words, the best first; `among` are the numbers that may be found."""
        return await self._run(self._search, text, most, among)

    def _search(self, text: str, most: int, among: Collection[int] | None = None) -> list[Found]:
        mask = None
        if among is not None:
            mask = np.zeros(self.index.n_rows, np.bool_)
            mask[self._rows(among)] = True
        hits = search(self.index, text, most, mask)
        numbers = self.index.ids([hit.row for hit in hits])
        return [Found(int(id_), hit.score, hit.exact_title) for id_, hit in zip(numbers, hits, strict=True)]

    async def by_title(self, text: str) -> int | None:
        """Return the paper that has this title, give or take a slip of the pen, or this title before its colon."""
        return await self._run(self._by_title, text)

    def _by_title(self, text: str) -> int | None:
        found = self._search(text, 5)
        if found and found[0].exact:
            return found[0].number
        wanted = plain(text)
        with self._store.reading() as conn:
            stored = papers.get(conn, [hit.number for hit in found])
        for hit in found:
            title = stored[hit.number].paper.title
            likeness = SequenceMatcher(None, wanted, plain(title), autojunk=False).ratio()
            if likeness >= SAME_TITLE or (":" in title and plain(title.partition(":")[0]) == wanted):
                return hit.number
        return None

    async def unknown(self, topic: str) -> list[str] | None:
        """Return None if papers use a word of the topic, else the nearest words that do occur (perhaps none)."""
        return await self._run(self._unknown, topic)

    def _unknown(self, topic: str) -> list[str] | None:
        hashes = np.append(term_hashes(topic), np.uint64(area_hash(topic)))
        known = (columns := self.index.columns(hashes))[columns >= 0]
        if known.size and self.index.df[known].any():
            return None
        return list(dict.fromkeys(near for word in words(topic)[:5] for near in self.index.nearest_words(word, 3)))[:5]

    async def fresh(self, now: datetime, days: int) -> set[int]:
        """Return the papers that are news within the last `days`; looked up anew each hour, and when papers come."""
        return await self._run(self._news, now, days)

    def _news(self, now: datetime, days: int) -> set[int]:
        state = (self.index.last, now.replace(minute=0, second=0, microsecond=0), days)
        if self._fresh[0] != state:
            with self._store.reading() as conn:
                self._fresh = state, frozenset(catalogue.fresh(conn, now, days))
        return set(self._fresh[1])

    async def starters(self, since: datetime, most: int) -> list[Keyword]:
        """Return the commonest keywords: topics to start with. Those first seen at or after `since` are new."""
        return await self._run(self._common, since, most)

    def _common(self, since: datetime, most: int) -> list[Keyword]:
        state = (self.index.last, since.replace(minute=0, second=0, microsecond=0), most)
        if self._starters[0] != state:
            with self._store.reading() as conn:
                self._starters = state, catalogue.keywords(conn, since, most)
        return self._starters[1]

    # --- rankings

    async def pick(
        self,
        profile: Profile,
        pool: Collection[int],
        seen: Collection[int],
        most: Sequence[int],
        strictness: Sequence[str],
    ) -> list[Pick]:
        """Return papers of the pool, taken from the interests in turn, with reasons.

        `most` papers an interest, and in all as many as the greatest of these; `strictness` is one word an interest. A
        pick's reason notes "newest" where the interests tell nothing apart.
        """
        return await self._run(self._pick, profile, pool, seen, most, strictness)

    def _pick(
        self,
        profile: Profile,
        pool: Collection[int],
        seen: Collection[int],
        most: Sequence[int],
        strictness: Sequence[str],
    ) -> list[Pick]:
        rows = self._rows(pool)
        scores = self.ranker.score(profile.interests, rows)
        followed = self._of_authors(profile.followed, pool)
        ids = frozenset(str(number) for number in seen)
        chosen = []
        for own, limit, strict in zip(scores, most, strictness, strict=True):
            candidates = self._candidates(rows, own, followed)
            rules = Rules(seen=ids, strictness=strict, followed=profile.followed, muted=profile.muted)
            chosen.append(select(self.index, candidates, limit, rules))
        turns = interleave(chosen, max(most, default=0))
        return [self._explained(profile.interests[at], at, ranked) for at, ranked in turns]

    async def similar(self, numbers: Sequence[int], most: int) -> list[Pick]:
        """Return the papers most like some papers, the best first."""
        return await self._run(self._similar, numbers, most)

    def _similar(self, numbers: Sequence[int], most: int) -> list[Pick]:
        alike = Interest("", liked=tuple(Mark(str(number), EPOCH) for number in numbers))
        rows = np.flatnonzero(self.index.live)
        candidates = self._candidates(rows, self.ranker.score([alike], rows)[0], ())
        rules = Rules(seen=frozenset(str(number) for number in numbers), strictness="relaxed")
        picked = [self._explained(alike, 0, ranked) for ranked in select(self.index, candidates, most, rules)]
        return [replace(pick, why=replace(pick.why, near="")) for pick in picked]

    async def closest(self, interests: Sequence[Interest], pool: Collection[int]) -> int | None:
        """Return the paper of the pool that comes nearest to any of the interests."""
        return await self._run(self._closest, interests, pool)

    def _closest(self, interests: Sequence[Interest], pool: Collection[int]) -> int | None:
        rows = self._rows(pool)
        if not rows.size or not interests:
            return None
        best = self.ranker.score(interests, rows).max(axis=0)
        return int(self.index.ids([int(rows[int(best.argmax())])])[0])

    async def nearest(self, interests: Sequence[Interest], number: int) -> int:
        """Return which of the interests (its place) a paper is nearest to."""
        return await self._run(self._nearest, interests, number)

    def _nearest(self, interests: Sequence[Interest], number: int) -> int:
        rows = self._rows([number])
        return int(self.ranker.score(interests, rows)[:, 0].argmax()) if rows.size else 0

    async def judge(self, profile: Profile, number: int, strictness: str) -> list[Verdict]:
        """Say for each interest of a profile whether a paper would be picked, and what speaks for it."""
        return await self._run(self._judge, profile, number, strictness)

    def _judge(self, profile: Profile, number: int, strictness: str) -> list[Verdict]:
        rows = self._rows([number])
        if not rows.size:
            return []
        paper = self._load([number])[0].paper
        muted = next((words for words in profile.muted if mentions(paper, (words,)) or by(paper, (words,))), "")
        passes = self.ranker.score(profile.interests, rows)[:, 0] >= THRESHOLDS[strictness]
        return [
            Verdict(at, bool(passes[at]) or by(paper, profile.followed), explain(self.ranker, interest, paper), muted)
            for at, interest in enumerate(profile.interests)
        ]

    async def weights(self, interest: Interest, most: int) -> list[tuple[str, float]]:
        """Return the words an interest looks for, with weights from 1.0 down."""
        return await self._run(self._weights, interest, most)

    def _weights(self, interest: Interest, most: int) -> list[tuple[str, float]]:
        liked = [one.paper for one in self._load([int(mark.paper) for mark in interest.liked])]
        texts = [*interest.topics, *(f"{paper.title}. {paper.abstract}" for paper in liked)]
        return portrait(self.index, interest, texts, most)

    def _rows(self, numbers: Collection[int]) -> RowArray:
        rows = self.index.rows([str(number) for number in sorted(numbers)])
        return rows[rows >= 0]

    def _of_authors(self, names: Sequence[str], pool: Collection[int]) -> tuple[int, ...]:
        """Return papers of the pool that may be by one of these authors; `select` looks at the names again."""
        inside = set(pool)
        return tuple(hit.number for name in names for hit in self._search(name, 50) if hit.number in inside)

    def _candidates(self, rows: RowArray, scores: FloatArray, always: Sequence[int]) -> list[Candidate]:
        """Return the best of the rows, whole, with their scores, and those that are looked at always."""
        if np.abs(scores).max(initial=0) > 0:
            order = np.argsort(-scores, kind="stable")[:CONSIDERED]
        else:
            order = self._newest(rows)
        extra = np.flatnonzero(np.isin(rows, self._rows(always)))
        order = np.unique(np.concatenate([order, extra])).astype(np.int64)
        loaded = {one.paper.id: one for one in self._load([int(id_) for id_ in self.index.ids(rows[order])])}
        return [
            Candidate(loaded[id_].paper, float(scores[at]), loaded[id_].first_seen)
            for at, id_ in zip(order.tolist(), self.index.ids(rows[order]), strict=True)
            if id_ in loaded
        ]

    def _newest(self, rows: RowArray) -> RowArray:
        """Return where the newest papers stand among the rows."""
        with self._store.reading() as conn:
            newest = self.index.rows([str(number) for number in papers.newest(conn, len(self.index))])
        places = {int(row): at for at, row in enumerate(rows.tolist())}
        return np.array([places[row] for row in newest.tolist() if row in places][:CONSIDERED], np.int64)

    def _load(self, numbers: Sequence[int]) -> list[Stored]:
        """Return papers with their numbers as ids, as the index knows them."""
        with self._store.reading() as conn:
            stored = papers.get(conn, numbers)
        return [replace(one, paper=_numbered(one)) for one in stored.values()]

    def _explained(self, interest: Interest, at: int, ranked: Ranked) -> Pick:
        paper = self._load([int(ranked.paper)])[0].paper
        why = explain(self.ranker, interest, paper)
        return Pick(int(ranked.paper), at, ranked.score, replace(why, note=ranked.why.note))


def _numbered(stored: Stored) -> Paper:
    return replace(stored.paper, id=str(stored.number), ids=())
