"""Dense vectors of papers and topics, which somebody else has made: a snapshot that rankers compare by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from recommender.types import FloatArray

Halves = NDArray[np.float16]


def text_of(title: str, abstract: str) -> str:
    """Return what is embedded of a paper."""
    return f"{title.strip()}. {abstract.strip()}"


def key_of(text: str) -> str:
    """Return by which a text's vector is kept: the SHA-256 of its UTF-8, in hex; a lone surrogate counts as “?”."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """Vectors by one model. It does not change; what comes later makes another one.

    `matrix` (n, d) holds unit rows as float16, two bytes a number: 29 MB for 38,000 papers of 384 numbers, 92 MB for
    120,000. `places` leads from a paper's id to its row, `topics` from a topic's text to its unit vector, (d,).
    """

    matrix: Halves = field(default_factory=lambda: np.zeros((0, 0), np.float16))
    places: Mapping[str, int] = field(default_factory=dict)
    topics: Mapping[str, FloatArray] = field(default_factory=dict)

    def of(self, ids: Sequence[str]) -> FloatArray:
        """Return the vectors of papers, (len(ids), d); zeros where there is none."""
        found = np.zeros((len(ids), self.matrix.shape[1]), np.float32)
        known = [(at, place) for at, one in enumerate(ids) if (place := self.places.get(one)) is not None]
        if known:
            at, places = np.array(known, np.int64).T
            found[at] = self.matrix[places]
        return found

    def about(self, topics: Iterable[str]) -> FloatArray:
        """Return the vectors of topics, (n, d), in order; one that has none yet is left out."""
        found = [self.topics[topic] for topic in topics if topic in self.topics]
        return np.stack(found) if found else np.zeros((0, self.matrix.shape[1]), np.float32)

    def joined(self, ids: Sequence[str], vectors: FloatArray | Halves, topics: Mapping[str, FloatArray]) -> Dense:
        """Return this with more: papers' vectors, (len(ids), d), each in place of an older one, and topics'.

        Raises ValueError where d is not that of what is there.
        """
        matrix, places = self.matrix, dict(self.places)
        if ids:
            fresh = np.asarray(vectors, np.float16)
            kept = matrix if matrix.size else matrix.reshape(0, fresh.shape[1])
            places |= {one: len(kept) + at for at, one in enumerate(ids)}
            matrix = np.concatenate([kept, fresh])
        width = matrix.shape[1] or next((len(one) for one in topics.values()), 0)
        if any(len(one) != width for one in topics.values()):
            raise ValueError(f"a topic's vector does not have {width} numbers")
        return Dense(matrix if matrix.size else np.zeros((0, width), np.float16), places, {**self.topics, **topics})
