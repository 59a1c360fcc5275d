"""Text for Slack: clean, measured, and in elements that Slack shows as they are. Pure.

Slack reads no markup in `rich_text` and `plain_text`, so neither formatting nor a mention can come from outside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bot.core.card import web
from bot.core.message import fit
from bot.core.plain import uncoded, visible

Element = dict[str, Any]

LINE_LIMIT = 3000  # characters of one text element: as many as any text object of Slack holds
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_WIDE = re.compile("[\U00010000-\U0010ffff]+")
_LINK = re.compile(r"https?://[^\s<>\"“”]+")
_AFTER_LINK = ".,;:!?)]}'’…"


def one_line(text: str, limit: int = LINE_LIMIT) -> str:
    """Return a text as one clean line that weighs `limit` at most."""
    return cut(visible(uncoded(text)), limit)


def lines(text: str) -> list[str]:
    """Return the clean lines of a text of our own, whose indents count, without blank ones around it."""
    found = []
    for line in _BREAKS.split(uncoded(text)):
        indent = line[: len(line) - len(line.lstrip(" "))]
        found.append((indent + one_line(line)).rstrip())
    return "\n".join(found).strip("\n").split("\n") if any(found) else []


def escaped(text: str) -> str:
    """Return a text as Slack wants it where it reads markup: the three characters that begin a mention or a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescaped(text: str) -> str:
    """Undo `escaped`."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def weight(text: str) -> int:
    """Return how many characters Slack may count: it does not say whether escaped, or a wide one twice."""
    return len(_heavy(text))


def cut(text: str, limit: int) -> str:
    """Cut a clean text so that it weighs `limit` at most, on a whole character, and say so by an ellipsis."""
    limit = max(limit, 0)
    return unescaped(fit(text[: limit + 1], limit, _heavy).replace("\0", ""))


def _heavy(text: str) -> str:
    return escaped(text) if text.isascii() else _WIDE.sub(lambda wide: "\0".join(wide[0]) + "\0", escaped(text))


def plain_text(text: str) -> Element:
    """Return a text object that Slack shows as it is."""
    return {"type": "plain_text", "text": text, "emoji": False}


def text(words: str, *styles: str) -> Element:
    """Return words in a rich text; styles are those of Slack, such as bold and italic."""
    style = {"style": dict.fromkeys(styles, True)} if styles else {}
    return {"type": "text", "text": words, **style}


def link(url: str, words: str = "", *styles: str) -> Element:
    """Return a link in a rich text, which shows its address if there are no words."""
    shown = {"text": words} if words else {}
    return {"type": "link", "url": url, **shown, **({"style": dict.fromkeys(styles, True)} if styles else {})}


def linked(words: str) -> list[Element]:
    """Return words with the web addresses in them as links."""
    found: list[Element] = []
    start = 0
    for match in _LINK.finditer(words):
        url = match[0].rstrip(_AFTER_LINK)
        if not web(url):
            continue
        found += [text(words[start : match.start()])] if match.start() > start else []
        found.append(link(url))
        start = match.start() + len(url)
    return found + ([text(words[start:])] if start < len(words) else [])


def section(elements: Sequence[Element]) -> Element:
    """Return a part of a rich text. Words that follow one another become one element."""
    merged: list[Element] = []
    for element in elements:
        if merged and all(one["type"] == "text" and "style" not in one for one in (merged[-1], element)):
            merged[-1] = text(merged[-1]["text"] + element["text"])
        else:
            merged.append(element)
    return {"type": "rich_text_section", "elements": merged}


def quote(elements: Sequence[Element]) -> Element:
    """Return a quotation in a rich text."""
    return {"type": "rich_text_quote", "elements": list(elements)}


def shares(wants: Sequence[int], room: int) -> list[int]:
    """Divide `room` among those who want so much each: who wants little gets it, the others get equal parts."""
    given = [0] * len(wants)
    for left, place in enumerate(sorted(range(len(wants)), key=wants.__getitem__)):
        given[place] = min(wants[place], max(room, 0) // (len(wants) - left))
        room -= given[place]
    return given
