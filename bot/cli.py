"""The verbs of the program. Whatever is wrong with the installation is one clear line and exit code 2."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console as Terminal
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from bot import config, log
from bot.app import DATABASE, App, database_of, utc_now
from bot.core.card import count
from bot.demo import play, talk
from bot.errors import SetupError
from bot.jobs.ingest import Report, ingest
from bot.jobs.upkeep import keep_running, pulse
from bot.sources import local
from bot.store.engine import Store

cli = typer.Typer(
    name="paperround",
    help="The papers you would have picked, delivered to your Slack or Discord every morning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
REFUSED_SHOWN = 10  # refused lines named in full


def main() -> None:
    """Run the program. A broken setup ends it with exit code 2, an interrupt with 130, a closed pipe quietly."""
    try:
        cli()
    except SetupError as error:
        sys.stderr.write(f"paperround: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its end
        sys.exit(0)


def _open(*, quietly: bool = False) -> App:
    """Open what the settings name. `quietly`: somebody reads the terminal, so log no more than warnings."""
    settings = config.load()
    level = "warning" if quietly and settings.log_level == "info" else settings.log_level
    log.configure(level, settings.log_format)
    return App.open(settings)


@cli.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(help="Abstracts as text, JSONL, JSON or CSV; .gz too.")],
) -> None:
    """Bring papers in from files. Doing it twice changes nothing."""
    for file in files:
        local.check(file)
    app = _open(quietly=True)
    try:
        with _progress() as progress:
            reports = [_import_one(app, file, progress) for file in files]
            learning = progress.add_task("learning from all papers", total=None)
            app.library.update(learn=True)
            progress.remove_task(learning)
        for file, report in zip(files, reports, strict=True):
            _tell(file, report)
        if not any(report.new + report.known + report.merged for report in reports):
            typer.echo("paperround: no paper was found: " + ", ".join(file.name for file in files), err=True)
            raise typer.Exit(2)
    finally:
        app.close()


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Terminal(stderr=True),
        transient=True,
    )


def _import_one(app: App, file: Path, progress: Progress) -> Report:
    task: TaskID = progress.add_task(file.name, total=file.stat().st_size)

    def tick(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)

    return ingest(app.store, local.read(file, tick), "local", app.now())


def _tell(file: Path, report: Report) -> None:
    total = report.new + report.known + report.merged
    typer.echo(
        f"{file.name}: {count(total, 'paper')} read: {report.new:,} new, {report.known:,} already known, "
        f"{report.merged:,} merged, {report.refused:,} refused"
    )
    for bad in report.bad[:REFUSED_SHOWN]:
        typer.echo(f"  line {bad.line}: {bad.reason}")
    if report.refused > REFUSED_SHOWN:
        typer.echo(f"  … and {report.refused - REFUSED_SHOWN:,} more")


@cli.command()
def chat(
    user: Annotated[str, typer.Option(help="Who types.")] = "me",
    channel: Annotated[str, typer.Option(help="The channel to be in; none is a direct message.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print every message as one JSON object a line.")] = False,
) -> None:
    """Talk to the bot in the terminal: type /papers lines and the numbers of buttons."""
    app = _open(quietly=True)
    try:
        asyncio.run(talk(app, sys.stdin, sys.stdout, user=user, channel=channel, as_json=as_json))
    finally:
        app.close()


@cli.command()
def demo() -> None:
    """See it run on the papers that come with it, in a store of its own that is deleted at the end."""
    log.configure("error", "auto")
    play(sys.stdin, sys.stdout)


@cli.command()
def run() -> None:
    """Run the bot until it is stopped."""
    app = _open()
    try:
        asyncio.run(keep_running(app.store, app.library, app.settings, app.now))
    finally:
        app.close()


@cli.command()
def status(
    quick: Annotated[bool, typer.Option("--quick", help="Only the database and the sign of life.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Say whether the bot is alive; exit code 1 if it is not."""
    facts = _pulse() if quick else _facts()
    typer.echo(json.dumps(facts) if as_json else "\n".join(f"{name}: {value}" for name, value in facts.items()))
    raise typer.Exit(0 if facts["alive"] else 1)


def _facts() -> dict[str, Any]:
    app = _open(quietly=True)
    try:
        return app.facts(app.now())
    finally:
        app.close()


def _pulse() -> dict[str, Any]:
    """Ask the database alone, and do not make one where there is none: a health check changes nothing."""
    settings = config.load()
    if not settings.database_url and not (settings.data_dir / DATABASE).exists():
        return {"database": "none yet", "alive": False, "last sign of life": "none"}
    store = Store.open(database_of(settings))
    try:
        return pulse(store, settings, utc_now())
    finally:
        store.close()
