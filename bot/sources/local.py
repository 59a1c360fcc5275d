"""Files that people have: plain abstracts, JSON lines, JSON, CSV and TSV, packed with gzip or not."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from bot.core.ports import Bad, Cursor
from bot.errors import FileError, SourceError
from bot.sources._abstracts import plain_abstracts
from bot.sources._entry import Row, paper_of
from bot.sources._json import json_document, json_lines
from bot.sources._open import LIMITS, Cut, Limits, Progress, document, head, lines
from bot.sources._table import delimiter_of, table
from recommender.types import Paper

_AT_ONCE = 100  # papers read in a thread before the loop has its turn again


@dataclass(slots=True)
class Local:
    """The source of papers in files. Without files it has none: people import files by hand."""

    files: tuple[Path, ...] = ()
    name: str = "local"
    every: timedelta = timedelta(days=1)

    async def fetch(
        self,
        since: datetime | None,  # noqa: ARG002 - files keep no dates
        http: Any,  # noqa: ARG002
        cursor: str = "",  # noqa: ARG002 - a file is read whole
    ) -> AsyncIterator[Paper | Cursor]:
        """Yield all papers of the files; entries that cannot be read are left out. Raises SourceError."""
        for path in self.files:
            try:
                found = read(path)
                while batch := await asyncio.to_thread(_some, found):
                    for item in batch:
                        if isinstance(item, Paper):
                            yield item
            except FileError as error:
                raise SourceError(str(error)) from error


source = Local()


def _some(items: Iterator[Paper | Bad]) -> list[Paper | Bad]:
    return list(islice(items, _AT_ONCE))


def check(path: Path, limits: Limits = LIMITS) -> None:
    """Look at the beginning of a file. Raises FileError, with one line that names it and the way out, if it is no use.

    Refused are what is missing, a folder, unreadable, empty, larger than 2 GB, or no text.
    """
    head(path, limits)


def read(path: Path, progress: Progress | None = None, limits: Limits = LIMITS) -> Iterator[Paper | Bad]:
    """Return the papers of a file, one by one, and what of it could not be taken, each with its line.

    `progress(done, total)` hears of bytes as they are stored on disk. JSON documents are held whole (up to 128 MB).
    A packed file that is cut short gives what came before, then one Bad. Raises FileError as `check` does, at once, and
    while reading if more than 2 GB come out.
    """
    start = head(path, limits)
    return _guarded(_items(path, start, progress, limits))


def _guarded(items: Iterator[Paper | Bad]) -> Iterator[Paper | Bad]:
    try:
        yield from items
    except Cut as cut:
        yield Bad(cut.line, "the packed file is cut short or damaged here: what came before was read")


def _items(path: Path, start: str, progress: Progress | None, limits: Limits) -> Iterator[Paper | Bad]:
    form = _form(path, start)
    if form == "document":
        text, whole = document(path, progress, limits)
        return _from_rows(json_document(path, text, whole))
    found = lines(path, progress, limits)
    if form == "lines":
        return _from_rows(json_lines(found))
    if form == "table":
        return _from_rows(table(path, found))
    return plain_abstracts(path, found, start)


def _from_rows(rows: Iterator[Row]) -> Iterator[Paper | Bad]:
    for number, entry in rows:
        paper = entry if isinstance(entry, str) else paper_of(entry)
        yield Bad(number, paper) if isinstance(paper, str) else paper


def _form(path: Path, start: str) -> str:
    """Tell a file's form by its name and beginning: "lines" (of JSON), "document" (JSON), "table" or "abstracts"."""
    kind = re.sub(r"\.gz$", "", path.name.lower()).rpartition(".")[2]
    text = start.lstrip()
    first, _, rest = text.partition("\n")
    if kind in ("jsonl", "ndjson", "jsonlines") or (rest.strip() and _is_object(first)):
        return "lines"
    if kind == "json" or _is_object(text) or re.match(r"\[\s*[{\]]|\{\s*\"", text):
        return "document"
    if kind in ("csv", "tsv", "tab") or delimiter_of(first[:10_000])[1] >= 2:
        return "table"
    return "abstracts"


def _is_object(text: str) -> bool:
    try:
        return text.startswith("{") and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
