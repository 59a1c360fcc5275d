"""What the verb `eval` needs beside the evaluation itself: plug-ins, the bot's own database, and printing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence

import typer

from bot import config, log
from bot.app import database_of
from bot.errors import StoreError, UsageError
from bot.plugins import load
from bot.store import feedback, health
from bot.store.engine import Store
from recommender.evaluate.own import Feedback
from recommender.evaluate.report import Json, as_json, strata
from recommender.evaluate.scoring import RANDOM, Maker
from recommender.evaluate.table import Told, as_table


def own_feedback() -> Feedback:
    """Read the bot's own database. Raises StoreError if there is none."""
    log.configure("warning", "auto")
    url = database_of(config.load())
    if not health.is_there(url):
        raise StoreError(f"There is no database yet at {health.name(url)}, so there is no feedback.")
    store = Store.open(url)
    try:
        with store.reading() as conn:
            return feedback.read(conn)
    finally:
        store.close()


def say(found: Iterator[Told], *, quietly: bool) -> None:
    """Print each table as soon as it is there, or everything as one JSON object."""
    whole: Json = {}
    for told in found:
        whole |= as_json(told.outcome)
        for one in () if quietly else (told.outcome, *strata(told.outcome)):
            size = f"{len(one.groups):,} cases in {len(set(one.groups)):,} groups. {told.note}".strip()
            typer.echo(f"\n**{one.name}**: {size}\n\n{as_table(one, told.metrics)}")
    if quietly:
        typer.echo(json.dumps(whole))


def tell(line: str) -> None:
    """Say on the side how far it is."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def makers_of(names: Sequence[str]) -> Mapping[str, Maker]:
    """Return what makes the rankers of these names, or all. Raises UsageError."""
    there: dict[str, Maker] = load("recommender.rankers", "ranker") | {RANDOM: None}
    if stray := [name for name in names if name not in there]:
        raise UsageError(f"--ranker: there is no “{stray[0][:40]}”. There are: {', '.join(there)}.")
    return {name: there[name] for name in names or there}
