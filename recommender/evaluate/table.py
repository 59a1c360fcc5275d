"""Outcomes as markdown tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recommender.evaluate.measures import LOSS, MRR, NDCG, PAIRS, RECALL
from recommender.evaluate.outcome import Outcome
from recommender.evaluate.scoring import BASELINE
from recommender.evaluate.task import Task

ORDER = (LOSS, NDCG, RECALL, MRR, PAIRS)


@dataclass(frozen=True, slots=True)
class Told:
    """An outcome, the metrics that say something about it, and what a reader has to know."""

    outcome: Outcome
    metrics: tuple[str, ...]
    note: str = ""


def telling(task: Task) -> tuple[str, ...]:
    """Return the metrics that say something about a task.

    Pairs weighed by grades, where there are more than two grades; recall, where there are more candidates than it
    looks at; what is about finding, where there is something not to be found.
    """
    most = max((len(case.pool) for case in task.cases), default=0)
    nothing = any(len(case.pool) > sum(grade > 0 for grade in case.grades.values()) for case in task.cases)
    kept = {
        LOSS: task.levels > 2,
        NDCG: True,
        RECALL: nothing and most > 100,
        MRR: nothing,
        PAIRS: True,
    }
    return tuple(metric for metric in ORDER if kept.get(metric))


def as_table(outcome: Outcome, metrics: Sequence[str]) -> str:
    """Return a markdown table: each metric's mean over the seeds ± half their range, and its 95 % interval.

    Beside it stands the difference to TF-IDF with the interval of the paired differences.
    """
    against = BASELINE if BASELINE in outcome.sums and len(outcome.sums) > 1 else ""
    heads = [head for metric in metrics for head in (metric, f"− {against}") if head == metric or against]
    rows = [["ranker", *heads], ["---"] * (1 + len(heads))]
    for name in outcome.sums:
        cells = [name]
        for metric in metrics:
            seeds, drawn = outcome.spread(name, metric), outcome.interval(name, metric)
            apart = f" ± {(seeds.high - seeds.low) / 2:.3f}" if len(outcome.values(name, metric)) > 1 else ""
            cells.append(f"{seeds.mean:.3f}{apart} [{drawn.low:.3f}, {drawn.high:.3f}]")
            if against:
                less = outcome.interval(name, metric, against)
                cells.append("" if name == against else f"{less.mean:+.3f} [{less.low:+.3f}, {less.high:+.3f}]")
        rows.append(cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
