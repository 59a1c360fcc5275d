"""One interest, prepared, and against a block of papers."""

from __future__ import annotations

from dataclasses import dataclass

from recommender.profile import Weighted
from recommender.rankers._block import Block
from recommender.rankers._vectors import Mixture, Vectors
from recommender.types import FloatArray, RowArray


@dataclass(frozen=True, slots=True)
class Prepared:
    """An interest ready for ranking: its rows and weights, its vectors, and the columns of areas that are topics."""

    weighted: Weighted
    liked: Vectors
    areas: RowArray


class Compared:
    """An interest against a block of papers: cosines of words and of meanings, (n_profile, n + n_usual) each.

    `rows` (n,) are the papers'. `parts` has room for what a ranker makes of them, by name, (n,) each.
    """

    def __init__(self, profile: Prepared, rows: RowArray, block: Block) -> None:
        self.profile, self.rows, self.block = profile, rows, block
        self.words = block.words(profile.liked.words)
        self.meanings = block.meanings(profile.liked.meaning)
        self.parts: dict[str, FloatArray] = {}
        self._mixture: Mixture | None = None

    @property
    def mixture(self) -> Mixture:
        """Return what mixes the rows of the interest."""
        self._mixture = self._mixture or Mixture(self.profile.liked.words)
        return self._mixture
