"""Text and attributes of a feed that may be no XML at all, written as XML. Pure, and in time as their length."""

from __future__ import annotations

import re
from html import unescape

ATTRIBUTES, WIDTH = 60, 8_000  # of an element; characters of all of them
WORD = 64  # characters of a word in what names an author: feedparser looks for a mail address there
NAME = r"(?:[A-Za-z_][\w.-]{0,60}:)?[A-Za-z_][\w.-]{0,60}"

_ATTRIBUTE = re.compile(rf"({NAME})\s{{0,9}}=\s{{0,9}}(?:\"([^\"]*)\"|'([^']*)')")
_ENTITY = re.compile(r"&(?!amp;)(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_UNFIT = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORD = re.compile(rf"([A-Za-z0-9_.@+-]{{{WORD}}})[A-Za-z0-9_.@+-]+")


def written(text: str) -> str:
    """Return a text as it stands in XML, without the characters that XML does not allow."""
    text = _UNFIT.sub("", text)
    if "<" not in text and "&" not in text and "]]>" not in text:
        return text
    return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"


def parted(text: str) -> str:
    """Return a text without long words, and apart from what follows it."""
    return _WORD.sub(r"\1", text) + " "


def plain(text: str) -> str:
    """Return a text with its entities told; what is none stays."""
    if "&" not in text:
        return text
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'")):
        text = text.replace(entity, char)
    return _ENTITY.sub(lambda found: unescape(found[0]), text).replace("&amp;", "&")


def attributes(text: str) -> str:
    """Return what is an attribute in a tag, each name once, as XML."""
    told: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(text[:WIDTH]):
        value = _UNFIT.sub("", plain(found[2] or found[3] or ""))
        value = value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        if len(told) < ATTRIBUTES and (value or not found[1].startswith("xmlns:")):
            told.setdefault(found[1], value)
    return "".join(f' {name}="{value}"' for name, value in told.items())
