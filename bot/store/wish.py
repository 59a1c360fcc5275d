"""What is asked of a ranking, and what it answers: digests, what they leave out, and verdicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recommender.bar import Bar
from recommender.types import Profile, Why


@dataclass(frozen=True, slots=True)
class Wish:
    """One digest to be ranked: papers (numbers) of `pool` that are not `seen`, for the interests of a profile.

    `most` papers and one of `bars` an interest, and at most `total` papers in all. An array as the pool is quickest;
    wishes for the same pool share what is prepared. With a number as `aside`, the last of five places or more is for a
    paper outside the usual, which that number draws. Unless it is `loose`, an interest that tells nothing apart brings
    nothing: else it brings the newest papers.
    """

    profile: Profile
    pool: NDArray[np.int64] | Collection[int]
    most: Sequence[int]
    total: int
    bars: Sequence[Bar]
    seen: Collection[int] = ()
    aside: int | None = None
    loose: bool = True


@dataclass(frozen=True, slots=True)
class Pick:
    """A paper picked for an interest (its place in the profile), its score in standard deviations, and why.

    `fits` is the probability that it is liked, None while that is a guess; `chance` is the one that it was shown.
    """

    number: int
    interest: int
    score: float
    why: Why
    fits: float | None = None
    chance: float = 1.0


@dataclass(frozen=True, slots=True)
class Picked:
    """What a digest shows; the best paper that fell short, if one was told apart; how many unseen ones are muted.

    `closest_fits` is the probability of that paper, if it is known.
    Of a pool of more than `KEPT` papers, both tell of the `CONSIDERED` best of each interest.
    """

    picks: list[Pick]
    closest: int | None = None
    muted: int = 0
    closest_fits: float | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A paper that was not picked, the interest (its place) that it is nearest to, its score there, and why not."""

    number: int
    interest: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one paper would be picked for an interest. `muted` holds the words that keep it out.

    `fits` is the probability that it is liked, None while that is a guess, and `asked` the one to be reached.
    """

    interest: int
    picked: bool
    why: Why
    muted: str = ""
    fits: float | None = None
    asked: float = 0.0
