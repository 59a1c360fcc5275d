"""Topic words, the commonest profile: how high the papers come whose authors gave that keyword, unseen here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from recommender.evaluate.task import Case, Task
from recommender.text import plain
from recommender.types import Interest, Paper

NAME, MOST, FEWEST, COMMONEST = "topic-words", 200, 10, 200


def topic_words(papers: Sequence[Paper], seed: int = 0) -> Task:
    """Return a task of at most 200 keywords, drawn of those (folded) that 10 to 200 of the papers hold.

    Each is an interest of one topic; the papers that hold it are relevant, all papers are candidates, without their
    keywords and with nothing behind them.
    """
    holders: dict[str, list[str]] = defaultdict(list)
    for paper in papers:
        for word in dict.fromkeys(map(plain, paper.keywords)):
            holders[word].append(paper.id)
    words = sorted(word for word, held in holders.items() if word and FEWEST <= len(held) <= COMMONEST)
    drawn = np.random.default_rng(seed).permutation(len(words))[:MOST]
    pool = tuple(paper.id for paper in papers)
    cases = tuple(
        Case(word, Interest(word, (word,)), pool, dict.fromkeys(holders[word], 1.0), word)
        for word in (words[at] for at in sorted(drawn.tolist()))
    )
    return Task(NAME, cases, tuple(replace(paper, keywords=()) for paper in papers), alone=True)
