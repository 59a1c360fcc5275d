"""JSON lines and JSON documents, as entries: each with its line, and its names and values or what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bot.sources._entry import ABSTRACT_NAMES, TITLE_NAMES, Row, columns
from bot.sources._open import TOO_LONG, Cut, Line, refusal

_LIST_NAMES = ("papers", "items", "results", "data", "entries", "records", "notes", "documents", "works", "articles")
_BLANK = re.compile(r"\s*")


def json_lines(lines: Iterable[Line]) -> Iterator[Row]:
    """Yield one entry a line; blank lines are none."""
    for line in lines:
        if line.text is None:
            yield line.number, TOO_LONG
        elif line.text.strip("\x00 \t\r\n\ufeff"):
            yield line.number, _object(line.text)


def _object(text: str) -> Mapping[str, object] | str:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError):
        return "not JSON that can be read: too deep, or a number too long"
    return columns(value) if isinstance(value, dict) else "not an object with names and values"


def json_document(path: Path, text: str, whole: bool) -> Iterator[Row]:
    """Yield the entries of a JSON list, of the one list in an object, or of an object that is one paper.

    Where the JSON breaks, what came before is given, then one entry that says so. Raises FileError if there is no list.
    """
    start = _skip(text, 0)
    if text[start : start + 1] == "{":
        members = _members(text, start)
        names = {name.lower() for name, _, _ in members}
        if names & {*TITLE_NAMES, *ABSTRACT_NAMES}:
            yield 1, columns({name: value for name, _, value in members})
            return
        start = _list_in(path, members)
    elif text[start : start + 1] != "[":
        raise refusal(path, "is not JSON: it begins with neither { nor [.")
    yield from _items(text, start, whole)


Member = tuple[str, int, object]  # name, where its value begins, the value (None if it is broken)


def _members(text: str, start: int) -> list[Member]:
    """Read an object's members as far as they can be read, with the places of their values."""
    found: list[Member] = []
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    name = ""
    try:
        while text[at : at + 1] == '"':
            name, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                break
            begin = _skip(text, at + 1)
            found.append((name, begin, None if text[begin : begin + 1] != "[" else []))
            value, at = decoder.raw_decode(text, begin)
            found[-1] = (name, begin, value)
            at = _skip(text, at)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)
    except (ValueError, RecursionError):
        pass
    return found


def _list_in(path: Path, members: list[Member]) -> int:
    lists = {name.lower(): begin for name, begin, value in members if isinstance(value, list)}
    for name in _LIST_NAMES:
        if name in lists:
            return lists[name]
    if len(lists) != 1:
        raise refusal(
            path, "is a JSON object without one list of papers in it. Name that list “papers”, or use JSON lines."
        )
    return next(iter(lists.values()))


def _items(text: str, start: int, whole: bool) -> Iterator[Row]:
    decoder = json.JSONDecoder()
    at, line, counted = _skip(text, start + 1), 1, 0
    while text[at : at + 1] != "]":
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if not whole:
                raise Cut(line) from error
            what = error.msg if isinstance(error, json.JSONDecodeError) else "too deep, or a number too long"
            yield line, f"not JSON: {what}; what follows was not read"
            return
        yield line, columns(value) if isinstance(value, dict) else "not an object with names and values"
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "]":
            if not whole:
                raise Cut(line)
            yield line, "not JSON: a comma or ] is missing after it; what follows was not read"
            return


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
