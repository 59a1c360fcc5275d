"""CSV and TSV, as entries: each with its line, and its names and values or what is wrong with it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bot.sources._entry import ABSTRACT_NAMES, TITLE_NAMES, Row, columns
from bot.sources._open import LIMITS, TOO_LONG, Line, refusal

_DELIMITERS = (",", "\t", ";", "|")
_KNOWN = {
    *TITLE_NAMES,
    *ABSTRACT_NAMES,
    "id",
    "authors",
    "author",
    "year",
    "doi",
    "url",
    "keywords",
    "venue",
    "journal",
}
_ROW_LINES = 200  # an abstract in quotes has fewer; more is a quote that somebody forgot to close
csv.field_size_limit(LIMITS.line)


def delimiter_of(header: str) -> tuple[str, int]:
    """Tell the delimiter of a header line, and how many known names it gives: 0 if none is a title or an abstract."""
    found = []
    for delimiter in _DELIMITERS:
        names = columns(dict.fromkeys(next(csv.reader([header], delimiter=delimiter), []), 1))
        texts = any(name in names for name in (*TITLE_NAMES, *ABSTRACT_NAMES))
        found.append((len(_KNOWN & names.keys()) if texts else 0, delimiter))
    count, delimiter = max(found, key=lambda pair: pair[0])
    return delimiter, count


def table(path: Path, lines: Iterable[Line]) -> Iterator[Row]:
    """Yield the rows of a CSV or TSV file under the names of its first line. Raises FileError if it names no title."""
    feed = _Feed(lines)
    header = ""
    while not header.strip():
        if (header := feed.line() or "") == "" and feed.over:
            break
    delimiter, known = delimiter_of(header)
    if not known:
        raise refusal(path, "has no column called title or abstract. Name one so in its first line.")
    names = next(csv.reader([header], delimiter=delimiter))
    reader = csv.reader(feed, delimiter=delimiter)
    while True:
        feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            yield from ((number, TOO_LONG) for number in feed.refused())
            return
        except _Unclosed:
            yield feed.started, "a quote is opened and not closed"
            feed.again()
            reader = csv.reader(feed, delimiter=delimiter)
            continue
        except csv.Error as error:
            yield feed.started, f"not CSV: {error}"
            continue
        yield from ((number, TOO_LONG) for number in feed.refused())
        if any(cell.strip() for cell in cells):
            yield feed.started, _row(names, cells)


def _row(names: list[str], cells: list[str]) -> Mapping[str, object] | str:
    if any(cell.strip() for cell in cells[len(names) :]):
        return f"has {len(cells)} fields where the first line names {len(names)}"
    folded: dict[str, object] = {}
    for name, cell in zip(names, cells, strict=False):
        for key, value in columns({name: cell}).items():  # one by one: two columns may have one name
            if not folded.get(key):
                folded[key] = value
    return folded


class _Unclosed(Exception):  # noqa: N818 - does not leave this module
    """A row goes on for too many lines, or to the end of the file."""


class _Feed:
    """Gives a CSV reader its lines, and takes back those that a quote left open has swallowed."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = iter(lines)
        self._back: list[Line] = []
        self._row: list[Line] = []
        self._long: list[int] = []
        self.over = False

    def line(self) -> str | None:
        """Return the next line, or None at the end or where it is too long."""
        line = self._back.pop() if self._back else next(self._lines, None)
        if line is None:
            self.over = True
            return None
        if line.text is None:
            self._long.append(line.number)
            return None
        self._row.append(line)
        return line.text.replace("\r", " ")  # alone inside a line it ends none

    def begin(self) -> None:
        """Say that a row begins."""
        self._row = []

    @property
    def started(self) -> int:
        """The line in which the row began."""
        return self._row[0].number if self._row else 1

    def again(self) -> None:
        """Give all lines of this row but its first once more."""
        self._back.extend(reversed(self._row[1:]))
        self.over = False

    def refused(self) -> list[int]:
        """Return the lines that were too long, once."""
        found, self._long = self._long, []
        return found

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if len(self._row) >= _ROW_LINES:
            raise _Unclosed
        while (text := self.line()) is None:
            if self.over:
                if self._row:
                    raise _Unclosed
                raise StopIteration
        return text + "\n"
