"""From scores to what is shown: fresh, unseen, each paper once, varied, nothing muted. Every ranker shares it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recommender.index import Index
from recommender.text import plain
from recommender.types import FloatArray, Paper, Ranked, Why

THRESHOLDS = {"relaxed": 0.0, "normal": 1.0, "strict": 2.0}
"""Least score of a picked paper, in standard deviations above the interest's mean over random stored papers.

Scores have long right tails: of random papers 3 to 4 in 10 pass relaxed, 1 in 10 to 6 normal and 1 in 20 strict.
"""

RELEVANCE = 0.7
"""Lambda of maximal marginal relevance: 1 is the plain order, 0 looks at variety alone.

Measured on authors-nlp, 0.7 makes the top ten more varied (mean cosine 0.23 instead of 0.27) and loses no hits.
"""

FOLLOWED = 2.0
"""Standard deviations by which a followed author moves a paper up, besides passing the threshold."""

SAME = 0.7
"""Cosine of binary word counts from which two texts are one paper: revisions stay above, other papers far below."""

NEWEST, AUTHOR = "newest", "followed author"
"""Notes of `Why`: nothing in the interest told the papers apart; an author is followed."""

_FLAT = 1e-5
_POOL = 200
_TITLE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper that may be shown, its score, and when it was first seen here (aware, UTC)."""

    paper: Paper
    score: float
    first_seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What may be shown. `seen` are ids, `strictness` a key of `THRESHOLDS`; `days`, with `now`, asks for fresh papers.

    `followed` are authors that pass the threshold; `muted` are words, phrases or authors that never appear.
    """

    seen: Collection[str] = frozenset()
    strictness: str = "normal"
    followed: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    now: datetime | None = None
    days: int | None = None


def select(index: Index, candidates: Sequence[Candidate], k: int, rules: Rules = Rules()) -> list[Ranked]:
    """Return at most `k` picked papers, the best first and then as `RELEVANCE` weighs score against variety.

    Ties go to the newest paper and then by id. Where no score differs from 0, the newest papers are returned, noted
    as "newest": the threshold then says nothing. A score that is not a finite number never wins. The reasons are
    empty but for their note.

    Raises:
        KeyError: the strictness is not one of `THRESHOLDS`.

    """
    least = THRESHOLDS[rules.strictness]
    allowed = [one for one in candidates if _allowed(one, rules)]
    scores = [one.score for one in allowed if math.isfinite(one.score)]
    told = any(abs(score) > _FLAT for score in scores)
    pool = []
    for one in allowed:
        followed = by(one.paper, rules.followed)
        score = one.score if told else 0.0
        if math.isfinite(score) and (followed or not told or score >= least):
            note = AUTHOR if followed else "" if told else NEWEST
            lift = FOLLOWED if followed else 0.0
            pool.append((score + lift, one.paper, Ranked(one.paper.id, score, Why(note=note))))
    pool.sort(key=lambda entry: (-entry[0], -_age(entry[1]), entry[1].id))
    kept = _once(index, pool)
    if not told:
        return [ranked for _, _, ranked in kept[:k]]
    order = _varied(np.array([lifted for lifted, _, _ in kept]), index.lsa(_known(index, kept)), k)
    return [ranked for _, _, ranked in _with_followed([kept[at] for at in order], kept, k)]


def _with_followed(chosen: _Pool, kept: _Pool, k: int) -> _Pool:
    """Put the best of the followed authors' papers among the chosen, in up to half of the k places (rounded up)."""
    owed = [entry for entry in kept if entry[2].why.note == AUTHOR][: (k + 1) // 2]
    missing = [entry for entry in owed if entry not in chosen]
    if not missing:
        return chosen
    surplus = max(len(chosen) + len(missing) - k, 0)
    others = [entry for entry in chosen if entry not in owed]
    dropped = others[len(others) - surplus :]
    return [*(entry for entry in chosen if entry not in dropped), *missing]


def interleave(per_interest: Sequence[Sequence[Ranked]], k: int) -> list[tuple[int, Ranked]]:
    """Return at most `k` papers as (number of the interest, paper), taking from the interests in turn.

    A paper that several interests picked belongs to the one where it scores best (the first, if they are level).
    """
    best: dict[str, tuple[float, int]] = {}
    for number, picked in enumerate(per_interest):
        for one in picked:
            if one.paper not in best or one.score > best[one.paper][0]:
                best[one.paper] = (one.score, number)
    queues = [[one for one in picked if best[one.paper][1] == number] for number, picked in enumerate(per_interest)]
    rounds = max(map(len, queues), default=0)
    turns = [
        (number, queue[turn]) for turn in range(rounds) for number, queue in enumerate(queues) if turn < len(queue)
    ]
    return turns[: max(k, 0)]


def fresh(paper: Paper, first_seen: datetime | None, now: datetime, days: int) -> bool:
    """Say whether a paper is new: published within `days`, or, where only the year is known, seen within them.

    A paper of which only the year is known must also be of this year or the last. One that tells neither counts from
    when it was first seen; without that either, it is new. All times are aware.
    """
    since = now - timedelta(days=days)
    if paper.published is not None:
        return paper.published >= since
    if paper.year is not None and paper.year < now.year - 1:
        return False
    return first_seen is None or first_seen >= since


def by(paper: Paper, names: Sequence[str]) -> bool:
    """Say whether one of the names is an author's: in full, the surname, or "M. Beck", case and accents aside."""
    if not names or not paper.authors:
        return False
    authors = [_author(author) for author in paper.authors]
    wanted = [name for name in map(_author, names) if name]
    return any(_is(author, name) for author in authors for name in wanted)


def _is(author: str, name: str) -> bool:
    """Say whether a folded author has this folded name: in full, the surname, or the initial and the surname."""
    initial, _, surname = name.partition(" ")
    short = len(initial) == 1 and bool(surname) and author.startswith(initial) and author.endswith(f" {surname}")
    return short or author == name or author.endswith(f" {name}")


def mentions(paper: Paper, phrases: Sequence[str]) -> bool:
    """Say whether the title or the abstract holds one of the phrases as whole words; case and accents do not matter.

    Text without spaces between words (Chinese, Japanese) is searched as it stands.
    """
    if not phrases:
        return False
    text = f" {plain(paper.title)} | {plain(paper.abstract)} "
    for phrase in map(_folded, phrases):
        if phrase and (f" {phrase} " in text or (ord(phrase[0]) >= 0x3040 and phrase in text)):
            return True
    return False


def _allowed(one: Candidate, rules: Rules) -> bool:
    if one.paper.id in rules.seen or any(other in rules.seen for other in one.paper.ids):
        return False
    if rules.now is not None and rules.days is not None and not fresh(one.paper, one.first_seen, rules.now, rules.days):
        return False
    return not (mentions(one.paper, rules.muted) or by(one.paper, rules.muted))


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return plain(text)


@lru_cache(maxsize=65_536)
def _author(name: str) -> str:
    """Return a folded name, given names first: "Oord, Aäron van den" is "aaron van den oord"."""
    surname, _, given = name.partition(",")
    return plain(f"{given} {surname}")


def _age(paper: Paper) -> float:
    """Return when a paper came out, as a timestamp; one of which only the year is known, at that year's start."""
    if paper.published is not None:
        return paper.published.timestamp()
    return datetime(paper.year, 1, 1).timestamp() if paper.year and 0 < paper.year < 10_000 else -math.inf  # noqa: DTZ001


_Pool = list[tuple[float, Paper, Ranked]]


def _known(index: Index, pool: _Pool) -> NDArray[np.int64]:
    """Return the rows of a pool; papers that the index does not hold are compared by title only."""
    return index.rows([paper.id for _, paper, _ in pool])


def _once(index: Index, pool: _Pool) -> _Pool:
    """Return the best of the pool, each paper once: of one title (four words or more) or of nearly one text."""
    titles: set[str] = set()
    distinct = []
    for entry in pool:
        title = plain(entry[1].title)
        if entry[1].id in titles or (title in titles and title.count(" ") >= _TITLE_WORDS - 1):
            continue
        titles |= {title, entry[1].id}
        distinct.append(entry)
    # the best, and whoever is followed however far down
    distinct = [*distinct[:_POOL], *(entry for entry in distinct[_POOL:] if entry[2].why.note == AUTHOR)]
    copies = _alike(index, _known(index, distinct))
    kept: list[int] = []
    for at in range(len(distinct)):
        if not copies[at, kept].any():
            kept.append(at)
    return [distinct[at] for at in kept]


def _alike(index: Index, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which pairs of rows have nearly one text, (n, n); a row of -1 is like none."""
    counts = index.counts(np.maximum(rows, 0)) if index.n_rows else None
    if counts is None or not rows.size:
        return np.zeros((rows.size, rows.size), np.bool_)
    binary = counts.astype(np.bool_).astype(np.float32)
    shared = (binary @ binary.T).toarray()
    sizes = np.sqrt(shared.diagonal())
    alike = shared >= SAME * np.outer(sizes, sizes)
    valid = (rows >= 0) & (sizes > 0)
    result: NDArray[np.bool_] = alike & np.outer(valid, valid)
    return result


def _varied(scores: NDArray[np.float64], meaning: FloatArray, k: int) -> list[int]:
    """Return at most `k` positions in the order of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).

    Each next one has the greatest lambda * relevance - (1 - lambda) * greatest cosine with those before it, where
    relevance is the score scaled to 0..1 over the pool. `scores` is (n,), best first; `meaning` (n, k) unit rows.
    """
    span = float(np.ptp(scores)) if scores.size else 0.0
    relevance = (scores - scores.min()) / span if span > 0 else np.zeros(scores.size)
    nearest = np.zeros(scores.size)
    order: list[int] = []
    while len(order) < min(k, scores.size):
        worth = RELEVANCE * relevance - (1.0 - RELEVANCE) * nearest
        worth[order] = -np.inf
        order.append(int(np.argmax(worth)))
        nearest = np.maximum(nearest, meaning @ meaning[order[-1]])
    return order
