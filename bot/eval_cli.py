"""`paperround eval`: how good the rankers are, on judgements that people made."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from bot.errors import UsageError
from bot.plugins import load
from recommender.evaluate import places
from recommender.evaluate.jsonl import BadSetError
from recommender.evaluate.report import Json, as_json, strata
from recommender.evaluate.run import SEEDS, Protocol
from recommender.evaluate.scoring import RANDOM, Maker
from recommender.evaluate.table import as_table
from recommender.evaluate.whole import MADE, Told, Whole


def evaluate(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER...]",
            help="Sets: papers.jsonl, users.jsonl or queries.jsonl, and qrels.tsv, each may end in .gz. "
            f"Or {MADE[0]} or {MADE[1]}, which are made from the corpora. "
            "All of ../shared/eval and both of these if left out.",
        ),
    ] = None,
    ranker: Annotated[list[str] | None, typer.Option(help="All there are, and random, if left out.")] = None,
    corpora: Annotated[
        list[Path] | None,
        typer.Option(
            "--corpus",
            help="Papers to learn from beside the profiles', as JSON lines, .gz too. If left out: those in "
            "../../corpora of the first set, or in ../shared/corpora.",
        ),
    ] = None,
    protocol: Annotated[str, typer.Option(help="deployed, refit or both.")] = Protocol.DEPLOYED.value,
    seeds: Annotated[int, typer.Option(min=1, max=100, help="How many.")] = len(SEEDS),
    json_: Annotated[bool, typer.Option("--json", help="Print {set: {ranker: {metric: {mean, low, high}}}}.")] = False,
) -> None:
    """Measure the rankers on judgements that people made. Takes minutes; says on the side how far it is."""
    try:
        protocols = list(Protocol) if protocol == "both" else [Protocol(protocol)]
    except ValueError:
        raise UsageError(f"--protocol: “{protocol[:40]}” is none. Type deployed, refit or both.") from None
    makers = _makers(ranker or [])
    try:
        wanted = folders or [*map(str, places.sets()), *MADE]
        files = corpora or places.corpora([Path(one) for one in wanted if one not in MADE])
        _print(Whole(wanted, files, makers, protocols, range(seeds), _tell).outcomes(), quietly=json_)
    except BadSetError as error:
        raise UsageError(str(error)) from error


def _print(found: Iterator[Told], *, quietly: bool) -> None:
    """Print each table as soon as it is there, or everything as one JSON object."""
    whole: Json = {}
    for told in found:
        whole |= as_json(told.outcome)
        for one in () if quietly else (told.outcome, *strata(told.outcome)):
            size = f"{len(one.groups):,} cases in {len(set(one.groups)):,} groups. {told.note}".strip()
            typer.echo(f"\n**{one.name}**: {size}\n\n{as_table(one, told.metrics)}")
    if quietly:
        typer.echo(json.dumps(whole))


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _makers(names: list[str]) -> Mapping[str, Maker]:
    """Return what makes the rankers of these names, or all. Raises UsageError."""
    there: dict[str, Maker] = load("recommender.rankers", "ranker") | {RANDOM: None}
    if stray := [name for name in names if name not in there]:
        raise UsageError(f"--ranker: there is no “{stray[0][:40]}”. There are: {', '.join(there)}.")
    return {name: there[name] for name in names or there}
