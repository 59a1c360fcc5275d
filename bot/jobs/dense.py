"""How the dense vectors do, for `paperround status` and `doctor`."""

from __future__ import annotations

import asyncio
from typing import Any

from bot.core.card import clip, count
from bot.core.check import Check
from bot.errors import EmbedderError
from bot.store import papers
from bot.store.engine import Store
from bot.store.vectors import Vectors


def facts(vectors: Vectors) -> dict[str, Any]:
    """Return how many papers have a dense vector, and since when and why there will be no more, if so."""
    made, since, why = vectors.told()
    return {"papers with a dense vector": made, "embedder": f"fails since {since}: {why}" if why else "no trouble"}


def check(store: Store, vectors: Vectors) -> Check:
    """See how many papers have a dense vector, and let the embedder make one."""
    name = "dense vectors"
    with store.reading() as conn:
        stored = papers.count(conn)
    made, since, why = vectors.told()
    line = f"{made:,} of {count(stored, 'paper')} have one"
    try:
        asyncio.run(_try(vectors))
    except EmbedderError as error:
        todo = "Look at PAPERROUND_EMBEDDER. Until then digests go out without them."
        return Check(name, "wrong", line, todo, (_line(str(error)),))
    if why:
        return Check(name, "look", line, "It is tried again by itself.", (_line(f"failed since {since}: {why}"),))
    return Check(name, "ok", line)


async def _try(vectors: Vectors) -> None:
    try:
        await vectors.embedder.embed(["a word"])
    finally:
        await vectors.embedder.close()


def _line(text: str) -> str:
    """Return text from outside on one line that a terminal shows as it is."""
    return clip("".join(mark if mark.isprintable() else " " for mark in text), 300)
