"""A feed written anew before feedparser reads it: well formed, and of no more elements than are read in a moment.

feedparser's time grows with the square of the elements in an entry or in each other, of a name's length, and of what
is left open. Here each character is looked at a fixed number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.sources._feed_text import NAME, attributes, parted, plain, written

ENTRIES = 5_000  # that are read of a feed
MARKS = 40_000  # elements that are read of a feed
EACH = 800  # elements of an entry, and of all that stands outside of entries
DEEPEST = 40  # elements in each other
LONGEST = 200_000  # characters of a text

_MARK = re.compile(rf"<(?:(!\[CDATA\[)|(!--)|(\?)|(!)|(/?)({NAME})(?=[\s/>])((?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+)>)")
_ENDS = ((1, "]]>"), (2, "-->"), (3, "?>"), (4, ">"))
_AUTHORS = frozenset(
    [
        "author",
        "creator",
        "managingeditor",
        "webmaster",
        "publisher",
        "owner",
        "contributor",
        "name",
        "email",
        "uri",
        "url",
    ]
)
_PARTS = frozenset({"item", "entry"})


def lean(text: str) -> str:
    """Return the feed in `text` as well-formed XML, cut at the bounds of this module; what is no tag is text."""
    return "".join(_Feed().write(text))


class _Feed:
    """What is open where the writing has come to, and how much was written."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.over = self.each = self.marks = self.entries = 0

    def write(self, text: str) -> Iterator[str]:
        """Yield the feed in `text`, part by part."""
        at = 0
        while found := _MARK.search(text, at):
            yield self._text(plain(text[at : found.start()][:LONGEST]))
            at = found.end()
            if found[6]:
                if not found[5] and self._full(_local(found[6])):
                    break
                yield self._close(found[6]) if found[5] else "".join(self._begin(found[6], found[7]))
                continue
            group, mark = next(one for one in _ENDS if found[one[0]])
            end = text.find(mark, at)
            end = len(text) if end < 0 else end
            if group == 1:
                yield self._text(text[at : min(end, at + LONGEST)])
            at = end + len(mark)
        else:
            yield self._text(plain(text[at:][:LONGEST]))
        yield from (f"</{name}>" for name in reversed(self.open))

    def _full(self, name: str) -> bool:
        """Count an element, and say whether the feed is to end before it."""
        self.marks += 1
        self.each += 1
        if name in _PARTS:
            self.entries += 1
            self.each = 0
        return self.entries > ENTRIES or self.marks > MARKS

    def _begin(self, name: str, told: str) -> Iterator[str]:
        if _local(name) in _PARTS and (inner := next((one for one in self.open if _local(one) in _PARTS), "")):
            self.over = 0
            yield self._close(inner)  # one was left open: none stands in another
        alone = told.endswith("/")
        if self.over or len(self.open) >= DEEPEST or self.each > EACH:
            self.over += not alone
            return
        yield f"<{name}{attributes(told)}{'/>' if alone else '>'}"
        if not alone:
            self.open.append(name)

    def _close(self, name: str) -> str:
        """Close an element and all that is open in it; nothing if it is not open."""
        if self.over and _local(name) not in _PARTS:
            self.over -= 1
            return ""
        if name not in self.open:
            return ""
        closed = ""
        while (last := self.open.pop()) != name:
            closed += f"</{last}>"
        if _local(name) in _PARTS:
            self.over = 0
        return f"{closed}</{name}>"

    def _text(self, text: str) -> str:
        """Return a text of the element that is open, as it stands in XML."""
        if not self.open or not text:
            return ""
        return written(parted(text) if _local(self.open[-1]) in _AUTHORS else text)


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()
