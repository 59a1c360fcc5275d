"""What a paper has to reach to be shown for an interest."""

from __future__ import annotations

import math
from dataclasses import dataclass

from recommender.calibrate import PRIOR, TOLD, Calibration
from recommender.promise import ALPHA, PLAIN


@dataclass(frozen=True, slots=True)
class Bar:
    """A probability `tau` to be reached, and how an interest's scores become probabilities. Above 1 nothing passes."""

    tau: float
    calibration: Calibration = PRIOR

    @property
    def least(self) -> float:
        """Return the least score that passes; infinite if none does."""
        return self.calibration.least(self.tau) if self.tau <= 1.0 else math.inf

    @property
    def known(self) -> bool:
        """Say whether there are ratings enough to tell people probabilities."""
        return self.calibration.n >= TOLD

    def fits(self, score: float) -> float | None:
        """Return the probability that a paper of this score is liked; None as long as that is a guess."""
        return float(self.calibration.probability(score)) if self.known else None


def plain(strictness: str, calibration: Calibration = PRIOR) -> Bar:
    """Return where a strictness starts without a crowd. Raises KeyError for a word that is none."""
    return Bar(PLAIN[strictness], calibration)


THRESHOLDS = {name: plain(name).least for name in ALPHA}
"""Least score of a picked paper before anybody has rated, in standard deviations above the interest's mean.

Scores have long right tails: of random papers 3 to 4 in 10 pass relaxed, 1 in 10 to 6 normal and 1 in 20 strict.
"""
