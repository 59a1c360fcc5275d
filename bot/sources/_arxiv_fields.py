"""Fields of XML that arXiv sends. Pure."""

from __future__ import annotations

from functools import lru_cache
from xml.etree.ElementTree import Element

from bot.sources._dates import instant
from bot.sources._xml import local

when = lru_cache(maxsize=256)(instant)  # all entries of a daily feed tell the same time


def undoubled(body: bytes) -> bytes:
    """Return a document whose UTF-8 was taken for Latin-1 and encoded once more as it was; any other as it is.

    One letter with an accent that stands as it should makes the test fail, so nothing is mended by chance.
    """
    if body.isascii():
        return body
    try:
        inner = body.decode("utf-8").encode("latin-1")
        inner.decode("utf-8")
    except UnicodeError:
        return body
    return inner


def texts(entry: Element) -> dict[str, list[Element]]:
    """Return the elements right below an entry by their local names, without namespaces, in lower case."""
    found: dict[str, list[Element]] = {}
    for child in entry:
        found.setdefault(local(child.tag).lower(), []).append(child)
    return found


def text(found: dict[str, list[Element]], *names: str) -> str:
    """Return the text of the first of these elements that has any."""
    for name in names:
        for element in found.get(name, ()):
            if value := "".join(element.itertext()).strip():
                return value
    return ""
