"""Dense vectors for `paperround eval`: made once by the embedder, and kept in a file for the next time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from bot import config
from bot.config import Settings
from bot.core.ports import Embedder
from bot.errors import EmbedderError, UsageError
from bot.outside import embedder_of
from recommender.dense import key_of
from recommender.evaluate.embedded import Embeds
from recommender.types import FloatArray

BATCH, SAVE_EVERY = 16, 1024  # texts


def embeds_of(named: str, tell: Callable[[str], None]) -> Embeds | None:
    """Return what embeds by the model that is named, or by that of the settings; None without either.

    Raises SettingsError. What it returns raises UsageError where a text cannot be embedded.
    """
    settings = config.load()
    if named:
        settings = settings.model_copy(update={"embedder": named})
    if embedder_of(settings) is None:
        return None

    def embeds(texts: Sequence[str]) -> FloatArray:
        try:
            return asyncio.run(_embed(settings, texts, tell))
        except EmbedderError as error:
            raise UsageError(f"--embedder: {error}") from error

    return embeds


async def _embed(settings: Settings, texts: Sequence[str], tell: Callable[[str], None]) -> FloatArray:
    embedder = embedder_of(settings)
    assert embedder is not None  # noqa: S101  whoever comes here has looked
    try:
        file = settings.data_dir / f"eval-{sha256(embedder.name().encode()).hexdigest()[:12]}.npz"
        kept = _read(file)
        keys = [key_of(text) for text in texts]
        await _make(
            {key: text for key, text in zip(keys, texts, strict=True) if key not in kept}, kept, embedder, file, tell
        )
        return np.stack([kept[key] for key in keys]).astype(np.float32) if keys else np.zeros((0, 0), np.float32)
    finally:
        await embedder.close()


async def _make(
    lacking: dict[str, str], kept: dict[str, FloatArray], embedder: Embedder, file: Path, tell: Callable[[str], None]
) -> None:
    for at in range(0, len(lacking), BATCH):
        some = list(lacking)[at : at + BATCH]
        kept.update(zip(some, await embedder.embed([lacking[key] for key in some]), strict=True))
        done = min(at + BATCH, len(lacking))
        if done % SAVE_EVERY == 0 or done == len(lacking):
            _write(file, kept)
            tell(f"{done:,} of {len(lacking):,} texts embedded")


def _read(file: Path) -> dict[str, FloatArray]:
    """Return what is kept by hash; nothing of a file that cannot be read."""
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as found:
            return dict(zip(found["keys"].tolist(), found["vectors"].astype(np.float32), strict=True))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return {}


def _write(file: Path, kept: dict[str, FloatArray]) -> None:
    """Keep them, in place of what was there at once. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(f".{os.getpid()}.npz")
    np.savez(new, keys=np.array(list(kept)), vectors=np.stack(list(kept.values())).astype(np.float16))
    new.replace(file)
