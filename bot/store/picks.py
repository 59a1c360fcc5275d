"""Rankings in one state of the index: what digests show and leave out, and why. What they share is prepared once."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bot.store import papers
from bot.store.engine import Store
from bot.store.papers import Stored
from recommender.explain import Explainer
from recommender.index import Index
from recommender.match import by, mentions
from recommender.pool import Mask, Pool
from recommender.portrait import portrait
from recommender.search import search
from recommender.select import THRESHOLDS, Rules, allows, choose, interleave
from recommender.types import FloatArray, Interest, Mark, Paper, Profile, Ranked, Ranker, RowArray, Why

CONSIDERED = 400  # best papers of an interest that are looked at whole
KEPT = 4_000  # papers of a pool that is prepared as a whole; of more, the best are looked at each time anew
POOLS = 3  # such pools kept, of 40 MB at most
PAUSE = 0.0005  # seconds between two digests in which a person's request gets its turn
NAMED = 50  # papers looked at for a followed author where a pool is not prepared
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wish:
    """One digest to be ranked: papers (numbers) of `pool` that are not `seen`, for the interests of a profile.

    `most` papers and one word of `strictness` an interest, and at most `total` papers in all. An array as the pool is
    quickest; wishes for the same pool share what is prepared.
    """

    profile: Profile
    pool: NDArray[np.int64] | Collection[int]
    most: Sequence[int]
    total: int
    strictness: Sequence[str]
    seen: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper picked for an interest (its place in the profile), its score in standard deviations, and why."""

    number: int
    interest: int
    score: float
    why: Why


@dataclass(frozen=True, slots=True)
class Picked:
    """What a digest shows; the best paper that fell short, if one was told apart; how many unseen ones are muted.

    Of a pool of more than `KEPT` papers, both tell of the `CONSIDERED` best of each interest.
    """

    picks: list[Pick]
    closest: int | None = None
    muted: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A paper that was not picked, the interest (its place) that it is nearest to, its score there, and why not."""

    number: int
    interest: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one paper would be picked for an interest. `muted` holds the words that keep it out."""

    interest: int
    picked: bool
    why: Why
    muted: str = ""


@dataclass(frozen=True, slots=True)
class _Field:
    """The rows of a pool, and its papers prepared if they are few enough."""

    rows: RowArray
    pool: Pool | None


class Picker:
    """Ranks the papers of an index that does not change any more. One thread at a time, a digest at a time.

    Prepared pools, what was read of papers, and vectors go with it: at most about 250 MB.
    """

    def __init__(self, store: Store, index: Index, ranker: Ranker) -> None:
        self._store = store
        self._index = index
        self._ranker = ranker
        self._explainer = Explainer(ranker)
        self._fields: dict[bytes, _Field] = {}
        self._newest: RowArray | None = None
        self._lock = Lock()

    def pick_many(self, wishes: Sequence[Wish]) -> list[Picked]:
        """Return the digest of each wish. A person's request, from another thread, waits for one of them at most."""
        result = []
        for wish in wishes:
            with self._lock:
                result.append(self._pick(wish))
            time.sleep(PAUSE)  # without it, the thread that gives the lock back is the one that takes it again
        return result

    def pick(self, wish: Wish) -> Picked:
        """Return the digest of a wish."""
        with self._lock:
            return self._pick(wish)

    def left_out(self, wish: Wish, limit: int) -> list[LeftOut]:
        """Return at most `limit` papers that a digest does not show, the best first, with the reason in words."""
        with self._lock:
            return self._left_out(wish, limit)

    def similar(self, numbers: Sequence[int], most: int) -> list[Pick]:
        """Return the papers most like some papers, the best first."""
        alike = Interest("", liked=tuple(Mark(str(number), EPOCH) for number in numbers))
        rules = Rules(seen=frozenset(str(number) for number in numbers), strictness="relaxed")
        with self._lock:
            rows = np.flatnonzero(self._index.live)
            scores = self._ranker.score([alike], rows)[0]
            pool, own, among = self._considered(_Field(rows, None), scores, ())
            picked = [self._explained(alike, 0, one, pool) for one in choose(pool, own, most, rules, among)]
        return [replace(pick, why=replace(pick.why, near="")) for pick in picked]

    def closest(self, interests: Sequence[Interest], numbers: Collection[int]) -> int | None:
        """Return the paper of the pool that comes nearest to any of the interests."""
        with self._lock:
            rows = self._rows(numbers)
            if not rows.size or not interests:
                return None
            best = self._ranker.score(interests, rows).max(axis=0)
            return int(self._index.ids([int(rows[int(best.argmax())])])[0])

    def nearest(self, interests: Sequence[Interest], number: int) -> int:
        """Return which of the interests (its place) a paper is nearest to."""
        with self._lock:
            rows = self._rows([number])
            return int(self._ranker.score(interests, rows)[:, 0].argmax()) if rows.size else 0

    def judge(self, profile: Profile, number: int, strictness: str) -> list[Verdict]:
        """Say for each interest of a profile whether a paper would be picked, and what speaks for it."""
        with self._lock:
            rows = self._rows([number])
            if not rows.size:
                return []
            paper = self._load([number])[0].paper
            muted = _muting(paper, profile.muted)
            passes = self._ranker.score(profile.interests, rows)[:, 0] >= THRESHOLDS[strictness]
            followed = by(paper, profile.followed)
            return [
                Verdict(at, bool(passes[at]) or followed, self._explainer.why(interest, paper), muted)
                for at, interest in enumerate(profile.interests)
            ]

    def weights(self, interest: Interest, most: int) -> list[tuple[str, float]]:
        """Return the words an interest looks for, with weights from 1.0 down."""
        with self._lock:
            liked = [one.paper for one in self._load([int(mark.paper) for mark in interest.liked])]
            texts = [*interest.topics, *(f"{paper.title}. {paper.abstract}" for paper in liked)]
            return portrait(self._index, interest, texts, most)

    # --- one digest

    def _pick(self, wish: Wish) -> Picked:
        profile, field = wish.profile, self._field(wish.pool)
        scores = self._ranker.score(profile.interests, field.rows)
        seen = frozenset(str(number) for number in wish.seen)
        chosen, looked = [], []
        for own, limit, strict in zip(scores, wish.most, wish.strictness, strict=True):
            pool, held, among = self._considered(field, own, profile.followed)
            rules = Rules(seen=seen, strictness=strict, followed=profile.followed, muted=profile.muted)
            chosen.append(choose(pool, held, limit, rules, among))
            looked.append((pool, held, rules))
        turns = interleave(chosen, wish.total)
        picks = [self._explained(profile.interests[at], at, ranked, looked[at][0]) for at, ranked in turns]
        return Picked(picks, _short(looked, {ranked.paper for _, ranked in turns}), _muted(looked))

    def _considered(self, field: _Field, scores: FloatArray, followed: Sequence[str]) -> tuple[Pool, FloatArray, Mask]:
        """Return a pool, its scores (n,), and which of it is looked at: the best and the followed authors' papers."""
        rows, pool, best = field.rows, field.pool, self._best(field.rows, scores)
        if pool is None:
            inside = np.zeros(self._index.n_rows, np.bool_)
            inside[rows] = True
            hits = [hit.row for name in followed for hit in search(self._index, name, NAMED, inside)]
            places = np.union1d(best, np.flatnonzero(np.isin(rows, hits))).astype(np.int64)
            kept, pool = self._prepared(rows[places])
            best, scores = np.flatnonzero(np.isin(kept, rows[best])), scores[np.isin(rows, kept)]
        among = pool.by(followed)
        among[best] = True
        return pool, scores, among

    def _best(self, rows: RowArray, scores: FloatArray) -> RowArray:
        """Return the places of the best of the rows; of the newest, where the scores tell nothing apart."""
        if np.abs(scores).max(initial=0) > 0:
            return np.argsort(-scores, kind="stable")[:CONSIDERED]
        if rows.size <= CONSIDERED:
            return np.arange(rows.size)
        if self._newest is None:
            with self._store.reading() as conn:
                newest = papers.newest(conn, len(self._index))
            self._newest = self._index.rows([str(number) for number in newest])
        places = {row: at for at, row in enumerate(rows.tolist())}
        return np.array([places[row] for row in self._newest.tolist() if row in places][:CONSIDERED], np.int64)

    def _explained(self, interest: Interest, at: int, ranked: Ranked, pool: Pool) -> Pick:
        why = self._explainer.why(interest, pool.papers[pool.places[ranked.paper]])
        return Pick(int(ranked.paper), at, ranked.score, replace(why, note=ranked.why.note))

    # --- what was left out

    def _left_out(self, wish: Wish, limit: int) -> list[LeftOut]:
        profile, picks = wish.profile, self._pick(wish).picks
        rows = self._field(wish.pool).rows
        scores = self._ranker.score(profile.interests, rows)
        if not rows.size or not profile.interests or limit < 1:
            return []
        shown = self._rows([pick.number for pick in picks])
        places = np.argsort(-scores.max(axis=0), kind="stable")[: limit + len(picks)]
        _, pool = self._prepared(np.union1d(rows[places], shown))
        result = []
        for place in places.tolist():
            id_ = self._index.ids([int(rows[place])])[0]
            if id_ in pool.places and int(rows[place]) not in shown:
                nearest = int(scores[:, place].argmax())
                score = float(scores[nearest, place])
                told = bool(np.abs(scores[nearest]).max() > 0)
                reason = _reason(wish, picks, pool, pool.places[id_], (nearest, score, told))
                result.append(LeftOut(int(id_), nearest, score, reason))
        return result[:limit]

    # --- papers

    def _field(self, numbers: NDArray[np.int64] | Collection[int]) -> _Field:
        """Return the rows of a pool in order of their numbers, prepared if they are few."""
        wanted = np.unique(np.fromiter(numbers, np.int64, len(numbers)))
        found = self._fields.pop(wanted.tobytes(), None)
        if found is None:
            rows = self._rows(wanted.tolist())
            found = _Field(*self._prepared(rows)) if rows.size <= KEPT else _Field(rows, None)
        if found.pool is not None:
            self._fields[wanted.tobytes()] = found
        if len(self._fields) > POOLS:
            del self._fields[next(iter(self._fields))]
        return found

    def _prepared(self, rows: RowArray) -> tuple[RowArray, Pool]:
        """Return the rows that the store still holds as papers of their own, and these papers."""
        ids = self._index.ids(rows)
        loaded = {one.paper.id: one for one in self._load([int(id_) for id_ in ids])}
        held = np.array([id_ in loaded for id_ in ids], np.bool_)
        stored = [loaded[id_] for id_ in ids if id_ in loaded]
        return rows[held], Pool(self._index, [one.paper for one in stored], [one.first_seen for one in stored])

    def _rows(self, numbers: Collection[int]) -> RowArray:
        rows = self._index.rows([str(number) for number in sorted(numbers)])
        return rows[rows >= 0]

    def _load(self, numbers: Sequence[int]) -> list[Stored]:
        """Return papers with their numbers as ids, as the index knows them."""
        with self._store.reading() as conn:
            stored = papers.get(conn, numbers)
        return [replace(one, paper=numbered(one)) for one in stored.values()]


def numbered(stored: Stored) -> Paper:
    """Return a stored paper under its number, as the index knows it."""
    return replace(stored.paper, id=str(stored.number), ids=())


_Looked = tuple[Pool, FloatArray, Rules]


def _short(looked: Sequence[_Looked], picked: Collection[str]) -> int | None:
    """Return the best unseen, unmuted paper that was not picked, over all interests that tell papers apart."""
    best: tuple[float, int] | None = None
    for pool, scores, rules in looked:
        allowed = allows(pool, rules)
        allowed[[pool.places[id_] for id_ in picked if id_ in pool.places]] = False
        if allowed.any() and np.abs(scores).max(initial=0) > 0:
            at = int(np.where(allowed, scores, -np.inf).argmax())
            if best is None or scores[at] > best[0]:
                best = (float(scores[at]), int(pool.ids[at]))
    return None if best is None else best[1]


def _muted(looked: Sequence[_Looked]) -> int:
    """Return how many papers, of all that were looked at, are muted and not seen."""
    muted: set[str] = set()
    for pool in {id(pool): pool for pool, _, _ in looked}.values():
        rules = looked[0][2]
        if rules.muted:
            places = np.flatnonzero(pool.muted(rules.muted) & ~pool.seen(rules.seen))
            muted.update(pool.ids[at] for at in places.tolist())
    return len(muted)


def _muting(paper: Paper, words: Sequence[str]) -> str:
    """Return the first of these words that mutes a paper, or nothing."""
    return next((word for word in words if mentions(paper, (word,)) or by(paper, (word,))), "")


def _reason(wish: Wish, picks: Sequence[Pick], pool: Pool, place: int, scored: tuple[int, float, bool]) -> str:
    """Say why a paper of the pool, nearest to an interest with a score, is not among the picks."""
    nearest, score, told = scored
    paper, least = pool.papers[place], THRESHOLDS[wish.strictness[nearest]]
    if int(paper.id) in set(wish.seen):
        return "already shown"
    if words := _muting(paper, wish.profile.muted):
        return f"muted: {words}"
    if told and score < least and not by(paper, wish.profile.followed):
        return f"below the threshold ({math.floor(score * 10) / 10:.1f} of {least:.1f})"
    for pick in picks:
        other = pool.places.get(str(pick.number), -1)
        if other in pool.twins(place) or (other >= 0 and pool.titles[other] == pool.titles[place]):
            return f"nearly the same as “{pool.papers[other].title}”"
    worse = any(pick.interest == nearest and pick.score < score and not pick.why.note for pick in picks)
    return "others are more varied" if worse else "the digest is full"
