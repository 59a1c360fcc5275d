"""An embedder without a model: a vector of a text is made of its words, and it fails when it is told to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from bot.errors import EmbedderError
from recommender.types import FloatArray


@dataclass
class SmallEmbedder:
    """Gives texts with the same words near vectors. `poison`: a word that it cannot embed."""

    model: str = "small:1"
    width: int = 16
    error: EmbedderError | None = None
    poison: str = ""
    asked: list[str] = field(default_factory=list)
    closed: int = 0

    def name(self) -> str:
        """Return its name."""
        if not self.model:
            raise EmbedderError("the files are gone")
        return self.model

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the sum of the words' own random vectors, at length 1."""
        if self.error is not None:
            raise self.error
        if self.poison and any(self.poison in text for text in texts):
            raise EmbedderError("that text is too much")
        self.asked += texts
        found = np.zeros((len(texts), self.width), np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in text.lower().replace(".", " ").split() or ["nothing"]:
                seed = int.from_bytes(sha256(word.encode()).digest()[:8], "big")
                row += np.random.default_rng(seed).normal(size=self.width)
        unit: FloatArray = found / np.linalg.norm(found, axis=1, keepdims=True)
        return unit

    async def close(self) -> None:
        """Count it."""
        self.closed += 1
