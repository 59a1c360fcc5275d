"""`paperround import`: bring papers in from files, and the whole list of a source in one go, with counts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import typer
from rich.console import Console as Terminal
from rich.progress import BarColumn, DownloadColumn, Progress, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from bot.app import App
from bot.config import Settings
from bot.core.card import count
from bot.core.ports import Source
from bot.core.specs import parts, read_spec
from bot.errors import SourceError, UsageError
from bot.jobs.bring import bring
from bot.jobs.chosen import BY_HAND, chosen
from bot.jobs.ingest import Report, ingest
from bot.plugins import load
from bot.sources import local
from bot.sources._http import Client

_NO_DAYS = "--since and --until are for arxiv:CATEGORY only. Leave them out here."
REFUSED_SHOWN = 10  # refused lines named in full
_SPEC = re.compile(r"[a-z][a-z0-9_]{1,39}(?::(?!\\).*)?", re.IGNORECASE)


@dataclass(slots=True)
class Brought:
    """What came of one word of the command: its name, what became of the papers, and why it ended too early."""

    name: str
    report: Report = field(default_factory=Report)
    error: str = ""


def wanted(
    words: Sequence[str],
    settings: Settings,
    kinds: Mapping[str, Any] | None = None,
    *,
    days: tuple[date | None, date | None] = (None, None),
) -> list[Path | Source]:
    """Tell files from sources: what is there is a file. Raises FileError, UsageError and SettingsError, naming it.

    `kinds` are the kinds of sources by name (default: all there are). `days`: the first and the last on which papers
    were submitted (UTC), for sources that can tell.
    """
    known = load("bot.sources", "source") if kinds is None else kinds
    found: list[Path | Source] = []
    for word in words:
        if not Path(word).exists() and _is_spec(word, known):
            found += _sources(word, settings, known, days)
        elif any(days):
            raise UsageError(f"{word}: {_NO_DAYS}")
        else:
            local.check(Path(word))
            found.append(Path(word))
    return found


def _is_spec(word: str, kinds: Mapping[str, Any]) -> bool:
    """Say whether a word names a source, also one that is not there: notes.txt is a file, and opnreview:x is none."""
    return word.casefold() in kinds or bool(":" in word and _SPEC.fullmatch(word))


def span(since: str, until: str, today: date) -> tuple[date | None, date | None]:
    """Read the days behind --since and --until. Raises UsageError, which names what is none."""
    first, last = _day(since, "--since"), _day(until, "--until")
    if first and first > today:
        raise UsageError(f"--since: {first} is still to come.")
    if first and last and first > last:
        raise UsageError(f"--since {first} is after --until {last}: no day is left.")
    return first, last


def _day(text: str, option: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(f"{option}: “{text[:40]}” is no date. Type it as 2026-12-24.") from None


def _sources(
    word: str, settings: Settings, kinds: Mapping[str, Any], days: tuple[date | None, date | None]
) -> Sequence[Source]:
    try:
        spec = read_spec(word)
    except ValueError as error:
        raise UsageError(f"{error}.") from None
    name, what = parts(spec)
    kind = kinds.get(name)
    if kind is not None and not what and name != BY_HAND and not hasattr(kind, "pick"):
        return [kind]  # a plug-in's, of which nothing can be chosen
    if kind is not None and hasattr(kind, "whole"):
        return [kind.whole(what, *days)]
    if any(days):
        raise UsageError(f"{spec}: {_NO_DAYS}")
    return list(chosen(kinds if kind is None else {name: kind}, [spec], settings).values())


def bring_all(app: App, things: Sequence[Path | Source], client: Callable[[], Client] | None = None) -> list[Brought]:
    """Bring everything in, one after the other, and learn from it. A source that fails keeps what came before.

    `client` makes what the sources ask with (default: the polite client with the settings' contact).
    """
    with _progress() as progress:
        brought = [
            _file(app, thing, progress) if isinstance(thing, Path) else _source(app, thing, progress, client)
            for thing in things
        ]
        learning = progress.add_task("learning from all papers", total=None)
        app.library.update(learn=True)
        progress.remove_task(learning)
    return brought


def tell(brought: Sequence[Brought]) -> None:
    """Print the counts. Raises typer.Exit: 2 if no paper was found at all, and 1 if a source failed."""
    for one in brought:
        _tell(one)
    failed = [one for one in brought if one.error]
    for one in failed:
        typer.echo(f"paperround: {one.name}: {one.error}", err=True)
    if not any(one.report.new + one.report.known + one.report.merged for one in brought):
        if not failed:
            typer.echo("paperround: no paper was found: " + ", ".join(one.name for one in brought), err=True)
        raise typer.Exit(2)
    if failed:
        raise typer.Exit(1)


def _tell(one: Brought) -> None:
    report = one.report
    total = report.new + report.known + report.merged
    typer.echo(
        f"{one.name}: {count(total, 'paper')} read: {report.new:,} new, {report.known:,} already known, "
        f"{report.merged:,} merged, {report.refused:,} refused"
    )
    for bad in report.bad[:REFUSED_SHOWN]:
        typer.echo(f"  line {bad.line}: {bad.reason}")
    if report.refused > REFUSED_SHOWN:
        typer.echo(f"  … and {report.refused - REFUSED_SHOWN:,} more")


class _Bytes(DownloadColumn):
    """How much of a file was read; nothing for what has no size."""

    def render(self, task: Task) -> Text:
        """Show it."""
        return Text() if task.total is None else super().render(task)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        _Bytes(),
        TimeRemainingColumn(),
        console=Terminal(stderr=True),
        transient=True,
    )


def _file(app: App, file: Path, progress: Progress) -> Brought:
    task: TaskID = progress.add_task(file.name, total=file.stat().st_size)

    def tick(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)

    return Brought(file.name, ingest(app.store, local.read(file, tick), BY_HAND, app.now()))


def _source(app: App, source: Source, progress: Progress, client: Callable[[], Client] | None) -> Brought:
    task = progress.add_task(f"{source.name}: asking", total=None)
    brought = Brought(source.name)

    def told(report: Report) -> None:
        brought.report = report
        total = report.new + report.known + report.merged
        progress.update(task, description=f"{source.name}: {count(total, 'paper')}")

    async def work() -> None:
        http = client() if client else Client(app.settings.contact)
        try:
            await bring(app.store, source, http, app.now, told)
        finally:
            await http.close()

    try:
        asyncio.run(work())
    except SourceError as error:
        brought.error = str(error)
    progress.remove_task(task)
    return brought
