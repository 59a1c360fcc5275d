"""What an embedder gave, judged: the right number of vectors, all numbers, and length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from bot.errors import EmbedderError
from recommender.types import FloatArray

LEAST, MOST = 2, 8192  # numbers of a vector


def unit(found: Any, n: int, who: str) -> FloatArray:
    """Return n vectors scaled to length 1, (n, d). Raises EmbedderError, whose text begins with `who`."""
    try:
        vectors = np.asarray(found, np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbedderError(f"{who} gave what are no vectors of one length.") from error
    if vectors.ndim != 2 or len(vectors) != n or not LEAST <= vectors.shape[1] <= MOST:
        raise EmbedderError(f"{who} gave an array of {vectors.shape} for {n} texts.")
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise EmbedderError(f"{who} gave a vector that is zero or holds what is no number.")
    scaled: FloatArray = (vectors / lengths).astype(np.float32)
    return scaled
