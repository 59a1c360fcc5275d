"""The verbs of the program. Whatever is wrong with the installation is one clear line and exit code 2."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from bot import config, importing, log
from bot.app import App, database_of, utc_now
from bot.config import Settings
from bot.core.card import count
from bot.core.check import plain_json, size, table
from bot.core.ports import Platform
from bot.demo import play, talk
from bot.errors import SetupError, StoreError, UsageError
from bot.eval_cli import evaluate
from bot.jobs import checkup
from bot.jobs.choose import Choices, choose
from bot.jobs.doctor import examine
from bot.jobs.rehearse import as_json as rehearsed
from bot.jobs.rehearse import rehearse
from bot.jobs.service import Role
from bot.jobs.upkeep import pulse
from bot.papers_cli import papers
from bot.platforms._setup import Setup
from bot.platforms.console.render import plain
from bot.plugins import load
from bot.sources._http import Client
from bot.store import copy, health
from bot.store.engine import Store
from bot.store.library import Library
from bot.store.sqlite import run_lock

cli = typer.Typer(
    name="paperround",
    help="The papers you would have picked, delivered to your Slack or Discord every morning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.add_typer(papers, name="papers")
cli.command("eval")(evaluate)


def main() -> None:
    """Run the program. A broken setup ends it with exit code 2, an interrupt with 130, a closed pipe quietly."""
    try:
        cli()
    except (SetupError, UsageError) as error:
        sys.stderr.write(f"paperround: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its end
        sys.exit(0)


def _open(*, quietly: bool = False) -> App:
    """Open what the settings name. `quietly`: somebody reads the terminal, so log no more than warnings."""
    return App.open(_settings(quietly=quietly))


def _settings(*, quietly: bool) -> Settings:
    """Read the settings, and log as they say."""
    settings = config.load()
    level = "warning" if quietly and settings.log_level == "info" else settings.log_level
    log.configure(level, settings.log_format)
    return settings


@cli.command("import")
def import_(
    things: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|SOURCE...",
            help="Abstracts as text, JSONL, JSON or CSV, .gz too; or the whole list of a source, such as "
            "openreview:ICLR.cc/2026/Conference.",
        ),
    ],
    since: Annotated[str, typer.Option(help="Of arXiv: the first day of submission, such as 2026-01-01.")] = "",
    until: Annotated[str, typer.Option(help="Of arXiv: the last day of submission.")] = "",
) -> None:
    """Bring papers in from files and from sources. Doing it twice changes nothing; what broke off goes on."""
    settings = _settings(quietly=True)
    found = importing.wanted(things, settings, days=importing.span(since, until, utc_now().date()))
    app = App.open(settings)
    try:
        importing.tell(importing.bring_all(app, found))
    finally:
        app.close()


@cli.command()
def chat(
    user: Annotated[str, typer.Option(help="Who types.")] = "me",
    channel: Annotated[str, typer.Option(help="The channel to be in; none is a direct message.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print every message as one JSON object a line.")] = False,
) -> None:
    """Talk to the bot in the terminal: type /papers lines and the numbers of buttons."""
    app = _open(quietly=True)
    try:
        app.reach_out()
        asyncio.run(talk(app, sys.stdin, sys.stdout, user=user, channel=channel, as_json=as_json))
    finally:
        app.close()


@cli.command()
def demo() -> None:
    """See it run on the papers that come with it, in a store of its own that is deleted at the end."""
    log.configure("error", "auto")
    play(sys.stdin, sys.stdout)


@cli.command()
def run(
    role: Annotated[
        Role, typer.Option(help="web listens and answers, worker plans and sends, all does both.")
    ] = Role.ALL,
) -> None:
    """Run the bot until it is stopped."""
    app = _open()
    try:
        with run_lock(database_of(app.settings)):
            app.connect()
            asyncio.run(app.run(role))
    finally:
        app.close()


@cli.command()
def digest(
    number: Annotated[int, typer.Argument(help="The subscription; all are listed if it is left out.")] = 0,
    on: Annotated[str, typer.Option("--date", help="A local date, such as 2026-12-24; the next one otherwise.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be sent. Nothing is.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Say what a subscription's digest would be, and what it leaves out and why."""
    if not dry_run:
        raise UsageError("Digests are sent by `paperround run`, when they are due. To see one: add --dry-run")
    app = _open(quietly=True)
    try:
        if not number:
            typer.echo("\n".join(app.subscriptions()) or "Nobody subscribes to anything yet.")
            return
        made = rehearse(app.store, app.library, app.settings, number, _date(on))
    finally:
        app.close()
    if as_json:
        typer.echo(json.dumps(rehearsed(made)))
        return
    typer.echo("\n".join(f"# {remark}" for remark in made.remarks))
    for page in made.pages:
        typer.echo("\n" + plain(page), nl=False)
    if made.left_out:
        typer.echo("\nLeft out, the nearest first:")
        typer.echo("\n".join(f"  {title}\n    {reason}" for title, reason in made.left_out))


def _date(text: str) -> date | None:
    """Read a date. Raises UsageError."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(f"--date: “{text[:40]}” is no date. Type it as 2026-12-24.") from None


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
        return app.facts(app.now()) | checkup.facts(app.store)
    finally:
        app.close()


def _pulse() -> dict[str, Any]:
    """Ask the database alone, and do not make one where there is none: a health check changes nothing."""
    settings = config.load()
    if not health.is_there(database_of(settings)):
        return {"database": "none yet", "alive": False, "last sign of life": "none"}
    store = Store.open(database_of(settings))
    try:
        return pulse(store, settings, utc_now())
    finally:
        store.close()


@cli.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to make. One that is there is never replaced.")],
) -> None:
    """Copy the database into one SQLite file, as it is at this moment, also while the bot runs."""
    settings = _settings(quietly=True)
    url = database_of(settings)
    if not health.is_there(url):
        raise StoreError(f"There is no database yet at {health.name(url)}, so there is nothing to back up.")
    store = Store.open(url)
    try:
        made = copy.backup(store, file, utc_now())
    finally:
        store.close()
    typer.echo(f"{file}: {_held(made)}; {size(file.stat().st_size)}")
    typer.echo("The index is not in it: it is built from the database. Bring it back with: paperround restore FILE")


@cli.command()
def restore(file: Annotated[Path, typer.Argument(help="A file that `paperround backup` made.")]) -> None:
    """Bring a backup into the database that the settings name, of either kind, which has to be empty."""
    settings = _settings(quietly=True)
    store = Store.open(database_of(settings))
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        made = copy.restore(store, file, utc_now(), settings.data_dir)
    finally:
        store.close()
    typer.echo(f"{file}: {_held(made)}; as of {made.made_at:%Y-%m-%d %H:%M} UTC")
    if made.set_aside:
        typer.echo(
            f"{count(made.set_aside, 'message')} on the way then may have arrived since, and will not be sent again: "
            "set aside as unknown, and what was in it may come with the next digest."
        )
    typer.echo("What was sent after the backup is not known here: digests since then may come a second time.")


def _held(made: copy.Copied) -> str:
    return (
        f"{count(made.papers, 'paper')}, {count(made.owners, 'person or channel', 'people and channels')}, "
        f"{count(made.subscriptions, 'subscription')}"
    )


@cli.command()
def sources(
    what: Annotated[str, typer.Argument(help="add or remove; how each of them does if it is left out.")] = "",
    specs: Annotated[list[str] | None, typer.Argument(help="Sources, such as arxiv:cs.CL.")] = None,
) -> None:
    """See how the sources of papers do, and choose which are asked. A running bot notices by itself."""
    settings = _settings(quietly=True)
    store = Store.open(database_of(settings))
    try:
        kinds = load("bot.sources", "source")
        lines = asyncio.run(choose(what, specs or [], Choices(store, kinds, settings, Client(settings.contact))))
    finally:
        store.close()
    typer.echo("\n".join(lines))


@cli.command()
def doctor(as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False) -> None:
    """Look for what is wrong, and say what to do about it; exit code 1 if something is. It changes nothing."""
    settings = _settings(quietly=True)
    opened: list[App] = []

    def open_() -> tuple[Store, Library]:
        opened.append(App.open(settings))
        return opened[0].store, opened[0].library

    try:
        checks = examine(settings, database_of(settings), open_, partial(_openers, settings), utc_now)
    finally:
        for app in opened:
            app.close()
    found = plain_json(checks)
    typer.echo(json.dumps(found) if as_json else table(checks))
    raise typer.Exit(0 if found["ok"] else 1)


@cli.command()
def key() -> None:
    """Make a key for PAPERROUND_SECRET_KEYS, which encrypts the tokens of many workspaces in the database."""
    typer.echo(urlsafe_b64encode(secrets.token_bytes(32)).decode())


def _openers(settings: Settings, store: Store) -> dict[str, Callable[[], Platform | None]]:
    """Return what opens each platform."""
    setup = Setup(settings, store, load("bot.commands"), utc_now)
    return {name: partial(make.open, setup) for name, make in load("bot.platforms", "platform").items()}


@cli.command()
def manifest(
    name: Annotated[str, typer.Argument(help="The platform: slack or discord.")] = "",
) -> None:
    """Print what a platform has to be told of the app, for the mode that the settings choose."""
    known = {name: make for name, make in load("bot.platforms", "manifest", optional=True).items() if callable(make)}
    if name not in known:
        said = f"“{name[:40]}” has no manifest" if name else "Say of which platform"
        raise UsageError(f"{said}. There is one for: {', '.join(known) or 'none'}")
    typer.echo(known[name](_settings(quietly=True), load("bot.commands")))
