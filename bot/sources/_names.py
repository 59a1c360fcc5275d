"""Authors and other lists, however a file writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.sources._text import missing, tidy

_AND = re.compile(r"\s+(?:and|&)\s+|\s*,\s*(?:and|&)\s+", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[A-Z][.]?[ -]?){1,4}")
_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV)\.?|Ph\.?D\.?|M\.?D\.?", re.IGNORECASE)
_OTHERS = re.compile(r"(?:et al|and others|others)\.?", re.IGNORECASE)
_CODES = re.compile(r"[a-z][a-z-]{1,11}(?:\.[A-Za-z-]{2,20})?(?:[\s,;]+[a-z][a-z-]{1,11}(?:\.[A-Za-z-]{2,20})?)*")
_COMMON_CODE = re.compile(r"\b(?:cs|math|stat|eess|econ|physics|cond-mat|astro-ph|q-bio|q-fin|nlin)\.[A-Za-z-]{2,20}\b")


def authors(value: object) -> tuple[str, ...]:
    """Return the names of a list, of objects with a `name`, or of a text; "Last, First" is turned round."""
    if isinstance(value, list | tuple):
        names = [_name(item) for item in value]
    elif isinstance(value, str):
        names = _split(tidy(value))
    else:
        names = []
    turned = (_turned(name) for name in names)
    return tuple(dict.fromkeys(name for name in turned if name and not _OTHERS.fullmatch(name)))


def keywords(value: object) -> tuple[str, ...]:
    """Return the words of a list, or of a text with semicolons or else commas between them."""
    if isinstance(value, str):
        value = re.split("[;|]" if re.search("[;|]", value) else ",", value)
    return _texts(value)


def areas(value: object) -> tuple[str, ...]:
    """Return the names of areas. Their names hold commas, so only semicolons divide (blanks: arXiv codes)."""
    if isinstance(value, str):
        text = tidy(value)
        codes = _COMMON_CODE.search(text) and _CODES.fullmatch(text)
        value = re.split(r"[\s,;]+" if codes else r"\s*[;|]\s*", text)
    return _texts(value)


def _texts(value: object) -> tuple[str, ...]:
    items: Iterable[object] = value if isinstance(value, list | tuple) else ()
    texts = (tidy(item) for item in items if isinstance(item, str) and not missing(item))
    return tuple(dict.fromkeys(text for text in texts if text))


def _name(item: object) -> str:
    if isinstance(item, dict):
        item = item.get("name") or item.get("full_name") or item.get("fullname") or _joined(item)
    return tidy(item) if isinstance(item, str) and not missing(item) else ""


def _joined(item: dict[object, object]) -> str:
    """Name a person whose parts stand apart, as in CSL (given, family)."""
    parts = (item.get("given") or item.get("first"), item.get("family") or item.get("last"))
    return " ".join(part for part in parts if isinstance(part, str))


def _split(text: str) -> list[str]:
    if missing(text):
        return []
    if ";" in text or "|" in text:
        return [part.strip() for part in re.split("[;|]", text)]
    parts = [part.strip(" ,") for part in _AND.split(text)]
    if len(parts) > 1 and all(part.count(",") == 1 for part in parts):
        return parts  # "Last, First and Last, First"
    return [name for part in parts for name in _by_commas(part)]


def _by_commas(text: str) -> list[str]:
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    if len(pieces) == 2 and not any(" " in piece for piece in pieces):
        return [f"{pieces[0]}, {pieces[1]}"]  # "Smith, John" is one person
    if pieces and len(pieces) % 2 == 0 and all(_INITIALS.fullmatch(piece) for piece in pieces[1::2]):
        return [
            f"{last}, {first}" for last, first in zip(pieces[::2], pieces[1::2], strict=True)
        ]  # "Smith, J., Doe, A."
    names: list[str] = []
    for piece in pieces:
        if names and _SUFFIX.fullmatch(piece):
            names[-1] = f"{names[-1]} {piece}"
        else:
            names.append(piece)
    return names


def _turned(name: str) -> str:
    name = name.strip(" ,;")
    last, comma, first = name.partition(",")
    if not comma or "," in first:
        return name
    first = first.strip()
    return f"{last} {first}" if _SUFFIX.fullmatch(first) else f"{first} {last}".strip()
