"""Plain abstracts: a heading, then one abstract a paragraph; titles and more in a metadata file beside it, by order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bot.core.ports import Bad
from bot.errors import FileError
from bot.sources._entry import columns, paper_of
from bot.sources._open import LIMITS, TOO_LONG, Line, document, head
from bot.sources._text import missing, tidy
from recommender.types import Paper

LONGEST_HEADING = 200  # characters
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$")
_VENUE_YEAR = re.compile(r"\b([A-Z][A-Za-z0-9&+-]{1,15})[ '’-]{0,2}((?:19|20)\d\d)(?!\d)")
_OWN_LINE = 300  # characters: in a file without blank lines, lines of this length are abstracts of their own


@dataclass
class _Metadata:
    """What the file beside the abstracts says of each, by its number from 1; `bad` if it could not be read."""

    name: str = ""
    entries: Mapping[int, Mapping[str, object]] = field(default_factory=dict)
    bad: tuple[Bad, ...] = ()


def plain_abstracts(path: Path, lines: Iterable[Line], start: str) -> Iterator[Paper | Bad]:
    """Yield the papers of a file of abstracts. `start` is the beginning of its text.

    Without metadata the first sentence serves as title; the heading may name venue and year ("ICLR 2026"). A count of
    entries that differs from that of abstracts is told at the end.
    """
    metadata = _beside(path)
    yield from metadata.bad
    known: dict[str, object] = {}
    count = last = 0
    for number, text in _paragraphs(lines, each_line=_one_a_line(start)):
        last = number
        if text is None:
            yield Bad(number, TOO_LONG)
            count += 1
        elif _is_heading(text):
            if count:
                yield Bad(number, "too short for an abstract, and no sentence: a heading?")
            elif found := _VENUE_YEAR.search(text):
                known = {"venue": found[1], "year": int(found[2])}
        else:
            count += 1
            yield from _papers(number, text, metadata.entries.get(count), known)
    if metadata.entries and len(metadata.entries) != count:
        yield Bad(
            last or 1, f"{metadata.name} tells of {len(metadata.entries)} papers, but there are {count} abstracts"
        )


def _papers(
    number: int, text: str, entry: Mapping[str, object] | None, known: Mapping[str, object]
) -> Iterator[Paper | Bad]:
    bare = {**known, "abstract": text}
    paper = paper_of({**known, **{k: v for k, v in (entry or {}).items() if not missing(v)}, "abstract": text})
    if isinstance(paper, str) and entry is not None:
        yield Bad(number, f"its metadata was left out: {paper}")
        paper = paper_of(bare)
    yield Bad(number, paper) if isinstance(paper, str) else paper


def _is_heading(text: str) -> bool:
    folded = tidy(text)
    return len(folded) <= LONGEST_HEADING and not _SENTENCE_END.search(folded)


def _one_a_line(start: str) -> bool:
    """Tell a file in which each line is an abstract, with no blank lines between them, by its beginning."""
    if re.search(r"\n[ \t\r]*\n", start.strip()):
        return False
    lengths = [len(line) for line in start.strip().splitlines()]
    return len(lengths) >= 3 and median(lengths) >= _OWN_LINE


@dataclass
class _Paragraph:
    """The lines of one paragraph as they come in; what is too long is not kept."""

    began: int = 0
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, line: Line) -> None:
        self.began = self.began or line.number
        self.size += LIMITS.line + 1 if line.text is None else len(line.text) + 1
        if line.text is None or self.size > LIMITS.line:
            self.lines.clear()
        else:
            self.lines.append(line.text)

    def text(self) -> str | None:
        return "\n".join(self.lines) if self.size <= LIMITS.line else None

    def heads(self, line: Line) -> bool:
        """Tell a heading right on top of its first abstract: a short line before one far longer than wrapped text."""
        top = self.lines[0] if len(self.lines) == 1 else ""
        return 0 < len(top) < 100 and len(line.text or "") > 200 and _is_heading(top)


def _paragraphs(lines: Iterable[Line], *, each_line: bool) -> Iterator[tuple[int, str | None]]:
    """Yield each paragraph with the line it begins in; None is one that is too long."""
    part = _Paragraph()
    for line in lines:
        blank = line.text is not None and not line.text.strip("\x00 \t\r\f\v\ufeff")
        if part.began and (blank or each_line or part.heads(line)):
            yield part.began, part.text()
            part = _Paragraph()
        if not blank:
            part.add(line)
    if part.began:
        yield part.began, part.text()


def _beside(path: Path) -> _Metadata:
    """Read `NAME-metadata.json` beside `NAME-abstracts.txt`, if it is there."""
    stem = re.sub(r"(?:\.gz)?$", "", path.name)
    family = re.sub(r"[-_. ]?abstracts?$", "", stem.rpartition(".")[0] or stem, flags=re.IGNORECASE)
    for mark in "-_.":
        found = path.with_name(f"{family}{mark}metadata.json")
        if found.is_file():
            return _metadata(found)
    return _Metadata()


def _metadata(path: Path) -> _Metadata:
    try:
        head(path)
        text, _ = document(path)
        listed = json.loads(text)
        if isinstance(listed, dict):
            listed = next((value for value in listed.values() if isinstance(value, list)), None)
        if not isinstance(listed, list):
            raise ValueError("it holds no list")
    except (FileError, ValueError, RecursionError) as error:
        reason = str(error).removeprefix(f"{path}: ")
        return _Metadata(path.name, bad=(Bad(1, f"{path.name} was left out: {reason}"),))
    entries: dict[int, Mapping[str, object]] = {}
    for place, entry in enumerate(listed, start=1):
        if isinstance(entry, dict):
            number = entry.get("n")
            entries[number if isinstance(number, int) else place] = columns(entry)
    return _Metadata(path.name, entries)
