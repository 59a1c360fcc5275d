"""`paperround eval`: how good the rankers are, on judgements that people made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.errors import UsageError
from bot.eval_dense import embeds_of
from bot.evaluating import makers_of, own_feedback, say, tell
from recommender.evaluate import places
from recommender.evaluate.jsonl import BadSetError
from recommender.evaluate.propensity import own_told
from recommender.evaluate.run import SEEDS, Protocol
from recommender.evaluate.whole import MADE, Whole


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
    embedder: Annotated[
        str,
        typer.Option(help="A folder with an ONNX model, or an API's address; PAPERROUND_EMBEDDER if left out."),
    ] = "",
    own: Annotated[bool, typer.Option("--own", help="What people here said of digests, instead of sets.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print {set: {ranker: {metric: {mean, low, high}}}}.")] = False,
) -> None:
    """Measure the rankers on judgements that people made. Takes minutes; says on the side how far it is."""
    try:
        protocols = list(Protocol) if protocol == "both" else [Protocol(protocol)]
    except ValueError:
        raise UsageError(f"--protocol: “{protocol[:40]}” is none. Type deployed, refit or both.") from None
    makers = makers_of(ranker or [])
    if own:
        say(own_told(own_feedback(), makers, range(seeds), tell), quietly=json_)
        return
    try:
        wanted = folders or [*map(str, places.sets()), *MADE]
        files = corpora or places.corpora([Path(one) for one in wanted if one not in MADE])
        embeds = embeds_of(embedder, tell)
        say(Whole(wanted, files, makers, protocols, range(seeds), tell, embeds).outcomes(), quietly=json_)
    except BadSetError as error:
        raise UsageError(str(error)) from error
