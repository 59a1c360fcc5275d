"""The doctor's look at which records were taken for one paper."""

from __future__ import annotations

from bot.core.card import clip, count
from bot.core.check import DETAILS, Check
from bot.core.plain import plain
from bot.store import doubtful
from bot.store.engine import Store


def same(store: Store) -> Check:
    """Show papers that may be two, and pairs that may be one, each with the command that parts or merges them."""
    with store.reading() as conn:
        found = doubtful.find(conn)
    if not found.merged and not found.apart:
        return Check("same papers", "ok", "no paper is in doubt")
    half = DETAILS // 2
    first = [*found.merged[: max(half, DETAILS - len(found.apart))], *found.apart][:DETAILS]
    details = tuple(f"{clip(plain(doubt.title), 60)}: {doubt.why}: {doubt.todo}" for doubt in first)
    line = f"{count(len(found.merged), 'paper')} may be two, {count(len(found.apart), 'pair')} may be one"
    todo = "All: paperround papers doubtful; what is right as it is: paperround papers keep ID"
    return Check("same papers", "look", line, todo, details)
