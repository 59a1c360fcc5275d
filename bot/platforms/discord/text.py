r"""Text for Discord: clean, measured, and so escaped that nothing from outside formats, links or pings. Pure.

Discord reads markdown in every text display. Three of its habits decide what stands here. A mention pings wherever its
characters stand, behind a backslash too, so it is parted by a space of no width. A web address becomes a link without
any mark, unless its colon is escaped. And in the words of a link no backslash counts but is shown, and an emoji undoes
the link (github.com/discord/discord-api-docs issues 6185 and 7673): see `linkable`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from unicodedata import category

from bot.core.card import web
from bot.core.message import fit
from bot.core.plain import uncoded, visible

LINE_LIMIT = 4000  # characters: as many as all text of a message has
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_WIDE = re.compile("[\U00010000-\U0010ffff]+")
_MARKS = re.compile(
    r"^ *[#>+-]"  # headings, small print, quotes and lists begin a line
    r"|^ *[0-9]+[.)]"
    r"|[\\*_~|`\[\]<]"
    r"|:(?=\S)"  # :emoji:, https://
    r"|discord(?:app)?\.(?=\w)",  # invitations, which need no https://
    re.IGNORECASE,
)
_MENTION = re.compile(r"@(?=everyone|here|[!&]?\d)", re.IGNORECASE)
_APART = "@\u200b"
# What breaks the words of a link, or would be read in them; of the emoji those that are no symbols (category So).
_UNLINKABLE = re.compile(
    r"[\\*_~|`\[\]<>@\u200d\u203c\u2049\u20e3\u2139\u2194\u3030\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|:(?=\S)|discord(?:app)?\.(?=\w)",
    re.IGNORECASE,
)
_LINK = re.compile(r"https?://[^\s<>\"“”]+")
_AFTER_LINK = ".,;:!?)]}'’"
_IN_LINK = {"(": "%28", ")": "%29", "@": "%40", "*": "%2A"}

Write = Callable[[str], str]
"""Turns a clean line into markdown."""


def one_line(text: str, limit: int = LINE_LIMIT) -> str:
    """Return a text as one clean line that weighs `limit` at most, not escaped."""
    return cut(visible(uncoded(text)), limit, str)


def lines(text: str) -> list[str]:
    """Return the clean lines of a text of our own, whose indents count, without blank ones around it."""
    found = []
    for line in _BREAKS.split(uncoded(text)):
        indent = line[: len(line) - len(line.lstrip(" "))]
        found.append((indent[:LINE_LIMIT] + one_line(line)).rstrip())
    return "\n".join(found).strip("\n").split("\n") if any(found) else []


def escaped(line: str) -> str:
    """Return a clean line as markdown that shows it as it is: no format, no link, no emoji by name, no mention."""
    return _MENTION.sub(_APART, _MARKS.sub(_escape, line))


def _escape(match: re.Match[str]) -> str:
    return f"{match[0][:-1]}\\{match[0][-1]}"


def linked(line: str) -> str:
    """Return a clean line as markdown with the web addresses in it as links that show where they lead.

    An address that was cut, which an ellipsis follows, is none: it leads nowhere.
    """
    made, start = [], 0
    for match in _LINK.finditer(line):
        url = match[0].rstrip(_AFTER_LINK)
        if web(url) and "…" not in url:
            made += [escaped(line[start : match.start()]), f"<{address(url)}>"]
            start = match.start() + len(url)
    return "".join([*made, escaped(line[start:])])


def small(line: str) -> str:
    """Return a line of small print."""
    return f"-# {escaped(line)}" if line else ""


def line_of_card(line: str) -> str:
    """Return a line of a card: a sentence of the paper as a quote, why it was picked, its links as links."""
    if line.startswith("› "):
        return f"> {escaped(line.removeprefix('› '))}"
    if line.startswith("why: "):
        return f"*why:* {escaped(line.removeprefix('why: '))}"
    return linked(line) if line.startswith("links: ") else escaped(line)


def address(url: str) -> str:
    """Return a web address as it may stand between "<" and ">": what would end it, mark it or ping is encoded."""
    return "".join(_IN_LINK.get(character, character) for character in url)


def linkable(title: str) -> bool:
    """Say whether a title may be the words of a link: nothing in it needs escaping, nothing in it breaks the link."""
    return not _UNLINKABLE.search(title) and not any(category(one) in ("So", "Co", "Cn") for one in title)


def weight(text: str) -> int:
    """Return how many characters Discord may count: it does not say whether a wide one counts twice."""
    return len(_heavy(text))


def cut(line: str, limit: int, write: Write = escaped) -> str:
    """Return a clean line as markdown that weighs `limit` at most; it is the line that is cut, on a whole character."""
    limit = max(limit, 0)
    return fit(line[: limit + 1], limit, lambda one: _heavy(write(one))).replace("\0", "")


def wanted(said: Sequence[str], write: Write) -> int:
    """Return what lines weigh with a line break each, uncut."""
    return sum(weight(write(line)) + 1 for line in said)


def within(said: Sequence[str], room: int, write: Write = escaped) -> list[str]:
    """Return as markdown the first lines that weigh `room` at most, line breaks counted; the last may be cut."""
    kept: list[str] = []
    for line in said:
        written, fitted = write(line), cut(line, room - 1, write)
        if room < 1 or (fitted != written and not fitted.strip("…> ")):
            break
        kept.append(fitted)
        room -= weight(fitted) + 1
        if fitted != written:
            break
    return kept


def shares(wants: Sequence[int], room: int) -> list[int]:
    """Divide `room` among those who want so much each: who wants little gets it, the others get equal parts."""
    given = [0] * len(wants)
    for left, place in enumerate(sorted(range(len(wants)), key=wants.__getitem__)):
        given[place] = min(wants[place], max(room, 0) // (len(wants) - left))
        room -= given[place]
    return given


def _heavy(text: str) -> str:
    return text if text.isascii() else _WIDE.sub(lambda wide: "\0".join(wide[0]) + "\0", text)
