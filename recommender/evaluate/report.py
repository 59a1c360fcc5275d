"""Outcomes as JSON."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recommender.evaluate.outcome import Outcome, Range
from recommender.evaluate.scoring import BASELINE

STRATA = ((1, 1), (2, 5), (6, 20), (21, None))
"""Profile sizes from and to, in papers."""

Json = dict[str, dict[str, dict[str, dict[str, float]]]]


def strata(outcome: Outcome) -> list[Outcome]:
    """Return the outcome by size of the profiles; nothing if all are of one stratum."""
    found = []
    for low, high in STRATA:
        kept = (outcome.sizes >= low) & (outcome.sizes <= (high or np.iinfo(np.int64).max))
        words = f"{low} paper" if high == 1 else f"{low} to {high} papers" if high else f"{low} papers or more"
        if kept.any() and not kept.all():
            found.append(outcome.where(kept, f"{outcome.name} ({words})"))
    return found


def as_json(outcome: Outcome) -> Json:
    """Return {set: {ranker: {metric: {mean, low, high}}}}.

    Beside the set itself stand its strata, "NAME (seeds)" with the lowest and the highest of the seeds, and
    "NAME (minus tfidf)" with the paired differences.
    """
    rankers = list(outcome.sums)
    made = {one.name: _ranges(one, rankers) for one in (outcome, *strata(outcome))}
    made[f"{outcome.name} (seeds)"] = {
        name: {metric: _plain(outcome.spread(name, metric)) for metric in outcome.sums[name]} for name in rankers
    }
    if BASELINE in rankers and len(rankers) > 1:
        others = [name for name in rankers if name != BASELINE]
        made[f"{outcome.name} (minus {BASELINE})"] = _ranges(outcome, others, BASELINE)
    return made


def _ranges(outcome: Outcome, rankers: Sequence[str], against: str = "") -> dict[str, dict[str, dict[str, float]]]:
    return {
        name: {metric: _plain(outcome.interval(name, metric, against)) for metric in outcome.sums[name]}
        for name in rankers
    }


def _plain(found: Range) -> dict[str, float]:
    return {"mean": found.mean, "low": found.low, "high": found.high}
