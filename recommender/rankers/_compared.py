"""One interest, prepared, and against a block of papers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from recommender.profile import TOPIC, Weighted
from recommender.rankers._block import Block
from recommender.rankers._vectors import Mixture, Vectors
from recommender.types import FloatArray, RowArray


@dataclass(frozen=True, slots=True)
class Prepared:
    """An interest ready for ranking.

    Its rows and weights, its vectors, the relevance weights of its likes' terms, `telling` (1, n_terms), and the
    columns of areas that are topics. `terms` (n_likes + 1, n_terms) are the words of its likes, then `telling`;
    `topics` (n_topics, n_terms) are those of its topics.
    """

    weighted: Weighted
    liked: Vectors
    telling: csr_matrix
    areas: RowArray
    terms: csr_matrix
    topics: csr_matrix


class Compared:
    """An interest against a block of papers: cosines of words and of meanings, (n_profile, n + n_usual) each.

    `relevance` (n + n_usual,) are the papers by the relevance weights, `rows` (n,) are the papers'. `parts` and
    `scales` have room for what a ranker makes of them: by name, (n,) each, and what it multiplies words by.
    """

    def __init__(self, profile: Prepared, rows: RowArray, block: Block) -> None:
        self.profile, self.rows, self.block = profile, rows, block
        found = block.words(profile.terms)
        self.words, self.relevance = found[:-1], found[-1]
        if profile.topics.shape[0]:
            self.words = np.concatenate([self.words, np.tile(block.said(profile.topics), (TOPIC, 1))])
        self.meanings = block.meanings(profile.liked.meaning)
        self.parts: dict[str, FloatArray] = {}
        self.scales: tuple[float, float] | None = None
        self._mixture: Mixture | None = None

    @property
    def mixture(self) -> Mixture:
        """Return what mixes the likes."""
        self._mixture = self._mixture or Mixture(self.profile.terms[:-1])
        return self._mixture
