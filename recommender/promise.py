"""Strictness as a promise: at most a share alpha of a digest's places goes to papers that the reader marks "less".

The loss of a digest is the number of its papers marked "less" over its places N: never more when the threshold rises,
which is what controlling the risk itself needs (Angelopoulos, Bates, Fisch, Lei and Schuster, "Conformal risk control",
ICLR 2024). A digest counts once its reader has pressed anything in it; one for which nothing was near enough counts 0;
others do not count. The wildcard is outside the promise.

The threshold tau is a probability. It starts where the crowd's digests allow it (`start`) and then follows the reader
(`after`), as adaptive conformal inference does (Gibbs and Candès, NeurIPS 2021). Above 1 nothing is shown, so that for
any sequence of T counted digests, however the reader behaves,

    mean loss <= alpha + (1 - tau_1 + eta) / (eta T).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

ALPHA = {"relaxed": 0.4, "normal": 0.2, "strict": 0.1}
"""Share of places that may go to papers marked "less": 2 in 5, 1 in 5, 1 in 10."""

PLAIN = {name: 1.0 - 2.0 * alpha for name, alpha in ALPHA.items()}
"""Where one starts without a crowd: of probabilities that are spread evenly above tau, (1 - tau) / 2 is lost."""

LOOSEST = {"relaxed": 0.0, "normal": PLAIN["relaxed"], "strict": PLAIN["normal"]}
"""Where a threshold stops falling, for readers who press only what they like: the next looser strictness."""

ETA = 0.1
"""How far the threshold follows one digest. A place of five wasted beyond the promise raises it by 0.02."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Rated:
    """One counted digest: its places N, and the probabilities of the papers in it that were marked "less"."""

    places: int
    less: tuple[float, ...] = ()

    def loss(self, tau: float) -> float:
        """Return the share of places that would have been lost with this threshold."""
        return sum(p >= tau for p in self.less) / max(self.places, len(self.less), 1)


def start(rated: Sequence[Rated], alpha: float, loosest: float) -> float | None:
    """Return the least threshold, `loosest` or more, whose loss on n rated digests is (sum + 1) / (n + 1) <= alpha.

    If the next digest is like these, its expected loss is alpha at most (Angelopoulos et al., theorem 1). `loosest` is
    the threshold that they were shown with: of looser ones they tell nothing. None where n is too small for any.
    """
    most = alpha * (len(rated) + 1) - 1.0
    if most < 0.0:
        return None
    lost = [(p, 1.0 / max(one.places, len(one.less))) for one in rated for p in one.less if p >= loosest]
    total, tau = 0.0, loosest
    for p, same in groupby(sorted(lost, reverse=True), key=itemgetter(0)):
        total += sum(share for _, share in same)
        if total > most + _ROUNDING:
            tau = float(np.nextafter(p, 2.0))
            break
    return tau


def after(tau: float, loss: float, strictness: str) -> float:
    """Return the threshold behind a counted digest: tau + eta (loss - alpha), but never looser than `LOOSEST`.

    Stopping there keeps the promise, since a higher threshold only loses less. Raises KeyError for another strictness.
    """
    return max(tau + ETA * (loss - ALPHA[strictness]), LOOSEST[strictness])


def bound(tau: float, counted: int, strictness: str) -> float:
    """Return the most that the mean loss over `counted` digests can be, from the threshold of the first one on."""
    return ALPHA[strictness] + (1.0 - tau + ETA) / (ETA * counted)
