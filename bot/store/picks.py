"""Rankings in one state of the index: what digests show and leave out, and why. What they share is prepared once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bot.errors import RankerError
from bot.store import papers
from bot.store.engine import Store
from bot.store.leftout import muted, muting, reason, short
from bot.store.papers import Stored
from bot.store.wish import LeftOut as LeftOut
from bot.store.wish import Pick as Pick
from bot.store.wish import Picked as Picked
from bot.store.wish import Verdict as Verdict
from bot.store.wish import Wish as Wish
from recommender.aside import Looked, aside
from recommender.bar import THRESHOLDS, Bar, plain
from recommender.explain import Explainer
from recommender.index import Index
from recommender.match import by
from recommender.pool import Mask, Pool
from recommender.portrait import portrait
from recommender.profile import MOST
from recommender.search import search
from recommender.select import ASIDE, NEWEST, Rules, choose, finite
from recommender.share import copies, interleave, owners
from recommender.types import FloatArray, Interest, Mark, Paper, Profile, Ranked, Ranker, RowArray, Why

CONSIDERED = 400  # best papers of an interest that are looked at whole
KEPT = 4_000  # papers of a pool that is prepared as a whole; of more, the best are looked at each time anew
POOLS = 3  # such pools kept, of 40 MB at most
ROOM = 5  # places of a digest of which one may be for a paper aside
NAMED = 50  # papers looked at for a followed author where a pool is not prepared
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


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

    @property
    def ranker(self) -> str:
        """Return the name of what ranks."""
        return str(getattr(self._ranker, "name", type(self._ranker).__name__))

    @property
    def generation(self) -> int:
        """That of the index: scores of one are of one scale."""
        return self._index.generation

    def scores(self, interest: Interest, numbers: Sequence[int]) -> list[float | None]:
        """Return the scores of papers for an interest, in deviations; None of what the index does not hold."""
        with self._lock:
            rows = self._index.rows([str(number) for number in numbers])
            held = np.flatnonzero(rows >= 0)
            found = self._scored([interest], rows[held])[0] if held.size else np.zeros(0, np.float32)
            made: dict[int, float] = dict(zip(held.tolist(), found.tolist(), strict=True))
            return [made.get(at) for at in range(len(numbers))]

    def pick(self, wish: Wish) -> Picked:
        """Return the digest of a wish. As all that ranks, it raises RankerError where the ranker fails."""
        with self._lock:
            return self._pick(wish)

    def left_out(self, wish: Wish, limit: int) -> list[LeftOut]:
        """Return at most `limit` papers that a digest does not show, the best first, with the reason in words."""
        with self._lock:
            return self._left_out(wish, limit)

    def similar(self, numbers: Sequence[int], most: int) -> list[Pick]:
        """Return the papers most like some papers, the best first."""
        alike = Interest("", liked=tuple(Mark(str(number), EPOCH) for number in numbers))
        rules = Rules(seen=frozenset(str(number) for number in numbers), least=THRESHOLDS["relaxed"])
        with self._lock:
            rows = np.flatnonzero(self._index.live)
            scores = self._scored([alike], rows)[0]
            pool, own, mine, among = self._considered(_Field(rows, None), scores, np.ones(rows.size, np.bool_), ())
            looked = Looked(pool, own, rules, plain("relaxed"), mine)
            picked = [self._explained(alike, 0, one, looked) for one in choose(pool, own, most, rules, among)]
        return [replace(pick, why=replace(pick.why, near="")) for pick in picked]

    def closest(self, interests: Sequence[Interest], numbers: Collection[int]) -> int | None:
        """Return the paper of the pool that comes nearest to any of the interests."""
        with self._lock:
            rows = self._rows(numbers)
            if not rows.size or not interests:
                return None
            best = self._scored(interests, rows).max(axis=0)
            return int(self._index.ids([int(rows[int(best.argmax())])])[0])

    def nearest(self, interests: Sequence[Interest], number: int) -> int:
        """Return which of the interests (its place) a paper is nearest to."""
        with self._lock:
            rows = self._rows([number])
            return int(self._scored(interests, rows)[:, 0].argmax()) if rows.size else 0

    def judge(self, profile: Profile, number: int, bars: Sequence[Bar]) -> list[Verdict]:
        """Say for each interest of a profile whether a paper would be picked, and what speaks for it."""
        with self._lock:
            rows = self._rows([number])
            if not rows.size:
                return []
            paper = self._load([number])[0].paper
            held_back = muting(paper, profile.muted)
            scores = self._scored(profile.interests, rows)[:, 0].tolist()
            followed = by(paper, profile.followed)
            why = [self._why(interest, paper) for interest in profile.interests]
            return [
                Verdict(at, score >= bar.least or followed, why[at], held_back, bar.fits(score), bar.tau)
                for at, (score, bar) in enumerate(zip(scores, bars, strict=True))
            ]

    def weights(self, interest: Interest, most: int) -> list[tuple[str, float]]:
        """Return the words an interest looks for, with weights from 1.0 down."""
        with self._lock:
            latest = sorted(interest.liked, key=lambda mark: mark.at)[-MOST:]
            liked = [one.paper for one in self._load([int(mark.paper) for mark in latest])]
            texts = [*interest.topics, *(f"{paper.title}. {paper.abstract}" for paper in liked)]
            return portrait(self._index, interest, texts, most)

    # --- one digest

    def _pick(self, wish: Wish) -> Picked:
        profile, field = wish.profile, self._field(wish.pool)
        given = self._given(profile.interests, field.rows)
        scores = finite(given)
        of = owners(scores, wish.bars) if len(scores) > 1 else np.zeros(field.rows.size, np.int64)
        if not np.isfinite(given).all():  # what has no number is nobody's: it is not even a step aside
            of = np.where(np.isfinite(given[of, np.arange(of.size)]), of, -1)
        seen = frozenset(str(number) for number in wish.seen)
        chosen, looked = [], []
        for at, (own, limit, bar) in enumerate(zip(scores, wish.most, wish.bars, strict=True)):
            pool, held, mine, among = self._considered(field, own, of == at, profile.followed)
            rules = Rules(seen, bar.least, profile.followed, profile.muted, bar.calibration.steepness)
            picked = choose(pool, held, limit, rules, among)
            chosen.append([one for one in picked if wish.loose or one.why.note != NEWEST])
            looked.append(Looked(pool, held, rules, bar, mine))
        pools = [one.pool for one in looked] if len(looked) > 1 else []
        turns = interleave(chosen, wish.total, partial(copies, pools))
        picks = [self._explained(profile.interests[at], at, ranked, looked[at]) for at, ranked in turns]
        closest, fits = short(looked, {ranked.paper for _, ranked in turns})
        if wish.aside is not None and wish.total >= ROOM and picks:
            usual = picks[: wish.total - 1]
            if drawn := self._drawn(profile, looked, usual, wish.aside):  # else the place is for one that fits
                picks = [*usual, drawn]
        return Picked(picks, closest, muted(looked), fits)

    def _drawn(self, profile: Profile, looked: Sequence[Looked], picks: Sequence[Pick], seed: int) -> Pick | None:
        found = aside(looked, {str(pick.number) for pick in picks}, seed)
        if found is None:
            return None
        at, place, chance = found
        pool, scores = looked[at].pool, looked[at].scores
        ranked = Ranked(pool.ids[place], float(scores[place]), Why(note=ASIDE))
        return replace(self._explained(profile.interests[at], at, ranked, looked[at]), chance=chance)

    def _considered(
        self, field: _Field, scores: FloatArray, own: Mask, followed: Sequence[str]
    ) -> tuple[Pool, FloatArray, Mask, Mask]:
        """Return a pool, its scores (n,), which of it is the interest's `own`, and which of that is looked at.

        That is the best and the followed authors' papers.
        """
        rows, pool, best = field.rows, field.pool, self._best(field.rows, scores, own)
        if pool is None:
            inside = np.zeros(self._index.n_rows, np.bool_)
            inside[rows] = True
            hits = [hit.row for name in followed for hit in search(self._index, name, NAMED, inside, mend=False)]
            places = np.union1d(best, np.flatnonzero(np.isin(rows, hits))).astype(np.int64)
            kept, pool = self._prepared(rows[places])
            best, left = np.flatnonzero(np.isin(kept, rows[best])), np.isin(rows, kept)
            scores, own = scores[left], own[left]
        among = pool.by(followed)
        among[best] = True
        return pool, scores, own, among & own

    def _best(self, rows: RowArray, scores: FloatArray, own: Mask) -> RowArray:
        """Return the places of the best of the interest's own rows; of the newest, where scores tell nothing apart."""
        if np.abs(scores).max(initial=0) > 0:
            order = np.argsort(-scores, kind="stable")
            return order[own[order]][:CONSIDERED]
        mine = np.flatnonzero(own)
        if mine.size <= CONSIDERED:
            return mine
        if self._newest is None:
            with self._store.reading() as conn:
                newest = papers.newest(conn, len(self._index))
            self._newest = self._index.rows([str(number) for number in newest])
        places = dict(zip(rows[mine].tolist(), mine.tolist(), strict=True))
        return np.array([places[row] for row in self._newest.tolist() if row in places][:CONSIDERED], np.int64)

    def _explained(self, interest: Interest, at: int, ranked: Ranked, looked: Looked) -> Pick:
        why = self._why(interest, looked.pool.papers[looked.pool.places[ranked.paper]])
        fits = looked.bar.fits(ranked.score)
        return Pick(int(ranked.paper), at, ranked.score, replace(why, note=ranked.why.note), fits)

    # --- what was left out

    def _left_out(self, wish: Wish, limit: int) -> list[LeftOut]:
        profile, picks = wish.profile, self._pick(wish).picks
        rows = self._field(wish.pool).rows
        scores = self._scored(profile.interests, rows)
        if not rows.size or not profile.interests or limit < 1:
            return []
        shown = self._rows([pick.number for pick in picks])
        of = owners(scores, wish.bars)
        places = np.argsort(-scores.max(axis=0), kind="stable")[: limit + len(picks)]
        _, pool = self._prepared(np.union1d(rows[places], shown))
        result = []
        for place in places.tolist():
            id_ = self._index.ids([int(rows[place])])[0]
            if id_ in pool.places and int(rows[place]) not in shown:
                nearest = int(of[place])
                score = float(scores[nearest, place])
                told = bool(np.abs(scores[nearest]).max() > 0)
                why = reason(wish, picks, pool, pool.places[id_], (nearest, score, told))
                result.append(LeftOut(int(id_), nearest, score, why))
        return result[:limit]

    def _scored(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        """Return the ranker's scores (n_interests, n_rows), all `finite`. Raises RankerError."""
        return finite(self._given(interests, rows))

    def _given(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        """Return the ranker's scores (n_interests, n_rows), some of which are no numbers. Raises RankerError."""
        with self._asked():
            scores, wanted = np.asarray(self._ranker.score(interests, rows), np.float32), (len(interests), rows.size)
            if scores.shape != wanted:
                raise RankerError(self.ranker, f"it gave scores of shape {scores.shape} instead of {wanted}")
            if rows.size and not np.isfinite(scores).any(axis=1).all():
                raise RankerError(self.ranker, "it gave no paper a score that is a number")
            return scores

    def _why(self, interest: Interest, paper: Paper) -> Why:
        """Return what raised a paper. Raises RankerError."""
        with self._asked():
            return self._explainer.why(interest, paper)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Turn what a ranker raises, which may be anybody's, into a RankerError."""
        try:
            yield
        except RankerError:
            raise
        except Exception as error:
            raise RankerError(self.ranker, error) from error

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
