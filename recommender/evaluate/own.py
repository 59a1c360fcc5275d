"""The bot's own feedback: rankings of what was shown and rated, knowing only what was before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recommender.evaluate.task import Case, Task
from recommender.types import Interest, Paper

NAME = "own-feedback"


@dataclass(frozen=True, slots=True)
class Shown:
    """A paper that a digest showed for an interest (by name): when, at which place from 1, with which score.

    `score` is of an index of that `generation`, None if it was not logged. `chance` is that with which it was shown.
    `liked` is what was said of it since; None if nothing was, which means nothing.
    """

    at: datetime
    interest: str
    paper: str
    place: int = 0
    score: float | None = None
    generation: int = 0
    chance: float = 1.0
    liked: bool | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What was shown, oldest first; the interests as they are, with all marks; the papers with when they came."""

    log: Sequence[Shown]
    interests: Sequence[Interest]
    papers: Sequence[tuple[datetime, Paper]]


def halfway(log: Sequence[Shown]) -> datetime | None:
    """Return the time before which half of the rated papers were shown; None if fewer than two were rated."""
    rated = sorted(one.at for one in log if one.liked is not None)
    return rated[len(rated) // 2] if len(rated) > 1 else None


def own_feedback(given: Feedback, at: datetime) -> Task:
    """Return what was shown and rated from a time on, to be ranked by what was known before it.

    Papers from before are stored and learnt from, of the later ones only
    what was rated is a candidate; profiles keep the marks from before. Unrated papers are in no pool.
    """
    before = {one.id for seen, one in given.papers if seen < at}
    profiles = {one.name: _before(one, at) for one in given.interests}
    grades: dict[str, dict[str, float]] = {}
    for one in given.log:
        if one.at >= at and one.liked is not None and one.interest in profiles:
            grades.setdefault(one.interest, {})[one.paper] = float(one.liked)
    rated = {paper for some in grades.values() for paper in some}
    known = {one.id for _, one in given.papers}
    cases = []
    for name, graded in grades.items():
        profile = profiles[name]
        own = {mark.paper for mark in (*profile.liked, *profile.disliked)}
        kept = {paper: grade for paper, grade in graded.items() if paper in known - own}
        cases.append(Case(name, profile, tuple(kept), kept, name, len(profile.liked)))
    return Task(
        NAME,
        tuple(cases),
        tuple(one for _, one in given.papers if one.id in before),
        tuple(one for _, one in given.papers if one.id in rated - before),
        alone=True,
    )


def _before(interest: Interest, at: datetime) -> Interest:
    """Return an interest with the marks from before a time."""
    liked, disliked = (tuple(mark for mark in some if mark.at < at) for some in (interest.liked, interest.disliked))
    return Interest(interest.name, interest.topics, liked, disliked)
