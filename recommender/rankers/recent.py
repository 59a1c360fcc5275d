"""Newest first, whatever the interest: what a plain feed does."""

from __future__ import annotations

import numpy as np

from recommender.rankers._base import Base
from recommender.types import FloatArray, Interest, Ranker, RowArray


class Recent(Base):
    """Rows in order of arrival: the index holds no dates, and a paper that came later has a higher row.

    The score is in standard deviations of a row drawn at random.
    """

    name = "recent"

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the one part arrival, (n_rows,)."""
        del interest
        n = self.index.n_rows
        deviation = np.sqrt(max(n**2 - 1, 1) / 12.0)
        return {"arrival": ((rows - (n - 1) / 2.0) / deviation).astype(np.float32)}


ranker: type[Ranker] = Recent
