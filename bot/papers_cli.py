"""`paperround papers`: which records are one paper, as an administrator decides it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from bot import config, log
from bot.app import database_of, utc_now
from bot.core.card import clip, count
from bot.core.ids import normalise
from bot.core.plain import plain
from bot.errors import NotFound, StoreError, UsageError, UserError
from bot.store import doubtful as doubts
from bot.store import health, records
from bot.store import papers as stored
from bot.store.engine import Store

papers = typer.Typer(help="Say which records are one paper.", no_args_is_help=True)
SHOWN = 50  # doubts of each kind that are listed

Paper = Annotated[str, typer.Argument(help="An id or a link of the paper.")]


@contextmanager
def _store() -> Iterator[Store]:
    """Open the database that the settings name, if there is one; what cannot be done is said as a usage error."""
    log.configure("warning", "auto")
    url = database_of(config.load())
    if not health.is_there(url):
        raise StoreError(f"There is no database yet at {health.name(url)}, so there are no papers.")
    store = Store.open(url)
    try:
        yield store
    except UserError as error:
        raise UsageError(str(error)) from error
    finally:
        store.close()


def _number(store: Store, text: str) -> int:
    """Return the paper's number. Raises NotFound."""
    with store.reading() as conn:
        found = stored.by_id(conn, normalise(text) or text)
    if found is None:
        raise NotFound(f"No paper here has the id “{clip(plain(text), 80)}”.")
    return found


def _line(title: str) -> str:
    return clip(plain(title), 100) or "a paper without a title"


@papers.command()
def merge(keep: Paper, other: Paper) -> None:
    """Make two papers one, unless each has an arXiv id or DOI of its own. Imports never part them; `unmerge` does."""
    with _store() as store:
        one, gone = _number(store, keep), _number(store, other)
        with store.writing() as conn:
            records.merge(conn, one, gone, utc_now())
            title = stored.get(conn, [one])[one].paper.title
    typer.echo(f"One paper now: {_line(title)}")


@papers.command()
def unmerge(
    paper: Paper,
    numbers: Annotated[list[int] | None, typer.Argument(help="Records to take out; all are listed without.")] = None,
) -> None:
    """Take records out of a paper, so that they are one of their own. Nobody is shown either again."""
    with _store() as store:
        whole = _number(store, paper)
        with store.reading() as conn:
            known = records.of(conn, [whole])
        if not numbers:
            for one in known:
                ids = ", ".join(one.facts.ids)
                year = one.facts.year or "no year"
                typer.echo(
                    f"{one.number}  {plain(one.source)}: {_line(one.content['title'])} ({year}; {clip(ids, 200)})"
                )
            typer.echo(f"To take some out: paperround papers unmerge {paper} NUMBER …")
            return
        if stray := set(numbers) - {one.number for one in known}:
            raise NotFound(f"The paper has no record {min(stray)}. To see them: paperround papers unmerge {paper}")
        with store.writing() as conn:
            made = records.unmerge(conn, numbers, utc_now())
            titles = stored.get(conn, [whole, made])
    typer.echo(f"Two papers now: {_line(titles[whole].paper.title)} [{titles[whole].paper.id}]")
    typer.echo(f"and {_line(titles[made].paper.title)} [{titles[made].paper.id}]")


@papers.command()
def keep(ids: Annotated[list[str], typer.Argument(help="Ids or links of papers.")]) -> None:
    """Say that papers are right as they are: they stay so, and are called doubtful no more."""
    with _store() as store:
        numbers = {_number(store, each) for each in ids}
        with store.writing() as conn:
            records.keep(conn, numbers)
    typer.echo(f"Kept as it is: {count(len(numbers), 'paper')}.")


@papers.command()
def doubtful() -> None:
    """List papers that may be two, and pairs that may be one, with the commands that change it."""
    with _store() as store, store.reading() as conn:
        found = doubts.find(conn)
    for name, some in (("May be two", found.merged), ("May be one", found.apart)):
        if some:
            typer.echo(f"{name}: {len(some):,}")
        for doubt in some[:SHOWN]:
            typer.echo(f"  {_line(doubt.title)}\n    {doubt.why}\n    {doubt.todo}")
        if len(some) > SHOWN:
            typer.echo(f"  … and {len(some) - SHOWN:,} more")
    if found.merged or found.apart:
        typer.echo("What is right as it is: paperround papers keep ID …")
    else:
        typer.echo("Nothing is doubtful.")
