"""The ranker of the digests: words and meaning, each standardised by the interest's own mean and deviation."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.profile import TOPIC, Weighted
from recommender.rankers._base import FLAT, Base, spread, standardise
from recommender.rankers._block import Block
from recommender.rankers._close import closeness, coefficients
from recommender.rankers._compared import Compared
from recommender.rankers._desk import Desk
from recommender.rankers._vectors import Vectors, vectors
from recommender.types import FloatArray, Interest, Ranker, RowArray

RAREST = 4.0
"""Most standard deviations that a named area is worth."""

DISLIKE = 0.4
"""Weight of the part dislikes. At 1, one dislike drives nearly all papers of its topic out; at 0, none but itself."""


class Default(Base):
    """Sum of up to four parts, in standard deviations of the sum over random stored papers.

    - words: cosines of binary TF-IDF (words and pairs) with the interest's papers and topics;
    - meaning: cosines of latent semantic analysis; each of these two is the weighted mean over all of them plus the
      mean of the nearest three, standardised by its own mean and deviation over the random papers, since of raw
      cosines the one that spreads more drowns the other;
    - area: whether the paper is of an area that is a topic by name, standardised by the area's exact share of papers
      and weighted by the share of topics in the interest;
    - dislikes: lowers what is nearer to a disliked paper than to any liked paper, and than papers usually are.
    """

    name = "default"

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._desk = Desk(index)

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the parts words, meaning, area and dislikes, each (n_rows,); see the class."""
        if rows.size == 1:
            compared, at = self._desk.about(interest, int(rows[0]))
            return {name: part[at : at + 1] for name, part in self._parts(compared).items()}
        return dict(self._parts(self._desk.compare(interest, rows)))

    def _parts(self, compared: Compared) -> dict[str, FloatArray]:
        """Return the parts of all papers of a comparison."""
        if compared.parts:
            return compared.parts
        profile, block, words, meanings = compared.profile, compared.block, compared.words, compared.meanings
        weighted, liked = profile.weighted, profile.liked
        usual = block.usual_but(weighted.likes)
        found = {"words": _standard(words, liked, usual), "meaning": _standard(meanings, liked, usual)}
        if profile.areas.size:
            found["area"] = self._named(profile.areas, weighted, block)
        _, deviation = spread(np.sum([part[usual] for part in found.values()], axis=0))
        scale = np.float32(1.0 / deviation)
        parts = {name: part[: block.n] * scale for name, part in found.items()}
        if weighted.dislikes.size:
            parts["dislikes"] = -self._disliked(weighted, words + meanings, block)
        compared.parts.update(parts)
        return parts

    def query(self, interest: Interest, row: int) -> csr_matrix:
        """Return the term weights, (1, n_terms), behind the part words of one paper: a sum of profile rows."""
        compared, at = self._desk.about(interest, row)
        return compared.mixture.of(coefficients(compared.words[:, at], compared.profile.liked.mass))

    def near(self, interest: Interest, row: int) -> int:
        """Return the row of the liked paper nearest to a paper, itself excepted; -1 if none is nearer than usual."""
        compared, at = self._desk.about(interest, row)
        likes, n = compared.profile.weighted.likes, compared.block.n
        found = compared.words[: likes.size, at] + compared.meanings[: likes.size, at]
        found[likes == row] = -np.inf
        if not (likes != row).any():
            return -1
        best = int(np.argmax(found))
        usual = compared.words[best, n:] + compared.meanings[best, n:]
        return int(likes[best]) if found[best] > usual.mean() + FLAT else -1

    def _named(self, areas: RowArray, weighted: Weighted, block: Block) -> FloatArray:
        """Return (1 - p) / sqrt(p (1 - p)) for papers of a named area with share p, else -p / sqrt(p (1 - p)).

        Of several areas the greatest counts. At most `RAREST`, times the topics' share of the interest's mass.
        """
        share = np.clip(self.index.df[areas] / max(len(self.index), 1), 0.0, 1.0)[:, None]
        deviation = np.sqrt(share * (1.0 - share))
        worth = (block.holds(areas) - share) / np.where(deviation > 0, deviation, np.inf)
        topics = TOPIC * len(weighted.topics)
        best = np.minimum(worth.max(axis=0), RAREST) * topics / (topics + weighted.likes.size)
        result: FloatArray = best.astype(np.float32)
        return result

    def _disliked(self, weighted: Weighted, liked: FloatArray, block: Block) -> FloatArray:
        """Return how much nearer papers are to the nearest dislike than to any like or usual paper, (n_rows,).

        In standard deviations of the similarity to the dislikes over the usual papers, times `DISLIKE`.
        """
        bad = block.similarity(vectors(self.index, weighted.dislikes)).max(axis=0)
        mean, deviation = spread(bad[block.usual_but(weighted.dislikes)])
        floor = liked[: weighted.likes.size, : block.n].max(axis=0, initial=mean)
        excess: FloatArray = np.maximum(bad[: block.n] - floor, 0.0) * np.float32(DISLIKE / deviation)
        return excess


def _standard(similarities: FloatArray, liked: Vectors, usual: RowArray) -> FloatArray:
    """Return the closeness in standard deviations over the usual papers' columns, (n + n_usual,)."""
    close = closeness(similarities, liked.mass)
    return standardise(close, close[usual])


ranker: type[Ranker] = Default
