"""Centroid discriminant analysis, trained anew for each interest against random stored papers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack

from recommender.index import Index
from recommender.profile import TOPIC, weigh
from recommender.rankers._base import Base, standardise
from recommender.rankers._vectors import unit
from recommender.types import FloatArray, Interest, Ranker, RowArray

OTHERS = 1_000
"""Random stored papers that stand for all that is not liked, and that say what is usual for an interest."""


class Cda(Base):
    """CDA on TF-IDF of words and pairs: liked papers and topics against random papers.

    Scores are distances to the plane in standard deviations over the random papers. Dislikes are among those. With
    fewer than ten liked papers (a topic counts as three) the plane is that between the two centroids, CDB0.
    """

    name = "cda"

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._others: tuple[tuple[int, int, int], RowArray, csr_matrix] | None = None

    def classifier(self) -> Any:
        """Return what is trained: a linear classifier of scikit-learn's kind."""
        from recommender.cda import CDA  # here: scikit-learn's import costs seconds, and the other rankers do without

        return CDA()

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the one part words, (n_rows,); zeros if there is nothing to learn from."""
        plane = self.fitted(interest)
        if plane is None:
            return {"words": np.zeros(rows.size, np.float32)}
        found = unit(self.index, self.index.counts(rows)) @ plane
        return {"words": standardise(found, self.others()[1] @ plane)}

    def others(self) -> tuple[RowArray, csr_matrix]:
        """Return random live rows (n,) and their TF-IDF (n, n_terms), kept until the index changes."""
        index = self.index
        key = (index.generation, index.n_rows, len(index))
        if self._others is None or self._others[0] != key:
            rows = index.sample(OTHERS)
            self._others = (key, rows, unit(index, index.counts(rows)))
        return self._others[1], self._others[2]

    def query(self, interest: Interest, row: int) -> csr_matrix:
        """Return the plane's weights, (1, n_terms); zeros if there is nothing to learn from."""
        plane = self.fitted(interest)
        return super().query(interest, row) if plane is None else csr_matrix(plane[None, :])

    def fitted(self, interest: Interest) -> FloatArray | None:
        """Return the plane's weights, (n_terms,), or None if there are no words or no other papers."""
        index, weighed = self.index, weigh(self.index, interest)
        topics = index.vectorise(weighed.topics)
        liked = vstack([index.counts(weighed.likes), *[topics] * TOPIC], format="csr")
        liked = liked[np.diff(liked.indptr) > 0]
        rows, usual = self.others()
        kept = ~np.isin(rows, np.concatenate([weighed.likes, weighed.dislikes]))
        disliked = index.counts(weighed.dislikes)
        if not liked.shape[0] or not kept.sum() + disliked.shape[0]:
            return None
        words = vstack([unit(index, liked), usual[kept], unit(index, disliked)], format="csr")
        used, columns = np.unique(words.indices, return_inverse=True)  # no weights as wide as the index
        texts = csr_matrix((words.data, columns.astype(np.int32), words.indptr), shape=(words.shape[0], used.size))
        model = self.classifier().fit(texts, np.arange(words.shape[0]) < liked.shape[0])
        plane = np.zeros(index.n_terms, np.float32)
        plane[used] = model.coef_[0]
        return plane


ranker: type[Ranker] = Cda
