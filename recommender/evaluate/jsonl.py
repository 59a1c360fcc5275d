"""Papers from files of JSON lines, gzipped or not: those of the sets and those of the corpora."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from recommender.types import Paper

GROUP = "set"
"""Namespace of the papers of a set; those of a corpus have its file's name."""


class BadSetError(ValueError):
    """A folder or file that cannot be evaluated; the message names it and says what is wrong with it."""


def find(folder: Path, name: str) -> Path | None:
    """Return the file of that name, or the one with .gz behind it, or None."""
    return next((file for file in (folder / name, folder / f"{name}.gz") if file.is_file()), None)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number (from 1) and text of each line that is not blank. Raises BadSetError."""
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8-sig") as file
        ):
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BadSetError(f"{path} cannot be read: {error}") from error


def records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where it stands and each object of a file of JSON lines. Raises BadSetError."""
    for number, line in lines(path):
        where = f"{path}, line {number}"
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadSetError(f"{where}: no JSON ({error})") from error
        if not isinstance(found, dict):
            raise BadSetError(f"{where}: not an object but {type(found).__name__}")
        yield where, found


def _texts(found: object) -> tuple[str, ...]:
    return tuple(str(one) for one in found if one) if isinstance(found, list) else ()


def paper(where: str, raw: dict[str, Any], namespace: str) -> Paper:
    """Return one line as a paper, without authors: a name that matches is a leak, no ranking. Raises BadSetError."""
    if raw.get("id") in (None, ""):
        raise BadSetError(f"{where}: no id")
    year = raw.get("year")
    return Paper(
        id=f"{namespace}:{raw['id']}",
        title=str(raw.get("title") or ""),
        abstract=str(raw.get("abstract") or ""),
        year=year if isinstance(year, int) else int(year) if isinstance(year, float) and year.is_integer() else None,
        categories=(str(raw["area"]),) if raw.get("area") else _texts(raw.get("categories")),
        keywords=_texts(raw.get("keywords")),
    )


def corpus(files: Sequence[Path]) -> list[Paper]:
    """Return the papers of corpora, in order, without authors. Raises BadSetError."""
    return [paper(where, raw, stem(file)) for file in files for where, raw in records(file)]


def stem(file: Path) -> str:
    """Return the name of a corpus: its file's, without its endings."""
    return file.name.split(".")[0]
