"""An HTTP endpoint that speaks as OpenAI's for embeddings does: POST {base}/embeddings, of a service or one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bot.core.ports import Http
from bot.embedders._unit import unit
from bot.errors import EmbedderError, SettingsError, SourceError
from recommender.types import FloatArray

AT_ONCE = 16  # texts of one call
CHARACTERS = 8_000  # of a text that are sent
WITHIN = 60.0  # seconds for one call, its tries included
_A_TEXT = 300_000  # bytes of an answer for each text: 8,192 numbers in full


class Endpoint:
    """The model of that name at an address. It is asked by `http`, which is its own and is closed with it."""

    def __init__(self, base: str, model: str, key: str, http: Any) -> None:
        self._base, self._model, self._http = base, model, http
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    @classmethod
    def open(cls, settings: Any, http: Any = None) -> Endpoint | None:
        """Return that of the address that the settings name, or None. Raises SettingsError if it has no model."""
        base = settings.embedder
        if "://" not in base:
            return None
        if not settings.embedder_model:
            raise SettingsError("PAPERROUND_EMBEDDER_MODEL: name the model that PAPERROUND_EMBEDDER is to use.")
        return cls(base, settings.embedder_model, settings.embedder_key.get_secret_value(), http)

    def name(self) -> str:
        """Return the address and the model."""
        return f"{self._base}#{self._model}"[-200:]

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, (len(texts), d). Raises EmbedderError."""
        found = [await self._ask(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)]
        try:
            return np.concatenate(found) if found else np.zeros((0, 0), np.float32)
        except ValueError as error:
            raise EmbedderError(f"{self._base} gave vectors of several lengths.") from error

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.close()

    async def _ask(self, texts: Sequence[str]) -> FloatArray:
        http: Http = self._http
        clean = [text[:CHARACTERS].encode("utf-8", "replace").decode() for text in texts]
        body = {"model": self._model, "input": clean, "encoding_format": "float"}
        try:
            answer = await http.post(
                f"{self._base}/embeddings",
                json=body,
                headers=self._headers,
                limit=_A_TEXT * len(texts) + 100_000,
                within=WITHIN,
            )
            return unit(_told(answer.json(), len(texts)), len(texts), self._base)
        except SourceError as error:
            raise EmbedderError(str(error), error.after) from error
        except (KeyError, TypeError, ValueError) as error:
            raise EmbedderError(f"{self._base} gave no {len(texts)} embeddings.") from error


def _told(told: Any, n: int) -> list[Any]:
    """Return the vectors in the order of their texts. Raises KeyError, TypeError or ValueError for anything else."""
    found = {int(one["index"]): one["embedding"] for one in told["data"]}
    if len(told["data"]) != n:
        raise ValueError
    return [found[at] for at in range(n)]


embedder = Endpoint
