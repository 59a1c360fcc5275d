"""Dense vectors, kept by model and by content: a text that is there already, under whatever id, is never made again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, and_, delete, func, insert, or_, select

from bot.store.statements import chunks
from bot.store.statements import insert as insert_new
from bot.store.tables import embeddings, interests, meta, papers
from recommender.dense import Halves, key_of, text_of
from recommender.types import FloatArray

_KEPT = np.dtype("<f2")
_TROUBLE = "embedder"  # in meta: since when it fails, and why
_LIVE = and_(papers.c.merged_into.is_(None), papers.c.text_hash != "")


@dataclass(frozen=True, slots=True)
class News:
    """Vectors of papers, (len(numbers), d), and the marks behind which the next ones are."""

    numbers: Sequence[int]
    vectors: Halves
    last: int
    changed: int


def lacking(conn: Connection, model: str, most: int) -> dict[str, str]:
    """Return at most `most` texts that have no vector, by hash: topics first, then papers, the newest first."""
    wanted = {key_of(topic): topic for topic in topics(conn)}
    there = known(conn, model, list(wanted))
    found = [(key, topic) for key, topic in wanted.items() if key not in there]
    made = and_(embeddings.c.model == model, embeddings.c.hash == papers.c.text_hash)
    query = (
        select(papers.c.text_hash, papers.c.title, papers.c.abstract)
        .outerjoin(embeddings, made)
        .where(_LIVE, embeddings.c.id.is_(None))
        .order_by(papers.c.id.desc())
        .limit(most)
    )
    found += [(row.text_hash, text_of(row.title, row.abstract)) for row in conn.execute(query)]
    return dict(found[:most])


def keep(conn: Connection, model: str, vectors: Mapping[str, FloatArray]) -> None:
    """Store unit vectors, (d,) each, by the hash of their text."""
    rows = [{"model": model, "hash": key, "vector": one.astype(_KEPT).tobytes()} for key, one in vectors.items()]
    if rows:
        conn.execute(insert_new(conn, embeddings).on_conflict_do_nothing(), rows)


def known(conn: Connection, model: str, keys: Sequence[str]) -> dict[str, FloatArray]:
    """Return the vectors of texts by hash, those that there are."""
    found: dict[str, FloatArray] = {}
    for some in chunks(keys):
        query = select(embeddings.c.hash, embeddings.c.vector)
        query = query.where(embeddings.c.model == model, embeddings.c.hash.in_(some))
        found |= {row.hash: np.frombuffer(row.vector, _KEPT).astype(np.float32) for row in _whole(conn, model, query)}
    return found


def news(conn: Connection, model: str, last: int, changed: int) -> News:
    """Return the vectors of papers that were made or have changed since these marks (0 and 0: all)."""
    newest = conn.execute(select(func.max(embeddings.c.id)).where(embeddings.c.model == model)).scalar() or 0
    change = conn.execute(select(func.max(papers.c.changed))).scalar() or 0
    if (newest, change) == (last, changed):
        return News((), np.zeros((0, 0), np.float16), last, changed)
    query = (
        select(papers.c.id, embeddings.c.vector)
        .join(embeddings, and_(embeddings.c.model == model, embeddings.c.hash == papers.c.text_hash))
        .where(_LIVE)
    )
    if last:
        query = query.where(or_(embeddings.c.id > last, papers.c.changed > changed))
    rows = _whole(conn, model, query)
    vectors = np.frombuffer(b"".join(row.vector for row in rows), _KEPT).astype(np.float16, copy=False)
    return News([row.id for row in rows], vectors.reshape(len(rows), width(conn, model) if rows else 0), newest, change)


def width(conn: Connection, model: str) -> int:
    """Return how many numbers the vectors of a model have, which the first tells; 0 before it."""
    first = select(embeddings.c.vector).where(embeddings.c.model == model).order_by(embeddings.c.id).limit(1)
    return len(conn.execute(first).scalar() or b"") // _KEPT.itemsize


def _whole(conn: Connection, model: str, query: Select[Any]) -> list[Any]:
    """Return the rows whose vectors are as long as the first: two processes may have had two models of one name."""
    wanted = width(conn, model) * _KEPT.itemsize
    return [row for row in conn.execute(query) if len(row.vector) == wanted]


def topics(conn: Connection) -> list[str]:
    """Return the topics of all interests, each once."""
    found = conn.execute(select(interests.c.topics).where(interests.c.removed_at.is_(None))).scalars()
    return list(dict.fromkeys(topic for some in found for topic in some))


def count(conn: Connection, model: str) -> int:
    """Return how many papers have a vector."""
    made = select(embeddings.c.hash).where(embeddings.c.model == model)
    return conn.execute(
        select(func.count()).select_from(papers).where(_LIVE, papers.c.text_hash.in_(made))
    ).scalar_one()


def forget_others(conn: Connection, model: str) -> int:
    """Delete the vectors of all other models; return how many there were."""
    return conn.execute(delete(embeddings).where(embeddings.c.model != model)).rowcount


def say(conn: Connection, trouble: str, now: datetime) -> None:
    """Note that the embedder fails, or, with an empty text, that it works. The time of its first failure stays."""
    since = trouble_of(conn)[0] or now.isoformat(timespec="seconds")
    conn.execute(delete(meta).where(meta.c.name == _TROUBLE))
    if trouble:
        conn.execute(insert(meta).values(name=_TROUBLE, value=json.dumps([since, trouble])))


def trouble_of(conn: Connection) -> tuple[str, str]:
    """Return since when the embedder fails (ISO 8601, UTC) and why; two empty texts if it works."""
    kept = conn.execute(select(meta.c.value).where(meta.c.name == _TROUBLE)).scalar()
    since, why = json.loads(kept) if kept else ("", "")
    return str(since), str(why)
