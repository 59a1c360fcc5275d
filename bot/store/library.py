"""Where the stored papers meet the recommender: the index kept up with the database, lookups and rankings.

Lookups and updates take turns, in threads, never on the event loop; rankings have a state of the index to themselves.
"""

from __future__ import annotations

import asyncio
import copy
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from pathlib import Path
from threading import RLock
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np
import structlog

from bot.store import catalogue, papers, replay
from bot.store.catalogue import Keyword
from bot.store.engine import Store
from bot.store.everybody import Everybody
from bot.store.failing import Failing
from bot.store.fallback import Rankings
from bot.store.papers import Stored
from bot.store.picks import LeftOut as LeftOut
from bot.store.picks import Pick as Pick
from bot.store.picks import Picked as Picked
from bot.store.picks import Picker, numbered
from bot.store.picks import Verdict as Verdict
from bot.store.picks import Wish as Wish
from bot.store.vectors import Vectors
from recommender.bar import Bar
from recommender.files import busy, writable
from recommender.index import Index
from recommender.search import search
from recommender.text import area_hash, plain, term_hashes, words
from recommender.types import Interest, Profile, Ranker

P = ParamSpec("P")
T = TypeVar("T")
log = structlog.get_logger()

CHANGES = 2000  # papers read from the database at a time
TELL_EVERY = 3600.0  # seconds
GROWTH = 1.2  # the basis is learnt anew when there are so many times the papers it was learnt from
SAME_TITLE = 0.86  # likeness of two titles from which one is a slip of the pen of the other


@dataclass(frozen=True, slots=True)
class Found:
    """A paper that a search found; `exact` if the words are its title."""

    number: int
    score: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """What there is for some words: the number of the paper of this id, if they are one, what a search found, papers.

    `papers` are those found, by number.
    """

    by_id: int | None
    found: Sequence[Found]
    papers: Mapping[int, Stored]


class Library:
    """The index and the ranker of one process. `folder` None, or one that cannot be written now, keeps it in memory.

    `vectors` are the dense ones, where an embedder is set up.
    """

    def __init__(
        self, store: Store, folder: Path | None, make: Callable[[Index], Ranker], vectors: Vectors | None = None
    ) -> None:
        self.vectors = vectors
        self._store = store
        self._make = make
        self._lock = RLock()
        self._folder = folder
        self._left_at, self._told = -math.inf, False
        self.index = Index(folder)
        self.everybody = Everybody()
        self.failing = Failing(store)
        self._rankings: tuple[object, Rankings] | None = None
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
        if most is not None and self.index.folder is not None and len(self.index) and busy(self.index.folder):
            return
        if most is None and self._folder is not None and self.index.folder is None and writable(self._folder):
            self._return(self._folder)
        # In memory it learns what is missing alone: what it learnt would be lost, and all scores be of another scale.
        learn = learn and (self.index.folder is not None or self._folder is None or not self.index.fitted)
        try:
            self._update(learn, most)
        except OSError as error:
            self._leave(error)
            self._update(learn and not self.index.fitted, most if len(self.index) else None)

    def _leave(self, error: OSError) -> None:
        """Go on in memory from what the index holds, until the folder can be written again. It is logged once an hour.

        So a disk that is full for what is learnt, but not for what comes, does not fill the log.
        """
        self._told = time.monotonic() - self._left_at >= TELL_EVERY
        if self._told:
            self._left_at = time.monotonic()
            reason = error.strerror or type(error).__name__
            log.warning("the index cannot be written; it goes on in memory until it can", reason=reason)
        with self._lock:
            index = copy.copy(self.index)
            index.folder = None
            self._take(index)

    def _return(self, folder: Path) -> None:
        """Go on in the folder again, once all that came meanwhile is in it."""
        with self._lock:
            held, self.index = self.index, Index(folder)
            try:
                self._append(None)
            except OSError:
                self.index = held
                return
        if self._told:
            log.info("the index is written again")

    def _update(self, learn: bool, most: int | None) -> None:
        with self._lock:
            self._append(most)
            old = len(self.index) > GROWTH * self.index.fitted
            learner = copy.copy(self.index) if learn and old else None
        if learner is not None:
            learner.fit(self._logged())
            with self._lock:  # what came meanwhile goes with it: whoever brought that in relies on it
                self._take(learner)
                self._append(None)

    def _take(self, index: Index) -> None:
        with self._lock:
            self.index = index

    def _append(self, most: int | None) -> None:
        with self._store.reading() as conn:
            newest = catalogue.last_change(conn)
        if self.index.last != newest:
            self.index.refresh()
        if self.index.last > newest:  # the database is an older one, brought back from a copy
            self.index.clear(self._logged())
        elif not self.index.last and newest and (logged := self._logged()) >= self.index.generation:
            self.index.clear(logged)  # it is built anew, and scores of the one before are of another scale
        while self.index.last < newest:
            with self._store.reading() as conn:
                changes = papers.changed_since(conn, self.index.last, most or CHANGES)
            if not changes:
                break
            self.index.remove([str(change.number) for change in changes if change.gone])
            stored = [change.stored for change in changes if change.stored is not None]
            self.index.append([numbered(one) for one in stored], last=changes[-1].changed)
            if most is not None:
                break

    def _logged(self) -> int:
        """Return the generation above which scores are told from all that are logged."""
        with self._store.reading() as conn:
            return replay.latest(conn)

    async def _run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def work() -> T:
            with self._lock:
                return fn(*args, **kwargs)

        return await asyncio.to_thread(work)

    # --- lookups

    async def search(self, text: str, most: int, among: Collection[int] | None = None) -> list[Found]:
        """Return at most `most` papers for some words, the best first; `among` are the numbers that may be found."""
        return await self._run(self._search, text, most, among)

    async def look_up(self, text: str, most: int, among: Collection[int] | None = None) -> Looked:
        """Return what `search` finds, with the papers themselves, and the one whose id the text is: all in one go."""

        def work() -> Looked:
            with self._lock:
                found = self._search(text, most, among)
            with self._store.reading() as conn:
                return Looked(papers.by_id(conn, text), found, papers.get(conn, [hit.number for hit in found]))

        return await asyncio.to_thread(work)

    def _search(self, text: str, most: int, among: Collection[int] | None = None) -> list[Found]:
        mask = None
        if among is not None:
            mask = np.zeros(self.index.n_rows, np.bool_)
            rows = self.index.rows([str(number) for number in among])
            mask[rows[rows >= 0]] = True
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
        return await asyncio.to_thread(self.lacks, topic)

    def lacks(self, topic: str) -> list[str] | None:
        """Return the same as `unknown`; for threads."""
        with self._lock:
            return self._unknown(topic)

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

    def rankings(self) -> Rankings:
        """Return what ranks the papers of the index as it is now; it stays as it is while the index goes on."""
        with self._lock:
            index = self.index
            dense = self.vectors.dense if self.vectors is not None else None
            state = (index, index.generation, index.last, index.n_rows, len(index), dense)
            if self._rankings is None or self._rankings[0] != state:
                _ = index.df, index.rows(())  # made once for both
                taken = copy.copy(index)
                taken.dense = dense
                self._rankings = state, Rankings(self._store, taken, self._make, self.failing)
            return self._rankings[1]

    def picker(self) -> Picker:
        """Return the rankings of the chosen ranker alone. Raises RankerError if it cannot be made."""
        return self.rankings().first

    async def pick(
        self,
        profile: Profile,
        pool: Collection[int],
        seen: Collection[int],
        most: Sequence[int],
        bars: Sequence[Bar],
    ) -> list[Pick]:
        """Return papers of the pool, taken from the interests in turn, with reasons.

        `most` papers an interest, and in all as many as the greatest of these; `bars` are one an interest. A
        pick's reason notes "newest" where the interests tell nothing apart.
        """
        wish = Wish(profile, pool, most, max(most, default=0), bars, seen)
        return (await self._ranked(Picker.pick, wish)).picks

    def pick_many(self, wishes: Sequence[Wish]) -> list[Picked]:
        """Return the digest of each wish, as `pick` would; for threads: lookups and requests go on meanwhile."""
        return self.rankings().pick_many(wishes)

    async def left_out(self, wish: Wish, limit: int) -> list[LeftOut]:
        """Return at most `limit` papers that a digest does not show, the best first, with the reason in words."""
        return await self._ranked(Picker.left_out, wish, limit)

    async def similar(self, numbers: Sequence[int], most: int) -> list[Pick]:
        """Return the papers most like some papers, the best first."""
        return await self._ranked(Picker.similar, numbers, most)

    async def closest(self, interests: Sequence[Interest], pool: Collection[int]) -> int | None:
        """Return the paper of the pool that comes nearest to any of the interests."""
        return await self._ranked(Picker.closest, interests, pool)

    async def nearest(self, interests: Sequence[Interest], number: int) -> int:
        """Return which of the interests (its place) a paper is nearest to."""
        return await self._ranked(Picker.nearest, interests, number)

    async def judge(self, profile: Profile, number: int, bars: Sequence[Bar]) -> list[Verdict]:
        """Say for each interest of a profile whether a paper would be picked, and what speaks for it."""
        return await self._ranked(Picker.judge, profile, number, bars)

    async def weights(self, interest: Interest, most: int) -> list[tuple[str, float]]:
        """Return the words an interest looks for, with weights from 1.0 down."""
        return await self._ranked(Picker.weights, interest, most)

    async def _ranked(self, fn: Callable[Concatenate[Picker, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(lambda: self.rankings().ask(fn, *args, **kwargs))
