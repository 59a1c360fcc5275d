"""Centroid discriminant analysis, trained anew for each interest against random stored papers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack

from recommender.index import Index
from recommender.profile import TOPIC, weigh
from recommender.rankers._base import Base, spread
from recommender.rankers._vectors import unit
from recommender.types import FloatArray, Interest, Ranker, RowArray

OTHERS = 1_000
"""Random stored papers that stand for all that is not liked, and that say what is usual for an interest."""


class Cda(Base):
    """CDA on TF-IDF of words and pairs beside latent coordinates: liked papers and topics against random papers.

    Scores are distances to the plane in standard deviations over the random papers. Dislikes are among those. With
    fewer than ten liked papers (a topic counts as three) the plane is that between the two centroids, CDB0.
    """

    name = "cda"
    scales = (1.0, 1.0)
    """What words and meaning are multiplied by."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._others: tuple[tuple[int, int, int], RowArray, csr_matrix, FloatArray] | None = None

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the parts words and meaning, (n_rows,) each; zeros if there is nothing to learn from."""
        plane = self.fitted(interest)
        if plane is None:
            return {"words": np.zeros(rows.size, np.float32)}
        words, meaning = plane
        _, usual, latent = self.others()
        places = unit(self.index, self.index.counts(rows)) @ words, self.index.lsa(rows) @ meaning
        here = usual @ words, latent @ meaning
        deviation = np.float32(spread(here[0] + here[1])[1])
        return {
            name: (found - np.float32(spread(at)[0])) / deviation
            for name, found, at in zip(("words", "meaning"), places, here, strict=True)
        }

    def others(self) -> tuple[RowArray, csr_matrix, FloatArray]:
        """Return random live rows (n,), their TF-IDF (n, n_terms) and meaning (n, k), kept until the index changes."""
        index = self.index
        key = (index.generation, index.n_rows, len(index))
        if self._others is None or self._others[0] != key:
            rows = index.sample(OTHERS)
            self._others = (key, rows, unit(index, index.counts(rows)), index.lsa(rows))
        return self._others[1:]

    def query(self, interest: Interest, row: int) -> csr_matrix:
        """Return the plane's weights of words, (1, n_terms); zeros if there is nothing to learn from."""
        plane = self.fitted(interest)
        return super().query(interest, row) if plane is None else csr_matrix(plane[0][None, :])

    def classifier(self) -> Any:
        """Return what is trained: a linear classifier of scikit-learn's kind."""
        from recommender.cda import CDA  # here: scikit-learn's import costs seconds, and the other rankers do without

        return CDA()

    def fitted(self, interest: Interest) -> tuple[FloatArray, FloatArray] | None:
        """Return the plane's weights, (n_terms,) and (k,), or None if there are no words or no other papers."""
        index, weighed = self.index, weigh(self.index, interest)
        topics = index.vectorise(weighed.topics)
        liked = vstack([index.counts(weighed.likes), *[topics] * TOPIC], format="csr")
        liked = liked[np.diff(liked.indptr) > 0]
        rows, usual, latent = self.others()
        kept = ~np.isin(rows, np.concatenate([weighed.likes, weighed.dislikes]))
        disliked = index.counts(weighed.dislikes)
        if not liked.shape[0] or not kept.sum() + disliked.shape[0]:
            return None
        meaning = np.concatenate([index.project(liked), latent[kept], index.project(disliked)])
        words = vstack([unit(index, liked), usual[kept], unit(index, disliked)], format="csr")
        used, words.indices = np.unique(words.indices, return_inverse=True)  # no weights as wide as the index
        words = csr_matrix((words.data, words.indices, words.indptr), shape=(words.shape[0], used.size))
        texts = hstack([self.scales[0] * words, csr_matrix(self.scales[1] * meaning)], format="csr")
        model = self.classifier().fit(texts, np.arange(words.shape[0]) < liked.shape[0])
        coefficients = model.coef_[0].astype(np.float32)
        plane = np.zeros(index.n_terms, np.float32)
        plane[used] = self.scales[0] * coefficients[: used.size]
        return plane, self.scales[1] * coefficients[used.size :]


ranker: type[Ranker] = Cda
