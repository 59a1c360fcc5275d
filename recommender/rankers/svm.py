"""What arxiv-sanity-lite does: a support vector machine, trained anew for each interest. The baseline to beat."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import csr_matrix, vstack

from recommender.index import Index
from recommender.rankers._base import Base, standardise
from recommender.rankers._desk import Desk
from recommender.rankers._vectors import unit
from recommender.types import FloatArray, Interest, Ranker, RowArray

C, TOLERANCE, ITERATIONS = 0.01, 1e-6, 10_000
"""arxiv-sanity-lite's settings; its classes are balanced too."""


class Svm(Base):
    """LinearSVC on TF-IDF of words and pairs: liked papers and topics against all other stored papers.

    Scores are distances to the plane in standard deviations over the corpus. Dislikes are among the others.
    """

    name = "svm"

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._desk = Desk(index)
        self._corpus: tuple[tuple[int, int, int], RowArray, csr_matrix] | None = None

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the one part words, (n_rows,); zeros if there is nothing to learn from."""
        plane = self.fitted(interest)
        if plane is None:
            return {"words": np.zeros(rows.size, np.float32)}
        _, corpus = self.corpus()
        found = unit(self.index, self.index.counts(rows)) @ plane
        return {"words": standardise(found, corpus @ plane)}

    def corpus(self) -> tuple[RowArray, csr_matrix]:
        """Return the live rows (n,) and their unit rows of TF-IDF (n, n_terms), kept until the index changes."""
        index = self.index
        key = (index.generation, index.n_rows, len(index))
        if self._corpus is None or self._corpus[0] != key:
            rows = np.flatnonzero(index.live)
            self._corpus = (key, rows, unit(index, index.counts(rows)))
        return self._corpus[1], self._corpus[2]

    def query(self, interest: Interest, row: int) -> csr_matrix:
        """Return the plane's weights, (1, n_terms); zeros if there is nothing to learn from."""
        plane = self.fitted(interest)
        return super().query(interest, row) if plane is None else csr_matrix(plane[None, :])

    def fitted(self, interest: Interest) -> FloatArray | None:
        """Return the plane's weights, (n_terms,), or None if all papers are of one class or have no words."""
        # here, not above: the import alone costs seconds, and the other rankers do without
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        profile = self._desk.profile(interest)
        likes = profile.weighted.likes
        rows, corpus = self.corpus()
        target = np.isin(rows, likes)
        topics = profile.liked.words[likes.size :]
        texts = vstack([corpus, topics], format="csr")
        target = np.concatenate([target, np.ones(topics.shape[0], np.bool_)])
        if not texts[target].nnz or target.all():
            return None
        model = LinearSVC(C=C, class_weight="balanced", tol=TOLERANCE, max_iter=ITERATIONS, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(texts, target)
        plane: FloatArray = model.coef_[0].astype(np.float32)
        return plane


ranker: type[Ranker] = Svm
