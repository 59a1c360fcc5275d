"""Dense vectors for a task: those of its papers, of the random papers that say what is usual, and of its topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recommender.dense import Dense, text_of
from recommender.evaluate.background import Background
from recommender.evaluate.task import Task
from recommender.index import Index
from recommender.rankers._desk import SAMPLE
from recommender.types import FloatArray

Embeds = Callable[[Sequence[str]], FloatArray]
"""What turns texts into unit vectors, (n, d)."""


def attach(index: Index, task: Task, background: Background, embeds: Embeds) -> None:
    """Give the index of a task its dense vectors. Lookups need none. Raises what `embeds` raises."""
    if task.searched:
        return
    papers = {one.id: one for one in (*background.papers, *task.stored, *task.candidates)}
    wanted = dict.fromkeys(one.id for one in (*task.stored, *task.candidates))
    ids = list(wanted | dict.fromkeys(index.ids(index.sample(SAMPLE))))
    topics = list(dict.fromkeys(topic for case in task.cases for topic in case.interest.topics))
    vectors = embeds([*(text_of(papers[one].title, papers[one].abstract) for one in ids), *topics])
    about = dict(zip(topics, vectors[len(ids) :], strict=True))
    index.dense = Dense().joined(ids, vectors[: len(ids)], about)
