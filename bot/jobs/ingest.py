"""Bring papers into the store, in batches, and count what became of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.core.ports import Bad
from bot.store import records, sources
from bot.store.engine import Store
from recommender.types import Paper

BATCH = 500  # papers a transaction: others wait at most for one
BAD_KEPT = 20  # of those refused, for showing; all are counted


@dataclass(frozen=True, slots=True)
class Report:
    """What became of the papers of one run: new, already known, merged into known papers, refused.

    `changed` counts papers that were there and read differently now. `bad` are the first of those refused.
    """

    new: int = 0
    known: int = 0
    merged: int = 0
    changed: int = 0
    refused: int = 0
    bad: tuple[Bad, ...] = ()


def ingest(
    store: Store,
    papers: Iterable[Paper | Bad],
    source: str,
    now: datetime,
    told: Callable[[Report], None] | None = None,
) -> Report:
    """Store all papers as what `source` says at `now` (aware). `told` hears the report so far after each batch.

    Each batch is one transaction, so that nothing is ever half-written; a second run changes nothing. Whatever `papers`
    or the store raises passes through; batches before it stay.
    """
    report = Report()
    for batch in _batches(papers):
        good = [item for item in batch if isinstance(item, Paper)]
        bad = [item for item in batch if isinstance(item, Bad)]
        outcome = records.Outcome()
        if good:
            with store.writing() as conn:
                outcome = keep(conn, good, source, now)
        report = Report(
            new=report.new + outcome.new,
            known=report.known + outcome.known,
            merged=report.merged + outcome.merged,
            changed=report.changed + outcome.changed,
            refused=report.refused + len(bad),
            bad=(*report.bad, *bad)[:BAD_KEPT],
        )
        if told is not None:
            told(report)
    return report


def keep(conn: Any, papers: Sequence[Paper], source: str, now: datetime, *, asked: bool = False) -> records.Outcome:
    """Store a batch as what `source` says, in the transaction of `conn`, and note when it last brought something new.

    What several sources of one kind say ("rss:…") is what the kind says: it is the same record. `asked`: somebody
    asked for these papers, old and new: see `records.add`.
    """
    outcome = records.add(conn, papers, source.partition(":")[0], now, asked=asked)
    if outcome.new:
        sources.brought(conn, source, now)
    return outcome


def _batches(items: Iterable[Paper | Bad]) -> Iterator[list[Paper | Bad]]:
    batch: list[Paper | Bad] = []
    for item in items:
        batch.append(item)
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
