"""XML that strangers sent, by defusedxml: no document type, no entities, nothing fetched, bounded size and depth."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from bot.errors import SourceError
from bot.sources._http_text import decode
from bot.sources._xml_bounds import swollen

LONGEST = 50_000_000  # bytes of a document
DEEPEST = 100  # elements in each other
MOST = 1_000_000  # elements and attributes: each costs memory, however short it is
NAMES = 50_000_000  # characters of all their names, each with its namespace

_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_UNFIT = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # https://www.w3.org/TR/xml/#charsets
_UNFIT_NUMBER = re.compile(r"&#(?:0*(?:[0-8]|1[1-2]|1[4-9]|2[0-9]|3[0-1])|[xX]0*(?:[0-8]|[bBcC]|[eEfF]|1[0-9a-fA-F]));")
_HTML = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_START = 4000  # bytes in which a web page tells that it is one


class _Bounded(TreeBuilder):
    """Builds the tree until it is too deep or too large."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what
        self._depth = self._count = self._names = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        """Begin an element."""
        self._depth += 1
        self._count += 1 + len(attrs)
        self._names += len(tag) + sum(map(len, attrs))
        if self._depth > DEEPEST or self._count > MOST or self._names > NAMES:
            raise SourceError(f"{self._what} is XML of more elements, or deeper, than are read.")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        """End an element."""
        self._depth -= 1
        return super().end(tag)


def parse_xml(body: bytes, what: str) -> Element:
    """Return the root of a document. `what` names it for people, as "The answer of export.arxiv.org".

    A wrong charset and characters that XML does not allow are mended. Raises SourceError for what is empty, HTML,
    broken or cut off; for a document type and entities, the ways to blow XML up; and for what is too large or deep.
    """
    if not body.strip(b"\0 \t\r\n"):
        raise SourceError(f"{what} is empty.")
    if len(body) > LONGEST:
        raise SourceError(f"{what} has {len(body):,} bytes; {LONGEST:,} are the most that is read.")
    if _HTML.match(body[:_START]):
        raise SourceError(f"{what} is a web page, no XML.")
    text = _DECLARATION.sub("", decode(body), count=1)
    if reason := swollen(text):
        raise SourceError(f"{what} {reason}.")
    try:
        return _parse(text, what)
    except (ParseError, ValueError) as error:
        try:
            return _parse(_mended(text), what)
        except (ParseError, ValueError):
            place = f" at line {error.position[0]}" if isinstance(error, ParseError) else ""
            raise SourceError(f"{what} is no XML, or was cut off: it breaks{place}.") from error


def local(tag: object) -> str:
    """Return an element's name without its namespace; "" for comments and the like."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def strip_namespaces(root: Element) -> Element:
    """Take the namespaces off all names of elements and attributes, in place, and return the root."""
    for element in root.iter():
        element.tag = local(element.tag)
        if any("}" in name for name in element.attrib):
            element.attrib = {local(name): value for name, value in element.attrib.items()}
    return root


def _parse(text: str, what: str) -> Element:
    parser = DefusedXMLParser(target=_Bounded(what), forbid_dtd=True)
    try:
        parser.feed(text)
        root = parser.close()
    except DefusedXmlException as error:
        raise SourceError(f"{what} has a document type or entities, which is refused.") from error
    if not isinstance(root, Element):
        raise SourceError(f"{what} has no elements.")
    return root


def _mended(text: str) -> str:
    """Return a document that has only characters which XML allows."""
    return _UNFIT_NUMBER.sub("", _UNFIT.sub("", text)).lstrip()
