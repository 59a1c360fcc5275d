"""Rank the candidates of a task by several rankers, as deployed or refitted, and measure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from recommender.evaluate.background import Background
from recommender.evaluate.embedded import Embeds, attach
from recommender.evaluate.measures import Sums, measure
from recommender.evaluate.outcome import Outcome
from recommender.evaluate.scoring import Maker, Scorer, scorer_of
from recommender.evaluate.task import Case, Task
from recommender.index import Index

SEEDS = (0, 1, 2)
SURE = frozenset({"svm"})
"""Rankers that draw nothing by chance and cost much: one seed tells what all do."""

Ranking = tuple[Case, list[str], ArrayLike, ArrayLike]
Measure = Callable[[Case, Sequence[str], ArrayLike, ArrayLike], Sums]


class Protocol(StrEnum):
    """As deployed, the candidates are appended to what was fitted; refitted, they are learnt from too."""

    DEPLOYED = "deployed"
    REFIT = "refit"


def plainly(case: Case, ids: Sequence[str], scores: ArrayLike, grades: ArrayLike) -> Sums:
    """Return all metrics of a case, every candidate alike."""
    del case, ids
    return measure(scores, grades)


def prepare(task: Task, background: Background, seed: int, protocol: Protocol) -> Index:
    """Return an index fitted for a task. Candidates come in an order that the seed draws, whatever their ids are."""
    index = Index(seed=seed) if task.alone else background.without(task.titles, seed)
    order = np.random.default_rng(seed).permutation(len(task.candidates))
    candidates = [task.candidates[at] for at in order.tolist()]
    index.append([*task.stored, *(candidates if protocol is Protocol.REFIT else ())])
    index.fit()
    index.append([] if protocol is Protocol.REFIT else candidates)
    return index


def run(
    task: Task,
    background: Background,
    makers: Mapping[str, Maker],
    seeds: Sequence[int] = SEEDS,
    protocol: Protocol = Protocol.DEPLOYED,
    tell: Callable[[str], None] = lambda _: None,
    measured: Measure = plainly,
    embeds: Embeds | None = None,
) -> Outcome:
    """Return what the rankers do on a task, under each seed: of the SVD, of the random papers and of the order.

    With `embeds`, there are dense vectors too.
    """
    found: dict[str, list[list[Sums]]] = {name: [] for name in makers}
    for seed in seeds:
        began = time.monotonic()
        index = prepare(task, background, seed, protocol)
        if embeds is not None:
            attach(index, task, background, embeds)
        tell(f"{task.name}, {protocol.value}, seed {seed}: ready in {time.monotonic() - began:.0f} s")
        for name, make in makers.items():
            began = time.monotonic()
            if name in SURE and found[name]:
                found[name].append(found[name][0])
                continue
            scorer = scorer_of(name, make, index, seed)
            found[name].append([measured(*one) for one in _ranked(task, index, scorer, seed)])
            tell(f"{task.name}, {protocol.value}, seed {seed}: {name} in {time.monotonic() - began:.0f} s")
    sums = {
        name: {
            metric: np.array([[case[metric] for case in cases] for cases in drawn], np.float64)
            for metric in (drawn[0][0] if drawn and drawn[0] else ())
        }
        for name, drawn in found.items()
    }
    sizes = np.array([case.size for case in task.cases], np.int64)
    return Outcome(task.name, tuple(case.group for case in task.cases), sizes, sums)


def _ranked(task: Task, index: Index, scorer: Scorer, seed: int) -> Iterator[Ranking]:
    """Yield each case, its candidates in an order that the seed draws, their scores and their grades."""
    for case in task.cases:
        pool = sorted(case.pool)  # then the same for all who share it, as papers to rank are prepared once
        ids = [pool[at] for at in np.random.default_rng(seed).permutation(len(pool)).tolist()]
        yield case, ids, scorer(case, index.rows(ids)), [case.grades.get(one, 0.0) for one in ids]
