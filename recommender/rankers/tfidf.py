"""Plain TF-IDF: the cosine between a paper and the mean of the interest. A baseline that explains itself."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.rankers._base import Base, standardise
from recommender.rankers._desk import Desk
from recommender.rankers._vectors import mixed, said
from recommender.types import FloatArray, Interest, Ranker, RowArray


class Tfidf(Base):
    """The cosine with the weighted mean of liked papers and topics, in standard deviations over random stored papers.

    Dislikes do not count.
    """

    name = "tfidf"

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._desk = Desk(index)

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the one part words, (n_rows,)."""
        query = self.query(interest, -1)
        block = self._desk.block(rows)
        found = block.said(query)[0]
        return {"words": standardise(found[: block.n], found[block.n :])}

    def own(self, row: int) -> csr_matrix:
        """Return the unit row of TF-IDF of a paper as it is ranked, (1, n_terms)."""
        return said(self.index, self.index.counts([row]))

    def query(self, interest: Interest, row: int) -> csr_matrix:
        """Return the unit mean of the interest's unit rows of TF-IDF, (1, n_terms); the same for every row."""
        del row
        liked = self._desk.profile(interest).liked
        mean = mixed(liked.words, liked.mass)
        length = float(np.sqrt(mean.data @ mean.data))
        return mean / np.float32(length) if length > 0 else mean


ranker: type[Ranker] = Tfidf
