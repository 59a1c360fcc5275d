"""The papers of corpora that stand behind every set, counted once: copies share what was counted."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Collection, Sequence

from recommender.index import Index
from recommender.text import plain
from recommender.types import Paper


class Background:
    """An index of corpora that is not fitted yet."""

    def __init__(self, papers: Sequence[Paper] = ()) -> None:
        self.papers = tuple(papers)
        self.index = Index()
        self.index.append(self.papers)
        self._titled: dict[str, list[str]] = defaultdict(list)
        for paper in self.papers:
            self._titled[plain(paper.title)].append(paper.id)

    def without(self, titles: Collection[str], seed: int = 0) -> Index:
        """Return an index of what has none of these titles (folded), which draws from `seed`; not fitted."""
        made = copy.copy(self.index)
        made.seed = seed
        gone = [one for title in titles if title for one in self._titled.get(title, ())]
        if gone:
            made.remove(gone)
        return made
