"""The ranker of the digests: words and meaning, each standardised by the interest's own mean and deviation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix

from recommender.index import Index
from recommender.profile import TOPIC, Weighted
from recommender.rankers._base import FLAT, Base, spreads
from recommender.rankers._batch import together
from recommender.rankers._close import closeness, coefficients
from recommender.rankers._compared import Compared
from recommender.rankers._dense import Density
from recommender.rankers._desk import Desk
from recommender.rankers._measured import Measured, alone, others
from recommender.rankers._vectors import mixed, said
from recommender.types import FloatArray, Interest, Ranker, RowArray

CLOSE = 0.75
"""Weight of how close a paper is by words, beside 1 for the relevance weights of the likes."""

RAREST = 4.0
"""Most standard deviations that a named area is worth."""

DISLIKE = 0.4
"""Weight of the part dislikes. At 1, one dislike drives nearly all papers of its topic out; at 0, none but itself."""

FEW = 12
"""Interests up to which each is compared by itself, which is kept for its reasons; of more, the batch is quicker."""


class Default(Base):
    """Sum of up to five parts, in standard deviations of the sum over random stored papers.

    - words: `CLOSE` times cosines of TF-IDF (words and pairs) with the interest's papers and topics, and the paper's
      terms by the relevance weights of the likes, times their share of the interest. To a topic, a paper counts by
      how often it says each term, to all else by whether it does;
    - meaning: cosines of latent semantic analysis; these and those of words are the weighted mean over all that the
      interest holds plus the mean of the nearest three. Each of the three is standardised by its own mean and
      deviation over the random papers, since of raw numbers the one that spreads more drowns the others;
    - dense: the same of the cosines of dense vectors, where the index has some, weighted as `_dense` says;
    - area: whether the paper is of an area that is a topic by name, standardised by the area's exact share of papers
      and weighted by the share of topics in the interest;
    - dislikes: lowers what is nearer to a disliked paper than to any liked paper, and than papers usually are.
    """

    name = "default"

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._desk = Desk(index)
        self._density = Density(index)

    def parts(self, interest: Interest, rows: RowArray) -> dict[str, FloatArray]:
        """Return the parts words, meaning, dense, area and dislikes, each (n_rows,); see the class."""
        if rows.size == 1:
            compared, at = self._desk.about(interest, int(rows[0]))
            return {name: part[at : at + 1] for name, part in self._parts(compared).items()}
        return dict(self._parts(self._desk.compare(interest, rows)))

    def sums(self, interests: Sequence[Interest], rows: RowArray) -> FloatArray:
        """Return the sums of `parts`, (n_interests, n_rows): of many interests, by one product over all they like."""
        if len(interests) <= FEW:
            return super().sums(interests, rows)
        usual = self._desk.usual
        both = np.concatenate([rows, usual])
        return np.concatenate(
            [sum(self._made(some, both).values()) for some in together(self.index, usual, interests, rows)]
        )

    def _parts(self, compared: Compared) -> dict[str, FloatArray]:
        """Return the parts of all papers of a comparison."""
        if not compared.parts:
            both = np.concatenate([compared.rows, compared.block.usual])
            made = self._made(alone(self.index, compared), both)
            compared.parts.update({name: part[0] for name, part in made.items()})
        return compared.parts

    def _made(self, found: Measured, both: RowArray) -> dict[str, FloatArray]:
        return _made(found, self._density.part(found.weighted, both, found.usual))

    def query(self, interest: Interest, row: int) -> csr_matrix:
        """Return the term weights, (1, n_terms), behind the part words of one paper, before it is centred."""
        compared, at = self._desk.about(interest, row)
        profile, n = compared.profile, compared.profile.weighted.likes.size
        shares = coefficients(compared.words[:, at], profile.liked.mass)
        of_close, of_telling = compared.scales = compared.scales or _scales(compared)
        result = compared.mixture.of(shares[:n]) * of_close + profile.telling * of_telling
        if profile.topics.shape[0]:
            own, often = self.own(row), said(self.index, self.index.counts([row]))
            own.data = often.data / own.data
            topics = mixed(profile.topics, shares[n:].reshape(TOPIC, -1).sum(axis=0))
            result = result + topics.multiply(own) * of_close
        result = csr_matrix(result, dtype=np.float32)
        result.sort_indices()
        return result

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


def _made(found: Measured, dense: FloatArray | None) -> dict[str, FloatArray]:
    """Return the parts of all interests by name, (n_interests, n) each."""
    words, relevance, meaning = (_standard(one, found) for one in (found.words, found.relevance, found.meanings))
    made = {"words": CLOSE * words + _liked_share(found.weighted) * relevance, "meaning": meaning}
    if dense is not None:
        made["dense"] = dense
    if any(areas.size for areas in found.named):
        made["area"] = _named(found)
    _, deviation = spreads(np.sum([part[:, found.n :] for part in made.values()], axis=0), found.usual)
    made = {name: part[:, : found.n] / deviation for name, part in made.items()}
    if found.disliking.size:
        made["dislikes"] = -_disliked(found)
    return made


def _standard(values: FloatArray, found: Measured) -> FloatArray:
    """Return (values - mean) / deviation, both over the usual papers, (n_interests, n + n_usual)."""
    mean, deviation = spreads(values[:, found.n :], found.usual)
    return (values - mean) / deviation


def _liked_share(weighted: Sequence[Weighted]) -> FloatArray:
    """Return the share of the likes in interests, beside topics, (n_interests, 1)."""
    likes = np.array([[one.likes.size] for one in weighted], np.float32)
    topics = np.array([[TOPIC * len(one.topics)] for one in weighted], np.float32)
    share: FloatArray = likes / np.maximum(likes + topics, 1.0)
    return share


def _scales(compared: Compared) -> tuple[float, float]:
    """Return what closeness by words and relevance are multiplied by in the part words, before it is centred."""
    profile, n = compared.profile, compared.block.n
    usual = others(compared.block.usual, [profile.weighted.likes])
    _, close = spreads(closeness(compared.words[:, n:], profile.liked.mass)[None, :], usual)
    _, telling = spreads(compared.relevance[None, n:], usual)
    return CLOSE / float(close[0, 0]), float(_liked_share([profile.weighted])[0, 0] / telling[0, 0])


def _named(found: Measured) -> FloatArray:
    """Return (1 - p) / sqrt(p (1 - p)) for papers of a named area with share p, else -p / sqrt(p (1 - p)).

    Of several areas the greatest counts. At most `RAREST`, times the topics' share of the interest's mass.
    """
    used = np.unique(np.concatenate(found.named))
    share = found.shares[used, None]
    deviation = np.sqrt(share * (1.0 - share))
    worth = np.minimum((found.held[used] - share) / np.where(deviation > 0, deviation, np.inf), RAREST)
    result = np.zeros(found.words.shape, np.float32)
    for at, (areas, weighted) in enumerate(zip(found.named, found.weighted, strict=True)):
        if areas.size:
            topics = TOPIC * len(weighted.topics)
            best = worth[np.searchsorted(used, areas)].max(axis=0)
            result[at] = best * topics / (topics + weighted.likes.size)
    return result


def _disliked(found: Measured) -> FloatArray:
    """Return how much nearer papers are to the nearest dislike than to any like or usual paper, (n_interests, n).

    In standard deviations of the similarity to the dislikes over the usual papers, times `DISLIKE`.
    """
    n = found.n
    mean, deviation = spreads(found.bad[:, n:], found.unlike)
    excess = np.maximum(found.bad[:, :n] - np.maximum(found.good[:, :n], mean), 0.0)
    result = np.zeros((len(found.weighted), n), np.float32)
    result[found.disliking] = excess * (np.float32(DISLIKE) / deviation)
    return result


ranker: type[Ranker] = Default
