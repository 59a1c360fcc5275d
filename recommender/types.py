"""The few types that everything else speaks in. Frozen, slotted, no behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
RowArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper as a source tells it.

    `id` is `namespace:value`, such as `arxiv:2401.01234` or `openreview:c1bTcrDmt4`; `ids` are its other ids.
    `published` is aware and in UTC; where only the year is known, `year` holds it and `published` is None.
    `categories` are the areas or sections the source puts it in. With `title_guessed`, the title is the first
    sentence of the abstract, because the source gave none. A paper is `cross_listed` if it was announced as that only:
    new in one area, but not new. `votes` are those that people gave it on Hugging Face.
    """

    id: str
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    year: int | None = None
    url: str = ""
    source: str = ""
    venue: str = ""
    categories: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    title_guessed: bool = False
    cross_listed: bool = False
    votes: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """A paper that somebody marked, and when (aware, UTC)."""

    paper: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Interest:
    """One named interest: what is ranked, thresholded and explained by itself.

    A paper that stands in both `liked` and `disliked` counts by its later mark.
    """

    name: str
    topics: tuple[str, ...] = ()
    liked: tuple[Mark, ...] = ()
    disliked: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """All interests of one person or channel, with what holds for all of them.

    `followed` are author names that pass every threshold; `muted` are words or author names that filter last.
    """

    interests: tuple[Interest, ...] = ()
    followed: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Why:
    """What raised a paper: its own words, strongest first, and the nearest liked paper.

    `terms` are written as the paper writes them. `parts` are (name, value) pairs that sum to the score.
    `note` tells a case that terms cannot: "newest", "followed author".
    """

    terms: tuple[str, ...] = ()
    near: str = ""
    sentence: str = ""
    parts: tuple[tuple[str, float], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One picked paper: its id, its score (in standard deviations above this interest's mean) and why."""

    paper: str
    score: float
    why: Why = Why()


class Ranker(Protocol):
    """Scores papers for interests. Made with an `Index`; holds no other state that a new process could not rebuild."""

    name: str

    def fit(self, papers: Sequence[Paper]) -> None:
        """Replace the corpus by `papers` and learn from it: rare, in the background."""

    def append(self, papers: Sequence[Paper]) -> None:
        """Add papers without learning."""

    def score(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        """Return float32 scores of shape (n_interests, n_rows), higher is better, always finite.

        A single call is a batch of one: scoring interests together or one by one gives the same numbers.
        """
